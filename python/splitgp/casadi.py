"""Predictions inside CasADi's expressions, with derivatives, for optimisation and control."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import casadi
import numpy as np
from numpy.typing import NDArray

from splitgp._casadi_source import external_source
from splitgp._splitting_gp import SplittingGP

__all__ = ["build_external", "callback", "write_external"]

Floats = NDArray[np.float64]


def callback(
    model: SplittingGP, *, name: str = "splitgp", columns: int = 1, variance: bool = False
) -> casadi.Callback:
    """Make a CasADi function of a model, which follows the model as it learns.

    Its input is a d × `columns` matrix, its outputs are the means, p × `columns`, and, if asked
    for, the variances of the function. The Jacobian is exact; a Hessian, if a solver wants one, is
    made of its differences.

    CasADi does not keep a callback alive: keep what this returns for as long as anything uses it.

    Parameters
    ----------
    model : SplittingGP
        It must have observations, which tell the numbers of inputs and outputs. Do not update it
        while a solver runs.
    name : str
        The function's name.
    columns : int
        How many inputs are predicted in one call, such as the steps of a horizon: much faster than
        as many calls.
    variance : bool
        Whether there is a second output, the variances.

    Examples
    --------
    >>> import casadi, numpy as np, splitgp
    >>> from splitgp.casadi import callback
    >>> X = np.linspace(0, 6, 200).reshape(-1, 1)
    >>> gp = splitgp.SplittingGP()
    >>> _ = gp.update(X, np.sin(X[:, 0]))
    >>> f = callback(gp)
    >>> x = casadi.MX.sym("x")
    >>> solver = casadi.nlpsol("solver", "ipopt", {"x": x, "f": f(x)},
    ...                        {"print_time": False, "ipopt.print_level": 0, "ipopt.sb": "yes"})
    >>> solution = solver(x0=4.0, lbx=3.0, ubx=6.0)
    >>> bool(abs(float(solution["x"]) - 1.5 * np.pi) < 0.01)  # where the sine is least
    True
    """
    return _Prediction(model, name, columns, variance)


def write_external(
    model_file: str | Path, source: str | Path, *, name: str = "f", variance: bool = False
) -> None:
    """Write a C file for `casadi.external` that predicts with a saved model, without Python.

    It has the functions that CasADi looks for: `name`, `jac_name` and what describes them. Compile
    it into a shared library together with splitgp's C interface (`pkg-config splitgp_c`), or have
    `build_external` do so. The model file is read when the library is loaded, from where it is now.

    The function has one input, `x`, and the outputs `mean` and, if asked for, `variance`. A C
    program can also learn: ``splitgp_model* NAME_model(void)`` is the model, for `splitgp_update`
    between two calls.
    """
    path = Path(model_file).resolve()
    model = SplittingGP.load(path)
    assert model.n_inputs is not None
    assert model.n_outputs is not None
    Path(source).write_text(
        external_source(name, str(path), model.n_inputs, model.n_outputs, variance)
    )


def build_external(
    model_file: str | Path,
    library: str | Path,
    *,
    name: str = "f",
    variance: bool = False,
    compiler: str = "cc",
    flags: Sequence[str] | None = None,
) -> casadi.Function:
    """Write such a file beside `library`, compile it, and load it as a CasADi function.

    Without `flags`, pkg-config says where splitgp's C interface is.
    """
    target = Path(library).resolve()
    source = target.with_suffix(".c")
    write_external(model_file, source, name=name, variance=variance)
    if flags is None:
        found = _run(["pkg-config", "--cflags", "--libs", "splitgp_c"]).split()
        folder = _run(["pkg-config", "--variable=libdir", "splitgp_c"]).strip()
        flags = [*found, f"-Wl,-rpath,{folder}"]
    _run([compiler, "-O2", "-shared", "-fPIC", str(source), "-o", str(target), *flags])
    return casadi.external(name, str(target))


def _run(command: list[str]) -> str:
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} failed:\n{result.stderr}")
    return result.stdout


class _Function(casadi.Callback):
    """What both functions have in common. Matrices are column-major, as in CasADi."""

    def __init__(self, model: SplittingGP, columns: int, variance: bool) -> None:
        casadi.Callback.__init__(self)
        if columns < 1:
            raise ValueError(f"columns is {columns}; it must be at least 1")
        if model.n_inputs is None or model.n_outputs is None:
            raise ValueError("the model has no observations yet, and so no inputs and outputs")
        self._model = model
        self._columns = columns
        self._n_values = 2 if variance else 1
        self._input = casadi.Sparsity.dense(model.n_inputs, columns)
        self._value = casadi.Sparsity.dense(model.n_outputs, columns)
        # Of the derivatives: one block for each column, on the diagonal.
        block = casadi.Sparsity.dense(model.n_outputs, model.n_inputs)
        self._blocks = casadi.diagcat(*[block] * columns)

    def _rows(self, x: casadi.DM) -> Floats:
        return np.ascontiguousarray(np.asarray(x.full()).T)


class _Prediction(_Function):
    def __init__(self, model: SplittingGP, name: str, columns: int, variance: bool) -> None:
        super().__init__(model, columns, variance)
        self._variance = variance
        self._jacobian: _Jacobian | None = None
        self.construct(name, {})

    def get_n_in(self) -> int:
        return 1

    def get_n_out(self) -> int:
        return self._n_values

    def get_name_in(self, _: int) -> str:
        return "x"

    def get_name_out(self, i: int) -> str:
        return ("mean", "variance")[i]

    def get_sparsity_in(self, _: int) -> casadi.Sparsity:
        return self._input

    def get_sparsity_out(self, _: int) -> casadi.Sparsity:
        return self._value

    def eval(self, arg: Sequence[casadi.DM]) -> list[Any]:
        prediction = self._model.predict(self._rows(arg[0]))
        values = [prediction.mean, prediction.variance][: self._n_values]
        return [casadi.DM(self._value, value.ravel()) for value in values]

    def has_jac_sparsity(self, _output: int, _input: int) -> bool:
        return True

    def get_jac_sparsity(self, _output: int, _input: int, _symmetric: bool) -> casadi.Sparsity:
        return self._blocks

    def has_jacobian(self) -> bool:
        return True

    def get_jacobian(
        self,
        name: str,
        _inputs: Sequence[str],
        _outputs: Sequence[str],
        options: Mapping[str, Any],
    ) -> casadi.Function:
        # Kept here: CasADi would not.
        self._jacobian = _Jacobian(self._model, name, self._columns, self._variance, options)
        return self._jacobian


class _Jacobian(_Function):
    """The derivatives of each output by x."""

    def __init__(
        self,
        model: SplittingGP,
        name: str,
        columns: int,
        variance: bool,
        options: Mapping[str, Any],
    ) -> None:
        super().__init__(model, columns, variance)
        # Second derivatives are differences of these.
        self.construct(name, {**options, "enable_fd": True})

    def get_n_in(self) -> int:
        return 1 + self._n_values  # x, and the outputs, which are not needed

    def get_n_out(self) -> int:
        return self._n_values

    def get_sparsity_in(self, i: int) -> casadi.Sparsity:
        return self._input if i == 0 else casadi.Sparsity(*self._value.shape)

    def get_sparsity_out(self, _: int) -> casadi.Sparsity:
        return self._blocks

    def eval(self, arg: Sequence[casadi.DM]) -> list[Any]:
        prediction = self._model.predict(self._rows(arg[0]), gradient=True)
        result = []
        for gradient in (prediction.mean_gradient, prediction.variance_gradient)[: self._n_values]:
            assert gradient is not None
            blocks = gradient.reshape(self._columns, self._value.size1(), self._input.size1())
            result.append(casadi.DM(self._blocks, blocks.transpose(0, 2, 1).ravel()))
        return result
