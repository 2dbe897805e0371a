"""The page about kin40k."""

from __future__ import annotations

from pathlib import Path

from experiments.kin40k import measuring as kin40k
from experiments.shared import published
from experiments.shared.layout import head, markdown, picture
from experiments.shared.methods import DEFAULT
from experiments.shared.real_data import COLUMNS, rows_of
from experiments.shared.run import Settings
from experiments.shared.table import Table

__all__ = ["page"]


def page(table: Table, settings: Settings) -> str:
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
                    *COLUMNS,
                ),
                rows_of(
                    table,
                    {} if settings.quick else published.KIN40K,
                    kin40k.OJA,
                    all_rows=True,
                ),
            ),
        ]
    )
