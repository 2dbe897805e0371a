"""The table of a page about real data: a row for each method, kernel and setting."""

from __future__ import annotations

from experiments.shared.layout import estimate, number, setting_text
from experiments.shared.methods import METHODS
from experiments.shared.table import Table

__all__ = ["COLUMNS", "rows_of"]

# What follows the columns that a page chooses.
COLUMNS = ("NLPD", "95 % coverage", "training, s", "one prediction, µs", "MB", "local models")


def rows_of(
    table: Table, reference: dict[str, dict[float, float]], *others: str, all_rows: bool
) -> list[tuple[str, ...]]:
    rows = []
    for method in [*METHODS, *others]:
        for kernel in table.where(method=method).values("kernel"):
            chosen = table.where(method=method, kernel=kernel)
            for setting in reversed(chosen.numbers("setting")):
                one = chosen.where(setting=setting)
                near = reference.get(method, {}).get(setting) if kernel == "rbf" else None
                row = [
                    method,
                    str(kernel),
                    setting_text(method, setting),
                    estimate(one.estimate("rmse")),
                ]
                if all_rows:
                    whole = one.where(metric="rmse_all_rows")
                    row.append(number(whole.mean("rmse_all_rows")) if whole else "–")
                row += [
                    "–" if near is None else number(near),
                    number(one.mean("nlpd")),
                    f"{100 * one.mean('coverage'):.1f} %",
                    estimate(one.estimate("train_seconds")),
                    number(1e6 * one.mean("predict_seconds") / one.mean("test_rows")),
                    number(1e-6 * one.mean("memory_bytes")),
                    number(one.mean("n_local")),
                ]
                rows.append(tuple(row))
    return rows
