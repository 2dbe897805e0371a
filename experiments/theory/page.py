"""The page of the propositions and complexities."""

from __future__ import annotations

from pathlib import Path

from experiments.shared.layout import head, markdown, number, picture
from experiments.shared.methods import DEFAULT, PAPER
from experiments.shared.run import Settings
from experiments.shared.table import Table
from experiments.theory import measuring as theory

__all__ = ["page"]


def page(table: Table, settings: Settings) -> str:
    one = table.where(data="proposition 1")
    first = markdown(
        (
            "method",
            "difference of the mean",
            "of the standard deviation",
            "a later split moves the mean by",
            "an update without a split by",
        ),
        [
            (
                method,
                number(one.mean("mean_difference", method=method)),
                number(one.mean("std_difference", method=method)),
                number(one.mean("later_split_moves", method=method)),
                number(one.mean("no_split_moves", method=method)),
            )
            for method in (DEFAULT, PAPER)
        ],
    )
    lines = table.where(data="proposition 2")
    counts = [int(count) for count in lines.numbers("n")]
    second = markdown(
        ("rule", *(f"{count - 1:,} steps" for count in counts)),
        [
            (str(rule), *(number(lines.mean("largest_step", method=rule, n=n)) for n in counts))
            for rule in lines.values("method")
        ],
    )
    factors = table.where(data="factors")
    third = markdown(
        ("length_scale", "largest difference in the mean"),
        [
            (number(scale), number(factors.mean("mean_difference", setting=scale)))
            for scale in factors.numbers("setting")
        ],
    )
    return "\n".join(
        [
            head("Propositions and complexities", "theory", settings),
            "Measured with a given θ, without training, on a smooth function of inputs in [−1, 1] "
            "(values of order 1, noise 0.1).\n",
            picture(Path("theory.png"), "cost of an update and memory"),
            f"## Proposition 1: a split changes no prediction\n\nm = {theory.SPLIT_LIMIT}. "
            "Predictions at 500 inputs right after the first split, compared with the parent's; "
            f"then how far updates with and without a later split move the mean.\n\n{first}",
            "## Proposition 2: continuity\n\nThe largest step of the mean between neighbouring "
            ""
            "queries on a line that is divided more and more finely. Where the mean is continuous, "
            "ten times as many queries make it ten times smaller; a jump keeps its size."
            f"\n\n{second}",
            "## Factors that grow row by row\n\n500 observations appended one by one, "
            f"compared with a factor computed at once.\n\n{third}",
        ]
    )
