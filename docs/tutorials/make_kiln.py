"""Makes kiln.csv, the table of the tutorial: python docs/tutorials/make_kiln.py."""

import csv
import datetime
import math
import random
from pathlib import Path

chance = random.Random(7)
first = datetime.datetime(2024, 3, 1)
level = {"grey": 20.0, "white": 26.0, "fast": 23.0}
with (Path(__file__).parent / "kiln.csv").open("w", newline="") as file:
    table = csv.writer(file, lineterminator="\n")
    table.writerow(["time", "product", "feed", "air", "power"])
    for hour in range(600):
        stamp = first + datetime.timedelta(hours=hour)
        product = ("grey", "white", "grey", "fast")[hour // 30 % 4]
        feed = 80 + 15 * math.sin(hour / 17) + chance.gauss(0, 2)
        air = 40 + 5 * math.cos(hour / 11) + chance.gauss(0, 1)
        power = level[product] + 0.2 * (feed - 80) - 0.1 * (air - 40) ** 2 / 10
        power += 2 * math.cos(2 * math.pi * stamp.hour / 24) + chance.gauss(0, 0.4)
        if hour >= 450:
            power += 2.0  # a burner fails
        shown = "" if chance.random() < 0.04 else f"{feed:.1f}"
        table.writerow([f"{stamp:%d.%m.%Y %H:%M}", product, shown, f"{air:.1f}", f"{power:.2f}"])
