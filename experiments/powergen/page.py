"""The page about powergen."""

from __future__ import annotations

from pathlib import Path

from experiments.shared import published
from experiments.shared.layout import head, markdown, picture
from experiments.shared.methods import DEFAULT, FULL
from experiments.shared.real_data import COLUMNS, rows_of
from experiments.shared.run import Settings
from experiments.shared.table import Table

__all__ = ["page"]


def page(table: Table, settings: Settings) -> str:
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
                ("method", "kernel", "observations per model", "RMSE", "published", *COLUMNS),
                rows_of(table, {} if settings.quick else published.POWERGEN, all_rows=False),
            ),
        ]
    )
