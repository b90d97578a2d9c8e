"""The iterate inside the cones and its Nesterov-Todd scaling, as arrays for the kernels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from signorini.kernels import interior_point as kernels
from signorini.math.sparse import Array, Indices


@dataclass(eq=False)
class ConePoint:
    """(x, y) strictly inside the cones, with what is known of it to high relative accuracy (see the kernels)."""

    start: Indices
    x: Array
    """Impulses: cone rows, then joint rows."""
    y: Array
    """Slips, cone rows only."""
    trace: Array
    """det(x), det(y), x'y per block."""
    scaling: Array
    """eta, kappa, sign per block."""
    reflector: Array
    """Householder vectors of the tangents, one entry per cone row."""
    theta: Array
    """Eigenvalues of W^2 in the turned basis, then 0 for joint rows."""
    z: Array
    """Scaled point, W x = W^-1 y."""
    gap: float = 0.0
    """x'y."""

    @classmethod
    def at(cls, start: Indices, x: Array, y: Array) -> ConePoint:
        """A point from vectors well inside the cones."""
        blocks, m = len(start) - 1, int(start[-1])
        trace = np.empty((blocks, 3))
        kernels.initial_trace(start, x, y, trace)
        # Half-lines carry x and y themselves in the trace.
        single = np.flatnonzero(np.diff(start) == 1)
        trace[single, 0] = x[start[:-1][single]]
        trace[single, 1] = y[start[:-1][single]]
        theta = np.zeros(len(x))
        return cls(start, x, y, trace, np.ones((blocks, 3)), np.zeros(m), theta, np.empty(m))

    @property
    def degree(self) -> int:
        """Number of blocks: x'y over it is the barrier parameter."""
        return len(self.start) - 1

    def rescale(self) -> None:
        """Nesterov-Todd scaling at the present point."""
        self.gap = kernels.scale(
            self.start, self.x, self.y, self.trace, self.scaling, self.reflector, self.theta, self.z
        )

    def turn(self, rows: Array) -> Array:
        """Rows into the eigenbases of the scaling."""
        out = np.empty_like(rows)
        kernels.turn(self.start, self.scaling, self.reflector, rows, out)
        return out

    def turn_back(self, rows: Array) -> Array:
        """Rows out of the eigenbases."""
        out = np.empty_like(rows)
        kernels.turn_back(self.start, self.scaling, self.reflector, rows, out)
        return out

    def to_scaled(self, turned_impulse: Array) -> Array:
        """W dx in the basis of z."""
        out = np.empty_like(self.z)
        kernels.to_scaled(self.start, self.scaling, turned_impulse, out)
        return out

    def from_scaled(self, scaled: Array, rows: int) -> Array:
        """W s, turned, with zeros in the joint rows."""
        out = np.zeros(rows)
        kernels.from_scaled(self.start, self.scaling, scaled, out)
        return out
