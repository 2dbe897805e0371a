"""
Forgetting, by a window or on alarms
====================================

Halfway through this stream the process changes. A model with a window forgets the old process after as many rows as
the window is long. A model that keeps everything has to average what contradicts itself. ``on_drift="forget"``
keeps everything until an alarm is raised, and then forgets what is older in the cells that changed.
"""

import matplotlib.pyplot as plt
import numpy as np

import splitgp
from splitgp import plot

# %%
# Two inputs; from row 1,500 on the process is turned upside down where the first input is positive.

rng = np.random.default_rng(3)
rows, change = 3000, 1500
X = rng.uniform(-1, 1, (rows, 2))
y = np.sin(3 * X[:, 0]) + np.cos(3 * X[:, 1])
y = np.where((np.arange(rows) >= change) & (X[:, 0] > 0), -y, y) + 0.1 * rng.standard_normal(rows)

options = {
    "keeps everything": {},
    "window of 500": {"window_size": 500},
    "forgets on alarms": {"on_drift": "forget"},
}
figure, ax = plt.subplots(figsize=(8, 4), layout="constrained")
for name, chosen in options.items():
    model = splitgp.SplittingGP(capacity=100, **chosen)
    before, _ = model.predict_then_update(X, y)
    plot.error(y - before.mean, window=200, label=name, ax=ax)
    print(f"{name:<18} holds {model.n_observations} of {model.n_seen} observations")
ax.axvline(change, color="0.6", lw=1)
ax.set(xlim=(200, rows), title="RMSE over the last 200 rows")

# %%
# Single observations can be taken back too. Afterwards the model answers as if it had never held them.

model = splitgp.SplittingGP()
learned = model.update([[0.0], [1.0], [2.0]], [0.0, 1.0, 200.0])
print(model.predict([[2.0]]).mean)
model.forget(learned.sequence[2:])
print(model.n_observations, "observations are left;", model.predict([[2.0]]).mean)
