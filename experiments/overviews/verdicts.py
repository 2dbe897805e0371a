"""A claim, the check that gives its verdict, and the wording of verdicts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from experiments.shared.table import Table

__all__ = ["FAILS", "HOLDS", "Claim", "Finding", "collector", "only_for", "verdict"]

Finding = tuple[str, str]  # verdict, figure
Check = Callable[[Table], Finding]

HOLDS, FAILS = "holds", "does not hold"


@dataclass(frozen=True)
class Claim:
    """One claim: where the paper makes it, which experiment bears on it, and the check."""

    place: str
    text: str
    experiment: str
    check: Check


def collector(claims: list[Claim]) -> Callable[[str, str, str], Callable[[Check], None]]:
    """Make a decorator that adds a check, with the claim it checks, to a list."""

    def claim(place: str, text: str, experiment: str) -> Callable[[Check], None]:
        return lambda check: claims.append(Claim(place, text, experiment, check))

    return claim


def verdict(condition: bool) -> str:
    return HOLDS if condition else FAILS


def only_for(condition: dict[str, bool], word: str = "for") -> str:
    """Whether something holds for all, for none, or for some, and for which.

    >>> only_for({"a": True, "b": False})
    'holds only for a'
    """
    if all(condition.values()):
        return HOLDS
    kept = [name for name, value in condition.items() if value]
    return f"holds only {word} {', '.join(kept)}" if kept else FAILS
