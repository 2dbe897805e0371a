"""Makes docs/pictures/synthetic.png:  .venv/bin/python docs/pictures/synthetic.py"""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

import splitgp
from splitgp import plot
from splitgp.datasets import synthetic

X, y, _ = synthetic(2000, seed=0)
model = splitgp.SplittingGP(split_limit=150)
model.update(X, y)

figure, (mean, uncertainty) = plt.subplots(1, 2, figsize=(11, 4.4), constrained_layout=True)
plot.surface(model, ax=mean).set_title("mean, cells and their centers")
plot.surface(model, show="latent_std", ax=uncertainty).set_title("standard deviation of the function")
figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)
