"""splitgp against other streaming regressors: test-then-train on real streams, one table.

Each row is predicted before it is learned. RMSE and the coverage of the 95 % intervals (of those
models that have any) are over the whole stream except the first 200 rows; time is the CPU time to
predict and learn one row, trainings included; memory is that of the model at the end.

    OPENBLAS_NUM_THREADS=1 python experiments/benchmarks/streams.py
        [--rows 5000] [--data gas_turbine] [--models splitgp sgd]
"""

from __future__ import annotations

import argparse
import math
import pickle
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from river import forest, linear_model, neighbors, preprocessing, tree
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.linear_model import SGDRegressor
from sklearn.preprocessing import StandardScaler

import splitgp
from splitgp import datasets

# data set → which output, how many rows at most
STREAMS = {
    "gas_turbine": (1, None),
    "pjme_hourly": (0, None),
    "metro_traffic": (0, None),
    "beijing_pm25": (0, 50_000),
}
WARM_UP = 200


class Ours:
    """SplittingGP with its default options."""

    def __init__(self, **options: Any) -> None:
        self.gp = splitgp.SplittingGP(**options)

    def step(self, x: np.ndarray, y: float) -> tuple[float, float]:
        mean, std = 0.0, math.nan
        if self.gp.n_observations:
            prediction = self.gp.predict(x[None])
            mean, std = prediction.mean[0], prediction.std[0]
        self.gp.update(x[None], y)
        return mean, std

    def memory(self) -> int:
        return self.gp.memory_bytes


class River:
    """A river regressor behind a running standardisation of its inputs, and of its output."""

    def __init__(self, regressor: Any, *, scale_y: bool = False, with_dist: bool = False) -> None:
        self.scaler = preprocessing.StandardScaler()
        self.regressor = regressor
        self.with_dist = with_dist
        self.y = RunningScale() if scale_y else None

    def step(self, x: np.ndarray, y: float) -> tuple[float, float]:
        raw = dict(enumerate(x.tolist()))
        self.scaler.learn_one(raw)
        features = self.scaler.transform_one(raw)
        mean, scale = self.y.get() if self.y else (0.0, 1.0)
        std = math.nan
        if self.with_dist:
            distribution = self.regressor.predict_one(features, with_dist=True)
            predicted, std = distribution.mu, distribution.sigma * scale
        else:
            predicted = self.regressor.predict_one(features)
        answer = mean + scale * predicted
        if self.y:  # first, or the first targets would be in raw units
            self.y.add(y)
            mean, scale = self.y.get()
        self.regressor.learn_one(features, (y - mean) / scale)
        return answer, std

    def memory(self) -> int:
        return self.regressor._raw_memory_usage


class RunningScale:
    """Mean and standard deviation so far."""

    def __init__(self) -> None:
        self.n, self.mean, self.squares = 0, 0.0, 0.0

    def add(self, value: float) -> None:
        self.n += 1
        step = value - self.mean
        self.mean += step / self.n
        self.squares += step * (value - self.mean)

    def get(self) -> tuple[float, float]:
        return self.mean, math.sqrt(self.squares / self.n) if self.squares > 0 else 1.0


class Sgd:
    """scikit-learn's SGDRegressor behind running standardisations."""

    def __init__(self) -> None:
        self.scaler, self.y = StandardScaler(), RunningScale()
        self.regressor, self.started = SGDRegressor(random_state=0), False

    def step(self, x: np.ndarray, y: float) -> tuple[float, float]:
        features = self.scaler.partial_fit(x[None]).transform(x[None])
        mean, scale = self.y.get()
        predicted = self.regressor.predict(features)[0] if self.started else 0.0
        answer = mean + scale * predicted
        self.y.add(y)
        mean, scale = self.y.get()
        self.regressor.partial_fit(features, [(y - mean) / scale])
        self.started = True
        return answer, math.nan

    def memory(self) -> int:
        return len(pickle.dumps(self.regressor))


class WindowGp:
    """scikit-learn's exact GP, fitted again on the last `window` rows, every `every` rows.

    Each fit starts from the hyperparameters of the last.
    """

    def __init__(self, window: int = 300, every: int = 1000) -> None:
        self.window, self.every = window, every
        self.X: list[np.ndarray] = []
        self.y: list[float] = []
        self.seen = 0
        self.regressor: GaussianProcessRegressor | None = None
        self.scaler = StandardScaler()

    def step(self, x: np.ndarray, y: float) -> tuple[float, float]:
        mean, std = (self.y[-1] if self.y else 0.0), math.nan
        if self.regressor is not None:
            predicted = self.regressor.predict(self.scaler.transform(x[None]), return_std=True)
            mean, std = predicted[0][0], predicted[1][0]
        self.X = [*self.X, x][-self.window :]
        self.y = [*self.y, y][-self.window :]
        self.seen += 1
        if self.seen == WARM_UP or self.seen % self.every == 0:
            kernel = ConstantKernel() * RBF(np.ones(len(x))) + WhiteKernel()
            if self.regressor is not None:
                kernel = self.regressor.kernel_
            self.regressor = GaussianProcessRegressor(kernel, normalize_y=True)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                self.regressor.fit(self.scaler.fit_transform(np.array(self.X)), self.y)
        return mean, std

    def memory(self) -> int:
        return len(pickle.dumps(self.regressor))


MODELS: dict[str, Callable[[], Any]] = {
    "splitgp": lambda: Ours(),
    "splitgp m=100": lambda: Ours(split_limit=100),
    "adaptive forest": lambda: River(forest.ARFRegressor(seed=0)),
    "KNN": lambda: River(neighbors.KNNRegressor()),
    "Bayesian linear": lambda: River(
        linear_model.BayesianLinearRegression(), scale_y=True, with_dist=True
    ),
    "Hoeffding tree": lambda: River(tree.HoeffdingAdaptiveTreeRegressor(seed=0)),
    "window GP": lambda: WindowGp(),
    "sgd": lambda: Sgd(),
}


@dataclass
class Row:
    """One line of the table."""

    data: str
    model: str
    rows: int
    rmse: float
    coverage: float
    microseconds: float
    memory: int

    def __str__(self) -> str:
        covered = "–" if math.isnan(self.coverage) else f"{100 * self.coverage:.1f} %"
        return (
            f"| {self.data} | {self.model} | {self.rows:,} | {self.rmse:.4g} | {covered} "
            f"| {self.microseconds:,.0f} | {self.memory / 1e6:,.1f} |"
        )


def run(data: str, rows: int | None, names: list[str]) -> Iterator[Row]:
    output, most = STREAMS[data]
    limit = min((n for n in (rows, most) if n is not None), default=None)
    loaded = datasets.load(data, max_rows=limit)
    y = loaded.y if loaded.y.ndim == 1 else loaded.y[:, output]
    for name in names:
        model = MODELS[name]()
        mean, std = np.empty(len(y)), np.empty(len(y))
        start = time.process_time()
        for i, x in enumerate(loaded.X):
            mean[i], std[i] = model.step(x, float(y[i]))
        seconds = time.process_time() - start
        residual = (y - mean)[WARM_UP:]
        std = std[WARM_UP:]
        known = ~np.isnan(std)
        covered = math.nan
        if known.any():
            covered = float(np.mean(np.abs(residual[known]) < 1.96 * std[known]))
        yield Row(
            data,
            name,
            len(y),
            float(np.sqrt(np.mean(residual**2))),
            covered,
            1e6 * seconds / len(y),
            model.memory(),
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, help="at most this many of each stream; default: all")
    parser.add_argument("--data", nargs="+", choices=STREAMS, default=list(STREAMS))
    parser.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS))
    arguments = parser.parse_args()
    print("| data | model | rows | RMSE | coverage of 95 % | CPU µs per row | MB |")
    print("|---|---|---|---|---|---|---|")
    for data in arguments.data:
        for row in run(data, arguments.rows, arguments.models):
            print(row, flush=True)


if __name__ == "__main__":
    main()
