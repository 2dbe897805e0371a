"""Replace scikit-learn's GaussianProcessRegressor, and keep going when there are many rows.

The same two lines, fit and predict, on growing data. GaussianProcessRegressor's time grows with the
cube of the rows and its memory with the square, so it is stopped at --exact-rows.

    python examples/drop_in_gaussian_process.py [--rows 100000] [--exact-rows 2000]
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

from splitgp.sklearn import SplittingGPRegressor


def friedman(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Friedman's first function; ten inputs, of which five matter."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 10))
    y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2
    return X, y + 10 * X[:, 3] + 5 * X[:, 4] + rng.standard_normal(n)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--exact-rows", type=int, default=2_000)
    arguments = parser.parse_args()

    X_test, y_test = friedman(2_000, seed=1)
    print(f"{'rows':>8}  {'regressor':26}{'fit':>10}{'predict':>10}{'RMSE':>8}{'coverage':>10}")
    rows = min(500, arguments.exact_rows, arguments.rows)
    while rows <= arguments.rows:
        X, y = friedman(rows, seed=0)
        regressors = [SplittingGPRegressor(threads=2)]
        if rows <= arguments.exact_rows:
            kernel = ConstantKernel(10.0) * RBF(np.ones(10)) + WhiteKernel()
            regressors.append(GaussianProcessRegressor(kernel, normalize_y=True))
        for regressor in regressors:
            start = time.perf_counter()
            regressor.fit(X, y)
            fitted = time.perf_counter()
            mean, std = regressor.predict(X_test, return_std=True)
            end = time.perf_counter()
            rmse = np.sqrt(np.mean((mean - y_test) ** 2))
            covered = np.mean(np.abs(mean - y_test) < 1.96 * std)
            print(
                f"{rows:8d}  {type(regressor).__name__:26}{fitted - start:8.2f} s"
                f"{end - fitted:8.2f} s{rmse:8.3f}{100 * covered:8.1f} %"
            )
        if rows == arguments.rows:
            break
        rows = min(4 * rows, arguments.rows)


if __name__ == "__main__":
    main()
