"""The page about coverage."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from experiments.coverage import measuring as coverage
from experiments.coverage import sources
from experiments.shared.layout import head, markdown, number, picture
from experiments.shared.run import Settings
from experiments.shared.table import Table

__all__ = ["page"]

_COLUMNS = ("50 %", "80 %", "90 %", "95 %", "99 %", "worst 500", "width", "NLPD")
# What is asked of intervals, in per cent.
_TARGETS = {"cover_95": (93.0, 97.0), "cover_50": (45.0, 55.0)}
_LEAST_WORST = 88.0


def page(table: Table, settings: Settings) -> str:
    late = [(name, n) for name in sources.STREAMS for n in (*coverage.LATE, coverage.BATCH)]
    horizons = [(name, n) for name, all_of in sources.HORIZONS.items() for n in all_of]
    return "\n".join(
        [
            head("Coverage", "coverage", settings),
            "Share of observations inside intervals of five levels. “Reach” asks with `ahead`, "
            "which is how many rows after the last learned one the query is, or `None` where "
            "that means nothing. “Next row” asks without it, which is the interval of the row "
            "that comes next. The means are the same. Width is the mean width of "
            "the 95 % interval. The worst 500 rows are consecutive and may begin "
            f"anywhere; the first {coverage.WARM_UP} rows of a stream do not count. Bold: "
            "outside 93–97 % (level 95), 45–55 % (level 50) or below 88 % (worst 500).\n",
            picture(Path("coverage.png"), "share of observations inside, against the level"),
            _summary(table, late, horizons),
            "## Late answers and batches\n\nEach row is predicted before the answers of the rows "
            "just before it have come. A batch is predicted as a whole and then learned.\n",
            _table(table, late, lambda n: "batches" if n == coverage.BATCH else f"{n} late"),
            "## Rows held out\n\nLearned in one pass with the training rows in random order; the "
            "Barrett arm's in the order of the recording. Its supplied test set lies between the "
            "training rows, and `barrett_wam_blocks` holds out stretches.\n",
            _table(table, _test_sets(table), lambda n: f"{n:,} learned", stretches=False),
            "## Horizons\n\nHourly load and daily mean temperature, from inputs that are known so "
            "many rows before.\n",
            _table(table, horizons, lambda n: f"{n} ahead"),
        ]
    )


def _test_sets(table: Table) -> list[tuple[str, int]]:
    return [
        (name, int(n))
        for name in (*sources.TEST_SETS, *sources.ARM)
        for n in table.where(data=name).numbers("n")
    ]


def _table(
    table: Table,
    cases: Iterable[tuple[str, int]],
    text: Callable[[int], str],
    stretches: bool = True,
) -> str:
    rows = []
    for name, n in cases:
        for way in coverage.WAYS:
            one = table.where(data=name, method=way, n=n)
            if not one:
                continue
            held = [_share(one, f"cover_{100 * level:.0f}") for level in coverage.LEVELS]
            worst = _share(one, "worst") if stretches else "–"
            rows.append(
                (
                    name,
                    text(n),
                    way,
                    *held,
                    worst,
                    number(one.mean("width")),
                    number(one.mean("nlpd")),
                )
            )
    return markdown(("data", "", "asked for", *_COLUMNS), rows)


def _share(one: Table, metric: str) -> str:
    share = 100 * one.mean(metric)
    low, high = _TARGETS.get(metric, (0.0, 100.0))
    if metric == "worst":
        low = _LEAST_WORST
    return f"{share:.1f}" if low <= share <= high else f"**{share:.1f}**"


def _summary(
    table: Table, late: Iterable[tuple[str, int]], horizons: Iterable[tuple[str, int]]
) -> str:
    groups = {
        "late answers and batches": list(late),
        "rows held out at random": [c for c in _test_sets(table) if c[0] in sources.TEST_SETS],
        "the arm": [c for c in _test_sets(table) if c[0] in sources.ARM],
        "horizons": list(horizons),
    }
    rows = []
    for group, cases in groups.items():
        for way in coverage.WAYS:
            chosen = [table.where(data=name, method=way, n=n) for name, n in cases]
            chosen = [one for one in chosen if one]
            if not chosen:
                continue
            inside = [
                sum(low <= 100 * one.mean(metric) <= high for one in chosen)
                for metric, (low, high) in _TARGETS.items()
            ]
            worst = sum(100 * one.mean("worst") >= _LEAST_WORST for one in chosen)
            rows.append((group, way, f"{len(chosen)}", *[f"{k}" for k in inside], f"{worst}"))
    columns = ("", "asked for", "cases", "95 % holds 93–97", "50 % holds 45–55", "worst 500 ≥ 88")
    return markdown(columns, rows)
