"""The interior path past its folds: continuation by arc length.

The exact law is not monotone. Where sliding contacts wedge one another the path of the barrier folds: the barrier has
to rise before it can fall again, and no step that insists on a smaller one leads anywhere. From a point (x, y) inside
the cones with residuals `rho = y(x) - y` and barrier b, `y(x) = slips + |slips_t| e`, a curve leads to an answer::

    y(x) - y = t rho,      x o y = t b e,      t from 1 to 0                                      (H(x, y, t) = 0)

With the Jacobian J of H by (x, y), t falls along the curve where det J > 0 and rises where det J < 0: its sign says
which way is forward, whatever happens at the folds between.
"""

from __future__ import annotations

import numpy as np

from signorini.kernels.interior.steps import longest_steps
from signorini.math.sparse import Array
from signorini.solvers.cone_newton.predictor_corrector import Direction, PredictorCorrector, advance
from signorini.solvers.cone_newton.scaling import ConePoint
from signorini.solvers.coulomb.exact_newton import ExactNewton
from signorini.solvers.coulomb.rules import CENTRE_SHARE, FALL, LEAST_MOVE, MOVE_SHARE, RISE, SHRINK
from signorini.solvers.coulomb.systems import Linearisation


class FoldedPath:
    """A point (x, y) inside the cones that moves along the curve."""

    def __init__(self, newton: ExactNewton, point: ConePoint) -> None:
        """The curve that begins at this point."""
        self._newton, self._form, self._point = newton, newton.form, point
        self._first_barrier = point.barrier
        self._first_residual = self._residual(self._form.exact(self._form.slips(point.x))[0])

    @property
    def x(self) -> Array:
        """The impulses."""
        return self._point.x

    def step(self, slips: Array) -> bool:
        """Back onto the curve and forward along it; False when there is no step. `slips` are those of x."""
        point = self._point
        y, along = self._form.exact(slips)
        point.rescale()
        at = Linearisation.at(point.scaling, along, self._newton.delta)
        if not self._newton.factor(at):
            return False
        forward = self._newton.orientation
        if forward == 0:
            return False
        centre, tangent = self._directions(at, self._residual(y))
        return self._advance(self._move(centre, tangent, forward))

    def _residual(self, y: Array) -> Array:
        """y(x) - y, and the slips of joints."""
        y[: self._form.cone_rows] -= self._point.y
        return y

    def _directions(self, at: Linearisation, residual: Array) -> tuple[Direction, Direction]:
        """To the curve across it, and along it towards t = 0, at which it would arrive in one such step."""
        point, nothing = self._point, np.zeros(0)
        barrier = point.barrier
        t = barrier / self._first_barrier

        def towards(rows: Array, target: float) -> Direction:
            solve = PredictorCorrector(
                point, point.scaling.turn(rows), lambda right: (nothing, self._newton.solve(at.tau * right))
            )
            return solve.towards(target)

        to_end = towards(residual, 0.0)
        to_curve = towards(residual - t * self._first_residual, barrier)
        tangent = self._sum(to_end, to_curve, 1.0, -1.0)
        length = _product(tangent, tangent)
        # Near a fold the Newton step back to the curve would run far along it.
        across = _product(to_curve, tangent) / length if length > 0.0 else 0.0
        return self._sum(to_curve, tangent, 1.0, -across), tangent

    def _move(self, centre: Direction, tangent: Direction, forward: int) -> Direction:
        """The longest move that keeps a distance from the boundary of the cones."""
        share = min(1.0, CENTRE_SHARE * min(centre.step_x, centre.step_y))
        length = FALL if forward > 0 else RISE
        while True:
            move = self._sum(centre, tangent, share, forward * length)
            if MOVE_SHARE * min(move.step_x, move.step_y) >= 1.0 or length < LEAST_MOVE:
                return move
            length *= SHRINK

    def _advance(self, move: Direction) -> bool:
        """Move, or less far where round-off leads out of the cones."""
        if not np.all(np.isfinite(move.dx)):
            return False
        point = self._point
        before = point.x.copy(), point.y.copy(), point.trace.copy()
        step = min(1.0, MOVE_SHARE * min(move.step_x, move.step_y))
        while step > LEAST_MOVE:
            if advance(point, move, step, step) is not None:
                return True
            point.x[:], point.y[:], point.trace[:] = before
            step *= 0.5
        return False

    def _sum(self, a: Direction, b: Direction, weight_a: float, weight_b: float) -> Direction:
        point = self._point
        scaled_x = weight_a * a.scaled_x + weight_b * b.scaled_x
        scaled_y = weight_a * a.scaled_y + weight_b * b.scaled_y
        steps = longest_steps(point.start, point.z, scaled_x, scaled_y)
        return Direction(a.dw, weight_a * a.dx + weight_b * b.dx, a.s, scaled_x, scaled_y, *steps)


def _product(a: Direction, b: Direction) -> float:
    """Of two directions, in units of the point's distance from the boundary."""
    return float(a.scaled_x @ b.scaled_x + a.scaled_y @ b.scaled_y)
