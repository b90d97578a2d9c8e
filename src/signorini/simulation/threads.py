"""How many threads the compiled loops and the factorisations of a simulation may use."""

from __future__ import annotations

from typing import Any

import numpy as np

from signorini.kernels.compile import largest_threads
from signorini.kernels.threads.team import use_threads
from signorini.problem.errors import SolverError
from signorini.solvers.linear.pardiso import use_mkl_threads


def check_threads(count: Any) -> int | None:
    """A number of threads, or None for no choice; raises `SolverError`."""
    if count is None:
        return None
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
        raise SolverError(f"threads is {count!r}, expected 1 or more")
    return int(count)


class ThreadCount:
    """Context in which loops and factorisations of this Python thread use a given number of threads.

    None stands for as many as there are, and for MKL's own choice. A class, because the overhead of a generator shows
    in small steps.
    """

    __slots__ = ("_before", "_count")

    def __init__(self, count: int | None) -> None:
        self._count = count

    def __enter__(self) -> None:
        count = self._count
        mkl = None if count is None else use_mkl_threads(count)
        self._before = use_threads(largest_threads() if count is None else count), mkl

    def __exit__(self, *_: object) -> None:
        loops, mkl = self._before
        use_threads(loops)
        if mkl is not None:
            use_mkl_threads(mkl)
