"""Every claim of the paper, checked against the measurements: docs/results/claims.md.

Each check computes its verdict from the tables. The only numbers set by hand are the bounds that
say what "comparable" or "slightly" means; the page shows them.
"""

from __future__ import annotations

from experiments.overviews import claims_real, claims_synthetic, claims_theory
from experiments.overviews.verdicts import FAILS, HOLDS
from experiments.shared.layout import command, earlier_engine, markdown, measured_with, not_run
from experiments.shared.methods import DEFAULT, PAPER
from experiments.shared.run import Settings
from experiments.shared.table import Table

__all__ = ["CLAIMS", "page"]

CLAIMS = [*claims_theory.CLAIMS, *claims_synthetic.CLAIMS, *claims_real.CLAIMS]

NOT_MEASURED = (
    (
        "§4.2",
        "m is straightforward to choose",
        "a judgement; besides w_gen it is the only parameter in these tables",
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
    quick = "**From the quick versions: they show that everything works, not what is true.**\n\n"
    return (
        "# The paper's claims\n\n"
        f"{quick if settings.quick else ''}"
        f"{earlier_engine(measured_with(measured[0].experiment, settings))}"
        f"    {command('all', settings)}\n\n"
        "Written by this command, which computes every verdict and number from the CSV files "
        "beside this page (`experiments/overviews/claims.py`); do not edit. "
        f"Of {len(measured)} claims, {total}. “{PAPER}” is the paper's pseudo-code, “{DEFAULT}” "
        "the model with its default options; both use the paper's kernel, rbf. Where the paper is "
        "vague (comparable, slightly), a bound is stated.\n\n"
        + not_run((one.experiment for one in CLAIMS), tables)
        + markdown(("place", "claim", "verdict", "our figure", "command"), rows)
    )
