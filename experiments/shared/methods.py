"""The models under comparison, by name, and how each is drawn.

All share the engine's Train: the same objective, budget and schedule.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import splitgp
from splitgp import rivals

__all__ = [
    "DEFAULT",
    "FULL",
    "LOCAL",
    "LOG",
    "METHODS",
    "PAPER",
    "RBCM",
    "Model",
    "experts_for",
    "make",
]

DEFAULT = "splitting (default)"
PAPER = "splitting (paper)"
RBCM = "rBCM"
LOCAL = "local GP"
LOG = "LoG-GP"
FULL = "full GP"


class Model(Protocol):
    """What the experiments ask of a model."""

    def update(self, X: Any, y: Any) -> Any: ...
    def predict(self, X: Any) -> Any: ...
    @property
    def n_observations(self) -> int: ...
    @property
    def n_local(self) -> int: ...
    @property
    def memory_bytes(self) -> int: ...


@dataclass(frozen=True)
class Style:
    """Colour and marker; the same method looks the same in every figure."""

    color: str
    marker: str
    setting: str  # what its parameter means


METHODS = {
    DEFAULT: Style("#0072b2", "o", "observations per local GP"),
    PAPER: Style("#56b4e9", "s", "observations per local GP"),
    RBCM: Style("#d55e00", "^", "observations per expert"),
    LOCAL: Style("#009e73", "v", "w_gen"),
    LOG: Style("#cc79a7", "D", "observations per local GP"),
    FULL: Style("#333333", "*", "–"),
}


def experts_for(observations: int, each: float) -> int:
    """How many experts hold `each` observations when the stream ends."""
    return max(1, round(observations / each))


def make(
    method: str,
    *,
    setting: float,
    observations: int,
    kernel: str = "rbf",
    seed: int = 0,
    **options: Any,
) -> Model:
    """Make a model by its name.

    Parameters
    ----------
    method : str
        One of METHODS.
    setting : float
        Observations per local model; for the local GP w_gen; for the full GP anything.
    observations : int
        How long the stream will be: the rBCM must choose its number of experts beforehand.
    kernel, seed, **options
        As for SplittingGP.
    """
    options = {"kernel": kernel, "seed": seed, **options}
    if method == DEFAULT:
        return splitgp.SplittingGP(capacity=int(setting), **options)
    if method == PAPER:
        return splitgp.SplittingGP(split_limit=int(setting), preset="paper", **options)
    if method == RBCM:
        return rivals.RobustBCM(experts=experts_for(observations, setting), **options)
    if method == LOCAL:
        return rivals.LocalGP(generate_threshold=setting, **options)
    if method == LOG:
        return rivals.LoGGP(split_limit=int(setting), **options)
    if method == FULL:
        return rivals.FullGP(**options)
    raise ValueError(f"method is {method!r}; it must be one of {', '.join(METHODS)}")
