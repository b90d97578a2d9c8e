"""The error of the certificate, estimated from quantities of the standard form."""

from __future__ import annotations

import numpy as np

from signorini.kernels.cones import coulomb_cones as cone_kernels
from signorini.kernels.interior import body_newton
from signorini.math.sparse import Array
from signorini.problem.certificate import IDLE_JOINTS, IDLE_ROW
from signorini.problem.contact_problem import ContactProblem
from signorini.solvers.cone_newton.cone_map import DiagonalMap
from signorini.solvers.cone_newton.standard_form import StandardForm
from signorini.solvers.linear.refinement import largest

EPSILON = float(np.finfo(np.float64).eps)
SMALLEST = float(np.finfo(np.float64).tiny)
TOLERABLE = 0.01
"""Round-off below this share of the tolerance is harmless."""


class ErrorEstimate:
    """`Certificate.error`, estimated from quantities of the standard form."""

    def __init__(self, problem: ContactProblem, form: StandardForm, tolerance: float) -> None:
        self._problem, self._form, self._tolerance = problem, form, tolerance
        self._natural_map_scale = None if problem.cones.is_plain else problem.natural_map_scale
        mean = float(np.mean(problem.N_diagonal)) if problem.contacts else 1.0
        self._w = mean if mean > 0 else 1.0
        self._q = problem.slip_size or 1.0
        self._rho = np.full(problem.contacts, 1.0 / self._w)
        self._error = np.empty(problem.contacts)
        self._work = np.empty(problem.contact_rows)
        self._magnitudes = np.abs(form.A.values) if problem.joint_rows else form.A.values
        self._joint_size = joint_sizes(problem, form)
        self._fast = _CompiledEstimate.of(problem, form)

    def __call__(self, w: Array, x: Array) -> tuple[float, Array, Array]:
        """The error at (w, x), and the residuals there."""
        if self._fast is not None:
            r1, slips = self._fast.residuals(w, x)
            norm, reached = self._fast.natural(x, r1, slips, self._rho, self._work, self._error)
            error = self._w * norm / self._q
            hidden = reached * EPSILON > TOLERABLE * self._tolerance
            return self._or_seen(error, hidden, w, x, r1, slips), r1, slips
        r1, slips = self._form.residuals(w, x)
        if not self._form.is_white:
            return max(self._natural(x, slips), self._joints(w, x, slips), largest(r1)), r1, slips
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
        return largest(r1 / np.maximum(terms + self._form.A.absolute_transposed(np.abs(x)), idle))

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
        return largest(rows / np.maximum(moving + self._joint_size, SMALLEST))

    def size(self, rows: Array) -> float:
        """How much of the error slips of that size make; shape (rows of A,)."""
        return float(np.linalg.norm(self._form.slips(rows))) / self._q

    def _natural(self, x: Array, slips: Array) -> float:
        impulse, _ = self._form.impulses(x)
        if self._natural_map_scale is not None:
            return self._natural_map_scale(impulse, self._form.slips(slips))
        cones, slip = self._problem.cones, self._form.slips(slips)
        norm = cone_kernels.natural_map(cones.start, cones.friction, self._rho, impulse, slip, self._work, self._error)
        return self._w * float(norm) / self._q


class _CompiledEstimate:
    """Residuals and natural map of rigid bodies without joints, one compiled call each."""

    def __init__(self, problem: ContactProblem, form: StandardForm, factor: Array) -> None:
        """`factor` is the diagonal of T."""
        A, size = form.A, problem.slip_size
        self._form = form
        self._rows = (A.start, A.column_start, A.value_start, A.columns, A.values)
        per_x = form.scale * factor
        reach = per_x * problem.N_diagonal / size if size > 0.0 else np.zeros_like(per_x)
        self._units = (per_x, form.scale / factor, reach)
        self._cones = (problem.cones.start, problem.cones.friction)
        self._impulse, self._slip = np.empty(A.rows), np.empty(A.rows)

    @classmethod
    def of(cls, problem: ContactProblem, form: StandardForm) -> _CompiledEstimate | None:
        """None for problems that it cannot take."""
        cones = form.cones
        whole = isinstance(cones, DiagonalMap) and cones.kept is None
        if not (whole and form.is_white and form.E is None and form.A.rows == form.cone_rows):
            return None
        assert isinstance(cones, DiagonalMap)
        return cls(problem, form, cones.factor)

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
    return largest(impulse * problem.N_diagonal) / size if size > 0.0 else 0.0


def hides_slips(problem: ContactProblem, impulse: Array, tolerance: float) -> bool:
    """Whether impulses are so large that they cancel below their round-off: then only velocities know the slips."""
    return reach(problem, impulse) * EPSILON > TOLERABLE * tolerance
