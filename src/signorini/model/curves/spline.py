"""A smooth curve through points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline

from signorini.math.cached import cached_property
from signorini.math.sparse import Array
from signorini.model.curves.curve import Curve


@dataclass(frozen=True, eq=False)
class Spline(Curve):
    """The cubic spline through points, over the length of their chords; its error falls with the fourth power of it."""

    points: Array
    """[m], shape (n, 3), n >= 3, no two successive ones the same; of a closed curve the first is the last."""
    closed: bool

    @cached_property
    def _knots(self) -> Array:
        return np.concatenate(([0.0], np.cumsum(np.linalg.norm(np.diff(self.points, axis=0), axis=1))))

    @property
    def begin(self) -> float:  # type: ignore[override]
        """0."""
        return 0.0

    @cached_property
    def end(self) -> float:  # type: ignore[override]
        """Length of all chords [m]."""
        return float(self._knots[-1])

    @cached_property
    def _spline(self) -> CubicSpline:
        return CubicSpline(self._knots, self.points, bc_type="periodic" if self.closed else "not-a-knot")

    @cached_property
    def _slopes(self) -> tuple[CubicSpline, CubicSpline]:
        return self._spline.derivative(1), self._spline.derivative(2)

    def inside(self, s: Array) -> tuple[Array, Array, Array]:
        """c, c', c''."""
        return self._spline(s), self._slopes[0](s), self._slopes[1](s)
