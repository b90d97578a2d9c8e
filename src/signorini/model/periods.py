"""Space that repeats itself along some axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from signorini.math.cached import cached_property
from signorini.math.sparse import Array
from signorini.model.checks import finite
from signorini.problem.errors import ModelError

Span = tuple[float, float] | None
"""From where to where [m]; None for an axis along which nothing repeats."""


@dataclass(frozen=True)
class Periods:
    """Which part of space repeats itself. Positions of bodies go on across its ends; what touches is seen modulo it."""

    spans: tuple[Span, Span, Span]
    """Along x, y and z [m]."""

    @classmethod
    def checked(cls, spans: Sequence[Sequence[float] | None]) -> Periods:
        """From what a user typed."""
        known: list[Span] = []
        for axis, span in zip("xyz", spans, strict=True):
            if span is None:
                known.append(None)
                continue
            if len(span) != 2:
                raise ModelError(f"{axis} is {span!r}, expected the two ends of the period such as (0.0, 1.0) [m]")
            low, high = (finite(end, f"an end of the period along {axis}") for end in span)
            if not high > low:
                raise ModelError(f"the period along {axis} is from {low:g} to {high:g} m, expected the lower end first")
            known.append((low, high))
        if not any(known):
            raise ModelError("no period is given: pass x=(low, high), y=... or z=... [m]")
        return cls((known[0], known[1], known[2]))

    @cached_property
    def axes(self) -> list[int]:
        """Along which space repeats itself."""
        return [axis for axis in range(3) if self.spans[axis] is not None]

    @cached_property
    def low(self) -> Array:
        """[m], shape (axes,)."""
        return np.array([span[0] for span in self.spans if span is not None])

    @cached_property
    def length(self) -> Array:
        """[m], shape (axes,)."""
        return np.array([span[1] - span[0] for span in self.spans if span is not None])

    def shifts(self, position: Array) -> Array:
        """What to add to positions so that they lie in the period [m], shape (..., 3)."""
        out = np.zeros_like(position)
        turns = np.floor((position[..., self.axes] - self.low) / self.length)
        out[..., self.axes] = -turns * self.length
        return out

    @cached_property
    def neighbours(self) -> Array:
        """Displacements of all images that touch the period, half of them first, the opposite ones after [m]."""
        cells = [cell for cell in product((1, 0, -1), repeat=len(self.axes)) if any(cell)]
        out = np.zeros((len(cells), 3))
        out[:, self.axes] = np.array(cells) * self.length
        return out
