"""Errors that a user can meet: each says what was found, what was expected and what to type next."""


class SignoriniError(Exception):
    """Base of every error that Signorini raises on purpose."""


class ProblemError(SignoriniError, ValueError):
    """The data of a contact problem do not fit together."""


class FileError(SignoriniError, OSError):
    """A file could not be read or written."""


class SolverError(SignoriniError, ValueError):
    """A solver was asked for something that it cannot do; the message names those that can."""


class MissingExtraError(SignoriniError, ImportError):
    """An optional dependency is not installed; the message says what to install."""


class ModelError(SignoriniError, ValueError):
    """A body, shape, joint or scene is described wrongly."""


class SimulationError(SignoriniError, RuntimeError):
    """A step could not be taken and the simulation was told to stop."""
