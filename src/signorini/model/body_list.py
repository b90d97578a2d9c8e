"""The bodies of a model: one by one, or alike ones by the million, as arrays."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from operator import is_
from typing import Any, overload

import numpy as np

from signorini.math.sparse import Array
from signorini.model.body import Body

PLACE = ("position", "orientation", "velocity", "angular_velocity")
"""What bodies of a group have of their own."""


@dataclass(frozen=True, eq=False)
class BodyGroup:
    """Bodies that are alike but for their name, pose and velocity."""

    alike: Body
    """The first of them."""
    first: int
    """Number in the name of the first; the others count on."""
    position: Array
    """Of the centres of mass [m], shape (bodies, 3)."""
    orientation: Array
    """(w, x, y, z), shape (bodies, 4)."""
    velocity: Array
    """[m/s], shape (bodies, 3)."""
    angular_velocity: Array
    """Body frame [rad/s], shape (bodies, 3)."""
    prefix: str
    """Of the names."""
    _made: dict[int, Body] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.position)

    def body(self, k: int) -> Body:
        """The k-th of them; always the same object."""
        if k not in self._made:
            own = {name: getattr(self, name)[k] for name in PLACE}
            self._made[k] = replace(self.alike, name=self.name(k), **own)
        return self._made[k]

    def name(self, k: int) -> str:
        """Of the k-th."""
        return f"{self.prefix}-{self.first + k}"

    def find(self, name: str) -> int:
        """Place of a name in the group, -1 for another one."""
        start, _, number = name.rpartition("-")
        if start != self.prefix or not number.isascii() or not number.isdigit() or str(int(number)) != number:
            return -1
        k = int(number) - self.first
        return k if 0 <= k < len(self) else -1


class BodyList(Sequence[Body]):
    """A sequence of bodies. Bodies of a group become objects on access."""

    def __init__(self) -> None:
        self._parts: list[Body | BodyGroup] = []
        self._starts: list[int] = []
        self._count = 0
        self._places: dict[str, int] = {}

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> Body: ...
    @overload
    def __getitem__(self, index: slice) -> list[Body]: ...
    def __getitem__(self, index: int | slice) -> Body | list[Body]:
        if isinstance(index, slice):
            return [self[k] for k in range(*index.indices(self._count))]
        index = int(index) + (self._count if index < 0 else 0)
        if not 0 <= index < self._count:
            raise IndexError(f"no body {index}: there are {self._count}")
        at = bisect_right(self._starts, index) - 1
        part = self._parts[at]
        return part if isinstance(part, Body) else part.body(index - self._starts[at])

    def __setitem__(self, index: int, body: Body) -> None:
        """Put another body in the place of one that was added by itself."""
        at = bisect_right(self._starts, index) - 1
        if not isinstance(self._parts[at], Body):
            raise TypeError("a body of a group cannot be replaced; add it by itself with add_body")
        self._places.pop(self[index].name)
        self._places[body.name] = index
        self._parts[at] = body

    def __iter__(self) -> Iterator[Body]:
        for part in self._parts:
            if isinstance(part, Body):
                yield part
            else:
                yield from (part.body(k) for k in range(len(part)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(other) == len(self) and all(map(is_, self, other))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"BodyList({self._count} bodies)"

    def append(self, body: Body | BodyGroup) -> None:
        """Add a body, or a group of them."""
        if isinstance(body, Body):
            self._places[body.name] = self._count
        self._parts.append(body)
        self._starts.append(self._count)
        self._count += 1 if isinstance(body, Body) else len(body)

    def find(self, name: str) -> int:
        """Place of the body of that name, -1 without one."""
        if name in self._places:
            return self._places[name]
        for start, part in zip(self._starts, self._parts, strict=True):
            if isinstance(part, BodyGroup) and (k := part.find(name)) >= 0:
                return start + k
        return -1

    @property
    def names(self) -> list[str]:
        """Of all bodies."""
        each = (
            (part.name,) if isinstance(part, Body) else (part.name(k) for k in range(len(part))) for part in self._parts
        )
        return list(chain.from_iterable(each))

    @property
    def kinds(self) -> list[tuple[int, int, Body]]:
        """(place of the first, how many, one of them) of bodies that are alike but for name, pose and velocity."""
        return [
            (start, 1, part) if isinstance(part, Body) else (start, len(part), part.alike)
            for start, part in zip(self._starts, self._parts, strict=True)
        ]

    def each(self, get: Callable[[Body], Any], dtype: Any = np.float64) -> Array:
        """What `get` says of every body, where it does not depend on name, pose or velocity."""
        kinds = self.kinds
        values = np.array([get(body) for _, _, body in kinds], dtype=dtype)
        return np.repeat(values, [count for _, count, _ in kinds], axis=0)

    def rows(self, name: str, width: int) -> Array:
        """`position`, `orientation`, `velocity` or `angular_velocity` of all bodies at t = 0, shape (bodies, width)."""
        parts = [np.reshape(getattr(part, name), (-1, width)) for part in self._parts]
        return np.concatenate([np.zeros((0, width)), *parts])
