"""The base of estimators that take all options.

Type checkers read the stub beside this file, which has the signature that `takes_options` gives a
class at run time; python/write_options.py writes it.
"""

from __future__ import annotations

from typing import Any


class TakesKeywords:
    """Hands all keywords, defaults included, to _accept."""

    def __init__(self, **options: Any) -> None:
        self._accept(options)

    def _accept(self, keywords: dict[str, Any]) -> None:
        raise NotImplementedError
