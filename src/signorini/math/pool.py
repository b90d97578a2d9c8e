"""Memory of large arrays, reused when no array refers to it any more."""

from __future__ import annotations

import ctypes
import math
import sys
import threading
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

LARGE = 1 << 22
"""Bytes: the memory of smaller arrays is kept by the allocator itself."""
MOST = 4
"""Buffers that a pool keeps."""
LINE = 64
"""Bytes of a cache line, where arrays begin."""
UNUSED = 3
"""References to a buffer that no array uses: the list's, the loop's, and the argument of `getrefcount`."""


class Pool:
    """Provides uninitialised arrays; fresh memory from the system would cost more than the work on it.

    An array may be kept as long as one likes: its memory is used again only when the array and all views of it are
    gone.
    """

    def __init__(self, aligned: bool = False) -> None:
        """`aligned`: small arrays begin at a cache line as well, as large ones do; that takes a few microseconds."""
        self._buffers: list[NDArray[np.float64]] = []
        self._lock = threading.Lock()
        self._aligned = aligned

    def empty(self, shape: tuple[int, ...], dtype: DTypeLike = np.float64) -> NDArray[Any]:
        """An array like that of `numpy.empty`."""
        size = math.prod(shape) * np.dtype(dtype).itemsize
        if size < LARGE:
            return (
                _from_a_line(np.empty(size // 8 + LINE // 4), shape, dtype) if self._aligned else np.empty(shape, dtype)
            )
        with self._lock:
            return _from_a_line(self._taken(size), shape, dtype)

    def _taken(self, size: int) -> NDArray[np.float64]:
        for buffer in self._buffers:
            # Sparse matrices copy an array that is less than half of its buffer.
            if size + LINE <= buffer.nbytes < 2 * size + 4 * LINE and sys.getrefcount(buffer) <= UNUSED:
                buffer.flags.writeable = True  # no view of it that was frozen is left
                return buffer
        # A little more than requested: the number of contacts changes from step to step.
        buffer = np.empty((size + size // 8 + 2 * LINE) // 8)
        self._buffers = [*self._buffers[-(MOST - 1) :], buffer]
        return buffer


def _from_a_line(buffer: NDArray[np.float64], shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
    """An array in a buffer, from a cache line on."""
    return np.ndarray(shape, dtype, buffer, -address(buffer) % LINE)


def address(array: NDArray[Any]) -> int:
    """Where the memory of an array begins; `array.ctypes.data` takes four times as long."""
    return ctypes.addressof(ctypes.c_char.from_buffer(array.data)) if array.flags.writeable else array.ctypes.data
