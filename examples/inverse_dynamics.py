"""Learn a robot arm's inverse dynamics, and feed the torques forward.

A Barrett WAM arm: from the positions, speeds and accelerations of seven joints, predict the seven
torques that a controller would feed forward. Stretches of the motion are held out, because rows
that were recorded a moment before and after tell nothing about a motion that is new. Compared on
them, joint by joint:

    linear model        torques linear in the 21 inputs
    rigid body          the nominal model: Newton and Euler's equations for the arm's published
                        kinematics, with masses, inertias and friction fitted to the data
    LoG-GP              the same rows, streamed
    splitgp             the same
    rigid body + splitgp    splitgp learns what the rigid body leaves over

Then the loop itself: predict, learn, in time order, with the model reserved for it.

    python examples/inverse_dynamics.py [--rows 12000] [--capacity 250] [--loop 3000]
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import splitgp
from splitgp import datasets, rivals

STRETCH = 300  # rows; every fifth stretch is held out

# The arm's Denavit-Hartenberg parameters, from the maker's manual: a, alpha, d of each joint.
QUARTER = np.pi / 2
KINEMATICS = (
    (0.0, -QUARTER, 0.0),
    (0.0, QUARTER, 0.0),
    (0.045, -QUARTER, 0.55),
    (-0.045, QUARTER, 0.0),
    (0.0, -QUARTER, 0.3),
    (0.0, QUARTER, 0.0),
    (0.0, 0.0, 0.06),
)
GRAVITY = np.array([0.0, 0.0, 9.81])  # the base stands still, so it is as if it accelerated upwards


def skew(v: np.ndarray) -> np.ndarray:
    """The matrices [v ×] of the rows of v."""
    zero = np.zeros(len(v))
    x, y, z = v.T
    return np.stack([zero, -z, y, z, zero, -x, -y, x, zero], axis=1).reshape(-1, 3, 3)


def times_inertia(w: np.ndarray) -> np.ndarray:
    """L(w) with I w = L(w) (Ixx, Ixy, Ixz, Iyy, Iyz, Izz)."""
    zero = np.zeros(len(w))
    x, y, z = w.T
    rows = [x, y, z, zero, zero, zero, zero, x, zero, y, z, zero, zero, zero, x, zero, y, z]
    return np.stack(rows, axis=1).reshape(-1, 3, 6)


def rigid_body_regressor(inputs: np.ndarray) -> np.ndarray:
    """Torques are this, (n, joints, parameters), times the arm's unknown parameters.

    Ten for each link: its mass, its first moments and its inertia about the joint's frame; then
    for each joint viscous friction, Coulomb friction and an offset.
    """
    n = len(inputs)
    q, qd, qdd = np.split(inputs, 3, axis=1)
    joints = q.shape[1]
    result = np.zeros((n, joints, 13 * joints))
    w, wd = np.zeros((n, 3)), np.zeros((n, 3))
    acceleration = np.tile(GRAVITY, (n, 1))
    rotations, offsets = [], []
    z = np.array([0.0, 0.0, 1.0])
    for i, (a, alpha, d) in enumerate(KINEMATICS):
        c, s, ca, sa = np.cos(q[:, i]), np.sin(q[:, i]), np.cos(alpha), np.sin(alpha)
        zero, one = np.zeros(n), np.ones(n)
        R = np.stack(  # from frame i to frame i − 1
            [c, -s * ca, s * sa, s, c * ca, -c * sa, zero, sa * one, ca * one], axis=1
        ).reshape(n, 3, 3)
        down = np.swapaxes(R, 1, 2)
        p = np.array([a, d * sa, d * ca])  # from origin i − 1 to origin i, in frame i
        rotations.append(R)
        offsets.append(p)
        rate = z * qd[:, i, None]
        wd = np.einsum("nij,nj->ni", down, wd + z * qdd[:, i, None] + np.cross(w, rate))
        w = np.einsum("nij,nj->ni", down, w + rate)
        acceleration = np.einsum("nij,nj->ni", down, acceleration)
        acceleration = acceleration + np.cross(wd, p) + np.cross(w, np.cross(w, p))
        # The force on link i and the moment about its origin, for each of its ten parameters.
        turning = skew(wd) + skew(w) @ skew(w)
        force = np.zeros((n, 3, 10))
        force[:, :, 0] = acceleration
        force[:, :, 1:4] = turning
        moment = np.zeros((n, 3, 10))
        moment[:, :, 1:4] = -skew(acceleration)
        moment[:, :, 4:] = times_inertia(wd) + skew(w) @ times_inertia(w)
        # What each joint below has to carry of it.
        for j in range(i, -1, -1):
            moment = moment + skew(np.tile(offsets[j], (n, 1))) @ force  # about origin j − 1 …
            force, moment = rotations[j] @ force, rotations[j] @ moment  # … and in its frame
            result[:, j, 10 * i : 10 * (i + 1)] = moment[:, 2]
    for j in range(joints):
        first = 10 * joints + 3 * j
        result[:, j, first] = qd[:, j]
        result[:, j, first + 1] = np.tanh(qd[:, j] / 0.05)  # the sign, without a jump
        result[:, j, first + 2] = 1.0
    return result


def fit_rigid_body(inputs: np.ndarray, torques: np.ndarray) -> np.ndarray:
    """Return the parameters that explain the torques best, each joint in units of its spread."""
    weight = 1.0 / torques.std(axis=0)
    regressor = rigid_body_regressor(inputs) * weight[:, None]
    A = regressor.reshape(-1, regressor.shape[2])
    # Some parameters act only together, and a little ridge keeps the rest in bounds.
    gram = A.T @ A
    ridge = 1e-6 * np.trace(gram) / len(gram) * np.eye(len(gram))
    return np.linalg.solve(gram + ridge, A.T @ (torques * weight).ravel())


def with_ones(X: np.ndarray) -> np.ndarray:
    """Add a column for the constant."""
    return np.hstack([X, np.ones((len(X), 1))])


def compare(X: np.ndarray, y: np.ndarray, held_out: np.ndarray, capacity: int) -> None:
    """Print every model's error on the stretches that none of them saw."""
    learned, torques = np.ascontiguousarray(X[~held_out]), np.ascontiguousarray(y[~held_out])
    asked, truth = np.ascontiguousarray(X[held_out]), y[held_out]
    variance = truth.var(axis=0)

    def report(name: str, torque: np.ndarray) -> None:
        error = ((torque - truth) ** 2).mean(axis=0) / variance
        joints = "  ".join(f"{one:6.3f}" for one in error)
        print(f"{name:22} {error.mean():6.3f}  {joints}", flush=True)

    print(f"{len(learned)} rows learned, {len(asked)} held out; normalised mean squared error")
    print(f"{'':22} {'mean':>6}  " + "  ".join(f"joint {j}" for j in range(1, 8)))
    weights = np.linalg.lstsq(with_ones(learned), torques, rcond=None)[0]
    report("linear model", with_ones(asked) @ weights)
    parameters = fit_rigid_body(learned, torques)
    nominal = rigid_body_regressor(learned) @ parameters
    nominal_asked = rigid_body_regressor(asked) @ parameters
    report("rigid body", nominal_asked)
    log_gp = rivals.LoGGP(split_limit=capacity)
    log_gp.update(learned, torques)
    report("LoG-GP", log_gp.predict(asked).mean)
    gp = splitgp.SplittingGP(capacity=capacity)
    gp.update(learned, torques)
    report("splitgp", gp.predict(asked).mean)
    residual = splitgp.SplittingGP(capacity=capacity)
    residual.update(learned, torques - nominal)
    report("rigid body + splitgp", nominal_asked + residual.predict(asked).mean)


def loop(X: np.ndarray, y: np.ndarray, capacity: int) -> None:
    """Predict and learn in time order, with a reserved model; print errors and times."""
    gp = splitgp.SplittingGP(capacity=capacity, training="background", max_observations=3000)
    warm_up = min(300, len(X) // 4)
    gp.update(X[:warm_up], y[:warm_up])
    gp.finish_training()  # there is time before the arm moves
    gp.refit()
    gp.bound_latency()
    errors = np.empty_like(y[warm_up:])
    times = np.empty(len(errors))
    for step in range(len(errors)):
        x, torque = X[warm_up + step : warm_up + step + 1], y[warm_up + step : warm_up + step + 1]
        began = time.thread_time()
        feed_forward = gp.predict(x).mean
        gp.update(x, torque)
        times[step] = 1e6 * (time.thread_time() - began)
        errors[step] = (torque - feed_forward)[0]
    late = np.sqrt((errors[len(errors) // 2 :] ** 2).mean(axis=0)) / y.std(axis=0)
    print(f"\nthe loop, with {len(X)} rows in time order: {gp}")
    print("RMSE of the next torques, second half, in spreads: ", end="")
    print("  ".join(f"{one:.3f}" for one in late))
    median, most = np.percentile(times, [50, 99.9])
    print(
        f"processor time of a step: median {median:.0f} µs, 99.9 % within {most / median:.1f} "
        f"times that, largest {times.max() / median:.1f} times"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, default=12_000)
    parser.add_argument("--capacity", type=int, default=250)
    parser.add_argument("--loop", type=int, default=3000, help="rows of the loop")
    arguments = parser.parse_args()
    data = datasets.load("barrett_wam_train", max_rows=arguments.rows)
    held_out = np.arange(len(data.X)) // STRETCH % 5 == 3
    compare(data.X, data.y, held_out, arguments.capacity)
    loop(data.X[: arguments.loop], data.y[: arguments.loop], min(100, arguments.capacity))


if __name__ == "__main__":
    main()
