"""splitgp against its alternatives and against the paper's rule: one run, one table.

The stream is kin40k (the 10,000 rows of its training set, then rows of its test set; 8 inputs); the
error is measured on 1,000 other rows of the test set. Times are processor time on one thread.

A peer learns row by row until it has seen all rows or its time is up: n says how far it got, and
the RMSE is that of the model it has then. The time per observation is given as the median over the
stream and as the mean, trainings included. Peers whose names say so could not get that far; they
are measured on a few observations at the relevant size, a local model of 3/4 m or one model of m
observations, with one figure for both.

    pip install '.[peers]'
    python experiments/benchmarks/peers.py [--seconds 12] [--m 100 500] [--peers splitgp LoG-GP]
    python experiments/benchmarks/peers.py --write      also puts the table into docs/performance.md
"""

from __future__ import annotations

import argparse
import copy
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import metadata
from typing import Any

import gpytorch
import marked_page
import numpy as np
import torch
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from threadpoolctl import threadpool_limits

import splitgp
from splitgp import datasets, rivals

ADAM_STEPS = 30
OURS, PAPER, FULL = "splitgp", "paper's rule, GPyTorch (at 3/4 m)", "full GP (no m)"
HEAD = (
    "| peer | m | n | µs per observation | with trainings | µs per prediction | RMSE |\n"
    "|---|---|---|---|---|---|---|"
)


@dataclass
class Data:
    """The stream, and the rows that the error is measured on."""

    X: np.ndarray
    y: np.ndarray
    test_X: np.ndarray
    test_y: np.ndarray


def load(rows: int) -> Data:
    train, test = datasets.load("kin40k_train"), datasets.load("kin40k_test")
    X = np.concatenate([train.X, test.X])
    y = np.concatenate([train.y, test.y])
    return Data(X[:rows], y[:rows], X[-1000:], y[-1000:])


@dataclass
class Row:
    """One line of the table."""

    peer: str
    m: int
    n: int
    update_seconds: float
    mean_update_seconds: float
    predict_seconds: float
    rmse: float

    def __str__(self) -> str:
        seconds = self.update_seconds, self.mean_update_seconds, self.predict_seconds
        times = " | ".join(f"{1e6 * value:,.0f}" for value in seconds)
        m = "–" if self.peer == FULL else f"{self.m:,}"
        return f"| {self.peer} | {m} | {self.n:,} | {times} | {self.rmse:.3f} |"


def rmse(predicted: np.ndarray, data: Data) -> float:
    return float(np.sqrt(np.mean((predicted - data.test_y) ** 2)))


def mean_time(call: Callable[[int], Any], most: int, seconds: float) -> float:
    """The mean time of a call, over as many calls as fit into `seconds`; at least one."""
    start = time.process_time()
    done = 0
    while done < most and (done == 0 or time.process_time() - start < seconds):
        call(done)
        done += 1
    return (time.process_time() - start) / done


def stream(
    learn: Callable[[np.ndarray, np.ndarray], Any], data: Data, seconds: float
) -> list[float]:
    """Learn row by row for as long as there is time; return the time of each row."""
    begin = last = time.process_time()
    times: list[float] = []
    while len(times) < len(data.y) and last - begin < seconds:
        n = len(times)
        learn(data.X[n : n + 1], data.y[n : n + 1])
        now = time.process_time()
        times.append(now - last)
        last = now
    return times


def engine(name: str, make: Callable[[int], Any]) -> Callable[[int, Data, float], Row]:
    """SplittingGP, or one of splitgp.rivals."""

    def run(m: int, data: Data, seconds: float) -> Row:
        model = make(m)
        times = stream(model.update, data, seconds)
        predict = mean_time(lambda i: model.predict(data.test_X[i : i + 1]), 200, seconds / 10)
        median, mean = float(np.median(times)), float(np.mean(times))
        error = rmse(model.predict(data.test_X).mean, data)
        return Row(name, m, len(times), median, mean, predict, error)

    return run


class ExactModel(gpytorch.models.ExactGP):  # type: ignore[misc]
    """GPyTorch's exact GP with an RBF kernel."""

    def __init__(self, X: torch.Tensor, y: torch.Tensor) -> None:
        super().__init__(X, y, gpytorch.likelihoods.GaussianLikelihood())
        self.mean_module = gpytorch.means.ConstantMean()
        self.covar_module = gpytorch.kernels.ScaleKernel(
            gpytorch.kernels.RBFKernel(ard_num_dims=X.shape[1])
        )

    def forward(self, x: torch.Tensor) -> gpytorch.distributions.MultivariateNormal:
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))

    def adam(self, steps: int) -> None:
        self.train()
        likelihood = gpytorch.mlls.ExactMarginalLogLikelihood(self.likelihood, self)
        optimizer = torch.optim.Adam(self.parameters(), lr=0.1)
        for _ in range(steps):
            optimizer.zero_grad()
            loss = -likelihood(self(*self.train_inputs), self.train_targets)
            loss.backward()
            optimizer.step()
        self.eval()

    def mean(self, X: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            return self(X).mean


class PaperRule:
    """Algorithms 1–3 as the paper's authors implement them.

    One GPyTorch model for each local GP, 30 Adam steps with every observation; routing and weights
    by kernel similarity; a split across the first principal direction, each child with its half.
    """

    def __init__(self, m: int) -> None:
        self.m = m
        self.local: list[ExactModel] = []

    def similarities(self, X: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            columns = []
            for model in self.local:
                center = model.train_inputs[0].mean(0, keepdim=True)
                columns.append(model.covar_module(X, center).to_dense()[:, 0])
            return torch.stack(columns, 1)

    def update(self, x: np.ndarray, y: np.ndarray) -> None:
        X, Y = torch.as_tensor(x), torch.as_tensor(y)
        if not self.local:
            self.local.append(ExactModel(X, Y).double())
            self.local[0].adam(ADAM_STEPS)
        else:
            chosen = int(self.similarities(X).argmax())
            model = self.local[chosen]
            X = torch.cat([model.train_inputs[0], X])
            Y = torch.cat([model.train_targets, Y])
            model.set_train_data(X, Y, strict=False)
            if len(Y) > self.m:
                self.split(chosen)
            else:
                model.adam(ADAM_STEPS)

    def split(self, chosen: int) -> None:
        parent = self.local[chosen]
        X, y = parent.train_inputs[0], parent.train_targets
        centered = X - X.mean(0)
        direction = torch.linalg.svd(centered, full_matrices=False).Vh[0]
        positive = centered @ direction > 0
        children = []
        for half in positive, ~positive:
            child = copy.deepcopy(parent)
            child.set_train_data(X[half], y[half], strict=False)
            child.adam(ADAM_STEPS)
            children.append(child)
        self.local[chosen : chosen + 1] = children

    def predict(self, X: np.ndarray) -> np.ndarray:
        queries = torch.as_tensor(X)
        similarity = self.similarities(queries)
        weights = similarity / similarity.sum(1, keepdim=True)
        means = torch.stack([model.mean(queries) for model in self.local], 1)
        return (weights * means).sum(1).numpy()


def paper_rule(m: int, data: Data, seconds: float) -> Row:
    model = PaperRule(m)
    n = len(stream(model.update, data, seconds / 2))
    error = rmse(model.predict(data.test_X), data)
    # At the relevant size; for predictions, with as many local models as the stream would fill.
    size = 3 * m // 4
    model = PaperRule(m)
    one = ExactModel(torch.as_tensor(data.X[:size]), torch.as_tensor(data.y[:size])).double()
    one.eval()
    model.local = [one]
    update = mean_time(
        lambda i: model.update(data.X[size + i : size + i + 1], data.y[size + i : size + i + 1]),
        20,
        seconds / 4,
    )
    shown = [copy.deepcopy(one) for _ in range(min(50, max(1, len(data.y) // size)))]
    for local in shown:
        local.set_train_data(*(t[:size] for t in (one.train_inputs[0], one.train_targets)), False)
        local.mean(torch.as_tensor(data.test_X[:1]))  # fills the caches of a prediction
    model.local = shown
    predict = mean_time(lambda i: model.predict(data.test_X[i : i + 1]), 20, seconds / 4)
    return Row(PAPER, m, n, update, update, predict, error)


def fantasy(m: int, data: Data, seconds: float) -> Row:
    """Learn θ once, from at most 500 rows; then the last 20 of m rows one at a time."""
    begin = m - 20
    X, y = torch.as_tensor(data.X), torch.as_tensor(data.y)
    trained = ExactModel(X[: min(begin, 500)], y[: min(begin, 500)]).double()
    trained.adam(100)
    trained.set_train_data(X[:begin], y[:begin], strict=False)
    model: Any = trained
    model.mean(X[:1])  # get_fantasy_model needs the caches of a prediction

    def learn(i: int) -> None:
        nonlocal model
        with torch.no_grad():
            model = model.get_fantasy_model(
                X[begin + i : begin + i + 1], y[begin + i : begin + i + 1]
            )

    update = mean_time(learn, 20, seconds / 2)
    test = torch.as_tensor(data.test_X)
    with torch.no_grad():
        predict = mean_time(lambda i: model(test[i : i + 1]).variance, 50, seconds / 4)
        error = rmse(model(test).mean.numpy(), data)
    return Row("GPyTorch get_fantasy_model (one model of m)", m, m, update, update, predict, error)


def refit(m: int, data: Data, seconds: float) -> Row:
    """scikit-learn has no update: it fits everything again, hyperparameters included."""
    fitted: list[GaussianProcessRegressor] = []

    def learn(_: int) -> None:
        kernel = ConstantKernel() * RBF(np.ones(data.X.shape[1])) + WhiteKernel()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            fitted.append(GaussianProcessRegressor(kernel).fit(data.X[:m], data.y[:m]))

    update = mean_time(learn, 3, seconds / 4)
    model = fitted[-1]
    predict = mean_time(
        lambda i: model.predict(data.test_X[i : i + 1], return_std=True), 50, seconds / 4
    )
    error = rmse(model.predict(data.test_X), data)
    return Row("scikit-learn refit (one model of m)", m, m, update, update, predict, error)


PEERS: dict[str, Callable[[int, Data, float], Row]] = {
    "splitgp": engine(OURS, lambda m: splitgp.SplittingGP(capacity=m)),
    "paper": paper_rule,
    "fantasy": fantasy,
    "sklearn": refit,
    "LoG-GP": engine("LoG-GP", lambda m: rivals.LoGGP(split_limit=m)),
    "rBCM": engine(
        "rBCM, experts of m at 20,000", lambda m: rivals.RobustBCM(experts=max(2, 20_000 // m))
    ),
    "local GP": engine("local GP", lambda m: rivals.LocalGP(most_observations=m)),
    "full GP": engine(FULL, lambda m: rivals.FullGP()),
}


def table(names: list[str], sizes: list[int], data: Data, seconds: float) -> Iterator[Row]:
    for m in sizes:
        for name in names:
            if name == "full GP" and m != sizes[0]:
                continue  # the same for every m
            yield PEERS[name](m, data, seconds)


def beside_the_paper(rows: list[Row]) -> str:
    """How much less time splitgp takes than the paper's rule; empty unless both were measured."""
    by_peer = {(row.peer, row.m): row for row in rows}
    lines = []
    for (peer, m), ours in by_peer.items():
        theirs = by_peer.get((PAPER, m))
        if peer != OURS or theirs is None:
            continue
        alone = theirs.update_seconds / ours.update_seconds
        trained = theirs.mean_update_seconds / ours.mean_update_seconds
        lines.append(
            f"At m = {m:,} an update takes 1/{alone:,.0f} of the time it takes with the paper's "
            f"rule; with all trainings counted, 1/{trained:,.0f}."
        )
    return "\n".join(lines)


def versions() -> str:
    packages = ("torch", "gpytorch", "scikit-learn")
    found = ", ".join(f"{one} {metadata.version(one)}" for one in packages)
    return f"splitgp {splitgp.__version__}, {splitgp.instruction_set()}; {found}."


def write(rows: list[Row]) -> None:
    parts = [versions(), "\n".join([HEAD, *map(str, rows)]), beside_the_paper(rows)]
    marked_page.write("performance.md", "peers.py", "\n\n".join(part for part in parts if part))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--seconds", type=float, default=12.0, help="time for one line of the table"
    )
    parser.add_argument("--rows", type=int, default=20_000, help="length of the stream, at most")
    parser.add_argument("--m", type=int, nargs="+", default=[100, 500, 1000])
    parser.add_argument("--peers", nargs="+", choices=PEERS, default=list(PEERS))
    parser.add_argument("--write", action="store_true", help="the table into docs/performance.md")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    data = load(arguments.rows)
    stream(PaperRule(2).update, Data(data.X[:4], data.y[:4], data.X, data.y), 60.0)  # warm-up
    print(HEAD)
    rows = []
    with threadpool_limits(1):  # for numpy and scikit-learn
        for row in table(arguments.peers, arguments.m, data, arguments.seconds):
            print(row, flush=True)
            rows.append(row)
    if arguments.write:
        write(rows)
    else:
        print(f"\n{beside_the_paper(rows)}")


if __name__ == "__main__":
    main()
