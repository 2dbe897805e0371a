"""How far a long command has come: one line on a terminal, nothing in a pipe."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass, field
from typing import TextIO

__all__ = ["Progress"]


@dataclass
class Progress:
    """One line on a terminal, rewritten; nothing elsewhere."""

    total: int
    cost: float
    workers: int
    stream: TextIO = field(default_factory=lambda: sys.stderr)
    done: int = 0
    done_cost: float = 0.0
    start: float = field(default_factory=time.perf_counter)

    def show(self, what: str) -> None:
        if not self.stream.isatty():
            return
        elapsed = time.perf_counter() - self.start
        text = f"[{self.done}/{self.total}] {_clock(elapsed)}"
        if self.done_cost > 0:
            text += f", about {_clock(elapsed * (self.cost / self.done_cost - 1))} left"
        width = os.get_terminal_size(self.stream.fileno()).columns
        self.stream.write(f"\r{f'{text}  {what}'[: width - 1]:<{width - 1}}")
        if self.done == self.total:
            self.stream.write("\n")
        self.stream.flush()


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02d}"
