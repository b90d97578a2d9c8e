"""The central path of one problem in standard form: interior steps and a semismooth finish."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from signorini.kernels.interior import starts as interior_starts
from signorini.math.sparse import Array
from signorini.problem.contact_problem import ContactProblem
from signorini.solvers.cone_newton.error_estimate import ErrorEstimate
from signorini.solvers.cone_newton.predictor_corrector import Direction, PredictorCorrector, advance
from signorini.solvers.cone_newton.rules import (
    ACCURATE,
    GROWTH,
    MOST_LIFTS,
    NEARLY_FULL,
    NEWTON_SHARE,
    SETTLED,
    SHORT,
    STUCK,
    UNDECIDED,
)
from signorini.solvers.cone_newton.scaling import ConePoint
from signorini.solvers.cone_newton.stagnation import Stagnation
from signorini.solvers.cone_newton.standard_form import StandardForm
from signorini.solvers.cone_newton.system import RefinedSystem
from signorini.solvers.interior_point.proof import is_joint_ray, is_ray, without_ray
from signorini.solvers.interior_point.semismooth import projected_step
from signorini.solvers.interior_point.start import Start
from signorini.solvers.linear.refinement import largest

if TYPE_CHECKING:
    from signorini.solvers.interior_point.solver import InteriorPoint


class Path:
    """Follows the central path of one problem in standard form: an `Engine` of the loop; points are (w, x)."""

    def __init__(
        self, problem: ContactProblem, form: StandardForm, newton: RefinedSystem, settings: InteriorPoint
    ) -> None:
        self._form, self._newton, self._settings = form, newton, settings
        self._judge = ErrorEstimate(problem, form, settings.tolerance)
        self._lifts = 0
        self._last_move = np.zeros(form.A.rows)
        self._stagnation = Stagnation()
        self._predicted = self._taken = 0.0
        self._share, self._steps = math.nan, (math.nan, math.nan)

    def begin(self, start: Start) -> Path:
        """Put the iterate at `start`."""
        self._w, self._point = start
        return self

    def here(self) -> tuple[Array, Array]:
        return self._w, self._point.x.copy()

    def error(self) -> float:
        error, self._r1, self._slips = self._judge(self._w, self._point.x)
        return error

    def notes(self) -> Mapping[str, float]:
        """Residuals of [MangoniTasora, eq. 3] in units of the form, largest norm; data of the last step."""
        point, spent = self._point, self._newton.seconds
        return {
            "barrier": point.barrier,
            "centring": self._share,
            "step_impulses": self._steps[0],
            "step_velocities": self._steps[1],
            "primal": largest(self._slip_residual()),
            "dual": largest(self._r1),
            "complementarity": float(np.abs(point.trace[:, 2]).max(initial=0.0)),
            "factor_seconds": spent.factor,
            "solve_seconds": spent.solve,
            **self._newton.analysis(),
        }

    def error_at(self, point: tuple[Array, Array]) -> float:
        return self._judge(*point)[0]

    def refute(self, best: tuple[Array, Array]) -> tuple[Array, Array] | None:
        for ray in (self._last_move, self._point.x):
            if is_joint_ray(self._form, ray):
                return best[0], without_ray(self._form, best[1], ray)
        return best if is_ray(self._form, self._point.x, self._last_move) else None

    @property
    def settled(self) -> bool:
        frictionless = self._form.blocks == self._form.cone_rows
        return frictionless and self._predicted > SETTLED and self._taken > NEARLY_FULL

    def step(self, error: float) -> bool:
        if self._stagnation.detected(self._taken, error, self._rest):
            return False
        self._newton.accuracy = max(ACCURATE, NEWTON_SHARE * error)
        return self._step()

    def leap(self) -> tuple[tuple[Array, Array], float] | None:
        w, x, dw, dx = self._stride
        twice = x + 2.0 * dx
        np.maximum(twice[: self._form.cone_rows], 0.0, out=twice[: self._form.cone_rows])
        point = (w + 2.0 * dw, twice)
        return point, self.error_at(point)

    def settle(self) -> tuple[tuple[Array, Array], float] | None:
        point = self._point
        z = point.x.copy()
        z[: len(point.y)] -= point.y
        # With x o y = mu, a difference of sqrt(r mu) means a ratio of about r.
        z[self._form.start[:-1]] -= np.sqrt(UNDECIDED * point.trace[:, 2])
        self._newton.accuracy = ACCURATE
        moved = projected_step(self._form, self._newton, self._w, point.x, z)
        return None if moved is None else (moved, self.error_at(moved))

    def semismooth(self, point: tuple[Array, Array]) -> tuple[tuple[Array, Array], float] | None:
        w, x = point
        self._newton.accuracy = ACCURATE
        moved = projected_step(self._form, self._newton, w, x, x - self._form.residuals(w, x)[1])
        return None if moved is None else (moved, self.error_at(moved))

    def _rest(self) -> float:
        return self._judge.size(self._slip_residual())

    def _slip_residual(self) -> Array:
        """Slips minus y; joint rows have y = 0."""
        rows = self._slips.copy()
        rows[: self._form.cone_rows] -= self._point.y
        return rows

    # --- one interior step ------------------------------------------------------------------------------------

    def _step(self) -> bool:
        """Predict, correct, centre, move. False when the factorisation fails or no step is possible."""
        point, right = self._point, -self._r1
        point.rescale()
        if not self._newton.factor(point.scaling).ok:
            return False
        r2 = point.scaling.turn(self._slip_residual())
        steps = PredictorCorrector(point, r2, lambda rows: self._newton.solve(right, rows))
        direction, self._predicted = self._direction(steps)
        self._share = steps.share
        return self._move(direction)

    def _direction(self, steps: PredictorCorrector) -> tuple[Direction, float]:
        """By the scheme of the settings."""
        match self._settings.scheme:
            case "predictor":
                return steps.affine()
            case "newton":
                return steps.newton()
        return steps.direction(self._settings.correctors, centring=self._settings.centring)

    def _move(self, direction: Direction) -> bool:
        point, m = self._point, self._form.cone_rows
        step_x, step_y = self._settings.step_lengths(
            direction.step_x, direction.step_y, point.barrier, len(point.trace)
        )
        self._taken, self._steps = min(step_x, step_y), (step_x, step_y)
        if not self._taken > STUCK:
            return False
        before, x = largest(point.x[:m]), point.x.copy()
        move = advance(point, direction, step_x, step_y)
        if move is None:
            return False
        self._stride = (self._w, x, direction.dw, move)
        self._last_move = move
        size = largest(point.x[:m])
        if step_x < SHORT and size > GROWTH * before and self._lifts < MOST_LIFTS and self._settings.lift > 0:
            self._lift(size)
        self._w = self._w + step_y * direction.dw
        return True

    def _lift(self, size: float) -> None:
        """Short steps while the impulses grow: the start was too small. Move away from the boundary at once."""
        self._lifts += 1
        start, point = self._form.start, self._point
        interior_starts.shift(start, point.x, self._settings.lift * size)
        interior_starts.shift(start, point.y, largest(point.y))
        self._point = ConePoint.at(start, point.x, point.y)
