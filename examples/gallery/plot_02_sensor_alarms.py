"""
A sensor with alarms
====================

A sensor's reading depends on load and temperature. After some weeks the sensor gets an offset, but
only at high load. The model learns what the reading should be, predicts each row before it learns
it, and reports where and when the process changed.
"""

import matplotlib.pyplot as plt
import numpy as np

import splitgp

# %%
# Three thousand readings. From row 2,000 on, readings at a load above 0.7 are too high by twice the
# noise. Some single readings are absurd.

rng = np.random.default_rng(4)
rows, change, noise = 3000, 2000, 0.1
load, temperature = rng.uniform(0, 1, rows), rng.uniform(10, 30, rows)
reading = np.sin(5 * load) + 0.03 * temperature + noise * rng.standard_normal(rows)
reading += 2 * noise * ((load > 0.7) & (np.arange(rows) >= change))
absurd = rng.choice(rows, 6, replace=False)
reading[absurd] += 5
X = np.column_stack([load, temperature])

# %%
# ``outliers="reject"`` leaves single absurd readings out. A forgetting model would also take
# ``on_drift="forget"``, so that the changed cells forget what is older than the change.

model = splitgp.SplittingGP(capacity=100, outliers="reject", rows_per_false_alarm=100_000)
z = np.empty(rows)
alarms = []
for start in range(0, rows, 50):
    batch = slice(start, start + 50)
    result = model.update(X[batch], reading[batch])
    z[batch] = np.ravel(result.z)
    alarms += result.alarms

print(f"{model.n_rejected} readings were rejected, {len(alarms)} alarms were raised")
for alarm in alarms:
    print(
        f"row {alarm.sequence}: {alarm.kind}, {alarm.size_in_noise:.1f} standard deviations of noise"
    )
    print(f"  since row {alarm.change_point}, load {alarm.lower[0]:.2f} to {alarm.upper[0]:.2f}")

# %%
# z is the surprise of each reading: how many standard deviations it was from what was expected. The
# band holds 95 % of them if all is right. Red lines are alarms, the dashed line is the change, and the red area is
# the region of the last alarm.

figure, (over_time, over_load) = plt.subplots(2, 1, figsize=(8, 6), layout="constrained")
over_time.axhspan(-2, 2, color="0.9")
over_time.plot(z, ".", ms=2)
over_time.axvline(change, color="k", ls="--", lw=1)
for alarm in alarms:
    over_time.axvline(alarm.sequence, color="C3", lw=1)
over_time.set(xlabel="row", ylabel="z", ylim=(-8, 8))
late = np.arange(rows) >= change
over_load.axhspan(-2, 2, color="0.9")
over_load.plot(load[late], z[late], ".", ms=3)
for alarm in alarms[-1:]:
    over_load.axvspan(alarm.lower[0], alarm.upper[0], color="C3", alpha=0.15)
over_load.set(xlabel="load, after the change", ylabel="z", ylim=(-8, 8))
