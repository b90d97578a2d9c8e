"""How every kernel is compiled: cached on disk, IEEE arithmetic, no Python objects."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba

Kernel = Callable[..., Any]


def _source_stamp() -> tuple[float, int]:
    """Newest change and total size of all kernel sources."""
    files = [path.stat() for path in Path(__file__).parent.rglob("*.py")]
    return max(file.st_mtime for file in files), sum(file.st_size for file in files)


STAMP = _source_stamp()


def tied_to_all_sources(compiled: Any) -> Kernel:
    """Let a change of any kernel file invalidate the cached machine code of `compiled`.

    numba looks at the file of a function alone, but its machine code holds that of the kernels it calls, which live in
    other files: after an update, callers would go on with the old ones.
    """
    file = getattr(getattr(compiled, "_cache", None), "_cache_file", None)
    if file is not None:
        file._source_stamp = STAMP
    function: Kernel = compiled
    return function


def is_cached(compiled: Any) -> bool:
    """Whether there is machine code of a kernel on disk, made from the present sources."""
    file = getattr(getattr(compiled, "_cache", None), "_cache_file", None)
    return file is None or bool(file._load_index())


def kernel(function: Kernel) -> Kernel:
    """Compile for one thread. No fast-math: kernels must give the same bits on every run.

    Division follows IEEE (`error_model="numpy"`): no hidden exceptions, shorter code, half the compilation time.
    """
    return tied_to_all_sources(numba.njit(cache=True, nogil=True, error_model="numpy")(function))


def inlined(function: Kernel) -> Kernel:
    """Compile into its callers: for a few lines on arrays in an inner loop, where a call costs more than the work."""
    return tied_to_all_sources(numba.njit(cache=True, nogil=True, inline="always")(function))


def parallel_kernel(function: Kernel) -> Kernel:
    """Compile for all threads (`prange`)."""
    return tied_to_all_sources(numba.njit(cache=True, nogil=True, error_model="numpy", parallel=True)(function))


prange = numba.prange
