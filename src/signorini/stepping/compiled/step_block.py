"""Steps of one compiled call; objects are made of those that are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.kernels.step import record as place
from signorini.math.cached import cached_property
from signorini.math.sparse import Array, Indices
from signorini.stepping.compiled.compiled_step import CompiledStep
from signorini.stepping.compiled.step_record import CompiledMemory, Sizes, StepRecord

Taken = tuple[CompiledStep, CompiledMemory]
"""A step, and its memory for the next one."""
Make = Callable[[StepRecord, int, float, Array], Taken]
"""`CompiledStepper.of_block`."""


@dataclass(frozen=True, eq=False)
class BlockRecords:
    """Records one after the other in two arrays."""

    sizes: Sizes
    h: float
    """Time step [s]."""
    first: int
    """Number of the first step."""
    numbers: Array
    integers: Indices
    ends: Indices
    """Where each record begins in both arrays, then where the last one ends, shape (steps + 1, 2)."""
    stride: int = 1
    """From the number of one step to that of the next one that is here."""

    def __len__(self) -> int:
        return len(self.ends) - 1

    @property
    def step_numbers(self) -> Indices:
        """Numbers of the steps."""
        return self.first + self.stride * np.arange(len(self))

    @property
    def times(self) -> Array:
        """At the end of each step [s]."""
        return np.asarray(self.step_numbers * self.h)

    def record(self, k: int) -> StepRecord:
        """One of them."""
        (a, c), (b, d) = self.ends[k : k + 2].tolist()
        time = (self.first + k * self.stride) * self.h
        return StepRecord(self.numbers[a:b], self.integers[c:d], self.sizes, time)

    def columns(self, begin: int, end: int) -> Array:
        """Numbers at places that are the same in all records, shape (steps, end - begin)."""
        return np.asarray(self.numbers[self.ends[:-1, :1] + np.arange(begin, end)])

    def integer(self, at: int) -> Indices:
        """An integer of the head of each record, shape (steps,)."""
        return np.asarray(self.integers[self.ends[:-1, 1] + at])

    def thinned(self, first: int, stride: int) -> BlockRecords:
        """Every `stride`-th of them from `first` on, in arrays that hold nothing else."""
        begins, ends = self.ends[first:-1:stride], self.ends[first + 1 :: stride]
        placed = np.zeros((len(begins) + 1, 2), dtype=np.int64)
        np.cumsum(ends - begins, axis=0, out=placed[1:])
        numbers, integers = (
            _picked(array, begins[:, k], ends[:, k], stride) for k, array in enumerate((self.numbers, self.integers))
        )
        first_number = self.first + first * self.stride
        return BlockRecords(self.sizes, self.h, first_number, numbers, integers, placed, self.stride * stride)


def _picked(array: NDArray[Any], begins: Indices, ends: Indices, stride: int) -> NDArray[Any]:
    """Parts of an array one after the other, copied; with a stride of 1 they are so already."""
    if len(begins) == 0 or stride == 1:
        return array[slice(begins[0], ends[-1]) if len(begins) else slice(0)].copy()
    return np.concatenate([array[a:b] for a, b in zip(begins.tolist(), ends.tolist(), strict=True)])


@dataclass(frozen=True, eq=False)
class StepBlock:
    """The steps of such records."""

    make: Make
    records: BlockRecords
    times: list[float]
    """At the beginning of each step [s]."""
    changes: Array
    """Of the velocities, see `DviStepper.change`."""

    def __len__(self) -> int:
        return len(self.records)

    @property
    def first(self) -> int:
        """Number of the first step."""
        return self.records.first

    def __iter__(self) -> Iterator[Taken]:
        return map(self.taken, range(len(self)))

    def taken(self, k: int) -> Taken:
        """One of the steps."""
        return self.make(self.records.record(k), self.first + k, self.times[k], self.changes[k])

    @cached_property
    def _heads(self) -> Array:
        return self.records.columns(0, place.STAGES_AT)

    @property
    def kinetic(self) -> Array:
        """Energy after each step [J]."""
        return self._heads[:, place.KINETIC]

    @property
    def potential(self) -> Array:
        """Energy of weight and springs after each step [J]."""
        return np.asarray(self._heads[:, place.WEIGHT] + self._heads[:, place.STORED])

    @property
    def largest_spin(self) -> float:
        """Largest component of any angular velocity after any step [rad/s]."""
        return float(self._heads[:, place.FASTEST_SPIN].max(initial=0.0))
