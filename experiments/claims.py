"""Every claim of the paper, checked against the measurements: docs/results/claims.md.

Each check computes its verdict from the tables. No number is typed in but the bounds that say what
"comparable" or "slightly" shall mean, which the page shows.
"""

from __future__ import annotations

from experiments import claims_real, claims_synthetic, claims_theory
from experiments.layout import command, markdown, not_run
from experiments.methods import DEFAULT, PAPER
from experiments.run import Settings
from experiments.table import Table
from experiments.verdicts import FAILS, HOLDS

__all__ = ["CLAIMS", "page"]

CLAIMS = [*claims_theory.CLAIMS, *claims_synthetic.CLAIMS, *claims_real.CLAIMS]

NOT_MEASURED = (
    (
        "§4.2",
        "m is straightforward to choose",
        "a judgement; the one parameter in all of these tables but w_gen",
    ),
    (
        "§5.1",
        "The full GP's training time changes its regime at ~1,100 observations",
        "a property of GPyTorch, which is not used here",
    ),
    ("§2", "The rBCM does not address non-stationarity", "a statement about its assumptions"),
)


def page(tables: dict[str, Table], settings: Settings) -> str:
    """claims.md: one row for each claim that these tables bear on; empty if there is none."""
    measured = [one for one in CLAIMS if one.experiment in tables]
    if not measured:
        return ""
    rows = []
    counts = {"hold": 0, "do not": 0, "hold in part": 0}
    for one in measured:
        how = f"`{command(one.experiment, settings)}`"
        found = one.check(tables[one.experiment])
        kind = {HOLDS: "hold", FAILS: "do not"}.get(found[0], "hold in part")
        counts[kind] += 1
        rows.append((one.place, one.text, f"**{found[0]}**", found[1], how))
    rows += [(place, text, "not measured", why, "–") for place, text, why in NOT_MEASURED]
    total = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
    quick = "**From the quick versions: they show that all works, not what is true.**\n\n"
    return (
        "# The paper's claims\n\n"
        f"{quick if settings.quick else ''}"
        f"    {command('all', settings)}\n\n"
        "Made by this command; verdicts and numbers are computed from the CSV files beside this "
        "page (`claims.py`), so do not "
        f"edit. Of {len(measured)} claims {total}. “{PAPER}” is the paper's pseudo-code, "
        f"“{DEFAULT}” the model "
        "as it comes; both with the kernel that the paper used, rbf. Comparative words of the "
        "paper (comparable, "
        "slightly) are given bounds, which are stated.\n\n"
        + not_run((one.experiment for one in CLAIMS), tables)
        + markdown(("place", "claim", "verdict", "our figure", "command"), rows)
    )
