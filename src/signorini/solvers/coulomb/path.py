"""An interior path to the exact law: predictor, corrector and centrality correctors around the de Saxce term.

The path is that of the convex interior point, `x o y = barrier e`, with `y = slips + |slips_t| e` in place of the
slips. The law is not monotone, so directions may lead nowhere: then less of the term's derivative is counted, down to
none, with which the direction is that of a convex problem.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from signorini.kernels.interior import scaling as interior_point
from signorini.kernels.interior import starts as interior_starts
from signorini.kernels.interior import steps as interior_steps
from signorini.kernels.interior.path_rules import (
    CENTRAL_HIGH,
    CENTRAL_LOW,
    ENOUGH,
    LEAST_CENTRING,
    LONGER,
    PAYS,
    SMALLEST_SCALE,
    STUCK,
    WARM_LEAST,
)
from signorini.math.sparse import Array
from signorini.solvers.coulomb.newton import Newton
from signorini.solvers.coulomb.systems import Linearisation

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


@dataclass(eq=False)
class Direction:
    """A step before it is taken."""

    dx: Array
    """Turned; cone rows, then joint rows."""
    s: Array
    """Scaled right-hand side of the linearised complementarity."""
    scaled_x: Array
    """W dx."""
    scaled_y: Array
    """W^-1 dy."""
    step: float
    """Longest step along it that stays in the cones, 1 at most."""


class Interior:
    """A point (x, y) inside the cones that moves along the path."""

    def __init__(self, newton: Newton, x: Array, y: Array) -> None:
        self._newton, self._form = newton, newton.form
        self.x, self._y = x, y
        self._level = 0
        start = self._form.start
        self._trace, self._z = np.empty((len(start) - 1, 3)), np.empty(self._form.cone_rows)
        interior_point.initial_trace(start, x, y, self._trace)

    @classmethod
    def near(cls, newton: Newton, x: Array, share: float) -> Interior:
        """A point as far from the boundary as `share` of the natural-map error of x."""
        form = newton.form
        x, y = x.copy(), form.exact(form.slips(x))[0][: form.cone_rows].copy()
        error = share * interior_starts.natural_error(form.start, x, y)
        for vector in (x, y):
            size = max(float(np.abs(vector[: form.cone_rows]).max()), SMALLEST_SCALE)
            interior_starts.push_into_cone(form.start, vector, max(error, WARM_LEAST * size))
        return cls(newton, x, y)

    def step(self, slips: Array) -> bool:
        """Predict, correct, centre, move; False when there is no step. `slips` are those of x."""
        form, start, m = self._form, self._form.start, self._form.cone_rows
        y, along = form.exact(slips)
        at = Linearisation.blank(form, along, SHARES[self._level])
        theta = np.empty(m)
        interior_point.scale(start, self.x, self._y, self._trace, at.frames, at.reflector, theta, self._z)
        np.divide(1.0, 1.0 + theta, out=at.tau[:m])
        np.multiply(theta, at.tau[:m], out=at.rest[:m])
        if not self._newton.factor(at):
            return False
        y[:m] -= self._y
        residual = at.turn(start, y)
        barrier = float(self._trace[:, 2].sum()) / len(self._trace)
        predictor = self._direction(at, residual, self._z)
        sigma = max((1.0 - predictor.step) ** 3, RECENTRE if self._level else 0.0)
        s = np.empty_like(self._z)
        interior_steps.corrected(start, self._z, predictor.scaled_x, predictor.scaled_y, sigma * barrier, s)
        direction = self._direction(at, residual, s)
        return self._move(at, self._centre(at, residual, direction, max(sigma, LEAST_CENTRING) * barrier))

    def _direction(self, at: Linearisation, residual: Array, s: Array) -> Direction:
        """Solve `(1 + e h') N dx + W^2 dx = -residual - W s`, and how far one can go."""
        start, m = self._form.start, self._form.cone_rows
        right, scaled_x, scaled_y = np.empty_like(residual), np.empty(m), np.empty(m)
        interior_steps.right_rows(start, at.frames, residual, s, right)
        dx = self._newton.solve(at.tau * right)
        longest = interior_steps.complete(start, at.frames, self._z, s, dx, scaled_x, scaled_y)
        return Direction(dx, s, scaled_x, scaled_y, min(1.0, *longest))

    def _centre(self, at: Linearisation, residual: Array, direction: Direction, target: float) -> Direction:
        """Gondzio's multiple centrality correctors: longer steps for one more solve each."""
        for _ in range(CORRECTORS):
            step = direction.step
            if step > ENOUGH:
                break
            trial = min(1.0, step + LONGER)
            s = direction.s.copy()
            interior_steps.centre(
                self._form.start, self._z, direction.scaled_x, direction.scaled_y, trial, trial,
                CENTRAL_LOW * target, CENTRAL_HIGH * target, s,
            )  # fmt: skip
            better = self._direction(at, residual, s)
            if better.step < step + PAYS * (trial - step):
                break
            direction = better
        return direction

    def _move(self, at: Linearisation, direction: Direction) -> bool:
        start, m = self._form.start, self._form.cone_rows
        step = min(1.0, FRACTION * direction.step)
        if not step > STUCK:
            return False
        move_x, move_y = at.turn_back(start, direction.dx), np.empty(m)
        if not np.all(np.isfinite(move_x)):
            return False
        interior_point.from_scaled(start, at.frames, direction.scaled_y, move_y)
        interior_point.turn_back(start, at.frames, at.reflector, move_y, move_y)
        inside = interior_steps.advance(
            start, at.frames, self._z, direction.scaled_x, direction.scaled_y, move_x, move_y, step, step,
            self.x, self._y, self._trace,
        )  # fmt: skip
        self.x[m:] += step * move_x[m:]
        if step < SHORT:
            self._level = min(self._level + 1, len(SHARES) - 1)
        elif step > LONG:
            self._level = max(self._level - 1, 0)
        return bool(inside)
