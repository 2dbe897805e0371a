"""The pages in docs/results: tables from the measurements, in words a reader can check."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

from experiments.beyond import page as pages_beyond
from experiments.cost import page as pages_cost
from experiments.drift import page as pages_drift
from experiments.kin40k import measuring as kin40k
from experiments.shared import published
from experiments.shared.layout import (
    estimate,
    head,
    markdown,
    number,
    picture,
    setting_text,
)
from experiments.shared.methods import DEFAULT, FULL, METHODS, RBCM
from experiments.shared.run import Settings
from experiments.shared.table import Table
from experiments.stages import page as pages_stages
from experiments.synthetic import measuring as synthetic
from experiments.tables import page as pages_tables
from experiments.theory import page as pages_theory

__all__ = ["PAGES"]


def _synthetic(table: Table, settings: Settings) -> str:
    parts = [
        head("The paper's synthetic function", "synthetic", settings),
        "5 sin(x₁² + x₂²) + 3 x₁ on a grid, noise of standard deviation 0.05 max f; n rows in "
        "random order, a fifth of them held out (five folds), the rest learned one at a time. The "
        "kernel is rbf for all. Every method sees the same rows, folds and noise. Bands and ± are "
        "95 % confidence intervals of the mean over replicates. MSE is measured against the noisy "
        "held-out observations, as in the paper; “latent” against the function itself. Memory "
        "counts every byte of the model; the paper's figure is for the whole Python process.\n",
        picture(Path("synthetic_function.png"), "the two variants of the function"),
    ]
    last = synthetic.sizes(settings.quick)[-1]
    for variant in table.values("data"):
        one = table.where(data=variant, n=last)
        folds = min(synthetic.FOLDS_MEASURED[str(variant)], 2 if settings.quick else 5)
        formula = (
            "5 sin(x₁² + x₂²) + 3 x₁"
            if variant == "paper"
            else "5 sin(x₁² + 4 x₂²) + 3 x₁, centred"
        )
        replicates = one.where(metric="mse", method=DEFAULT).estimate("mse").replicates
        parts.append(
            f"## Variant “{variant}”: {formula}\n\n{replicates} replicates, {folds} of the 5 "
            "folds in each."
            f" At n = {last:,}:\n"
        )
        rows = []
        for method, setting in synthetic.competitors(settings.quick):
            of = {"method": method, "setting": setting}
            reference = (
                published.SYNTHETIC.get(method, {}).get(last) if variant == "paper" else None
            )
            if method == RBCM and setting == synthetic.split_limit(settings.quick):
                reference = None
            rows.append(
                (
                    method,
                    setting_text(method, setting),
                    estimate(one.estimate("mse", **of)),
                    number(math.sqrt(one.mean("mse_latent", **of))),
                    "–" if reference is None else number(reference),
                    number(1e-3 * one.mean("memory_bytes", **of)),
                    estimate(one.estimate("train_seconds", **of)),
                    number(1e6 * one.mean("predict_seconds", **of) / (last / synthetic.FOLDS)),
                )
            )
        columns = (
            "method",
            "observations per model",
            "MSE",
            "latent RMSE",
            "MSE, published",
            "memory, kB",
            "training, s",
            "one prediction, µs",
        )
        parts.append(markdown(columns, rows))
        parts.append(picture(Path(f"synthetic_{variant}.png"), "MSE, memory and training time"))
        parts.append(picture(Path(f"synthetic_{variant}_zoom.png"), "MSE after splits"))
    return "\n".join(parts)


def _real_rows(
    table: Table, reference: dict[str, dict[float, float]], *, all_rows: bool
) -> list[tuple[str, ...]]:
    rows = []
    for method in [*METHODS, kin40k.OJA]:
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


_REAL_COLUMNS = ("NLPD", "95 % coverage", "training, s", "one prediction, µs", "MB", "local models")


def _kin40k(table: Table, settings: Settings) -> str:
    tested = table.mean("test_rows", method=DEFAULT, setting=table.numbers("setting")[-1])
    return "\n".join(
        [
            head("kin40k", "kin40k", settings),
            f"{table.rows[0].n:,} observations in stream order, 8 inputs; kernel rbf for all. One "
            "run each, as in the paper. RMSE, NLPD and coverage are over the first "
            f"{tested:,.0f} of the 30,000 test rows for every method, because predicting all of "
            "them with ten thousand observations in one model takes minutes per method; up to "
            f"{kin40k.ALL_ROWS_LIMIT} observations per model, the RMSE over all test rows is given "
            "too. Dotted lines are the paper's published curves (its splitting GP asks only the "
            "nearest local GP there, and lets local GPs grow beyond m).\n",
            picture(Path("kin40k.png"), "RMSE against observations per local model"),
            markdown(
                (
                    "method",
                    "kernel",
                    "observations per model",
                    "RMSE",
                    "RMSE, all test rows",
                    "published",
                    *_REAL_COLUMNS,
                ),
                _real_rows(table, {} if settings.quick else published.KIN40K, all_rows=True),
            ),
        ]
    )


def _powergen(table: Table, settings: Settings) -> str:
    replicates = table.where(method=DEFAULT).estimate(
        "rmse", kernel="rbf", setting=table.where(method=DEFAULT).numbers("setting")[0]
    )
    slow = table.where(method=FULL, kernel="rbf").estimate("rmse").replicates
    return "\n".join(
        [
            head("powergen", "powergen", settings),
            f"{table.rows[0].n:,} observations with 4 inputs in raw units; the rest of the 9,527 "
            f"are the test set. {replicates.replicates} replicates with the authors' own splits of "
            f"the data, the same for all methods; {slow} of them for the full GP and the local GP, "
            "which are slow. The kernel is rbf, as in the paper, for an even comparison; “auto”, "
            "the default, lets training choose the family. Bands and ± are 95 % confidence "
            "intervals of the mean over replicates.\n",
            picture(
                Path("powergen.png"), "RMSE and training time against observations per local model"
            ),
            markdown(
                ("method", "kernel", "observations per model", "RMSE", "published", *_REAL_COLUMNS),
                _real_rows(table, {} if settings.quick else published.POWERGEN, all_rows=False),
            ),
        ]
    )


def _figure1(table: Table, settings: Settings) -> str:
    return "\n".join(
        [
            head("Figure 1", "figure1", settings),
            picture(Path("figure1.png"), "how a split cuts, and continuity"),
            "(a) A set in the plane, cut across its first principal direction (orange) by the "
            "hyperplane (green); the crosses are the centers of the engine's two local GPs, which "
            "agree with the centroids of the halves to "
            f"{number(table.mean('center_difference'))}. (b) The mean of two local GPs by the "
            "paper's pseudo-code: with the nearest alone it jumps between the centers (largest "
            f"step between neighbouring queries {number(table.mean('step_nearest'))}), with both "
            f"it does not ({number(table.mean('step_both'))}). [theory.md](theory.md) measures "
            "this on finer and finer lines.\n",
        ]
    )


# experiment → what writes its page
PAGES: dict[str, Callable[[Table, Settings], str]] = {
    "synthetic": _synthetic,
    "kin40k": _kin40k,
    "powergen": _powergen,
    "figure1": _figure1,
    "theory": pages_theory.page,
    "beyond": pages_beyond.page,
    "stages": pages_stages.page,
    "cost": pages_cost.page,
    "tables": pages_tables.page,
    "drift": pages_drift.page,
}
