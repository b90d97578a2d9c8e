"""The iteration: Mehrotra's predictor and corrector with Gondzio's centrality correctors, and semismooth steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from signorini.kernels.cones import coulomb_cones as cone_kernels
from signorini.kernels.interior import body_newton
from signorini.kernels.interior import starts as interior_starts
from signorini.kernels.interior import steps as interior_steps
from signorini.kernels.interior.path_rules import (
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
    SETTLED,
    SHORT,
    STUCK,
    UNDECIDED,
)
from signorini.math.sparse import Array
from signorini.problem.certificate import IDLE_JOINTS, IDLE_ROW
from signorini.problem.contact_problem import ContactProblem
from signorini.solvers.interior_point.newton import Newton
from signorini.solvers.interior_point.proof import is_joint_ray, is_ray, without_ray
from signorini.solvers.interior_point.rigid_form import RigidForm
from signorini.solvers.interior_point.scaling import ConePoint
from signorini.solvers.interior_point.semismooth import projected_step
from signorini.solvers.interior_point.standard_form import StandardForm
from signorini.solvers.interior_point.start import Start, residuals
from signorini.solvers.interior_point.vain import Vain

if TYPE_CHECKING:
    from signorini.solvers.interior_point.solver import InteriorPoint


EPSILON = float(np.finfo(np.float64).eps)
SMALLEST = float(np.finfo(np.float64).tiny)
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
        self._vain = Vain()
        self._predicted = self._taken = 0.0

    def begin(self, start: Start) -> Path:
        """Put the iterate at `start`."""
        self._w, self._point = start
        return self

    def here(self) -> tuple[Array, Array]:
        return self._w, self._point.x.copy()

    def error(self) -> float:
        error, self._r1, self._slips = self._judge(self._w, self._point.x)
        return error

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
        if self._vain.tells(self._taken, error, self._rest):
            return False
        self._newton.accuracy = max(ACCURATE, NEWTON_SHARE * error)
        moved = self._step(self._w, self._point, self._r1, self._slips)
        if moved is not None:
            self._w, self._point = moved
        return moved is not None

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
        moved = projected_step(self._form, self._newton, w, x, x - residuals(self._form, w, x)[1])
        return None if moved is None else (moved, self.error_at(moved))

    def _rest(self) -> float:
        return self._judge.size(self._slips[: self._form.cone_rows] - self._point.y)

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
        scaling, right = point.scaling, np.empty_like(r2)
        interior_steps.right_rows(scaling.start, scaling.frames, r2, s, right)
        dw, dx = self._newton.solve(-r1, right)
        scaled_x, scaled_y = np.empty_like(s), np.empty_like(s)
        step_x, step_y = interior_steps.complete(scaling.start, scaling.frames, point.z, s, dx, scaled_x, scaled_y)
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
        if len(point.trace) == m:
            self._stride = (w, point.x.copy(), direction.dw, move_x)
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


class ErrorEstimate:
    """`Certificate.error`, estimated from quantities at hand in standard form."""

    def __init__(self, problem: ContactProblem, form: StandardForm, tolerance: float) -> None:
        self._problem, self._form, self._tolerance = problem, form, tolerance
        self._gate = None if problem.cones.is_plain else problem.natural_map_scale
        mean = float(np.mean(problem.N_diagonal)) if problem.contacts else 1.0
        self._w = mean if mean > 0 else 1.0
        self._q = problem.slip_size or 1.0
        self._rho = np.full(problem.contacts, 1.0 / self._w)
        self._error = np.empty(problem.contacts)
        self._work = np.empty(problem.contact_rows)
        self._magnitudes = np.abs(form.A.values) if problem.joint_rows else form.A.values
        self._joint_size = joint_sizes(problem, form)
        self._fast = _FastEstimate(problem, form) if isinstance(form, RigidForm) and not problem.joint_rows else None

    def __call__(self, w: Array, x: Array) -> tuple[float, Array, Array]:
        """The error at (w, x), and the residuals there."""
        if self._fast is not None:
            r1, slips = self._fast.residuals(w, x)
            norm, reached = self._fast.natural(x, r1, slips, self._rho, self._work, self._error)
            error = self._w * norm / self._q
            hidden = reached * EPSILON > TOLERABLE * self._tolerance
            return self._or_seen(error, hidden, w, x, r1, slips), r1, slips
        r1, slips = residuals(self._form, w, x)
        if not self._form.is_white:
            return max(self._natural(x, slips), self._joints(w, x, slips), _largest(r1)), r1, slips
        if self._form.A.width == 0:
            return max(self._natural(x, slips), self._joints(w, x, slips)), r1, slips
        # The slips that the impulses alone cause: w - r1 are their velocities.
        caused = slips - self._form.A.multiply(r1)
        error = max(self._natural(x, caused), self._joints(w, x, caused))
        hidden = error > self._tolerance and hides_slips(self._problem, self._form.impulses(x)[0], self._tolerance)
        return self._or_seen(error, hidden, w, x, r1, slips), r1, slips

    def _or_seen(self, error: float, hidden: bool, w: Array, x: Array, r1: Array, slips: Array) -> float:
        """The error by the slips of the velocities, where impulses hide slips and that is the smaller one."""
        if not hidden or error <= self._tolerance:
            return error
        others = max(self._joints(w, x, slips), self._stationarity(w, x, r1))
        return min(error, max(self._natural(x, slips), others))

    def _stationarity(self, w: Array, x: Array, r1: Array) -> float:
        """`Certificate.stationarity_relative`, as near as the units of this form allow."""
        terms = np.abs(self._form.c) + np.abs(w)
        idle = max(IDLE_ROW * float(terms.max()), SMALLEST)
        return _largest(r1 / np.maximum(terms + self._form.A.absolute_transposed(np.abs(x)), idle))

    def _joints(self, w: Array, x: Array, slips: Array) -> float:
        """`Certificate.joint_error_relative`, as near as the units of this form allow."""
        rows = slips[self._form.cone_rows :]
        if not len(rows):
            return 0.0
        idle = IDLE_JOINTS * IDLE_ROW * float((np.abs(self._form.c) + np.abs(w)).max(initial=0.0))
        contacts = x.copy()
        contacts[self._form.cone_rows :] = 0.0
        motion = np.abs(w) + np.abs(self._form.A.multiply_transposed(contacts)) + idle
        moving = self._form.A.multiply(motion, self._magnitudes)[self._form.cone_rows :]
        return _largest(rows / np.maximum(moving + self._joint_size, SMALLEST))

    def size(self, rows: Array) -> float:
        """How much of the error slips of that size in the cone rows make."""
        return float(np.linalg.norm(self._form.slips(rows))) / self._q

    def _natural(self, x: Array, slips: Array) -> float:
        impulse, _ = self._form.impulses(x)
        if self._gate is not None:
            return self._gate(impulse, self._form.slips(slips))
        norm = cone_kernels.natural_map(
            self._problem.cones.start,
            self._problem.cones.friction,
            self._rho,
            impulse,
            self._form.slips(slips),
            self._work,
            self._error,
        )
        return self._w * float(norm) / self._q


class _FastEstimate:
    """Residuals and natural map of rigid bodies without joints, one compiled call each."""

    def __init__(self, problem: ContactProblem, form: RigidForm) -> None:
        A, size = form.A, problem.slip_size
        self._form = form
        self._rows = (A.start, A.column_start, A.value_start, A.columns, A.values)
        per_x = form.scale * form.factor
        reach = per_x * problem.N_diagonal / size if size > 0.0 else np.zeros_like(per_x)
        self._units = (per_x, form.scale / form.factor, reach)
        self._cones = (problem.cones.start, problem.cones.friction)
        self._impulse, self._slip = np.empty(A.rows), np.empty(A.rows)

    def residuals(self, w: Array, x: Array) -> tuple[Array, Array]:
        r1, slips = np.empty_like(w), np.empty_like(x)
        body_newton.residuals(self._rows, self._form.c, self._form.b, w, x, r1, slips)
        return r1, slips

    def natural(self, x: Array, r1: Array, slips: Array, rho: Array, work: Array, error: Array) -> tuple[float, float]:
        """The norm of the natural map, and `reach` of the impulses."""
        norm, reached = body_newton.natural_error(
            self._rows, x, r1, slips, self._units, self._cones, rho, self._impulse, self._slip, work, error
        )
        return float(norm), float(reached)


def joint_sizes(problem: ContactProblem, form: StandardForm) -> Array:
    """The motion that each joint row would have to stop, in units of the form; 1 for contacts that are joints to it."""
    sizes = np.ones(form.A.rows - form.cone_rows)
    if len(form.joint_scale):
        still = problem.joint_size + np.abs(problem.b_gamma)
        sizes[len(sizes) - len(still) :] = form.joint_scale * still / form.scale
    return sizes


def reach(problem: ContactProblem, impulse: Array) -> float:
    """How much impulses alone would change the slip of their own contact, in units of `problem.slip_size`."""
    size = problem.slip_size
    return _largest(impulse * problem.N_diagonal) / size if size > 0.0 else 0.0


def hides_slips(problem: ContactProblem, impulse: Array, tolerance: float) -> bool:
    """Whether impulses are so large that they cancel below their round-off: then only velocities know the slips."""
    return reach(problem, impulse) * EPSILON > TOLERABLE * tolerance


def _largest(x: Array) -> float:
    return float(max(x.max(), -x.min())) if len(x) else 0.0
