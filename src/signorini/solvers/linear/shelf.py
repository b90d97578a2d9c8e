"""Analyses of sparsity patterns, kept for the next problem with the same pattern."""

from __future__ import annotations

from collections import OrderedDict
from hashlib import blake2b
from threading import Lock
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")


class Shelf(Generic[T]):
    """What was made for the last few patterns. Taken by one solve at a time: whoever takes a thing puts it back."""

    def __init__(self, room: int) -> None:
        self._things: OrderedDict[bytes, T] = OrderedDict()
        self._room = room
        self._lock = Lock()

    def take(self, key: bytes) -> T | None:
        """The thing of that key, gone from the shelf; None when there is none or it is in use."""
        with self._lock:
            return self._things.pop(key, None)

    def put(self, key: bytes, thing: T) -> None:
        """Keep a thing for the next one; the oldest makes room."""
        with self._lock:
            self._things[key] = thing
            while len(self._things) > self._room:
                self._things.popitem(last=False)

    def clear(self) -> None:
        """Forget everything, as benchmarks of first solves must."""
        with self._lock:
            self._things.clear()


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
