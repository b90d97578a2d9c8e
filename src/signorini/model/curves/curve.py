"""What a curve in space can tell, and the point of it next to a given one."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from signorini.math.cached import cached_property
from signorini.math.sparse import Array

SAMPLES = 1024
"""Points of a curve among which the search for the nearest one starts."""
MOST_ITERATIONS = 30
ROUND_OFF = 1e-15
"""Where Newton's method for the nearest point ends, over the length of the interval."""


class Curve(ABC):
    """A regular curve c(s), s from `begin` to `end`; an open one goes on straight beyond its ends."""

    begin: float
    end: float
    closed: bool
    """Whether c and its derivatives are the same at both ends."""

    @abstractmethod
    def inside(self, s: Array) -> tuple[Array, Array, Array]:
        """c, c', c'' at parameters between `begin` and `end`, shape (k, 3) each."""

    def at(self, s: float) -> tuple[Array, Array, Array]:
        """c [m], c' and c'' at any parameter, shape (3,) each."""
        span = self.end - self.begin
        inside = self.begin + (s - self.begin) % span if self.closed else min(max(s, self.begin), self.end)
        c, first, second = (part[0] for part in self.inside(np.array([inside])))
        if self.closed or inside == s:
            return c, first, second
        return c + (s - inside) * first, first, np.zeros(3)

    @cached_property
    def _samples(self) -> tuple[Array, Array, Array]:
        """Parameters, points and unit tangents."""
        s = np.linspace(self.begin, self.end, SAMPLES)
        c, first, _ = self.inside(s)
        return s, c, first / np.linalg.norm(first, axis=1)[:, None]

    @property
    def tangents(self) -> Array:
        """Unit tangents at many points, shape (k, 3)."""
        return self._samples[2]

    def nearest(self, x: Array) -> float:
        """The parameter at which the curve is next to a point: `(x - c) . c' = 0`, by Newton's method."""
        parameters, points, _ = self._samples
        k = int(np.argmin(((points - x) ** 2).sum(axis=1)))
        s, stride = float(parameters[k]), float(parameters[1] - parameters[0])
        for _ in range(MOST_ITERATIONS):
            c, first, second = self.at(s)
            steepness = first @ first - (x - c) @ second
            # Far from the curve the distance may be concave: Gauss-Newton's step then.
            change = float((x - c) @ first / (steepness if steepness > 0 else first @ first))
            # Open ends: beyond them the curve is straight, and one step is as far as it takes.
            beyond = not self.closed and not self.begin < s + change < self.end
            s += change if beyond else float(np.clip(change, -stride, stride))
            if abs(change) <= ROUND_OFF * (self.end - self.begin):
                break
        return s
