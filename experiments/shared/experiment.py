"""What an experiment is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from experiments.shared.run import Job, Settings
from experiments.shared.table import Table

__all__ = ["Experiment"]


@dataclass(frozen=True)
class Experiment:
    """A question, with what measures it, draws its figures and writes its page."""

    title: str
    jobs: Callable[[Settings], list[Job]]
    draw: Callable[[Table, Settings], list[Path]]
    page: Callable[[Table, Settings], str]
