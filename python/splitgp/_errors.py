"""Errors that are not the caller's fault; those that are, are a ValueError."""

from __future__ import annotations

__all__ = ["FileError", "NumericalError"]


class NumericalError(ArithmeticError):
    """Arithmetic that even the last rung of the jitter ladder could not save.

    The model is as it was before the call.
    """

    __module__ = "splitgp"


class FileError(OSError):
    """A model file that cannot be read or written; the message names the file and the reason."""

    __module__ = "splitgp"
