"""What all models here have in common."""

from __future__ import annotations

from typing import Any

from splitgp._results import TrainResult


class Facts:
    """Facts about a model, also before the first update, which makes its engine."""

    _model: Any  # None before the first update
    _keywords: dict[str, Any]

    @property
    def n_inputs(self) -> int | None:
        """The number of inputs, or None before the first update."""
        return None if self._model is None else self._model.n_inputs

    @property
    def n_outputs(self) -> int | None:
        """The number of outputs, or None before the first update."""
        return None if self._model is None else self._model.n_outputs

    @property
    def n_observations(self) -> int:
        """How many observations the model holds."""
        return 0 if self._model is None else self._model.n_observations

    @property
    def memory_bytes(self) -> int:
        """Every byte the model holds, spare capacity included."""
        return 0 if self._model is None else self._model.memory_bytes

    @property
    def options(self) -> dict[str, Any]:
        """The keywords the model was made with."""
        return dict(self._keywords)

    @property
    def training_history(self) -> list[TrainResult]:
        """Every training so far, with the hyperparameters it left."""
        if self._model is None:
            return []
        return [TrainResult._from_core(one) for one in self._model.training_history()]
