# Written by python/write_options.py from the engine's table of options; do not edit.
# ruff: noqa: E501
# fmt: off
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

from splitgp._results import Hyperparameters

class Keywords(TypedDict, total=False):
    split_limit: int | None
    kernel: Literal["auto", "rbf", "matern12", "matern32", "matern52", "rational_quadratic"]
    aggregation: Literal["evidence", "similarity", "nearest"]
    neighbors: int | None
    inherit: bool
    training: Literal["off", "inline", "background"]
    seed: int
    preset: Literal["paper"] | None
    capacity: int | None
    threads: int
    training_observations: int
    surprise: bool
    trend: Literal["auto", "none", "linear"]
    length_scale_groups: Sequence[int] | None
    calibration: Literal["adaptive", "conformal", "none"]
    experts: bool
    on_drift: Literal["report", "forget"]
    rows_per_false_alarm: int
    outliers: Literal["learn", "reject"]
    window_size: int
    max_observations: int
    forget: Literal["oldest", "redundant"]
    max_age: float
    taper: bool
    principal_direction: Literal["exact", "oja"]
    split_space: Literal["scaled", "raw"]
    fixed: Sequence[str] | None
    hyperparameters: Mapping[str, Any] | Hyperparameters | None

class RivalKeywords(TypedDict, total=False):
    kernel: Literal["auto", "rbf", "matern12", "matern32", "matern52", "rational_quadratic"]
    training: Literal["off", "inline", "background"]
    hyperparameters: Mapping[str, Any] | Hyperparameters | None
    seed: int
    training_observations: int

class TakesKeywords:
    def __init__(
        self,
        split_limit: int | None = None,
        kernel: Literal["auto", "rbf", "matern12", "matern32", "matern52", "rational_quadratic"] = "auto",
        aggregation: Literal["evidence", "similarity", "nearest"] = "evidence",
        neighbors: int | None = None,
        inherit: bool = True,
        training: Literal["off", "inline", "background"] = "inline",
        seed: int = 0,
        preset: Literal["paper"] | None = None,
        *,
        capacity: int | None = None,
        threads: int = 1,
        training_observations: int = 3000,
        surprise: bool = True,
        trend: Literal["auto", "none", "linear"] = "auto",
        length_scale_groups: Sequence[int] | None = None,
        calibration: Literal["adaptive", "conformal", "none"] = "adaptive",
        experts: bool = True,
        on_drift: Literal["report", "forget"] = "report",
        rows_per_false_alarm: int = 1000000,
        outliers: Literal["learn", "reject"] = "learn",
        window_size: int = 0,
        max_observations: int = 0,
        forget: Literal["oldest", "redundant"] = "oldest",
        max_age: float = 0.0,
        taper: bool = True,
        principal_direction: Literal["exact", "oja"] = "exact",
        split_space: Literal["scaled", "raw"] = "scaled",
        fixed: Sequence[str] | None = None,
        hyperparameters: Mapping[str, Any] | Hyperparameters | None = None,
    ) -> None: ...
    def _accept(self, keywords: dict[str, Any]) -> None: ...
