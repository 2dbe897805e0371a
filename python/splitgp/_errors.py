"""Errors that are not the caller's fault; a mistake of the caller raises a ValueError."""

from __future__ import annotations

__all__ = ["FileError", "NumericalError"]


class NumericalError(ArithmeticError):
    """A kernel matrix that even the most jitter allowed could not make positive definite.

    The model is as it was before the call.
    """

    __module__ = "splitgp"


class FileError(OSError):
    """A model file that cannot be read or written; the message names the file and the reason."""

    __module__ = "splitgp"
