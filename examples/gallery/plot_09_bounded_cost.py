"""
The cost of a row
=================

scikit-learn's exact Gaussian process factorises a matrix of all rows, so its time grows with their cube. With splitgp the cost of a
row is bounded, so the time grows in proportion to the rows. ``splitgp.sklearn`` has the same interface.
"""

import time

import matplotlib.pyplot as plt
import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

from splitgp.sklearn import SplittingGPRegressor

# %%
# Friedman's function of five inputs.


def friedman(rows, seed):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(rows, 5))
    y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2
    return X, y + 10 * X[:, 3] + 5 * X[:, 4] + rng.standard_normal(rows)


X_test, y_test = friedman(1000, seed=1)


def score(regressor, rows):
    X, y = friedman(rows, seed=0)
    began = time.process_time()
    regressor.fit(X, y)
    seconds = time.process_time() - began
    return seconds, np.sqrt(np.mean((regressor.predict(X_test) - y_test) ** 2))


# %%
# The exact one gets its hyperparameters for nothing: they are fitted once, to 200 rows, and its time is that of one
# factorisation. splitgp's time is that of everything, trainings included.

kernel = ConstantKernel(10.0) * RBF(np.ones(5)) + WhiteKernel()
fitted = GaussianProcessRegressor(kernel, normalize_y=True).fit(*friedman(200, seed=0)).kernel_
sizes = (100, 200, 400, 800, 1600, 3200)
regressors = {
    "splitgp": SplittingGPRegressor(capacity=100),
    "exact": GaussianProcessRegressor(fitted, optimizer=None, normalize_y=True),
}
results = {}
for name, regressor in regressors.items():
    results[name] = [score(regressor, rows) for rows in sizes]
    print(
        name, *(f"{rows}: {rmse:.3f}" for rows, (_, rmse) in zip(sizes, results[name], strict=True))
    )

# %%
# Processor time for learning all rows, and the error on new rows, whose noise is 1. The exact one is more accurate
# with as many rows. It is the time, and the memory, that end it.

figure, (cost, error) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
for name, scores in results.items():
    seconds, rmse = np.array(scores).T
    cost.loglog(sizes, seconds, "o-", label=name)
    error.semilogx(sizes, rmse, "o-", label=name)
cost.set(xlabel="rows", ylabel="processor seconds to fit")
error.set(xlabel="rows", ylabel="RMSE on new rows")
cost.legend()
