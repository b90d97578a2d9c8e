"""How every kernel is compiled: cached on disk, IEEE arithmetic, no Python objects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

Kernel = Callable[..., Any]


def kernel(function: Kernel) -> Kernel:
    """Compile for one thread. No fast-math: kernels must give the same bits on every run.

    Division follows IEEE (`error_model="numpy"`): no hidden exceptions, shorter code, half the compilation time.
    """
    return numba.njit(cache=True, nogil=True, error_model="numpy")(function)


def inlined(function: Kernel) -> Kernel:
    """Compile into its callers: for a few lines on arrays in an inner loop, where a call costs more than the work."""
    return numba.njit(cache=True, nogil=True, inline="always")(function)


def parallel_kernel(function: Kernel) -> Kernel:
    """Compile for all threads (`prange`)."""
    return numba.njit(cache=True, nogil=True, error_model="numpy", parallel=True)(function)


prange = numba.prange
