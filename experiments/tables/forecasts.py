"""Time as cycles, days as a category, earlier values as inputs: two streams in time order."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from datetime import datetime
from typing import Any

import numpy as np

import splitgp
from experiments.cost.measuring import in_time_order
from experiments.cost.measuring import scores as late_scores
from experiments.cost.models import BOOSTING, MODELS, Gp
from experiments.shared.measure import Floats, Measured
from experiments.shared.run import Job, Settings
from experiments.shared.scoring import Scorer
from experiments.tables import raw_tables
from experiments.tables.category_codes import one_hot
from splitgp import datasets

__all__ = ["AHEAD", "LATE", "LOAD", "LOAD_ROWS", "TRAFFIC", "TRAFFIC_ROWS", "WARM_UP", "jobs"]

LATE = 10  # rows between a prediction of the traffic and its label
TRAFFIC_ROWS = 10_000  # as in the cost experiment
AHEAD = 24  # hours that the load is forecast
LOAD_ROWS = 5000
WARM_UP = 500  # hours of forecasts that do not count

Groups = list[int] | None


def hand_made() -> tuple[Floats, Floats, Groups]:
    """The traffic with hour, day of the week and day of the year as plain numbers."""
    table = datasets.load("metro_traffic", TRAFFIC_ROWS)
    return table.X, table.y, None


def cycles() -> tuple[Floats, Floats, Groups]:
    """The same with the positions in day and week as sine and cosine."""
    table = datasets.load("metro_traffic", TRAFFIC_ROWS)
    at = table.input_names.index
    others = np.delete(table.X, [at("hour"), at("dow"), at("doy")], axis=1)
    hour, day = table.X[:, at("hour")], table.X[:, at("dow")]
    return np.column_stack([others, _circle(hour, 24), _circle(day + hour / 24, 7)]), table.y, None


def cycles_and_days() -> tuple[Floats, Floats, Groups]:
    """And the day of the week as a category, a code of seven columns with one length scale."""
    table = datasets.load("metro_traffic", TRAFFIC_ROWS)
    X, y, _ = cycles()
    days = one_hot([f"{day:.0f}" for day in table.X[:, table.input_names.index("dow")]])
    groups = list(range(X.shape[1])) + [X.shape[1]] * days.shape[1]
    return np.hstack([X, days]), y, groups


def days_alone() -> tuple[Floats, Floats, Groups]:
    """Day and week as cycles, the day as a category and the holidays: neither time nor weather."""
    X, y, groups = cycles_and_days()
    assert groups is not None
    holiday, first_cycle = 1, 6  # behind the hours, and behind the weather
    kept = [holiday, *range(first_cycle, X.shape[1])]
    return np.ascontiguousarray(X[:, kept]), y, [groups[k] for k in kept]


def _circle(position: Floats, period: float) -> Floats:
    angle = position * math.tau / period
    return np.column_stack([np.sin(angle), np.cos(angle)])


TRAFFIC: dict[str, tuple[str, Callable[[], tuple[Floats, Floats, Groups]], str]] = {
    "splitgp: numbers": ("hour and days as plain numbers", hand_made, "gp"),
    "splitgp: cycles": ("day and week as sine and cosine", cycles, "gp"),
    "splitgp: cycles and days": ("and the day as a category", cycles_and_days, "gp"),
    "splitgp: cycles and days alone": ("without hours and weather", days_alone, "gp"),
    f"{BOOSTING}: numbers": (MODELS[BOOSTING].text, hand_made, BOOSTING),
    f"{BOOSTING}: cycles and days": ("on the columns of splitgp", cycles_and_days, BOOSTING),
}


def measure_traffic(method: str, rows: int, seed: int, options: dict[str, Any]) -> Measured:
    """Labels come ten rows late."""
    from threadpoolctl import threadpool_limits

    _, columns, kind = TRAFFIC[method]
    X, y, groups = columns()
    X, y = X[:rows], y[:rows]
    if kind == "gp":
        model: Any = Gp(splitgp.SplittingGP(seed=seed, length_scale_groups=groups, **options))
    else:
        model = MODELS[kind].make(len(X), seed, {})
    with threadpool_limits(1):
        answers, seconds = in_time_order(model, X, y, LATE)
    found = late_scores(answers, y) | {"row_seconds": seconds / len(y)}
    return [(len(y), metric, value) for metric, value in found.items()]


def load_columns(rows: int) -> tuple[Floats, Floats]:
    """For each hour what is known of it a day ahead, and its load; the first week is history."""
    table = raw_tables.read("pjme_hourly")
    stamps = [datetime.strptime(text, "%d-%m-%Y %H:%M") for text in table["Datetime"]]
    loads = raw_tables.numbers(table["PJME_MW"])
    order = sorted(range(len(stamps)), key=lambda k: stamps[k])[: rows + 168]
    y = loads[order]
    hours = np.array([(stamps[k] - stamps[order[0]]).total_seconds() / 3600 for k in order])
    week = np.array([stamps[k].weekday() * 24.0 + stamps[k].hour for k in order])
    X = [hours, _circle(week, 24), _circle(week, 168)]
    X += [np.r_[np.full(lag, np.nan), y[:-lag]] for lag in (AHEAD, 2 * AHEAD, 168)]
    return np.column_stack(X)[168:], y[168:]


def _gp_forecast(X: Floats, y: Floats, seed: int, options: dict[str, Any]) -> Any:
    gp = splitgp.SplittingGP(seed=seed, **options)
    found = []
    for hour in range(len(y)):
        # At this moment the loads up to AHEAD hours before are known.
        if hour >= AHEAD:
            known = slice(hour - AHEAD, hour - AHEAD + 1)
            gp.update(X[known], y[known])
        found.append(gp.predict(X[hour : hour + 1]) if hour >= WARM_UP else None)
    return found


def _boosting_forecast(X: Floats, y: Floats, seed: int, options: dict[str, Any]) -> Any:
    from sklearn.ensemble import HistGradientBoostingRegressor

    found: list[float | None] = [None] * len(y)
    for first in range(0, len(y), AHEAD):
        if (known := first - AHEAD) < 100:
            continue
        fitted = HistGradientBoostingRegressor(random_state=seed).fit(X[:known], y[:known])
        last = min(first + AHEAD, len(y))
        found[first:last] = fitted.predict(X[first:last]).tolist()
    return found


def _snarimax_forecast(X: Floats, y: Floats, seed: int, options: dict[str, Any]) -> Any:
    from river import linear_model, optim, preprocessing, time_series

    # The regression of river's own example, with smaller steps: with those it diverges.
    regressor = preprocessing.StandardScaler() | linear_model.LinearRegression(
        optimizer=optim.SGD(0.003), intercept_lr=0.3
    )
    model = time_series.SNARIMAX(p=3, d=0, q=0, m=AHEAD, sp=7, sd=0, sq=0, regressor=regressor)
    found: list[float | None] = [None] * len(y)
    scale = float(np.mean(y[:168]))  # its regression is not made for large numbers
    for hour in range(len(y)):
        if hour >= WARM_UP:
            # After learning hour - AHEAD, the last of the next hours is this one.
            found[hour] = scale * float(model.forecast(horizon=AHEAD)[-1])  # type: ignore[no-untyped-call]
        if hour >= AHEAD - 1:
            model.learn_one(y[hour - AHEAD + 1] / scale)  # type: ignore[no-untyped-call]
    return found


def _last_week(X: Floats, y: Floats, seed: int, options: dict[str, Any]) -> Any:
    return X[:, -1].tolist()


LOAD: dict[str, tuple[str, Callable[[Floats, Floats, int, dict[str, Any]], Any]]] = {
    "splitgp": ("learns every hour as its load becomes known", _gp_forecast),
    "last week": ("the load 168 hours before", _last_week),
    "SNARIMAX": (
        "river's, the last 3 hours and the same hour of 7 days; of eleven settings tried on these "
        "rows the best: most others diverge",
        _snarimax_forecast,
    ),
    "gradient boosting": (
        "scikit-learn's `HistGradientBoostingRegressor` on the same columns, fitted again to all "
        "rows so far every day",
        _boosting_forecast,
    ),
}


def measure_load(method: str, rows: int, seed: int, options: dict[str, Any]) -> Measured:
    """Every hour is forecast a day ahead."""
    import sklearn.ensemble  # noqa: F401  before its threads are limited
    from threadpoolctl import threadpool_limits

    X, y = load_columns(rows)
    first = min(WARM_UP, len(y) // 2)
    with threadpool_limits(1):
        start = time.process_time()
        answers = LOAD[method][1](X, y, seed, options)
        seconds = time.process_time() - start
    counted = [hour for hour in range(first, len(y)) if answers[hour] is not None]
    if isinstance(answers[counted[0]], splitgp.Prediction):
        scorer = Scorer()
        for hour in counted:
            scorer.add(answers[hour], y[hour : hour + 1])
        scores = scorer.scores()
        found = {metric: scores[metric] for metric in ("rmse", "nlpd", "cover_95")}
        means = np.array([float(answers[hour].mean[0]) for hour in counted])
    else:
        means = np.array([answers[hour] for hour in counted])
        found = {"rmse": float(np.sqrt(np.mean((y[counted] - means) ** 2)))}
    found["mape"] = float(np.mean(np.abs(y[counted] - means) / y[counted]))
    found["row_seconds"] = seconds / len(y)
    return [(len(y), metric, value) for metric, value in found.items()]


def jobs(settings: Settings, prefix: str, options: dict[str, Any]) -> list[Job]:
    quick = settings.quick
    traffic = 320 if quick else TRAFFIC_ROWS
    load = WARM_UP + 60 if quick else LOAD_ROWS
    common = {"seed": settings.seed, "options": options}
    return [
        Job(
            measure_traffic,
            {"method": method, "rows": traffic, **common},
            prefix + "traffic",
            method,
            "auto",
            float(LATE),
            cost=1e-3 * traffic,
        )
        for method in TRAFFIC
        if not quick or method.startswith("splitgp")
    ] + [
        Job(
            measure_load,
            {"method": method, "rows": load, **common},
            prefix + "load",
            method,
            "auto",
            float(AHEAD),
            cost=(40 if method == "gradient boosting" else 1) * 1e-3 * load,
        )
        for method in LOAD
        if not quick or method in ("splitgp", "last week")
    ]
