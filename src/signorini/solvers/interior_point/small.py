"""Small problems without joints: every step is one compiled call (`kernels/interior/dense_path.py`)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from signorini.kernels.interior import dense_form as small_form
from signorini.kernels.interior import dense_path as small_path
from signorini.kernels.interior.path_rules import ACCURATE, MOST_LIFTS, NEARLY_FULL, NEWTON_SHARE, SETTLED
from signorini.kernels.linalg.block_rows import csr_multiply
from signorini.math.sparse import Array
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.solution import Status
from signorini.solvers.base import Monitor
from signorini.solvers.interior_point.loop import follow
from signorini.solvers.interior_point.standard_form import round_off_scale
from signorini.solvers.interior_point.vain import Vain

if TYPE_CHECKING:
    from signorini.solvers.interior_point.solver import InteriorPoint

MOST_ROWS = 96
"""Beyond this many impulses LAPACK is faster than the compiled Cholesky."""


def is_small(problem: ContactProblem) -> bool:
    """Whether the compiled loop can take the problem: few impulses, half-lines and Coulomb cones, no joints."""
    return 0 < problem.contact_rows <= MOST_ROWS and problem.joint_rows == 0 and problem.cones.is_plain


class SmallPath:
    """The central path on a dense N: an `Engine` of the loop; points are x."""

    def __init__(self, problem: ContactProblem, settings: InteriorPoint) -> None:
        cones = problem.cones
        indptr, indices, values, duals, self._start = small_form.cone_map(cones.start, cones.friction)
        self._N, self._r, self._size = small_form.standardise(
            delassus(problem), problem.r, indptr, indices, values, duals, self._start
        )
        inflate = round_off_scale(problem)
        self._r, self._size = self._r / inflate, self._size * inflate
        m, rows = problem.contact_rows, int(self._start[-1])
        mean = float(np.mean(problem.N_diagonal)) or 1.0
        q = problem.slip_size
        self._measure = small_path.Measure(
            cones.start, cones.friction, (indptr, indices, values), (indptr, indices, duals),
            np.full(problem.contacts, 1.0 / mean), mean * self._size / q if q > 0 else mean,
            np.empty(m), np.empty(m), np.empty(m), np.empty(problem.contacts),
        )  # fmt: skip
        self._settings, self._lifts, self._last_move, self._taken = settings, 0, np.zeros(rows), 0.0
        self._vain = Vain()
        self._limits = np.array(
            [settings.fraction, settings.correctors, settings.delta, settings.refinements, ACCURATE, 0.0],
            dtype=np.float64,
        )
        self._x, self._y, self._spare = np.empty(rows), np.empty(rows), np.empty(rows)
        self._work = small_path.workspace(rows, len(self._start) - 1)

    def begin(self, guess: Array | None) -> bool:
        """Put the iterate at `guess` (impulses of an earlier solution) or at the robust start; False if it cannot."""
        if guess is not None and self._warm(guess):
            return True
        trace = self._work.trace
        return bool(small_path.starting_point(self._start, self._N, self._r, self._x, self._y, trace))

    def point_of(self, impulse: Array) -> Array:
        """x of the impulses of an earlier solution."""
        x = np.empty(len(self._x))
        indptr, indices, duals = self._measure.T_dual
        small_form.to_standard(indptr, indices, duals, impulse, 1.0 / self._size, x)
        return x

    def _warm(self, guess: Array) -> bool:
        self._x[:] = self.point_of(guess)
        shifted = self._settings.warm_start == "shifted"
        trace = self._work.trace
        return bool(small_path.warm_point(self._start, self._N, self._r, shifted, self._x, self._y, trace))

    def here(self) -> Array:
        return self._x.copy()

    def error(self) -> float:
        return float(small_path.estimate(self._N, self._r, self._x, self._measure, self._work.slip))

    def error_at(self, point: Array) -> float:
        return float(small_path.estimate(self._N, self._r, point, self._measure, self._spare))

    def refute(self, best: Array) -> Array | None:
        refuted = small_path.is_ray(self._start, self._N, self._r, self._x, self._last_move, self._spare)
        return best if refuted else None

    @property
    def settled(self) -> bool:
        frictionless = len(self._start) - 1 == self._start[-1]
        return bool(frictionless and self._limits[5] > SETTLED and self._taken > NEARLY_FULL)

    def step(self, error: float) -> bool:
        # A semismooth step may have been tried meanwhile and left its own slips behind.
        self.error()
        if self._vain.tells(self._taken, error, self._rest):
            return False
        self._limits[4] = max(ACCURATE, NEWTON_SHARE * error)
        before = float(np.abs(self._x).max())
        step = small_path.interior_step(self._start, self._N, self._x, self._y, self._limits, self._work)
        self._last_move[:] = self._work.dx
        self._taken = step
        if self._lifts < MOST_LIFTS:
            self._lifts += small_path.lift_small_start(
                self._start, self._x, self._y, step, before, self._settings.lift, self._work.trace
            )
        return bool(step > 0.0)

    def _rest(self) -> float:
        indptr, indices, duals = self._measure.T_dual
        csr_multiply(indptr, indices, duals, self._work.slip - self._y, self._measure.slip)
        return float(np.linalg.norm(self._measure.slip)) * self._measure.factor * float(self._measure.rho[0])

    def leap(self) -> None:
        """Not here: steps of this loop cost next to nothing."""

    def settle(self) -> tuple[Array, float] | None:
        return self.semismooth(self.here())

    def semismooth(self, point: Array) -> tuple[Array, float] | None:
        work = self._work
        self._limits[4] = ACCURATE
        small_path.estimate(self._N, self._r, point, self._measure, work.slip)
        if not small_path.semismooth_step(self._start, self._N, point, self._limits, work):
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


def solve_small(
    problem: ContactProblem, settings: InteriorPoint, monitor: Monitor, guess: Array | None
) -> tuple[Array, Status]:
    """(lambda, reason) from the impulses `guess` of an earlier solution."""
    path = SmallPath(problem, settings)
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
    N: Array = small_form.dense_delassus(
        white.indptr, white.indices, white.data, problem.velocities, E.indptr, E.indices, E.data
    )
    return N
