"""
A forecast with a fan chart
===========================

Hourly demand for electricity has a daily and a weekly rhythm, and wanders with the weather. A model learns how demand
changes from one hour to the next. Random paths of such steps are a forecast of the next day, and their quantiles are a
fan of 50, 80 and 95 % intervals.
"""

import matplotlib.pyplot as plt
import numpy as np

import splitgp

# %%
# Eight weeks of demand, in GW.

rng = np.random.default_rng(5)
hours = np.arange(8 * 7 * 24)
day, week = 2 * np.pi * hours / 24, 2 * np.pi * hours / (7 * 24)
weather = np.zeros(len(hours))
for t in range(1, len(hours)):
    weather[t] = 0.97 * weather[t - 1] + 0.12 * rng.standard_normal()
demand = 30 + 4 * np.sin(day - 2) + np.sin(2 * day) + 2 * np.cos(week) + 2 * weather
clock = np.column_stack([np.sin(day), np.cos(day), np.sin(week), np.cos(week)])

# %%
# Inputs are the last demand and the position of its hour in day and week. The target is the next change.

X = np.column_stack([demand, clock])[:-1]
y = np.diff(demand)
model = splitgp.SplittingGP(capacity=150)
known = 7 * 7 * 24
model.update(X[:known], y[:known])
print(model)

# %%
# Three hundred paths: draw each step from the predicted distribution and start the next one from there.


def paths(start, steps=24, count=300):
    now = np.full(count, demand[start])
    result = []
    for hour in range(start, start + steps):
        step = model.predict(np.column_stack([now, np.tile(clock[hour], (count, 1))]))
        freedom = step.degrees_of_freedom
        spread = step.std * np.sqrt((freedom - 2) / freedom)  # std is that of the t distribution
        now = now + step.mean + spread * rng.standard_t(freedom)
        result.append(now)
    return np.array(result)


figure, ax = plt.subplots(figsize=(8, 4), layout="constrained")
start = known
fan, ahead = paths(start), start + np.arange(1, 25)
past = slice(start - 72, start + 1)
ax.plot(hours[past], demand[past], "k", lw=1, label="observed")
for level, alpha in ((0.95, 0.2), (0.8, 0.3), (0.5, 0.4)):
    low, high = np.quantile(fan, [(1 - level) / 2, (1 + level) / 2], axis=1)
    ax.fill_between(ahead, low, high, color="C0", alpha=alpha, lw=0, label=f"{100 * level:.0f} %")
ax.plot(ahead, np.median(fan, axis=1), "C0", label="forecast")
ax.plot(ahead, demand[ahead], "k.", ms=4, label="what came")
ax.set(xlabel="hour", ylabel="demand (GW)")
ax.legend(loc="upper left", ncols=3)

# %%
# How well do the fans hold? One starts every six hours of the last week, which was not learned.

inside = []
for start in range(known, len(hours) - 25, 6):
    low, high = np.quantile(paths(start, count=150), [0.1, 0.9], axis=1)
    actual = demand[start + 1 : start + 25]
    inside.append(np.mean((low < actual) & (actual < high)))
print(
    f"{len(inside)} fans: {100 * np.mean(inside):.0f} % of the hours lie inside their 80 % interval"
)
