"""Streaming Gaussian-process regression with bounded updates.

>>> import numpy as np
>>> import splitgp
>>> rng = np.random.default_rng(0)
>>> X = rng.uniform(-3, 3, (500, 1))
>>> y = np.sin(X[:, 0]) + 0.1 * rng.standard_normal(500)
>>> gp = splitgp.SplittingGP(split_limit=100)
>>> for start in range(0, 500, 50):  # as the data arrive
...     _ = gp.update(X[start : start + 50], y[start : start + 50])
>>> prediction = gp.predict([[0.5]])
>>> bool(abs(prediction.mean[0] - np.sin(0.5)) < 0.1)
True

Tables with text, moments and gaps: `splitgp.TableModel`; model files of any kind: `splitgp.load`.
Estimators for other libraries: `splitgp.sklearn` and `splitgp.river`. Pictures: `splitgp.plot`.
Data: `splitgp.datasets`.
"""

from __future__ import annotations

from importlib.metadata import version as _version

from splitgp import _core
from splitgp._core import UpdateResult
from splitgp._errors import FileError, NumericalError, UnusableModel
from splitgp._results import (
    Alarm,
    ColumnStatistics,
    ExpertShares,
    Explanation,
    ForgetResult,
    Hyperparameters,
    InnovationStatistics,
    LocalGPPoints,
    LocalGPSummary,
    LocalPrediction,
    Observations,
    Prediction,
    SplitRecord,
    TrainRecord,
    TrainResult,
)
from splitgp._splitting_gp import SplittingGP
from splitgp._table_model import TableModel, TableUpdate, load

__all__ = [
    "Alarm",
    "ColumnStatistics",
    "ExpertShares",
    "Explanation",
    "FileError",
    "ForgetResult",
    "Hyperparameters",
    "InnovationStatistics",
    "LocalGPPoints",
    "LocalGPSummary",
    "LocalPrediction",
    "NumericalError",
    "Observations",
    "Prediction",
    "SplitRecord",
    "SplittingGP",
    "TableModel",
    "TableUpdate",
    "TrainRecord",
    "TrainResult",
    "UnusableModel",
    "UpdateResult",
    "instruction_set",
    "load",
]

__version__ = _version("splitgp")


def instruction_set() -> str:
    """Which instructions the engine uses: "baseline", "avx2" or "avx512".

    They are chosen when splitgp is imported, by what the processor can do; the environment variable
    SPLITGP_INSTRUCTION_SET overrides the choice. They differ in speed and in the last bits of the
    results; each gives the same bits every time.

    >>> import splitgp
    >>> splitgp.instruction_set() in ("baseline", "avx2", "avx512")
    True
    """
    return _core.instruction_set
