"""A scikit-learn regressor that also learns from streams."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from splitgp import _options
from splitgp._keywords import TakesKeywords
from splitgp._signature import takes_options
from splitgp._splitting_gp import SplittingGP

__all__ = ["SplittingGPRegressor"]

Floats = NDArray[np.float64]


@takes_options()
class SplittingGPRegressor(
    TakesKeywords,
    MultiOutputMixin,  # type: ignore[misc]
    RegressorMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
):
    """Gaussian-process regression for scikit-learn, at any number of rows.

    What `sklearn.gaussian_process.GaussianProcessRegressor` is used for, without its cubic cost:
    time grows in proportion to the number of rows. Inputs and outputs need no scaling.

    Parameters
    ----------
    {options}

    Attributes
    ----------
    model_ : SplittingGP
        The model itself.
    n_features_in_ : int
        Number of inputs.

    Examples
    --------
    >>> import numpy as np
    >>> from splitgp.sklearn import SplittingGPRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1, 1, (300, 2))
    >>> y = np.sin(3 * X[:, 0]) + X[:, 1]
    >>> regressor = SplittingGPRegressor(split_limit=100).fit(X, y)
    >>> regressor.score(X, y) > 0.99
    True
    >>> mean, std = regressor.predict(X[:2], return_std=True)
    >>> mean.shape, std.shape
    ((2,), (2,))
    >>> lower, upper = regressor.predict_interval(X[:2], confidence_level=0.8)
    >>> bool((lower < upper).all())
    True

    As more data arrive:

    >>> _ = regressor.partial_fit(X[:10], y[:10])
    >>> regressor.model_.n_observations
    310
    """

    def _accept(self, keywords: dict[str, Any]) -> None:
        for name, value in keywords.items():
            setattr(self, name, value)

    def fit(self, X: Any, y: Any) -> SplittingGPRegressor:
        """Learn X and y from the beginning, and train once more at the end unless training is off.

        Parameters
        ----------
        X : array of shape (n, d)
            Inputs.
        y : array of shape (n,) or (n, p)
            Outputs.
        """
        self._learn(X, y, reset=True)
        if self.training != "off":
            self.model_.finish_training()
            self.model_.train()
            self.model_.refit()
        return self

    def partial_fit(self, X: Any, y: Any) -> SplittingGPRegressor:
        """Learn more rows, in order; the first call starts the model."""
        self._learn(X, y, reset=not hasattr(self, "model_"))
        return self

    def _learn(self, X: Any, y: Any, reset: bool) -> None:
        X, y = validate_data(
            self, X, y, multi_output=True, y_numeric=True, dtype=np.float64, order="C", reset=reset
        )
        if reset:
            self.model_ = SplittingGP(**{name: getattr(self, name) for name in _options.DEFAULTS})
        self.model_.update(X, y)

    def predict(
        self, X: Any, return_std: bool = False, return_cov: bool = False
    ) -> Floats | tuple[Floats, Floats]:
        """Predict at the rows of X, as observations of an unknown time: ``ahead=None``.

        Parameters
        ----------
        X : array of shape (n, d)
            Inputs.
        return_std : bool
            Also return the standard deviation of an observation at each row: the function's
            uncertainty and the noise, as scikit-learn's regressor with a WhiteKernel does.
        return_cov : bool
            Not available: the model knows the variance at each row, but keeps no joint
            distribution over rows, whose local GPs may differ. A ValueError.
        """
        check_is_fitted(self)
        if return_cov:
            raise ValueError(
                "return_cov is True; a splitting GP has no joint covariance over rows, use "
                "return_std=True for the standard deviation of each"
            )
        X = validate_data(self, X, dtype=np.float64, order="C", reset=False)
        prediction = self.model_.predict(X, ahead=None)
        if return_std:
            return prediction.mean, prediction.std
        return prediction.mean

    def predict_interval(self, X: Any, confidence_level: float = 0.95) -> tuple[Floats, Floats]:
        """Lower and upper end of the central interval of an observation at each row of X.

        Parameters
        ----------
        X : array of shape (n, d)
            Inputs.
        confidence_level : float
            The probability that the interval holds, between 0 and 1.
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, order="C", reset=False)
        return self.model_.predict(X, ahead=None).interval(confidence_level)

    def sample_y(self, X: Any, n_samples: int = 1, random_state: Any = 0) -> Floats:
        """Draw observations at the rows of X, shape (n, n_samples) or (n, p, n_samples).

        Rows are drawn independently of each other: see `return_cov` of `predict`.
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, order="C", reset=False)
        prediction = self.model_.predict(X, ahead=None)
        random = check_random_state(random_state)
        draws = random.standard_normal((*prediction.mean.shape, n_samples))
        # A t is a normal draw over the root of a χ² one; at infinity that is 1.
        degrees = np.minimum(prediction.degrees_of_freedom, 1e12)[..., np.newaxis]
        draws *= np.sqrt((degrees - 2) / random.chisquare(degrees, draws.shape))
        mean, std = prediction.mean[..., np.newaxis], prediction.std[..., np.newaxis]
        samples: Floats = mean + std * draws
        return samples
