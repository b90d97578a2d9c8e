"""How the innermost loops of the first-order solvers are compiled: fused multiply-add allowed, nothing else relaxed.

A fused product rounds once instead of twice; on one machine the bits are still the same on every run.
"""

from __future__ import annotations

import numba

from signorini.kernels.compile import Kernel, tied_to_all_sources


def fused_kernel(function: Kernel) -> Kernel:
    """Compile for one thread, with contraction of `a * b + c`."""
    return tied_to_all_sources(numba.njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})(function))


def use_threads(count: int) -> None:
    """Let the next parallel kernels of this Python thread use `count` threads, as many as there are at most."""
    numba.set_num_threads(max(1, min(count, largest_threads())))


def largest_threads() -> int:
    """How many threads there are."""
    return int(getattr(numba.config, "NUMBA_NUM_THREADS", 1))  # set by numba at import, unseen by type checkers
