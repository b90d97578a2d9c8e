"""How many threads the compiled loops and the factorisations may use."""

from __future__ import annotations

import dataclasses
from typing import Any, cast

from signorini.kernels.compile import use_threads
from signorini.problem.errors import MissingExtraError, SolverError
from signorini.solvers.base import Solver


def set_threads(count: int) -> None:
    """For all that follows in this process."""
    if count < 1:
        raise SolverError(f"threads is {count}, expected 1 or more")
    use_threads(count)
    try:
        from signorini.solvers.linear.pardiso import load_library

        load_library().MKL_Set_Num_Threads(count)
    except (MissingExtraError, OSError):
        return  # without MKL, SuperLU factors on one thread anyway


def with_threads(solver: Solver, count: int | None) -> Solver:
    """The same solver with that many threads, where it has such a setting and a number is given."""
    settings: Any = solver
    if (
        count is not None
        and dataclasses.is_dataclass(settings)
        and "threads" in {field.name for field in dataclasses.fields(settings)}
    ):
        changed: Any = dataclasses.replace(settings, threads=count)  # type: ignore[type-var]
        return cast(Solver, changed)
    return solver
