"""The drift experiment: its streams, recovery, and a page from measurements."""

from __future__ import annotations

import numpy as np
import pytest

from experiments.drift import drawing as figures_drift
from experiments.drift import measuring as drift
from experiments.drift import page as pages_drift
from experiments.drift.models import ALL, FORGET, FRESH, MODELS
from experiments.drift.streams import REAL, REGIONS, STREAMS, in_regions, region
from experiments.shared import run
from experiments.shared.table import Row, Table


@pytest.mark.parametrize("name", [n for n in STREAMS if n not in REAL])
def test_streams_are_made_from_their_seed(name):
    one, same, other = (STREAMS[name].make(600, seed) for seed in (1, 1, 2))
    assert one.X.shape[0] == one.y.shape[0] == 600
    np.testing.assert_array_equal(one.y, same.y)
    assert not np.array_equal(one.y, other.y)
    assert all(0 < change < 600 for change in one.changes)


def test_a_step_is_in_one_region_only():
    stepped, plain = in_regions(2000, 3, size=5.0), in_regions(2000, 3, size=0.0)
    moved = stepped.y - plain.y
    here = (region(stepped.X) == stepped.region) & (np.arange(2000) >= 1000)
    np.testing.assert_allclose(moved[here], 0.5)
    assert not moved[~here].any()
    assert 0.1 < here[1000:].mean() * REGIONS < 2


def invented() -> Table:
    """Keeping all never recovers; forgetting does in the second bin."""
    rows = []
    for data in STREAMS:
        real = data in REAL
        for method in [*MODELS] if real else [*MODELS, FRESH]:
            for seed in (0,) if real else (0, 1):

                def add(n, metric, value, key=(data, method, "auto", 0.0, seed)):
                    rows.append(Row(*key, n, metric, value))

                add(1000, "rmse", 2.0 if method == ALL else 1.5)
                add(1000, "cover_95", 0.95)
                after = {ALL: 4.0, FRESH: 1.0}.get(method, 2.0)
                for end in range(drift.BIN, 1001, drift.BIN):
                    settled = method == FORGET and end >= 900
                    add(end, "rmse_bin", 1.0 if end <= 500 or settled else after)
                if not real:
                    add(500, "change", 500.0)
                    add(1000, "rmse_after", after)
                if "step" in data:
                    add(1000, "rmse_region", after)
                    add(1000, "rmse_elsewhere", 1.0)
                    add(1000, "rmse_elsewhere_to_the_end", 1.0)
                if method == ALL:
                    add(530, "alarm", 500.0)
    for seed in range(2):
        for name in drift.DETECTORS:
            rows.append(Row("stationary", "d", "auto", 0.0, seed, 50_000, f"false {name}", seed))
            rows.append(Row("steps", "d", "auto", 0.0, seed, 20_000, f"found {name}", seed))
            rows.append(Row("steps", "d", "auto", 0.0, seed, 20_000, f"delay {name}", 40.0))
    return Table(rows)


def test_rows_to_recover():
    assert drift.rows_to_recover(invented(), "step", FORGET, 0) == 500
    assert drift.rows_to_recover(invented(), "step", ALL, 0) == np.inf


def test_page_and_figure(tmp_path):
    (tmp_path / "drift.json").write_text('{"version": "0", "instruction_set": "none", "seed": 0}')
    settings = run.Settings(tmp_path)
    text = pages_drift.page(invented(), settings)
    assert "python -m experiments drift" in text
    assert "- step: in the region `on_drift = forget` is 50 % below keeping all" in text
    assert "elsewhere the error changes by +0.0 %" in text
    assert "| splitgp | 1.00 | 50 % | 40 | 40 |" in text
    (path,) = figures_drift.draw(invented(), settings)
    assert path.name in text
    assert path.stat().st_size > 10_000
