"""
Error bars that follow the noise
================================

A sensor gets noisy for a while. With ``calibration="none"`` the error bars rest on the kernel alone, which has one
noise for the whole stream. With ``"adaptive"``, the default, they also follow the errors that are made.
"""

import matplotlib.pyplot as plt
import numpy as np

import splitgp
from splitgp import plot

# %%
# Between row 800 and row 1,400 the noise is four times what it is before and after.

rng = np.random.default_rng(1)
rows = np.arange(2200)
x = rng.uniform(0, 10, len(rows))
noisy = (rows >= 800) & (rows < 1400)
y = np.sin(x) + np.where(noisy, 0.4, 0.1) * rng.standard_normal(len(rows))

# %%
# Each row is predicted before it is learned, so the intervals can be scored honestly.

names = ("none", "adaptive")
stretches = {"quiet": rows[200:800], "noisy": rows[800:1400], "quiet again": rows[1400:]}
figure, axes = plt.subplots(2, 2, figsize=(9, 5.5), layout="constrained", width_ratios=(2, 1))
for name, (stream, calibration) in zip(names, axes, strict=True):
    model = splitgp.SplittingGP(capacity=100, calibration=name)
    before, _ = model.predict_then_update(x[:, None], y)
    low, high = before.interval(0.95)
    inside = (low < y) & (y < high)
    shares = ", ".join(f"{part} {100 * inside[at].mean():.0f} %" for part, at in stretches.items())
    print(f"{name:<9} 95 % intervals hold: {shares}")
    stream.fill_between(rows, low - before.mean, high - before.mean, alpha=0.3, lw=0)
    stream.plot(rows, y - before.mean, "k.", ms=1)
    stream.set(title=f'calibration="{name}"', ylabel="error", ylim=(-1.5, 1.5), xlim=(100, 2200))
    plot.calibration(before, y, ax=calibration)
axes[1, 0].set(xlabel="row")
