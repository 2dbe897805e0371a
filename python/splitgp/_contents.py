"""What is inside a model, and how it shows itself."""

from __future__ import annotations

from typing import Any

from splitgp import _core, _options
from splitgp._facts import Facts
from splitgp._results import (
    Alarm,
    ColumnStatistics,
    ExpertShares,
    Hyperparameters,
    InnovationStatistics,
    LocalGPPoints,
    LocalGPSummary,
    Observations,
    SplitRecord,
)


class Contents(Facts):
    """The part of SplittingGP that looks inside."""

    _model: _core.Model | None
    _flat: bool

    @property
    def hyperparameters(self) -> Hyperparameters:
        """θ now. Assigning a mapping or Hyperparameters replaces it.

        Examples
        --------
        >>> import splitgp
        >>> gp = splitgp.SplittingGP(training="off")
        >>> _ = gp.update([[0.0, 0.0]], [1.0])
        >>> gp.hyperparameters = {"length_scale": [1.0, 2.0], "noise_variance": 0.1}
        >>> gp.hyperparameters.length_scale, gp.hyperparameters.noise_variance
        (array([1., 2.]), 0.1)
        """
        return Hyperparameters(**self._ready().hyperparameters())

    @hyperparameters.setter
    def hyperparameters(self, values: dict[str, Any] | Hyperparameters) -> None:
        self._ready().set_hyperparameters(_options.hyperparameters_dict(values))

    @property
    def theta_version(self) -> int:
        """How often the hyperparameters have changed.

        Each local GP remembers the version that its factor was made with.
        """
        return 0 if self._model is None else self._model.theta_version

    @property
    def split_history(self) -> list[SplitRecord]:
        """Every split so far."""
        if self._model is None:
            return []
        return [SplitRecord(**one) for one in self._model.split_history()]

    @property
    def local_gps(self) -> list[LocalGPSummary]:
        """The local GPs: center, size, condition, memory."""
        if self._model is None:
            return []
        return [LocalGPSummary._from_core(one) for one in self._model.local_gps()]

    @property
    def innovation_statistics(self) -> list[InnovationStatistics]:
        """How large innovations have been lately in the whole stream, for each output.

        `local_gps` has the same for each local GP.

        Examples
        --------
        >>> import numpy as np, splitgp
        >>> X = np.random.default_rng(0).uniform(0, 6, (500, 1))
        >>> gp = splitgp.SplittingGP()
        >>> _ = gp.update(X, np.sin(X[:, 0]) + 0.1 * np.random.default_rng(1).standard_normal(500))
        >>> now = gp.innovation_statistics[0]
        >>> now.lower < now.mean_square < now.upper
        True
        """
        if self._model is None:
            return []
        return [InnovationStatistics(**one) for one in self._model.innovation_statistics()]

    @property
    def expert_shares(self) -> list[ExpertShares]:
        """Whom the answers to the next row follow beside f, for each output; empty without experts.

        Examples
        --------
        >>> import numpy as np, splitgp
        >>> X = np.random.default_rng(0).uniform(0, 6, (500, 1))
        >>> gp = splitgp.SplittingGP()
        >>> _ = gp.update(X, np.sin(X[:, 0]) + 0.1 * np.random.default_rng(1).standard_normal(500))
        >>> abs(gp.expert_shares[0].last_error) < 0.2
        True
        """
        if self._model is None:
            return []
        return [ExpertShares(**one) for one in self._model.expert_shares()]

    @property
    def alarms(self) -> list[Alarm]:
        """The last alarms, at most 1,000, oldest first: where and when the stream has changed."""
        if self._model is None:
            return []
        return [Alarm(**one) for one in self._model.alarms()]

    @property
    def n_alarms(self) -> int:
        """How many alarms there have been."""
        return 0 if self._model is None else self._model.n_alarms

    @property
    def n_rejected(self) -> int:
        """How many outliers were not learned (``outliers="reject"``)."""
        return 0 if self._model is None else self._model.n_rejected

    @property
    def n_seen(self) -> int:
        """How many observations it has learned, forgotten ones included: the next one's number."""
        return 0 if self._model is None else self._model.n_seen

    @property
    def n_local(self) -> int:
        """How many local GPs there are."""
        return 0 if self._model is None else self._model.n_local

    @property
    def input_statistics(self) -> ColumnStatistics:
        """Mean and standard deviation of each input, over all observations so far.

        Examples
        --------
        >>> import splitgp
        >>> gp = splitgp.SplittingGP()
        >>> _ = gp.update([[0.0, 5.0], [2.0, 5.0]], [1.0, 3.0])
        >>> gp.input_statistics.mean, gp.input_statistics.spread
        (array([1., 5.]), array([1., 0.]))
        >>> gp.output_statistics.mean
        array([2.])
        """
        return ColumnStatistics(**self._ready().input_statistics())

    @property
    def output_statistics(self) -> ColumnStatistics:
        """The same for each output."""
        return ColumnStatistics(**self._ready().output_statistics())

    def observations(self) -> Observations:
        """A copy of all observations: X, y and noise_variance, in the order in which they came.

        Examples
        --------
        >>> import splitgp
        >>> gp = splitgp.SplittingGP()
        >>> _ = gp.update([[0.0], [1.0]], [5.0, 6.0])
        >>> X, y, noise_variance = gp.observations()
        >>> y
        array([5., 6.])
        """
        X, y, noise_variance, _ = self._ready().observations()
        return Observations(X, self._like_y(y), noise_variance)

    def points(self, local_gp: int) -> LocalGPPoints:
        """A copy of what one local GP conditions on, and which of it is its own.

        Examples
        --------
        >>> import numpy as np, splitgp
        >>> X = np.linspace(0, 6, 120).reshape(-1, 1)
        >>> gp = splitgp.SplittingGP(split_limit=50, training="off")
        >>> _ = gp.update(X, np.sin(X[:, 0]))
        >>> sum(int(gp.points(i).owned.sum()) for i in range(gp.n_local))
        120
        """
        X, y, noise_variance, sequence, owned = self._ready().points(local_gp)
        return LocalGPPoints(X, self._like_y(y), noise_variance, sequence, owned)

    def _like_y(self, outputs: Any) -> Any:
        return outputs[:, 0] if self._flat else outputs

    def _ready(self) -> _core.Model:
        if self._model is None:
            raise ValueError("the model has no observations yet; call update first")
        return self._model

    def _summary(self) -> list[tuple[str, str]]:
        if self._model is None:
            return [("observations", "0")]
        theta = self.hyperparameters
        scales = ", ".join(f"{value:.3g}" for value in theta.length_scale[:6])
        return [
            ("observations", f"{self.n_observations:,}"),
            ("inputs → outputs", f"{self.n_inputs} → {self.n_outputs}"),
            ("local GPs", f"{self.n_local:,}"),
            ("memory", f"{self.memory_bytes / 1e6:,.1f} MB"),
            ("kernel", theta.kernel),
            ("length_scale", scales + (", …" if len(theta.length_scale) > 6 else "")),
            ("signal_variance", f"{theta.signal_variance:.4g}"),
            ("noise_variance", f"{theta.noise_variance:.4g}"),
            ("trainings", str(len(self.training_history))),
        ]

    def __repr__(self) -> str:
        chosen = ", ".join(_options.shown(self._keywords))
        text = f"SplittingGP({chosen})"
        if self._model is None:
            return text
        return (
            f"<{text}: {_count(self.n_observations, 'observation')} in "
            f"{_count(self.n_local, 'local GP')}, {_count(self._model.n_inputs, 'input')}, "
            f"{_count(self._model.n_outputs, 'output')}, "
            f"{_count(len(self.training_history), 'training')}, "
            f"kernel {self.hyperparameters.kernel}>"
        )

    def _repr_html_(self) -> str:
        lines = "".join(
            f"<tr><th style='text-align:left'>{name}</th><td>{value}</td></tr>"
            for name, value in self._summary()
        )
        return f"<table><caption><b>SplittingGP</b></caption>{lines}</table>"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")
