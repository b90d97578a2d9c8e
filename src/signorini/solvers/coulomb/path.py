"""An interior path to the exact law: predictor, corrector and centrality correctors around the de Saxce term.

The path is that of the convex interior point, `x o y = barrier e`, with `y = slips + |slips_t| e` in place of the
slips. The law is not monotone: where a few sliding contacts wedge one another the linear system is nearly singular or
has the wrong sign, and its direction runs out of the cones at those contacts. Then less of the term's derivative is
counted there, and there alone: with none of it the direction of such a contact is that of a convex problem.
"""

from __future__ import annotations

import numpy as np

from signorini.kernels.interior import starts as interior_starts
from signorini.math.sparse import Array
from signorini.solvers.cone_newton.predictor_corrector import Direction, PredictorCorrector, advance
from signorini.solvers.cone_newton.rules import SMALLEST_SCALE, STUCK, WARM_LEAST
from signorini.solvers.cone_newton.scaling import ConePoint
from signorini.solvers.coulomb.exact_newton import ExactNewton
from signorini.solvers.coulomb.rules import (
    BARRIER_SHARE,
    CORRECTORS,
    DISCOUNTS,
    FARTHEST,
    FRACTION,
    LEAST_TARGET,
    LONG,
    RECOVERY,
    SHORT,
)
from signorini.solvers.coulomb.systems import Linearisation
from signorini.solvers.linear.refinement import largest


class ExactPath:
    """A point (x, y) inside the cones that moves along the path."""

    def __init__(self, newton: ExactNewton, point: ConePoint) -> None:
        self._newton, self._form, self._point = newton, newton.form, point
        blocks = len(self._form.start) - 1
        self._counted = np.ones(blocks)
        self._recovery = np.full(blocks, RECOVERY)

    @property
    def x(self) -> Array:
        """The impulses."""
        return self._point.x

    @property
    def point(self) -> ConePoint:
        """(x, y)."""
        return self._point

    @classmethod
    def near(cls, newton: ExactNewton, x: Array, share: float) -> ExactPath:
        """A central point as far from the boundary as `share` of the natural-map error of x [Fukushima2002]."""
        form, m = newton.form, newton.form.cone_rows
        x, y = x.copy(), form.exact(form.slips(x))[0][:m].copy()
        size = max(largest(x[:m]), largest(y), SMALLEST_SCALE)
        distance = max(share * interior_starts.natural_error(form.start, x, y), WARM_LEAST * size)
        trace = np.empty((len(form.start) - 1, 3))
        interior_starts.make_central(form.start, x, y, distance**2, trace)
        return cls(newton, ConePoint.of(form.start, x, y, trace))

    def step(self, slips: Array) -> bool:
        """Predict, correct, centre, move; False when there is no step. `slips` are those of x."""
        point, m = self._point, self._form.cone_rows
        y, along = self._form.exact(slips)
        error = interior_starts.natural_error(self._form.start, point.x, y)
        # The barrier must not run ahead of the error, or the way back to the path leads through the boundary.
        target = min(max(LEAST_TARGET, BARRIER_SHARE * error**2 / point.barrier), 1.0)
        point.rescale()
        y[:m] -= point.y
        residual, direction = point.scaling.turn(y), None
        for _ in range(DISCOUNTS):
            direction = self._direction(residual, along, target)
            if direction is None or FRACTION * direction.step >= SHORT or not self._discount(direction):
                break
        if direction is None:
            return False
        step = min(1.0, FRACTION * direction.step)
        if not (step > STUCK and np.all(np.isfinite(direction.dx))):
            return False
        if step > LONG:
            np.minimum(self._counted + self._recovery, 1.0, out=self._counted)
        return advance(point, direction, step, step) is not None

    def _direction(self, residual: Array, along: Array, target: float) -> Direction | None:
        """With what is counted of the term's derivative at each contact; None when the factorisation fails."""
        counted = along.copy()
        counted[: self._form.cone_rows] *= np.repeat(self._counted, np.diff(self._form.start))
        at = Linearisation.at(self._point.scaling, counted, self._newton.delta)
        if not self._newton.factor(at):
            return None
        nothing = np.zeros(0)
        steps = PredictorCorrector(self._point, residual, lambda rows: (nothing, self._newton.solve(at.tau * rows)))
        return steps.direction(CORRECTORS, target)[0]

    def _discount(self, direction: Direction) -> bool:
        """Count nothing of the derivative where the direction runs farthest out; False when nothing was counted there.

        What counts again after long steps comes back at half the pace each time.
        """
        first, z = self._form.start[:-1], self._point.z
        squares = np.maximum(direction.scaled_x[: len(z)] ** 2, direction.scaled_y**2)
        reach = np.sqrt(np.add.reduceat(squares, first) / np.add.reduceat(z * z, first))
        far = (reach > FARTHEST * reach.max()) & (self._counted > 0.0)
        self._counted[far] = 0.0
        self._recovery[far] *= 0.5
        return bool(far.any())
