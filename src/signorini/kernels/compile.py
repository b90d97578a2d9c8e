"""How every kernel is compiled: cached on disk, IEEE arithmetic, no Python objects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Compile for one thread. No fast-math: kernels must give the same bits on every run."""
    compiled: F = numba.njit(cache=True, nogil=True)(function)
    return compiled


def inline(function: F) -> F:
    """A scalar helper of other kernels, inlined by LLVM."""
    compiled: F = numba.njit(cache=True, nogil=True, inline="always")(function)
    return compiled


def parallel_kernel(function: F) -> F:
    """Compile for all threads (`numba.prange`)."""
    compiled: F = numba.njit(cache=True, nogil=True, parallel=True)(function)
    return compiled


prange = numba.prange
