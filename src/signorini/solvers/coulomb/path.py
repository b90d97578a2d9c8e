"""An interior path to the exact law: predictor, corrector and centrality correctors around the de Saxce term.

The path is that of the convex interior point, `x o y = barrier e`, with `y = slips + |slips_t| e` in place of the
slips. The law is not monotone, so directions may lead nowhere: then less of the term's derivative is counted, down to
none, with which the direction is that of a convex problem.
"""

from __future__ import annotations

import numpy as np

from signorini.kernels.interior import starts as interior_starts
from signorini.math.sparse import Array
from signorini.solvers.cone_newton.predictor_corrector import PredictorCorrector, advance
from signorini.solvers.cone_newton.rules import SMALLEST_SCALE, STUCK, WARM_LEAST
from signorini.solvers.cone_newton.scaling import ConePoint
from signorini.solvers.coulomb.exact_newton import ExactNewton
from signorini.solvers.coulomb.rules import CORRECTORS, FRACTION, LONG, RECENTRE, SHARES, SHORT
from signorini.solvers.coulomb.systems import Linearisation
from signorini.solvers.linear.refinement import largest


class ExactPath:
    """A point (x, y) inside the cones that moves along the path."""

    def __init__(self, newton: ExactNewton, point: ConePoint) -> None:
        self._newton, self._form, self._point = newton, newton.form, point
        self._level = 0

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
        point.rescale()
        at = Linearisation.at(point.scaling, along, SHARES[self._level], self._newton.delta)
        if not self._newton.factor(at):
            return False
        y[:m] -= point.y
        nothing = np.zeros(0)
        steps = PredictorCorrector(
            point, point.scaling.turn(y), lambda rows: (nothing, self._newton.solve(at.tau * rows))
        )
        direction, _ = steps.direction(CORRECTORS, RECENTRE if self._level else 0.0)
        step = min(1.0, FRACTION * direction.step)
        if not (step > STUCK and np.all(np.isfinite(direction.dx))):
            return False
        if step < SHORT:
            self._level = min(self._level + 1, len(SHARES) - 1)
        elif step > LONG:
            self._level = max(self._level - 1, 0)
        return advance(point, direction, step, step) is not None
