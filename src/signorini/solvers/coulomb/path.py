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
from signorini.solvers.coulomb.systems import Linearisation
from signorini.solvers.linear.refinement import largest

FRACTION = 0.99
"""Share of the way to the boundary of the cones."""
CORRECTORS = 2
"""Most centrality correctors per step, one solve each."""
SHARES = (1.0, 0.95, 0.9, 0.8, 0.65, 0.5, 0.25, 0.0)
"""Shares of the de Saxce term's derivative that are counted, one after another while steps are short."""
RECENTRE = 0.1
"""Least centring while less than all of it is counted."""
SHORT, LONG = 0.3, 0.7
"""Steps shorter than the first go down the list of shares, steps longer than the second up again."""


class ExactPath:
    """A point (x, y) inside the cones that moves along the path."""

    def __init__(self, newton: ExactNewton, point: ConePoint) -> None:
        self._newton, self._form, self._point = newton, newton.form, point
        self._level = 0

    @property
    def x(self) -> Array:
        """The impulses."""
        return self._point.x

    @classmethod
    def near(cls, newton: ExactNewton, x: Array, share: float) -> ExactPath:
        """A point as far from the boundary as `share` of the natural-map error of x."""
        form, m = newton.form, newton.form.cone_rows
        x, y = x.copy(), form.exact(form.slips(x))[0][:m].copy()
        error = share * interior_starts.natural_error(form.start, x, y)
        for vector in (x, y):
            size = max(largest(vector[:m]), SMALLEST_SCALE)
            interior_starts.push_into_cone(form.start, vector, max(error, WARM_LEAST * size))
        return cls(newton, ConePoint.at(form.start, x, y))

    def step(self, slips: Array) -> bool:
        """Predict, correct, centre, move; False when there is no step. `slips` are those of x."""
        point, m = self._point, self._form.cone_rows
        y, along = self._form.exact(slips)
        point.rescale()
        at = Linearisation.at(point.scaling, along, SHARES[self._level])
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
