"""How many threads the compiled loops and the factorisations of a simulation may use."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from signorini.kernels.compile import largest_threads
from signorini.kernels.threads.team import threads
from signorini.problem.errors import SolverError
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
    """Within, loops and factorisations of this Python thread use so many threads; afterwards as many as before.

    None stands for as many as there are, and for MKL's own choice.
    """
    with threads(largest_threads() if count is None else count):
        if count is None:
            yield
            return
        with mkl_threads(count):
            yield
