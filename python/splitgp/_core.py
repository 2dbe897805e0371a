"""Chooses the compiled module: for any CPU, or for one with AVX2."""

from __future__ import annotations

import importlib
import os

from splitgp import _cpu

_LEVELS = ("baseline", "avx2")


def _choose() -> str:
    wanted = os.environ.get("SPLITGP_INSTRUCTION_SET", "")
    best = "avx2" if _cpu.supports_avx2() else "baseline"
    if not wanted:
        return best
    if wanted not in _LEVELS:
        raise ImportError(
            f'SPLITGP_INSTRUCTION_SET is "{wanted}"; it must be one of {", ".join(_LEVELS)}'
        )
    if wanted == "avx2" and best == "baseline":
        raise ImportError('SPLITGP_INSTRUCTION_SET is "avx2"; this CPU does not have AVX2 and FMA')
    return wanted


_module = importlib.import_module(f"splitgp._core_{_choose()}")

level: str = _module.level
Model = _module.Model
Options = _module.Options
UpdateResult = _module.UpdateResult
save = _module.save
load = _module.load
Rival = _module.Rival
full_gp = _module.full_gp
robust_bcm = _module.robust_bcm
local_gp_regression = _module.local_gp_regression
locally_growing_gp = _module.locally_growing_gp
