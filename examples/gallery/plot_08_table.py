"""
A table with times, names and gaps
==================================

Tables from a plant have time stamps, names of products and missing values. ``TableModel`` finds what each
column is, and needs no preparation. It is the recipe of the ``splitgp`` command.
"""

import datetime

import matplotlib.pyplot as plt
import numpy as np

import splitgp

# %%
# Five weeks of a kiln: a stamp, the product, the feed with gaps, and the power to predict.

rng = np.random.default_rng(6)
first = datetime.datetime(2024, 3, 1)
level = {"grey": 20.0, "white": 26.0, "fast": 23.0}
rows = []
for hour in range(24 * 35):
    stamp = first + datetime.timedelta(hours=hour)
    product = ("grey", "white", "grey", "fast")[hour // 30 % 4]
    feed = 80 + 15 * np.sin(hour / 17) + 2 * rng.standard_normal()
    power = level[product] + 0.2 * (feed - 80) + 2 * np.cos(2 * np.pi * stamp.hour / 24)
    rows.append(
        {
            "time": stamp.isoformat(),
            "product": product,
            "feed": None if rng.uniform() < 0.05 else round(feed, 1),
            "power": round(power + 0.5 * rng.standard_normal(), 2),
        }
    )

# %%
# What the columns were taken for is the model's recipe.

model = splitgp.TableModel("power", capacity=120)
before, learned = model.predict_then_update(rows)
print("\n".join(model.recipe))
print(model.model)

# %%
# Predictions of the last week, each made before its row was learned.

week = slice(len(rows) - 7 * 24, len(rows))
power = np.array([row["power"] for row in rows])[week]
low, high = (end[week] for end in before.interval(0.95))
figure, ax = plt.subplots(figsize=(8, 4), layout="constrained")
days = np.arange(len(power)) / 24
ax.fill_between(days, low, high, alpha=0.25, lw=0, label="95 % interval")
ax.plot(days, before.mean[week], label="predicted")
ax.plot(days, power, "k.", ms=3, label="measured")
ax.set(xlabel="day of the last week", ylabel="power (kW)")
ax.legend(ncols=3)
print(f"{100 * np.mean((low < power) & (power < high)):.0f} % lie inside")
