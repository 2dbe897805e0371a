"""The learning controller of examples/learning_control.py with splitgp and with GPyTorch.

Both learn the same residual while the vehicle drives, and the controller asks both through the same
CasADi callback. GPyTorch's is an exact GP, one for each of the two accelerations, on all rows so
far: it takes every row as it comes, and its hyperparameters are trained (Adam) after each lap, as
splitgp trains its own when the stream has grown by half. Errors are in metres; times are processor
time, on one thread.

    pip install '.[peers,casadi]'
    python experiments/benchmarks/learning_control.py [--laps 5] [--write]

--write puts the table into docs/control.md.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gpytorch
import marked_page
import numpy as np
import torch

import splitgp
from splitgp.casadi import callback

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "examples"))
from learning_control import HORIZON, LAP, Controller, lap, target  # noqa: E402

ADAM_STEPS = 60


class _ExactGP(gpytorch.models.ExactGP):
    """Two independent outputs, an RBF kernel with a length scale for each input."""

    def __init__(self, X: torch.Tensor, y: torch.Tensor, likelihood: Any) -> None:
        super().__init__(X, y, likelihood)
        batch = torch.Size([2])
        self.mean_module = gpytorch.means.ConstantMean(batch_shape=batch)
        self.covar_module = gpytorch.kernels.ScaleKernel(
            gpytorch.kernels.RBFKernel(ard_num_dims=4, batch_shape=batch), batch_shape=batch
        )

    def forward(self, X: torch.Tensor) -> Any:
        return gpytorch.distributions.MultivariateNormal(self.mean_module(X), self.covar_module(X))


@dataclass
class _Answer:
    mean: np.ndarray
    variance: np.ndarray
    mean_gradient: np.ndarray | None = None
    variance_gradient: np.ndarray | None = None


class GPyTorchResidual:
    """GPyTorch's exact GP with the methods of splitgp that the controller uses."""

    n_inputs, n_outputs = 4, 2

    def __init__(self) -> None:
        self._X = torch.empty((0, 4), dtype=torch.double)
        self._y = torch.empty((2, 0), dtype=torch.double)
        self._gp: _ExactGP | None = None
        self.seconds_trained = 0.0

    def update(self, X: np.ndarray, y: np.ndarray) -> None:
        self._X = torch.cat([self._X, torch.as_tensor(X, dtype=torch.double)])
        self._y = torch.cat([self._y, torch.as_tensor(y, dtype=torch.double).T], dim=1)
        if self._gp is not None:
            inputs = self._X.expand(2, -1, -1)
            self._gp.set_train_data(inputs, self._y, strict=False)
            self._gp.eval()

    def train(self) -> None:
        """Hyperparameters by Adam; between laps, so no step waits for it."""
        began = time.thread_time()
        inputs = self._X.expand(2, -1, -1)
        if self._gp is None:
            likelihood = gpytorch.likelihoods.GaussianLikelihood(batch_shape=torch.Size([2]))
            self._gp = _ExactGP(inputs, self._y, likelihood).double()
        gp = self._gp
        gp.set_train_data(inputs, self._y, strict=False)
        gp.train()
        objective = gpytorch.mlls.ExactMarginalLogLikelihood(gp.likelihood, gp)
        optimiser = torch.optim.Adam(gp.parameters(), lr=0.1)
        for _ in range(ADAM_STEPS):
            optimiser.zero_grad()
            loss = -objective(gp(inputs), self._y).sum()
            loss.backward()
            optimiser.step()
        gp.eval()
        self.seconds_trained += time.thread_time() - began

    def predict(self, X: np.ndarray, *, gradient: bool = False) -> _Answer:
        assert self._gp is not None
        x = torch.tensor(X, dtype=torch.double, requires_grad=gradient)
        with gpytorch.settings.fast_pred_var(), torch.set_grad_enabled(gradient):
            mean = self._gp(x.expand(2, -1, -1)).mean
        values = mean.detach().numpy().T.copy()
        answer = _Answer(values, np.zeros_like(values))
        if gradient:
            rows = [torch.autograd.grad(one.sum(), x, retain_graph=True)[0] for one in mean]
            answer.mean_gradient = torch.stack(rows, dim=1).numpy()
        return answer


def drive(model: Any, laps: int) -> list[tuple[float, float]]:
    """Tracking error and seconds a step: with the nominal model, then after each lap."""
    rng = np.random.default_rng(0)
    state = np.concatenate([target(np.array(0))[0], np.zeros(2)])
    nominal = Controller(None)
    state, _, _ = lap(nominal, state, None, rng)  # from a standing start: not counted
    results = []
    state, error, seconds = lap(nominal, state, model, rng)
    results.append((error, seconds))
    train = model.train if isinstance(model, GPyTorchResidual) else lambda: None
    train()
    residual = callback(model, columns=HORIZON)  # kept: CasADi does not keep it
    learning = Controller(residual)
    for _ in range(laps):
        state, error, seconds = lap(learning, state, model, rng)
        results.append((error, seconds))
        train()
    return results


def table(laps: int) -> str:
    torch.set_num_threads(1)
    ours = drive(splitgp.SplittingGP(capacity=100), laps)
    peer = GPyTorchResidual()
    theirs = drive(peer, laps)
    lines = [
        "| | splitgp: tracking error (RMS) | a control step | GPyTorch, exact: tracking error "
        "| a control step | … times splitgp's |",
        "|---|---|---|---|---|---|",
    ]
    for number, ((error, step), (other_error, other_step)) in enumerate(
        zip(ours, theirs, strict=True)
    ):
        name = "no learning" if number == 0 else f"after {number} lap{'s' * (number > 1)}"
        lines.append(
            f"| {name} | {error:.4f} | {1e3 * step:.1f} ms | {other_error:.4f} "
            f"| {1e3 * other_step:.1f} ms | {other_step / step:.1f} |"
        )
    lines.append("")
    lines.append(
        f"{LAP} steps a lap. GPyTorch {gpytorch.__version__} also trained for "
        f"{peer.seconds_trained:.0f} s of processor time between laps; splitgp's trainings are in "
        "its steps (a step is the median)."
    )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--laps", type=int, default=5)
    parser.add_argument("--write", action="store_true", help="put the table into docs/control.md")
    arguments = parser.parse_args()
    text = table(arguments.laps)
    print(text)
    if arguments.write:
        marked_page.write("control.md", "learning_control.py", text)


if __name__ == "__main__":
    main()
