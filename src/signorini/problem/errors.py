"""Errors that a user can meet: each says what was found, what was expected and what to type next."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class SignoriniError(Exception):
    """Base of every error that Signorini raises on purpose."""


class ProblemError(SignoriniError, ValueError):
    """The data of a contact problem do not fit together."""


class FileError(SignoriniError, OSError):
    """A file could not be read or written."""


class SolverError(SignoriniError, ValueError):
    """A solver cannot handle a problem or setting; the message names those that can."""


class MissingExtraError(SignoriniError, ImportError):
    """An optional dependency is not installed; the message says what to install."""


class ModelError(SignoriniError, ValueError):
    """A body, shape, joint or scene is described wrongly."""


class UserCodeError(ModelError):
    """A function that the user gave raised an exception; the message names its line."""


class StudyError(SignoriniError, ValueError):
    """There is no study of that name."""


class SimulationError(SignoriniError, RuntimeError):
    """A step could not be taken and `on_failure` is "raise"."""


def suggestion(name: str, known: Iterable[str], introduction: str) -> str:
    """The end of a message about an unknown name: the nearest known one, and all of them."""
    names = list(known)
    if not names:
        return "; there are none"
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    guess = f"; did you mean {near[0]!r}?" if near else ";"
    return f"{guess} {introduction} {', '.join(names)}"
