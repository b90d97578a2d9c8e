"""Analyses of sparsity patterns, kept for the next problem with the same pattern."""

from __future__ import annotations

from collections import OrderedDict
from hashlib import blake2b
from threading import Lock
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")


class PatternCache(Generic[T]):
    """Analyses of the last few patterns. An entry is used by one solve at a time: removed before, put back after."""

    def __init__(self, capacity: int) -> None:
        self._entries: OrderedDict[bytes, T] = OrderedDict()
        self._capacity = capacity
        self._lock = Lock()

    def take(self, key: bytes) -> T | None:
        """The entry of that key, removed from the cache; None when there is none or it is in use."""
        with self._lock:
            return self._entries.pop(key, None)

    def put(self, key: bytes, entry: T) -> None:
        """Keep an entry for the next solve; the oldest is dropped when the cache is full."""
        with self._lock:
            self._entries[key] = entry
            while len(self._entries) > self._capacity:
                self._entries.popitem(last=False)

    def clear(self) -> None:
        """Clear the cache, for benchmarks of first solves."""
        with self._lock:
            self._entries.clear()


def key_of(*parts: NDArray[Any] | str) -> bytes:
    """A key that differs when any array or text does."""
    digest = blake2b(digest_size=16)
    for part in parts:
        if isinstance(part, str):
            digest.update(part.encode())
        else:
            digest.update(f"{part.dtype}{part.shape}".encode())
            digest.update(np.ascontiguousarray(part).data)
    return digest.digest()
