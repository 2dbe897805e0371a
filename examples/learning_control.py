"""Follow a path with a model that is wrong, and learn what is missing while driving.

A vehicle in the plane is accelerated by its controller. The controller's nominal model knows that
and nothing else: neither the drag, nor the slope of the ground, nor a side force that grows with
speed. A model-predictive controller (CasADi, IPOPT) drives laps of a figure of eight; the first
with the nominal model alone. Meanwhile splitgp learns the acceleration that the nominal model does
not explain, and from the second lap on the controller adds its prediction, with its derivatives.

    python examples/learning_control.py [--laps 5] [--external FOLDER]

With --external the last lap is driven again, by a compiled function made of the saved model, which
needs splitgp's C interface and a compiler (see docs/control.md).
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import casadi
import numpy as np

import splitgp
from splitgp.casadi import build_external, callback

STEP = 0.1  # seconds
HORIZON = 10  # steps
LAP = 60  # steps
NOISE = 0.02  # of the measured acceleration


def target(step: np.ndarray) -> np.ndarray:
    """Where the vehicle should be: a figure of eight, once in a lap. Rows are steps."""
    phase = 2 * np.pi * np.atleast_1d(step) / LAP
    return np.stack([2.0 * np.sin(phase), np.sin(2 * phase)], axis=1)


def missing_acceleration(state: np.ndarray) -> np.ndarray:
    """What the nominal model does not know, at position and velocity."""
    x, y, vx, vy = state
    speed = np.hypot(vx, vy)
    drag = -0.35 * speed * np.array([vx, vy])
    slope = np.array([1.2 * np.sin(1.5 * x), 0.8 * np.cos(2.0 * y)])
    side = 0.4 * speed * np.array([-vy, vx])
    return drag + slope + side


def drive(state: np.ndarray, control: np.ndarray) -> np.ndarray:
    """One step of the real vehicle, in ten smaller ones."""
    state = state.copy()
    for _ in range(10):
        acceleration = control + missing_acceleration(state)
        state[:2] += 0.1 * STEP * state[2:]
        state[2:] += 0.1 * STEP * acceleration
    return state


class Controller:
    """Model-predictive control with the nominal model and, if given, a residual function.

    `residual` maps the states of the horizon, 4 × HORIZON, to accelerations, 2 × HORIZON.
    """

    def __init__(self, residual: casadi.Function | None) -> None:
        X = casadi.MX.sym("X", 4, HORIZON + 1)
        U = casadi.MX.sym("U", 2, HORIZON)
        start = casadi.MX.sym("start", 4)
        goal = casadi.MX.sym("goal", 2, HORIZON)
        acceleration = U if residual is None else U + residual(X[:, :-1])
        following = casadi.vertcat(
            X[:2, :-1] + STEP * X[2:, :-1] + 0.5 * STEP**2 * acceleration,
            X[2:, :-1] + STEP * acceleration,
        )
        problem = {
            "x": casadi.veccat(X, U),
            "p": casadi.veccat(start, goal),
            "f": 100 * casadi.sumsqr(X[:2, 1:] - goal) + 0.01 * casadi.sumsqr(U),
            "g": casadi.veccat(X[:, 0] - start, X[:, 1:] - following),
        }
        # Gauss-Newton: the cost is quadratic, and the curvature of the model is left out.
        factors = [casadi.MX.sym("lam_f"), casadi.MX.sym("lam_g", problem["g"].shape[0])]
        curvature = casadi.triu(factors[0] * casadi.hessian(problem["f"], problem["x"])[0])
        options = {
            "hess_lag": casadi.Function(
                "curvature", [problem["x"], problem["p"], *factors], [curvature]
            ),
            "print_time": False,
            "ipopt.print_level": 0,
            "ipopt.sb": "yes",
            "ipopt.tol": 1e-4,
            "ipopt.max_iter": 60,
            # It starts from the last step's solution, moved on by one.
            "ipopt.warm_start_init_point": "yes",
            "ipopt.mu_init": 1e-4,
        }
        self._solver = casadi.nlpsol("controller", "ipopt", problem, options)
        self._guess = np.zeros(4 * (HORIZON + 1) + 2 * HORIZON)

    def __call__(self, state: np.ndarray, step: int) -> np.ndarray:
        """Return the acceleration to ask for now."""
        goal = target(step + 1 + np.arange(HORIZON))
        limit = np.full(2 * HORIZON, 15.0)
        free = np.full(4 * (HORIZON + 1), np.inf)
        solution = self._solver(
            x0=self._guess,
            p=np.concatenate([state, goal.ravel()]),
            lbx=np.concatenate([-free, -limit]),
            ubx=np.concatenate([free, limit]),
            lbg=0,
            ubg=0,
        )
        best = solution["x"].full().ravel()
        states, controls = best[: 4 * (HORIZON + 1)], best[4 * (HORIZON + 1) :]
        self._guess = np.concatenate([states[4:], states[-4:], controls[2:], controls[-2:]])
        return controls[:2]


def lap(
    controller: Controller,
    state: np.ndarray,
    gp: splitgp.SplittingGP | None,
    rng: np.random.Generator,
) -> tuple[np.ndarray, float, float]:
    """Drive a lap, learning if there is a model; return state, tracking error, time per step.

    Time is the processor's, so that what else the machine does matters less.
    """
    errors, times = [], []
    for step in range(LAP):
        began = time.thread_time()
        control = controller(state, step)
        before, state = state, drive(state, control)
        if gp is not None:
            measured = (state[2:] - before[2:]) / STEP + rng.normal(0, NOISE, 2)
            gp.update(before[np.newaxis], (measured - control)[np.newaxis])
        times.append(time.thread_time() - began)
        errors.append(state[:2] - target(np.array(step + 1))[0])
    return state, float(np.sqrt(np.mean(np.square(errors)) * 2)), float(np.median(times))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--laps", type=int, default=5, help="laps with the learned model")
    parser.add_argument("--external", type=Path, help="drive with a compiled function too")
    arguments = parser.parse_args()

    rng = np.random.default_rng(0)
    gp = splitgp.SplittingGP(capacity=100)
    state = np.concatenate([target(np.array(0))[0], np.zeros(2)])
    nominal = Controller(None)
    state, _, _ = lap(nominal, state, None, rng)  # from a standing start: not counted

    def report(name: str, error: float, seconds: float) -> None:
        print(f"{name:28}  tracking error {error:.4f}  {1e3 * seconds:6.1f} ms a step", flush=True)

    state, error, seconds = lap(nominal, state, gp, rng)
    report("nominal model", error, seconds)
    residual = callback(gp, columns=HORIZON)  # kept: CasADi does not keep it
    learning = Controller(residual)
    for number in range(1, arguments.laps + 1):
        state, error, seconds = lap(learning, state, gp, rng)
        report(f"after {number} lap{'s' if number > 1 else ''} of learning", error, seconds)
    if arguments.external:
        arguments.external.mkdir(parents=True, exist_ok=True)
        saved = arguments.external / "residual.splitgp"
        gp.save(saved, overwrite=True)
        compiled = build_external(saved, arguments.external / "residual.so", name="residual")
        _, error, seconds = lap(Controller(compiled.map(HORIZON)), state, None, rng)
        report("compiled, no more learning", error, seconds)


if __name__ == "__main__":
    main()
