"""The iteration: Mehrotra's predictor and corrector with Gondzio's centrality correctors, and semismooth steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from signorini.kernels import cones as cone_kernels
from signorini.kernels import interior_starts, interior_steps
from signorini.kernels.path_rules import (
    ACCURATE,
    CENTRAL_HIGH,
    CENTRAL_LOW,
    ENOUGH,
    GROWTH,
    LEAST_CENTRING,
    LONGER,
    MOST_LIFTS,
    NEARLY_FULL,
    NEWTON_SHARE,
    PAYS,
    ROUND_OFF,
    SETTLED,
    SHORT,
    STUCK,
)
from signorini.math.sparse import Array
from signorini.problem.contact_problem import ContactProblem
from signorini.solvers.interior_point.newton import Newton
from signorini.solvers.interior_point.proof import is_joint_ray, is_ray, without_ray
from signorini.solvers.interior_point.scaling import ConePoint, Scaling
from signorini.solvers.interior_point.standard_form import StandardForm
from signorini.solvers.interior_point.start import Start, residuals

if TYPE_CHECKING:
    from signorini.solvers.interior_point.solver import InteriorPoint


EPSILON = float(np.finfo(np.float64).eps)
TOLERABLE = 0.01
"""Round-off below this share of the tolerance does no harm."""


@dataclass(eq=False)
class Direction:
    """A step before its length is known."""

    dw: Array
    dx: Array
    """Turned; cone rows, then joint rows."""
    s: Array
    """Scaled right-hand side of the linearised complementarity."""
    scaled_x: Array
    """W dx."""
    scaled_y: Array
    """W^-1 dy."""
    step_x: float
    step_y: float


class Path:
    """Follows the central path of one problem in standard form: an `Engine` of the loop; points are (w, x)."""

    def __init__(self, problem: ContactProblem, form: StandardForm, newton: Newton, settings: InteriorPoint) -> None:
        self._form, self._newton, self._settings = form, newton, settings
        self._judge = ErrorEstimate(problem, form, settings.tolerance)
        self._lifts = 0
        self._last_move = np.zeros(form.A.rows)
        self._predicted = self._taken = 0.0

    def begin(self, start: Start) -> Path:
        """Put the iterate at `start`."""
        self._w, self._point = start
        return self

    def here(self) -> tuple[Array, Array]:
        return self._w, self._point.x.copy()

    def error(self) -> float:
        self._r1, self._slips = residuals(self._form, self._w, self._point.x)
        return self._judge(self._point.x, self._r1, self._slips)

    def refute(self, best: tuple[Array, Array]) -> tuple[Array, Array] | None:
        if is_joint_ray(self._form, self._last_move):
            return best[0], without_ray(self._form, best[1], self._last_move)
        return best if is_ray(self._form, self._point.x, self._last_move) else None

    @property
    def settled(self) -> bool:
        frictionless = self._form.blocks == self._form.cone_rows
        return frictionless and self._predicted > SETTLED and self._taken > NEARLY_FULL

    def step(self, error: float) -> bool:
        self._newton.accuracy = max(ACCURATE, NEWTON_SHARE * error)
        moved = self._step(self._w, self._point, self._r1, self._slips)
        if moved is not None:
            self._w, self._point = moved
        return moved is not None

    def semismooth(self, point: tuple[Array, Array]) -> tuple[tuple[Array, Array], float] | None:
        moved = self._semismooth(*point)
        return None if moved is None else (moved, self._judge(moved[1], *residuals(self._form, *moved)))

    # --- one interior step ------------------------------------------------------------------------------------

    def _step(self, w: Array, point: ConePoint, r1: Array, slips: Array) -> Start | None:
        """Predict, correct, centre, move. None when the factorisation fails or no step is possible."""
        form, m = self._form, self._form.cone_rows
        point.rescale()
        if not self._newton.factor(point.scaling).ok:
            return None
        r2 = slips.copy()
        r2[:m] -= point.y
        r2 = point.scaling.turn(r2)
        barrier = point.barrier
        predictor = self._direction(point, r1, r2, point.z)
        self._predicted = min(1.0, predictor.step_x, predictor.step_y)
        sigma = (1.0 - self._predicted) ** 3
        s = np.empty_like(point.z)
        interior_steps.corrected(form.start, point.z, predictor.scaled_x, predictor.scaled_y, sigma * barrier, s)
        direction = self._direction(point, r1, r2, s)
        direction = self._centre(point, r1, r2, direction, max(sigma, LEAST_CENTRING) * barrier)
        return self._move(w, point, direction, barrier)

    def _direction(self, point: ConePoint, r1: Array, r2: Array, s: Array) -> Direction:
        """Solve `H dw - A'dx = -r1`, `A dw + (W^2 + E) dx = -r2 - W s` [Mangoni2018, eq. 4.49]."""
        dw, dx = self._newton.solve(-r1, -r2 - point.scaling.from_scaled(s))
        scaled_x = point.scaling.to_scaled(dx)
        scaled_y = np.empty_like(scaled_x)
        interior_steps.complete(s, scaled_x, scaled_y)
        step_x, step_y = interior_steps.longest_steps(point.scaling.start, point.z, scaled_x, scaled_y)
        return Direction(dw, dx, s, scaled_x, scaled_y, step_x, step_y)

    def _centre(self, point: ConePoint, r1: Array, r2: Array, direction: Direction, target: float) -> Direction:
        """Gondzio's multiple centrality correctors: longer steps for one more solve each."""
        for _ in range(self._settings.correctors):
            step = min(1.0, direction.step_x, direction.step_y)
            if step > ENOUGH:
                break
            trial = min(1.0, step + LONGER)
            s = direction.s.copy()
            interior_steps.centre(
                point.scaling.start, point.z, direction.scaled_x, direction.scaled_y, trial, trial,
                CENTRAL_LOW * target, CENTRAL_HIGH * target, s,
            )  # fmt: skip
            better = self._direction(point, r1, r2, s)
            if min(1.0, better.step_x, better.step_y) < step + PAYS * (trial - step):
                break
            direction = better
        return direction

    def _move(self, w: Array, point: ConePoint, direction: Direction, barrier: float) -> Start | None:
        form, m = self._form, self._form.cone_rows
        step_x, step_y = self._settings.step_lengths(direction.step_x, direction.step_y, barrier, len(point.trace))
        self._taken = min(step_x, step_y)
        if not self._taken > STUCK:
            return None
        before = float(np.abs(point.x[:m]).max())
        move_x = point.scaling.turn_back(direction.dx)
        move_y = point.scaling.turn_back(point.scaling.from_scaled(direction.scaled_y))
        inside = interior_steps.advance(
            form.start, point.scaling.frames, point.z, direction.scaled_x, direction.scaled_y,
            move_x, move_y, step_x, step_y, point.x, point.y, point.trace,
        )  # fmt: skip
        if not inside:
            return None
        point.x[m:] += step_x * move_x[m:]
        self._last_move = move_x
        size = float(np.abs(point.x[:m]).max())
        if step_x < SHORT and size > GROWTH * before and self._lifts < MOST_LIFTS and self._settings.lift > 0:
            point = self._lift(point, size)
        return w + step_y * direction.dw, point

    def _lift(self, point: ConePoint, size: float) -> ConePoint:
        """Short steps while the impulses grow: they started too small. Move away from the boundary at once."""
        self._lifts += 1
        start = self._form.start
        interior_starts.shift(start, point.x, self._settings.lift * size)
        interior_starts.shift(start, point.y, float(np.abs(point.y).max()))
        return ConePoint.at(start, point.x, point.y)

    def _semismooth(self, w: Array, x: Array) -> tuple[Array, Array] | None:
        m = self._form.cone_rows
        r1, slips = residuals(self._form, w, x)
        scaling = Scaling.identity(self._form.start, len(x))
        right = -slips
        interior_steps.linearise_projection(
            self._form.start, x, slips, scaling.frames, scaling.reflector, scaling.theta, right
        )
        scaling.theta[m:] = 0.0
        self._newton.accuracy = ACCURATE
        if not self._newton.factor(scaling).ok:
            return None
        dw, dx = self._newton.solve(-r1, right)
        return w + dw, x + scaling.turn_back(dx)


class ErrorEstimate:
    """The gate of `Certificate.error`, estimated from quantities at hand in standard form."""

    def __init__(self, problem: ContactProblem, form: StandardForm, tolerance: float) -> None:
        self._form, self._cones, self._tolerance = form, problem.cones, tolerance
        self._gate = None if problem.cones.is_plain else problem.gate
        mean = float(np.mean(problem.N_diagonal)) if problem.contacts else 1.0
        self._w = mean if mean > 0 else 1.0
        self._q = problem.slip_size or 1.0
        self._rho = np.full(problem.contacts, 1.0 / self._w)
        self._error = np.empty(problem.contacts)
        self._work = np.empty(problem.contact_rows)

    def __call__(self, x: Array, r1: Array, slips: Array) -> float:
        if not self._form.is_white:
            return max(self._all_rows(x, slips), _largest(r1))
        if self._form.A.width == 0:
            return self._all_rows(x, slips)
        # The slips that the impulses alone cause: w - r1 are their velocities.
        error = self._all_rows(x, slips - self._form.A.multiply(r1))
        if error > self._tolerance and self._is_round_off(x, r1):
            error = min(error, self._all_rows(x, slips))
        return error

    def _is_round_off(self, x: Array, r1: Array) -> bool:
        """Whether impulses are so large that they cancel below their round-off: then only velocities know the slips."""
        if _largest(x) * EPSILON < TOLERABLE * self._tolerance:
            return False
        terms = np.abs(self._form.c) + self._form.A.absolute_transposed(np.abs(x))
        return bool(np.all(np.abs(r1) <= ROUND_OFF * terms))

    def _all_rows(self, x: Array, slips: Array) -> float:
        return max(self._natural(x, slips), _largest(slips[self._form.cone_rows :]))

    def _natural(self, x: Array, slips: Array) -> float:
        impulse, _ = self._form.impulses(x)
        if self._gate is not None:
            return self._gate(impulse, self._form.slips(slips))
        norm = cone_kernels.natural_map(
            self._cones.start,
            self._cones.friction,
            self._rho,
            impulse,
            self._form.slips(slips),
            self._work,
            self._error,
        )
        return self._w * float(norm) / self._q


def _largest(x: Array) -> float:
    return float(np.abs(x).max()) if len(x) else 0.0
