"""The iterate inside the cones and its Nesterov-Todd scaling, as arrays for the kernels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from signorini.kernels.interior import scaling as kernels
from signorini.math.sparse import Array, Indices


@dataclass(eq=False)
class Scaling:
    """Eigenbases of the cone blocks and the eigenvalues theta of W^2 in them (see `kernels/interior/scaling.py`)."""

    start: Indices
    """First row of each cone block, then the number of cone rows."""
    frames: Array
    """eta, kappa, sign per block, shape (blocks, 3)."""
    reflector: Array
    """Householder vectors of the tangents, one entry per cone row."""
    theta: Array
    """Eigenvalues of W^2 in the turned basis, then 0 for joint rows."""

    @classmethod
    def identity(cls, start: Indices, rows: int) -> Scaling:
        """W = 1 on the cone rows, 0 on the joint rows that follow them."""
        theta = np.zeros(rows)
        theta[: start[-1]] = 1.0
        return cls(start, np.ones((len(start) - 1, 3)), np.zeros(int(start[-1])), theta)

    def turn(self, rows: Array) -> Array:
        """Rows into the eigenbases."""
        out = np.empty_like(rows)
        kernels.turn(self.start, self.frames, self.reflector, rows, out)
        return out

    def turn_back(self, rows: Array) -> Array:
        """Rows out of the eigenbases."""
        out = np.empty_like(rows)
        kernels.turn_back(self.start, self.frames, self.reflector, rows, out)
        return out

    def to_scaled(self, turned_impulse: Array) -> Array:
        """W dx in the basis of the scaled point."""
        out = np.empty(len(self.reflector))
        kernels.to_scaled(self.start, self.frames, turned_impulse, out)
        return out

    def from_scaled(self, scaled: Array) -> Array:
        """W s, turned, with zeros in the joint rows."""
        out = np.zeros(len(self.theta))
        kernels.from_scaled(self.start, self.frames, scaled, out)
        return out


@dataclass(eq=False)
class ConePoint:
    """(x, y) strictly inside the cones, with its trace to high relative accuracy."""

    x: Array
    """Impulses: cone rows, then joint rows."""
    y: Array
    """Slips, cone rows only."""
    trace: Array
    """det(x), det(y), x'y per block; x, y, x'y for half-lines."""
    scaling: Scaling
    z: Array
    """Scaled point, W x = W^-1 y, once `rescale` was called."""

    @classmethod
    def at(cls, start: Indices, x: Array, y: Array) -> ConePoint:
        """A point from vectors well inside the cones."""
        trace = np.empty((len(start) - 1, 3))
        kernels.initial_trace(start, x, y, trace)
        return cls.of(start, x, y, trace)

    @classmethod
    def of(cls, start: Indices, x: Array, y: Array, trace: Array) -> ConePoint:
        """A point whose trace is known."""
        return cls(x, y, trace, Scaling.identity(start, len(x)), np.empty(len(y)))

    @property
    def start(self) -> Indices:
        """First row of each cone block, then the number of cone rows."""
        return self.scaling.start

    @property
    def barrier(self) -> float:
        """x'y over the number of blocks."""
        return float(self.trace[:, 2].sum()) / len(self.trace)

    def rescale(self) -> None:
        """Nesterov-Todd scaling at the present point."""
        s = self.scaling
        kernels.scale(s.start, self.x, self.y, self.trace, s.frames, s.reflector, s.theta, self.z)
