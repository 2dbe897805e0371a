"""Predictions in CasADi: values, exact Jacobians, IPOPT, and the compiled function."""

from __future__ import annotations

import os
from pathlib import Path

import casadi
import numpy as np
import pytest

import splitgp
from splitgp.casadi import build_external, callback, write_external


@pytest.fixture(scope="module")
def model() -> splitgp.SplittingGP:
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (400, 3))
    y = np.stack([np.sin(3 * X[:, 0]) + X[:, 1], X[:, 1] * X[:, 2]], axis=1)
    gp = splitgp.SplittingGP(
        capacity=60, kernel="rbf", training="off", hyperparameters={"length_scale": [0.8] * 3}
    )
    gp.update(X, y)
    return gp


def jacobian_of(function: casadi.Function, columns: int, output: int) -> casadi.Function:
    x = casadi.MX.sym("x", 3, columns)
    value = function(x) if function.n_out() == 1 else function(x)[output]
    return casadi.Function("J", [x], [casadi.jacobian(value, x)])


@pytest.mark.parametrize("columns", [1, 4])
def test_values_and_jacobians_are_those_of_predict(model, columns):
    f = callback(model, columns=columns, variance=True)
    X = np.random.default_rng(1).uniform(-1, 1, (columns, 3))
    expected = model.predict(X, gradient=True)
    mean, variance = f(X.T)
    np.testing.assert_array_equal(mean.full().T, expected.mean)
    np.testing.assert_array_equal(variance.full().T, expected.variance)
    for output, gradient in enumerate((expected.mean_gradient, expected.variance_gradient)):
        jacobian = jacobian_of(f, columns, output)(X.T)
        assert jacobian.nnz() == columns * 2 * 3  # a block for each column, nothing between them
        dense = jacobian.full().reshape(columns, 2, columns, 3)
        for i in range(columns):
            np.testing.assert_array_equal(dense[i, :, i], gradient[i])


def test_one_output_may_be_flat():
    X = np.linspace(0, 6, 100).reshape(-1, 1)
    gp = splitgp.SplittingGP(training="off", hyperparameters={"length_scale": [1.0]})
    gp.update(X, np.sin(X[:, 0]))
    f = callback(gp, columns=2)
    assert f.size_out(0) == (1, 2)
    np.testing.assert_array_equal(
        f(np.array([[1.0, 2.0]])).full()[0], gp.predict([[1.0], [2.0]]).mean
    )


def test_follows_the_model_as_it_learns(model):
    f = callback(model)
    before = f([0.1, 0.2, 0.3]).full()
    model.update([[0.1, 0.2, 0.3]], [[5.0, 5.0]])
    assert (f([0.1, 0.2, 0.3]).full() != before).all()


def test_ipopt_with_differences_of_the_jacobian_as_hessian(model):
    f = callback(model)
    x = casadi.MX.sym("x", 3)
    quiet = {"print_time": False, "ipopt.print_level": 0, "ipopt.sb": "yes"}
    for hessian in ("exact", "limited-memory"):
        solver = casadi.nlpsol(
            "solver",
            "ipopt",
            {"x": x, "f": casadi.sumsqr(x), "g": f(x)[0]},
            {**quiet, "ipopt.hessian_approximation": hessian},
        )
        solution = solver(x0=[0.1, 0.1, 0.0], lbg=0.7, ubg=0.7)
        assert solver.stats()["success"], hessian
        assert abs(float(solution["g"]) - 0.7) < 1e-6


def test_needs_a_model_with_observations(model):
    with pytest.raises(ValueError, match="no observations"):
        callback(splitgp.SplittingGP())
    with pytest.raises(ValueError, match="columns is 0"):
        callback(model, columns=0)


def test_the_source_names_the_file_and_refuses_bad_names(model, tmp_path):
    model.save(tmp_path / 'odd "name".splitgp')
    write_external(tmp_path / 'odd "name".splitgp', tmp_path / "f.c", name="f")
    assert r"odd \"name\".splitgp" in (tmp_path / "f.c").read_text()
    with pytest.raises(ValueError, match="a name in C"):
        write_external(tmp_path / 'odd "name".splitgp', tmp_path / "f.c", name="f-1")


@pytest.fixture
def c_interface() -> Path:
    prefix = os.environ.get("SPLITGP_C_PREFIX")
    if prefix is None:
        pytest.skip("SPLITGP_C_PREFIX does not say where splitgp's C interface is installed")
    return Path(prefix)


def test_compiled_function(model, tmp_path, c_interface, monkeypatch):
    pkgconfig = next(c_interface.rglob("splitgp_c.pc")).parent
    monkeypatch.setenv("PKG_CONFIG_PATH", str(pkgconfig))
    model.save(tmp_path / "model.splitgp")
    f = build_external(tmp_path / "model.splitgp", tmp_path / "g.so", name="g", variance=True)
    assert f.name_in() == ["x"]
    assert f.name_out() == ["mean", "variance"]
    X = np.random.default_rng(2).uniform(-1, 1, (5, 3))
    X[4] = 0.0
    loaded = splitgp.SplittingGP.load(tmp_path / "model.splitgp").predict(X, gradient=True)
    for i, x in enumerate(X):
        mean, variance = f(x)
        # Its factors are built in the same way; another compilation may round differently.
        np.testing.assert_allclose(mean.full()[:, 0], loaded.mean[i], rtol=1e-9)
        np.testing.assert_allclose(variance.full()[:, 0], loaded.variance[i], rtol=1e-9)
        for output, gradient in enumerate((loaded.mean_gradient, loaded.variance_gradient)):
            jacobian = jacobian_of(f, 1, output)(x).full()
            np.testing.assert_allclose(jacobian, gradient[i], rtol=1e-8, atol=1e-9)
    everything = f.map(5)(X.T)
    np.testing.assert_allclose(everything[0].full().T, loaded.mean, rtol=1e-9)


def test_a_missing_model_is_an_error_not_a_number(model, tmp_path, c_interface, monkeypatch, capfd):
    pkgconfig = next(c_interface.rglob("splitgp_c.pc")).parent
    monkeypatch.setenv("PKG_CONFIG_PATH", str(pkgconfig))
    model.save(tmp_path / "gone.splitgp")
    f = build_external(tmp_path / "gone.splitgp", tmp_path / "h.so", name="h")
    del f
    (tmp_path / "gone.splitgp").unlink()
    again = casadi.external("h", str(tmp_path / "h.so"))
    with pytest.raises(RuntimeError):
        again([0.0, 0.0, 0.0])
    assert "gone.splitgp" in capfd.readouterr().err
