"""Common pictures of a model. Each function draws on Axes and returns them.

Without `ax` it draws on the current Axes, as matplotlib's own functions do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from splitgp._results import Prediction
from splitgp._splitting_gp import SplittingGP

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["band", "calibration", "error", "relevance", "surface"]


def _axes(ax: Axes | None) -> Axes:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.gca()


def _column(values: Any, output: int) -> Any:
    array = np.asarray(values, dtype=np.float64)
    return array if array.ndim == 1 else array[:, output]


def _model(model: Any) -> SplittingGP:
    """The SplittingGP itself, also of the scikit-learn and river estimators."""
    for name in ("model_", "model"):
        model = getattr(model, name, model)
    if not isinstance(model, SplittingGP):
        raise ValueError(f"model is {model!r}; it must be a SplittingGP or one of its estimators")
    return model


def _needs_inputs(model: SplittingGP, inputs: int) -> None:
    if model.n_inputs != inputs:
        raise ValueError(f"the model has {model.n_inputs} inputs; this picture needs {inputs}")


def band(
    model: Any,
    x: ArrayLike | None = None,
    *,
    level: float = 0.95,
    observations: bool = True,
    output: int = 0,
    ax: Axes | None = None,
) -> Axes:
    """Draw mean, function band and observation band of a model with one input.

    Parameters
    ----------
    model : SplittingGP or estimator
        With one input.
    x : array of shape (n,), optional
        Where to predict; default: the range of the data, a tenth wider.
    level : float
        Probability of the bands.
    observations : bool
        Draw the data too.
    output : int
        Which of the outputs.
    ax : Axes, optional
        Where to draw.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("agg")
    >>> import splitgp, splitgp.plot
    >>> gp = splitgp.SplittingGP()
    >>> _ = gp.update([[0.0], [1.0], [2.0]], [1.0, 2.0, 3.0])
    >>> ax = splitgp.plot.band(gp)
    >>> ax.get_xlabel()
    'x'
    """
    gp, ax = _model(model), _axes(ax)
    _needs_inputs(gp, 1)
    X, y, _ = gp.observations()
    if x is None:
        low, high = X.min(), X.max()
        margin = 0.1 * ((high - low) or 1.0)
        x = np.linspace(low - margin, high + margin, 400)
    x = np.asarray(x, dtype=np.float64).ravel()
    prediction = gp.predict(x.reshape(-1, 1))
    percent = f"{100 * level:g} %"
    for noise, alpha, label in ((True, 0.15, "an observation"), (False, 0.3, "the function")):
        low, high = (_column(end, output) for end in prediction.interval(level, noise=noise))
        ax.fill_between(x, low, high, color="C0", alpha=alpha, lw=0, label=f"{percent} of {label}")
    ax.plot(x, _column(prediction.mean, output), color="C0", label="mean")
    if observations:
        ax.plot(X[:, 0], _column(y, output), ".", color="0.3", ms=3, label="observations")
    ax.set(xlabel="x", ylabel="y")
    ax.legend()
    return ax


def surface(
    model: Any,
    *,
    show: str = "mean",
    bounds: Sequence[float] | None = None,
    resolution: int = 100,
    partition: bool = True,
    output: int = 0,
    ax: Axes | None = None,
) -> Axes:
    """Draw a model with two inputs in colours, with the borders between its local GPs.

    Parameters
    ----------
    model : SplittingGP or estimator
        With two inputs.
    show : {"mean", "std", "latent_std"}
        What the colours mean: the mean, or the uncertainty of an observation or of the function.
    bounds : (x0_low, x0_high, x1_low, x1_high), optional
        Default: the range of the data.
    resolution : int
        Grid points along each axis.
    partition : bool
        Draw the centers of the local GPs and the borders between them.
    output : int
        Which of the outputs.
    ax : Axes, optional
        Where to draw.
    """
    gp, ax = _model(model), _axes(ax)
    _needs_inputs(gp, 2)
    if show not in ("mean", "std", "latent_std"):
        raise ValueError(f"show is {show!r}; it must be one of mean, std, latent_std")
    if bounds is None:
        X, _, _ = gp.observations()
        (a, c), (b, d) = X.min(axis=0), X.max(axis=0)
        bounds = (a, b, c, d)
    x0 = np.linspace(bounds[0], bounds[1], resolution)
    x1 = np.linspace(bounds[2], bounds[3], resolution)
    grid = np.stack(np.meshgrid(x0, x1), axis=-1).reshape(-1, 2)
    values = _column(getattr(gp.predict(grid), show), output).reshape(resolution, resolution)
    colour_map = "viridis" if show == "mean" else "magma_r"
    mesh = ax.pcolormesh(x0, x1, values, shading="nearest", cmap=colour_map)
    ax.figure.colorbar(mesh, ax=ax, label=show)
    if partition:
        centers = np.array([local.center for local in gp.local_gps])
        scaled = gp.hyperparameters.length_scale
        squared = (((grid[:, None] - centers[None]) / scaled) ** 2).sum(axis=-1)
        nearest = squared.argmin(axis=1).reshape(resolution, resolution)
        for k in range(len(centers)):  # the border of each cell
            if 0 < (nearest == k).sum() < nearest.size:
                ax.contour(x0, x1, nearest == k, levels=[0.5], colors="w", linewidths=0.6)
        ax.plot(*centers.T, "w+", ms=6)
    ax.set(xlabel="x[0]", ylabel="x[1]", xlim=bounds[:2], ylim=bounds[2:])
    return ax


def relevance(model: Any, names: Sequence[str] | None = None, *, ax: Axes | None = None) -> Axes:
    """Draw how much each input matters: its spread in the data over its length scale.

    An input whose bar is near 0 hardly moves the prediction over the range that was seen.

    Parameters
    ----------
    model : SplittingGP or estimator
        With any number of inputs.
    names : sequence of str, optional
        Names of the inputs.
    ax : Axes, optional
        Where to draw.
    """
    gp, ax = _model(model), _axes(ax)
    strength = gp.input_statistics.spread / gp.hyperparameters.length_scale
    if names is None:
        names = [f"x[{k}]" for k in range(len(strength))]
    if len(names) != len(strength):
        raise ValueError(f"names has {len(names)} entries; the model has {len(strength)} inputs")
    order = np.argsort(strength)
    ax.barh([names[k] for k in order], strength[order])
    ax.set(xlabel="standard deviation of the input / length_scale")
    return ax


def calibration(
    prediction: Prediction, y: ArrayLike, *, output: int = 0, ax: Axes | None = None
) -> Axes:
    """Draw how often intervals contain the observation against how often they should.

    On the diagonal the intervals are right; above it too wide, below it too narrow.

    Parameters
    ----------
    prediction : Prediction
        Made before y was learned.
    y : array
        What was observed.
    output : int
        Which of the outputs.
    ax : Axes, optional
        Where to draw.
    """
    ax = _axes(ax)
    observed = _column(y, output)
    levels = np.linspace(0.02, 0.98, 49)
    held = []
    for level in levels:
        low, high = (_column(end, output) for end in prediction.interval(float(level)))
        held.append(np.mean((low <= observed) & (observed <= high)))
    ax.plot([0, 1], [0, 1], color="0.7", lw=1)
    ax.plot(levels, held, color="C0")
    ax.set(xlabel="promised", ylabel="held", xlim=(0, 1), ylim=(0, 1), aspect="equal")
    return ax


def error(
    residuals: ArrayLike, *, window: int = 500, label: str | None = None, ax: Axes | None = None
) -> Axes:
    """Draw the error along a stream: root mean square over the last `window` observations.

    Parameters
    ----------
    residuals : array of shape (n,)
        y minus prediction, each made before its y was learned.
    window : int
        Observations to average over; fewer at the beginning.
    label : str, optional
        For the legend.
    ax : Axes, optional
        Where to draw.
    """
    ax = _axes(ax)
    squares = np.asarray(residuals, dtype=np.float64).ravel() ** 2
    if window < 1:
        raise ValueError(f"window is {window}; it must be at least 1")
    total = np.concatenate([[0.0], np.cumsum(squares)])
    end = np.arange(1, len(squares) + 1)
    start = np.maximum(0, end - window)
    ax.plot(end, np.sqrt((total[end] - total[start]) / (end - start)), label=label)
    ax.set(xlabel="observations", ylabel=f"RMSE of the last {window}")
    ax.set_ylim(bottom=0)
    if label is not None:
        ax.legend()
    return ax
