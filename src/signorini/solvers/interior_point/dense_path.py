"""Small problems without joints: every step is one compiled call (`kernels/interior/dense_path.py`)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from signorini.kernels.interior import dense_form, dense_path
from signorini.kernels.interior.dense_step import StepRules
from signorini.kernels.linalg.block_rows import csr_multiply
from signorini.math.sparse import Array
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.solution import Status
from signorini.solvers.base import Monitor
from signorini.solvers.cone_newton import rules
from signorini.solvers.cone_newton.stagnation import Stagnation
from signorini.solvers.cone_newton.standard_form import round_off_scale
from signorini.solvers.interior_point.loop import follow

if TYPE_CHECKING:
    from signorini.solvers.interior_point.solver import InteriorPoint

MOST_ROWS = 96
"""Beyond this many impulses LAPACK is faster than the compiled Cholesky."""
RAY_RULES = dense_path.RayRules(rules.RAY, rules.LARGE_STEP, rules.RAY_ACCURACY, rules.RAY_ROUND_OFF, rules.RAY_WORK)


def is_dense(problem: ContactProblem) -> bool:
    """Whether the compiled loop can take the problem: few impulses, half-lines and Coulomb cones, no joints."""
    return 0 < problem.contact_rows <= MOST_ROWS and problem.joint_rows == 0 and problem.cones.is_plain


class DensePath:
    """The central path on a dense N: an `Engine` of the loop; points are x."""

    def __init__(self, problem: ContactProblem, settings: InteriorPoint) -> None:
        cones = problem.cones
        indptr, indices, values, duals, self._start = dense_form.cone_map(cones.start, cones.friction)
        self._N, self._r, self._size = dense_form.standardise(
            delassus(problem), problem.r, indptr, indices, values, duals, self._start
        )
        inflate = round_off_scale(problem)
        self._r, self._size = self._r / inflate, self._size * inflate
        m, rows = problem.contact_rows, int(self._start[-1])
        mean = float(np.mean(problem.N_diagonal)) or 1.0
        q = problem.slip_size
        self._measure = dense_path.Measure(
            cones.start, cones.friction, (indptr, indices, values), (indptr, indices, duals),
            np.full(problem.contacts, 1.0 / mean), mean * self._size / q if q > 0 else mean,
            np.empty(m), np.empty(m), np.empty(m), np.empty(problem.contacts),
        )  # fmt: skip
        self._settings, self._lifts, self._last_move, self._taken = settings, 0, np.zeros(rows), 0.0
        self._stagnation, self._predicted = Stagnation(), 0.0
        self._rules = np.array(StepRules(
            float(settings.fraction), settings.correctors, settings.delta, settings.refinements, rules.WORTH_WHILE,
            rules.ENOUGH, rules.LONGER, rules.PAYS, rules.CENTRAL_LOW, rules.CENTRAL_HIGH, rules.LEAST_CENTRING,
            rules.STUCK,
        ))  # fmt: skip
        self._x, self._y, self._spare = np.empty(rows), np.empty(rows), np.empty(rows)
        self._work = dense_path.workspace(rows, len(self._start) - 1)

    def begin(self, guess: Array | None) -> bool:
        """Put the iterate at `guess` (impulses of an earlier solution) or at the robust start; False if it cannot."""
        if guess is not None and self._warm(guess):
            return True
        trace = self._work.trace
        return bool(
            dense_path.starting_point(self._start, self._N, self._r, rules.SMALLEST_SCALE, self._x, self._y, trace)
        )

    def point_of(self, impulse: Array) -> Array:
        """x of the impulses of an earlier solution."""
        x = np.empty(len(self._x))
        indptr, indices, duals = self._measure.T_dual
        dense_form.to_standard(indptr, indices, duals, impulse, 1.0 / self._size, x)
        return x

    def _warm(self, guess: Array) -> bool:
        self._x[:] = self.point_of(guess)
        shifted = self._settings.warm_start == "shifted"
        trace = self._work.trace
        return bool(
            dense_path.warm_point(self._start, self._N, self._r, shifted, rules.WARM_RULES, self._x, self._y, trace)
        )

    def here(self) -> Array:
        return self._x.copy()

    def error(self) -> float:
        return float(dense_path.estimate(self._N, self._r, self._x, self._measure, self._work.slip))

    def notes(self) -> Mapping[str, float]:
        """Nothing: solves with a log use the general loop."""
        return {}

    def error_at(self, point: Array) -> float:
        return float(dense_path.estimate(self._N, self._r, point, self._measure, self._spare))

    def refute(self, best: Array) -> Array | None:
        refuted = dense_path.is_ray(self._start, self._N, self._r, RAY_RULES, self._x, self._last_move, self._spare)
        return best if refuted else None

    @property
    def settled(self) -> bool:
        frictionless = len(self._start) - 1 == self._start[-1]
        return bool(frictionless and self._predicted > rules.SETTLED and self._taken > rules.NEARLY_FULL)

    def step(self, error: float) -> bool:
        # A semismooth step in between may have overwritten the slips.
        self.error()
        if self._stagnation.detected(self._taken, error, self._rest):
            return False
        accuracy = max(rules.ACCURATE, rules.NEWTON_SHARE * error)
        before = float(np.abs(self._x).max())
        self._taken, self._predicted = dense_path.interior_step(
            self._start, self._N, self._x, self._y, self._rules, accuracy, self._work
        )
        self._last_move[:] = self._work.dx
        if self._taken < rules.SHORT and self._lifts < rules.MOST_LIFTS and self._settings.lift > 0.0:
            self._lift_after_growth(before)
        return bool(self._taken > 0.0)

    def _lift_after_growth(self, before: float) -> None:
        """Impulses that grow in a short step: the start was too small."""
        if float(np.abs(self._x).max()) > rules.GROWTH * before:
            self._lifts += 1
            dense_path.lift_start(self._start, self._x, self._y, self._settings.lift, self._work.trace)

    def _rest(self) -> float:
        indptr, indices, duals = self._measure.T_dual
        csr_multiply(indptr, indices, duals, self._work.slip - self._y, self._measure.slip)
        return float(np.linalg.norm(self._measure.slip)) * self._measure.factor * float(self._measure.rho[0])

    def leap(self) -> None:
        """Not used: steps of this loop are cheap."""

    def settle(self) -> tuple[Array, float] | None:
        return self.semismooth(self.here())

    def semismooth(self, point: Array) -> tuple[Array, float] | None:
        work = self._work
        dense_path.estimate(self._N, self._r, point, self._measure, work.slip)
        if not dense_path.semismooth_step(self._start, self._N, point, self._rules, rules.ACCURATE, work):
            return None
        moved = work.other_dx.copy()
        error = self.error_at(moved)
        return (moved, error) if math.isfinite(error) else None

    def impulse(self, x: Array) -> Array:
        """lambda of the problem."""
        indptr, indices, values = self._measure.T
        impulse = np.empty(len(indptr) - 1)
        csr_multiply(indptr, indices, values, x, impulse)
        return np.asarray(impulse * self._size)


def solve_dense(
    problem: ContactProblem, settings: InteriorPoint, monitor: Monitor, guess: Array | None
) -> tuple[Array, Status]:
    """(lambda, reason) from the impulses `guess` of an earlier solution."""
    path = DensePath(problem, settings)
    if not path.begin(guess):
        return np.zeros(problem.contact_rows), Status.STALLED
    known = None if guess is None else path.point_of(guess)
    x, reason = follow(path, monitor, settings.finish_below, known)
    return path.impulse(x), reason


def delassus(problem: ContactProblem) -> Array:
    """N, dense."""
    white, E = problem.whitened, problem.E
    if problem.is_dual_only or white is None:
        return problem.N.toarray()
    N: Array = dense_form.dense_delassus(
        white.indptr, white.indices, white.data, problem.velocities, E.indptr, E.indices, E.data
    )
    return N
