"""Settings before the first kernel: where compiled code is cached, how threads wait.

Imported with the package, before `compile`.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
import warnings
from typing import Any

import numba
from numba.core.caching import IndexDataCacheFile


def find_cache() -> None:
    """Let compiled code go to a temporary folder where neither the package nor the home can be written."""

    def probe() -> None:
        """Stands for a kernel."""

    try:
        numba.njit(cache=True)(probe)
    except RuntimeError:
        folder = tempfile.mkdtemp(prefix="signorini-compiled-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        config: Any = numba.config
        config.CACHE_DIR = os.environ["NUMBA_CACHE_DIR"] = folder
        warnings.warn(
            "compiled loops cannot be kept (no folder can be written), so every start compiles them anew; "
            "set NUMBA_CACHE_DIR to a folder of yours",
            stacklevel=2,
        )


def forget_unreadable_indices() -> None:
    """Let kernels whose index of compiled code names what no longer exists be compiled anew.

    An index holds the types of arguments. numba reads them before it looks whether the index is of the present sources,
    and stops with an AttributeError where an update has moved a type.
    """
    load = IndexDataCacheFile._load_index

    def load_what_exists(index: Any) -> Any:
        try:
            return load(index)
        except (AttributeError, ImportError):
            return {}

    IndexDataCacheFile._load_index = load_what_exists  # type: ignore[method-assign]


def let_threads_sleep() -> None:
    """Threads that wait for the next loop spin for some 50 us, then sleep: spinning longer starves a busy machine."""
    os.environ.setdefault("GOMP_SPINCOUNT", "3000")
