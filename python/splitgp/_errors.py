"""Errors that are not the caller's fault; a mistake of the caller raises a ValueError."""

from __future__ import annotations

__all__ = ["FileError", "NumericalError", "UnusableModel"]


class NumericalError(ArithmeticError):
    """A kernel matrix that even the most jitter allowed could not make positive definite."""

    __module__ = "splitgp"


class FileError(OSError):
    """A model file that cannot be read or written; the message names the file and the reason."""

    __module__ = "splitgp"


class UnusableModel(RuntimeError):
    """The model was given up; open its file again, which is as of the last checkpoint.

    A call that had begun to change it failed, for lack of memory say, or its file was deleted,
    moved or replaced while it was open.
    """

    __module__ = "splitgp"
