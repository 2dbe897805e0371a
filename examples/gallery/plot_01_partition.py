"""
A partition as it grows
=======================

Each local GP owns a few observations around its center. One that owns too many is split in two, so
the partition is fine where there are many rows and coarse where there are few. The prediction is
continuous across its borders.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.animation import FuncAnimation

import splitgp
from splitgp.datasets import synthetic

# %%
# The function is the paper's: f = 5 sin(x₀² + x₁²) + 3 x₀, on the square from −1 to 1. Here it is
# learned from 1,200 noisy rows, most of which come from the upper right.

X, y, _ = synthetic(10_000, seed=3)
rng = np.random.default_rng(0)
kept = rng.uniform(size=len(X)) < np.exp(1.2 * (X.sum(axis=1) - 2))
X, y = X[kept][:1200], y[kept][:1200]
print(f"{len(X)} rows")

# %%
# Learn them in batches, and keep what the model looks like after each.

side = 150
axis = np.linspace(-1, 1, side)
grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)


def snapshot(model):
    """Predict on the grid; NaN marks the borders between cells."""
    centers = np.array([local.center for local in model.local_gps])
    scale = model.hyperparameters.length_scale
    cell = np.argmin((((grid[:, None] - centers) / scale) ** 2).sum(axis=-1), axis=1)
    cell, mean = (values.reshape(side, side) for values in (cell, model.predict(grid).mean))
    border = (cell != np.roll(cell, 1, axis=0)) | (cell != np.roll(cell, 1, axis=1))
    border[0] = border[:, 0] = False
    return np.where(border, np.nan, mean), centers


model = splitgp.SplittingGP(capacity=120)
seen, frames = [50, 100, 150, 200, 300, 400, 500, 600, 750, 900, 1050, 1200], []
for start, end in zip([0, *seen], seen, strict=False):
    model.update(X[start:end], y[start:end])
    frames.append((end, *snapshot(model)))
print(model)

# %%
# Colours are the predicted function, white lines the borders between cells, crosses their centers.

figure, ax = plt.subplots(figsize=(5, 5))
box = (-1, 1, -1, 1)
picture = ax.imshow(frames[0][1], extent=box, origin="lower", vmin=y.min(), vmax=y.max())
(rows,) = ax.plot([], [], ".", color="k", ms=1.5, alpha=0.5)
(crosses,) = ax.plot([], [], "w+", ms=6)
ax.set(xlabel="x₀", ylabel="x₁")


def draw(number):
    count, mean, centers = frames[number]
    picture.set_data(mean)
    rows.set_data(*X[:count].T)
    crosses.set_data(*centers.T)
    ax.set_title(f"{count} rows, {len(centers)} local GPs")


animation = FuncAnimation(figure, draw, frames=len(frames), interval=500)
# sphinx_gallery_thumbnail_path = "pictures/synthetic.png"
