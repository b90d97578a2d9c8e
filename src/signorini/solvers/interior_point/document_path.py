"""The central path by the documents' formulas: residuals updated from step to step, their stopping rules and step
lengths."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from signorini.math.sparse import Array
from signorini.problem.certificate import measure
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.products import multiply
from signorini.solvers.cone_newton.predictor_corrector import Direction
from signorini.solvers.cone_newton.scaling import ConePoint
from signorini.solvers.cone_newton.standard_form import StandardForm
from signorini.solvers.cone_newton.system import RefinedSystem, mass_times
from signorini.solvers.interior_point.path import Path
from signorini.solvers.interior_point.start import Start

if TYPE_CHECKING:
    from signorini.solvers.interior_point.solver import InteriorPoint

BARRIER_SHARE = 10.0
"""The documents allow the barrier ten times what they allow residuals: 1e-7 and 1e-8 [MangoniTasora, eq. 38], 1e-9 and
1e-10 [Mangoni2018, 5.1]."""


class DocumentPath(Path):
    """`Path` for settings that select a formula of the documents; see `InteriorPoint`."""

    def __init__(
        self, problem: ContactProblem, form: StandardForm, newton: RefinedSystem, settings: InteriorPoint
    ) -> None:
        super().__init__(problem, form, newton, settings)
        self._problem = problem
        self._carried: tuple[Array, Array] | None = None
        """r1 and the residual of the slips after the last step, by the update formula."""

    def begin(self, start: Start) -> DocumentPath:
        super().begin(start)
        self._carried = None
        return self

    def error(self) -> float:
        error = np.nan
        if self._settings.stop == "error" and self._settings.scaling == "none":
            error = self.error_at((self._w, self._point.x))
            self._r1, self._slips = self._form.residuals(self._w, self._point.x)
        elif self._settings.stop == "error":
            error = super().error()
        elif self._carried is None:
            self._r1, self._slips = self._form.residuals(self._w, self._point.x)
        if self._carried is not None:
            self._r1 = self._carried[0]
        return error if self._settings.stop == "error" else self._document_error()

    def error_at(self, point: tuple[Array, Array]) -> float:
        if self._settings.scaling != "none":
            return super().error_at(point)
        w, x = point
        return measure(self._problem, self._form.velocity(w), *self._form.impulses(x)).error

    def _document_error(self) -> float:
        """The largest of `|r_p|/m`, `|r_d|/n` and a tenth of the barrier, in the units of the problem
        [MangoniTasora, eq. 38]."""
        form, rows = self._form, self._slip_residual()
        slips = np.concatenate((form.slips(rows), rows[form.cone_rows :] * form.scale / form.joint_scale))
        momentum = self._momentum()
        primal = float(np.linalg.norm(slips)) / max(len(slips), 1)
        dual = float(np.linalg.norm(momentum)) / max(len(momentum), 1)
        return max(primal, dual, form.scale**2 * self._point.barrier / BARRIER_SHARE)

    def _momentum(self) -> Array:
        """`H v + c - C' gamma - D' lambda` of the problem [N s]: r1 of the form is G' times it, and `G'HG = 1` or G is
        diagonal."""
        form, full = self._form, np.zeros(len(self._form.free))
        full[form.touched] = self._r1 * form.scale
        if not len(full):
            return full
        return multiply(self._problem.H, multiply(form.G, full)) if form.is_white else full / form.G.diagonal()

    def _slip_residual(self) -> Array:
        return super()._slip_residual() if self._carried is None else self._carried[1].copy()

    def _move(self, direction: Direction) -> bool:
        if self._settings.step_length == "quadratic":
            direction = _with_quadratic_steps(self._point, direction)
        before = self._r1, self._slip_residual()
        lifts, scaling = self._lifts, self._point.scaling
        if not super()._move(direction):
            return False
        if self._settings.residuals == "updated":
            whole = scaling.turn_back(direction.dx)
            # A lift moves the point outside of the formula.
            self._carried = self._updated(*before, direction.dw, whole) if self._lifts == lifts else None
        return True

    def _updated(self, r1: Array, r2: Array, dw: Array, dx: Array) -> tuple[Array, Array]:
        """Residuals after a step of lengths a_x (impulses) and a_y (velocities) [MangoniTasora, eq. 19]::

            r1 <- (1 - a_x) r1 + (a_y - a_x) H dw,     r2 <- (1 - a_y) r2 + (a_x - a_y) E dx

        [Mangoni2018, eq. 4.14] has the two lengths exchanged in r1 and for joints; E = 0 there.
        """
        step_x, step_y = self._steps
        r1, r2 = (1.0 - step_x) * r1, (1.0 - step_y) * r2
        if step_x != step_y:
            r1 += (step_y - step_x) * mass_times(self._form, dw)
            if self._form.E is not None:
                m = self._form.cone_rows
                r2[:m] += (step_x - step_y) * multiply(self._form.E, dx[:m])
        return r1, r2


def _with_quadratic_steps(point: ConePoint, direction: Direction) -> Direction:
    """The longest steps from the unscaled point, by roots of a quadratic [Mangoni2018, eq. 4.53, table 4.2]."""
    scaling, m = point.scaling, len(point.y)
    move_x = scaling.turn_back(direction.dx)[:m]
    move_y = scaling.turn_back(scaling.from_scaled(direction.scaled_y))[:m]
    steps = (quadratic_step(point.start, point.x[:m], move_x), quadratic_step(point.start, point.y, move_y))
    return replace(direction, step_x=steps[0], step_y=steps[1])


def quadratic_step(start: np.ndarray[tuple[int], np.dtype[np.int64]], p: Array, d: Array) -> float:
    """The longest step from p along d inside half-lines and Lorentz cones.

    With `a = d'Jd`, `k = p'Jd`, `c = p'Jp` the boundary is at `a t^2 + 2 k t + c = 0`; the root is taken as
    `c / (sqrt(k^2 - a c) - k)`, which loses no digits.
    """
    first = start[:-1]

    def tangents(u: Array, v: Array) -> Array:
        products = u * v
        products[first] = 0.0
        return np.asarray(np.add.reduceat(products, first)) if len(first) else np.zeros(0)

    p0, d0 = p[first], d[first]
    size = np.sqrt(tangents(p, p))
    a, k, c = d0 * d0 - tangents(d, d), p0 * d0 - tangents(p, d), (p0 - size) * (p0 + size)
    # For a half-line both roots are -p/d, and their difference would be the root of a rounding error.
    spread = np.where(np.diff(start) > 1, np.maximum(k * k - a * c, 0.0), 0.0)
    below = np.sqrt(spread) - k
    ends = (below > 0.0) & ~((a >= 0.0) & (d0 >= 0.0))
    return float((c[ends] / below[ends]).min(initial=np.inf))
