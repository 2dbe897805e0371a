"""
A robot's inverse dynamics
==========================

To move an arm along a path, a controller needs the torques for the accelerations it wants. A rigid-body
model knows masses and lengths, but no friction. The arm learns the difference while it moves, with every
update bounded in time.
"""

import time

import matplotlib.pyplot as plt
import numpy as np

import splitgp

# %%
# An arm with two links in a vertical plane. The controller's nominal model has the inertia, a load that
# is 20 % too light, and no friction.


def torques(q, qd, qdd, load):
    inertia = load * (2 + 2 * np.cos(q[:, 1])) + 1
    coupling = load * (1 + np.cos(q[:, 1]))
    spin = load * np.sin(q[:, 1])
    first = inertia * qdd[:, 0] + coupling * qdd[:, 1]
    first += -spin * (2 * qd[:, 0] * qd[:, 1] + qd[:, 1] ** 2)
    first += 9.8 * (2 * np.sin(q[:, 0]) + load * np.sin(q[:, 0] + q[:, 1]))
    second = coupling * qdd[:, 0] + load * qdd[:, 1] + spin * qd[:, 0] ** 2
    second += 9.8 * load * np.sin(q[:, 0] + q[:, 1])
    return np.column_stack([first, second])


def friction(qd):
    return 1.5 * np.tanh(5 * qd) + 0.8 * qd


STEP = 0.01
t = STEP * np.arange(3000)
phases = np.array([[0.0, 1.0], [0.5, 0.0]])
q, qd, qdd = (np.zeros((len(t), 2)) for _ in range(3))
for k, (speed, size) in enumerate(((0.9, 0.8), (2.3, 0.3))):
    angle = speed * t[:, None] * np.array([1.0, 1.3]) + phases[k]
    q += size * np.sin(angle)
    qd += size * speed * np.array([1.0, 1.3]) * np.cos(angle)
    qdd -= size * (speed * np.array([1.0, 1.3])) ** 2 * np.sin(angle)
rng = np.random.default_rng(0)
needed = torques(q, qd, qdd, load=1.0) + friction(qd) + 0.05 * rng.standard_normal(q.shape)
nominal = torques(q, qd, qdd, load=0.8)
X = np.hstack([q, qd, qdd])

# %%
# The loop: predict what the nominal model misses, move, learn. ``bound_latency`` takes all memory in
# advance, and from then on no update waits for a training.

model = splitgp.SplittingGP(capacity=100, max_observations=1500, training="background")
model.update(X[:50], needed[:50] - nominal[:50])
model.bound_latency()
missed = np.empty_like(needed)
microseconds = np.empty(len(t))
missed[:50] = needed[:50] - nominal[:50]
for step in range(50, len(t)):
    x = X[step : step + 1]
    began = time.thread_time()
    torque = nominal[step] + model.predict(x).mean[0]
    model.update(x, needed[step : step + 1] - nominal[step : step + 1])
    microseconds[step] = 1e6 * (time.thread_time() - began)
    missed[step] = needed[step] - torque
print(model)
print(f"median step: {np.median(microseconds[50:]):.0f} µs of processor time")

# %%
# The torque that feedback still has to supply.

figure, axes = plt.subplots(2, 1, figsize=(8, 5), sharex=True, layout="constrained")
for joint, ax in enumerate(axes):
    ax.plot(t, needed[:, joint] - nominal[:, joint], color="0.7", label="nominal model alone")
    ax.plot(t, missed[:, joint], color="C0", lw=0.8, label="with what was learned")
    ax.set(ylabel=f"joint {joint + 1} (N m)")
axes[0].legend(loc="upper right", ncols=2)
axes[1].set(xlabel="time (s)")
half = len(t) // 2
print(
    "RMS of the last half, nominal:",
    np.sqrt(((needed - nominal)[half:] ** 2).mean(axis=0)).round(3),
)
print("RMS of the last half, learned:", np.sqrt((missed[half:] ** 2).mean(axis=0)).round(3))
