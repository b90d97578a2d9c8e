"""How many threads the compiled loops and the factorisations of a simulation may use."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

import numpy as np

from signorini.kernels.compile import use_threads
from signorini.kernels.environment import threads_in_use
from signorini.problem.errors import SolverError
from signorini.solvers.base import Solver
from signorini.solvers.linear.pardiso import mkl_threads


def check_threads(count: Any) -> int | None:
    """A number of threads, or None for no choice; raises `SolverError`."""
    if count is None:
        return None
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
        raise SolverError(f"threads is {count!r}, expected 1 or more")
    return int(count)


@contextmanager
def with_thread_count(count: int | None) -> Iterator[None]:
    """Within, loops and factorisations of this Python thread use so many threads; afterwards as many as before."""
    if count is None:
        yield
        return
    before = threads_in_use()
    use_threads(count)
    try:
        with mkl_threads(count):
            yield
    finally:
        use_threads(before)


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
