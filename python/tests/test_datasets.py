"""Where data come from."""

from __future__ import annotations

import gzip
import io
import zipfile

import numpy as np
import pytest

from splitgp import datasets


@pytest.mark.parametrize("variant", ["paper", "code"])
def test_synthetic(variant):
    X, y, f = datasets.synthetic(2500, variant=variant, seed=1)
    assert len(np.unique(X, axis=0)) == 2500  # without replacement
    assert np.abs(X).max() == 1.0
    assert 0.2 < np.std(y - f) < 0.5
    with pytest.raises(ValueError, match="n is 10001"):
        datasets.synthetic(10001)


def test_a_file_is_found_by_the_environment_variable(tmp_path, monkeypatch):
    with gzip.open(tmp_path / "gas_turbine.csv.gz", "wt") as file:
        file.write("year,AT,CO,NOX\n2011,1,2,3\n2012,4,5,6\n")
    monkeypatch.setenv("SPLITGP_DATA", str(tmp_path))
    data = datasets.load("gas_turbine")
    assert data.X.tolist() == [[2011, 1], [2012, 4]]
    assert data.y.tolist() == [[2, 3], [5, 6]]
    assert data.input_names == ("year", "AT")
    assert len(datasets.load("gas_turbine", max_rows=1).X) == 1


def test_what_is_nowhere_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(datasets, "_folders", lambda: [tmp_path])
    with pytest.raises(FileNotFoundError, match="beijing_pm25"):
        datasets.load("beijing_pm25")
    with pytest.raises(ValueError, match="name is 'moon'"):
        datasets.load("moon")


def test_a_download_that_is_not_the_data_is_refused(tmp_path, monkeypatch):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as files:
        for year in range(2011, 2016):
            files.writestr(
                f"gt_{year}.csv", "AT,AP,AH,AFDP,GTEP,TIT,TAT,TEY,CDP,CO,NOX\n" + "1," * 10 + "1\n"
            )
    monkeypatch.setattr(datasets, "_folders", lambda: [tmp_path])
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(
        datasets.urllib.request, "urlopen", lambda *_, **__: io.BytesIO(archive.getvalue())
    )
    with pytest.raises(ValueError, match=r"gas_turbine .* has sha256"):
        datasets.load("gas_turbine")
    assert not list(tmp_path.iterdir())
