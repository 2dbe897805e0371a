"""
Optimisation under drift
========================

A process has a setting with a best value, and the best value moves. Bayesian optimisation tries settings
that are promising or uncertain. A model that remembers everything soon trusts what is no longer true. A model
that keeps only a window follows the optimum.
"""

import matplotlib.pyplot as plt
import numpy as np

import splitgp

# %%
# The yield has one broad and one narrow peak. The optimum drifts up and down once in 600 trials.


def best(t):
    return 0.5 + 0.35 * np.sin(2 * np.pi * t / 600)


def yield_of(setting, t):
    return np.exp(-((setting - best(t)) ** 2) / 0.02) + 0.3 * np.exp(-((setting - 0.5) ** 2) / 0.1)


# %%
# Both optimisers choose the setting with the highest upper end of its 95 % interval for the function.

candidates = np.linspace(0, 1, 101)
trials = 600


def optimise(**options):
    rng = np.random.default_rng(2)
    model = splitgp.SplittingGP(capacity=80, **options)
    tried, reached = [], []
    for t in range(trials):
        if t < 15:
            setting = rng.uniform()
        else:
            prediction = model.predict(candidates[:, None])
            _, upper = prediction.interval(0.95, noise=False)
            setting = candidates[np.argmax(upper)]
        observed = yield_of(setting, t) + 0.05 * rng.standard_normal()
        model.update([[setting]], [observed])
        tried.append(setting)
        reached.append(yield_of(setting, t))
    return np.array(tried), np.array(reached)


runs = {
    "keeps everything": optimise(),
    "keeps the last 60": optimise(window_size=60),
}

# %%
# Where they search, and how much yield each trial loses against the best setting of that moment.

figure, axes = plt.subplots(len(runs), 1, figsize=(8, 5), sharex=True, layout="constrained")
t = np.arange(trials)
surface = yield_of(candidates[:, None], t[None])
for ax, (name, (tried, reached)) in zip(axes, runs.items(), strict=True):
    ax.pcolormesh(t, candidates, surface, cmap="Greys", shading="nearest")
    ax.plot(t, tried, ".", color="C1", ms=3)
    lost = (surface.max(axis=0) - reached)[100:].mean()
    ax.set(ylabel="setting", title=f"{name}: loses {lost:.2f} a trial")
    print(f"{name:<20} mean loss after the first 100 trials: {lost:.3f}")
axes[-1].set(xlabel="trial")
