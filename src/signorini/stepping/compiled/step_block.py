"""Steps that one compiled call took one after another: objects are made of those that somebody looks at."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from signorini.kernels.step import record as place
from signorini.math.cached import cached_property
from signorini.math.sparse import Array, Indices
from signorini.stepping.compiled.compiled_step import CompiledStep
from signorini.stepping.compiled.step_record import CompiledMemory

Taken = tuple[CompiledStep, CompiledMemory]
"""A step, and what the next one knows of it."""
Between = Sequence[Sequence[int]]
"""Where a record begins in both arrays, and where it ends."""
Make = Callable[[int, float, Array, Indices, Between, Array], Taken]
"""`CompiledStepper.of_block`."""


@dataclass(frozen=True, eq=False)
class StepBlock:
    """The records of such steps."""

    make: Make
    first: int
    """Number of the first step."""
    times: list[float]
    """At the beginning of each step [s]."""
    numbers: Array
    integers: Indices
    ends: Indices
    """Where the record of each step begins in both arrays, then where the last one ends."""
    changes: Array
    """Of the velocities, see `DviStepper.change`."""
    count: int

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[Taken]:
        return map(self.taken, range(self.count))

    def taken(self, k: int) -> Taken:
        """One of the steps."""
        place = self.ends[k : k + 2].tolist()
        return self.make(self.first + k, self.times[k], self.numbers, self.integers, place, self.changes[k])

    @cached_property
    def _heads(self) -> Array:
        begins = self.ends[: self.count, 0]
        return np.asarray(self.numbers[begins[:, None] + np.arange(place.STAGES_AT)])

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
