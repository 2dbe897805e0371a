"""Tables as people have them: what their columns become, and what that is worth."""

from __future__ import annotations

from experiments.shared.run import Job, Settings
from experiments.tables import category_codes, forecasts, gap_filling

__all__ = ["CODES", "FORECASTS", "GAPS", "jobs"]

# What `data` begins with.
CODES, GAPS, FORECASTS = "code/", "gap/", "forecast/"

GAP_ROWS = 5000
# Enough to see that everything works.
_QUICK_ROWS = 320
_QUICK_OPTIONS = {"kernel": "rbf", "training_observations": 100, "capacity": 60}


def jobs(settings: Settings) -> list[Job]:
    options = _QUICK_OPTIONS if settings.quick else {}
    common = {"seed": settings.seed, "options": options}

    def rows(most: int) -> int:
        return _QUICK_ROWS if settings.quick else most

    codes = [
        Job(
            category_codes.measure,
            {"data": data, "code": code, "rows": rows(one.rows), **common},
            CODES + data,
            code,
            "auto",
            cost=0.6e-3 * one.rows,
        )
        for data, one in category_codes.SETS.items()
        for code in category_codes.codes_for(data)
        if not settings.quick or data == "levels_30"
    ]
    gaps = [
        Job(
            gap_filling.measure,
            {"data": data, "fill": fill, "rows": rows(GAP_ROWS), **common},
            GAPS + data,
            fill,
            "auto",
            cost=0.6e-3 * GAP_ROWS,
        )
        for data in gap_filling.SETS
        for fill in gap_filling.FILLS
        if not settings.quick or data == "no2"
    ]
    return codes + gaps + forecasts.jobs(settings, FORECASTS, options)
