"""The README's figures are what docs/results holds."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from experiments.shared.methods import DEFAULT, FULL, LOG, PAPER, RBCM
from experiments.shared.table import Table, read_rows

ROOT = Path(__file__).resolve().parents[2]
METHODS = (DEFAULT, PAPER, RBCM, LOG, FULL)
# the row's first word → experiment, data, setting, n (0: any), metric
ROWS = {
    "kin40k": ("kin40k", "kin40k", 625, 0, "rmse"),
    "powergen": ("powergen", "powergen", 300, 0, "rmse"),
    "synthetic": ("synthetic", "paper", 500, 2500, "mse_latent"),
    "pjme_hourly": ("beyond", "pjme_hourly", 300, 5000, "rmse"),
    "gas_turbine": ("beyond", "gas_turbine", 300, 5000, "rmse"),
}


def readme_row(name: str) -> list[str]:
    """Of the table with a column for each rival: what stands behind the data's name."""
    text = (ROOT / "README.md").read_text()
    table = text[text.index("| paper's rule |") :]
    match = re.search(rf"^\| {name}.*$", table, re.MULTILINE)
    assert match, name
    return [cell.strip() for cell in match.group().strip("|").split("|")][1:]


def measured(name: str, method: str) -> float:
    experiment, data, setting, n, metric = ROWS[name]
    table = Table(read_rows(ROOT / "docs" / "results" / f"{experiment}.csv"))
    picked = table.where(data=data, method=method, kernel="rbf")
    picked = picked.where(setting=0.0 if method == FULL else float(setting))
    mean = (picked.where(n=n) if n else picked).mean(metric)
    return math.sqrt(mean) if metric == "mse_latent" else mean


@pytest.mark.parametrize("name", ROWS)
def test_rivals_in_the_readme(name):
    setting, *figures = readme_row(name)
    assert int(setting) == ROWS[name][2]
    for method, shown in zip(METHODS, figures, strict=True):
        digits = len(shown.partition(".")[2])
        half = 0.501 * 10.0**-digits
        assert float(shown.replace(",", "")) == pytest.approx(measured(name, method), abs=half)
