"""The linear system of one iteration, in the turned basis of the rows.

All forms of it solve, for given right-hand sides r1 and r2::

    H dw - A' dx           = r1
    A dw + (Theta + E) dx  = r2                                       [Mangoni2018, eq. 4.49]

with Theta = diag(theta). theta -> 0 in the cone rows of closed contacts; theta = 0 in joint rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import ClassVar, Protocol

import numpy as np

from signorini.math.sparse import Array, Csr, Indices
from signorini.problem.products import multiply
from signorini.solvers.cone_newton.block_rows import BlockRows
from signorini.solvers.cone_newton.rules import ACCURATE, WORTH_WHILE
from signorini.solvers.cone_newton.scaling import Scaling
from signorini.solvers.cone_newton.standard_form import StandardForm
from signorini.solvers.linear import FactorReport
from signorini.solvers.linear.refinement import refined


class NewtonForm(Protocol):
    """What linear systems need of a problem: H, A and E of the module docstring; usually a `StandardForm`."""

    @property
    def A(self) -> BlockRows:
        """Cone rows, then joint rows."""

    @property
    def H(self) -> Csr | None:
        """None is the identity."""

    @property
    def E(self) -> Csr | None:
        """Of the cone rows; None is rigid."""

    @property
    def start(self) -> Indices:
        """First row of each cone block, then the number of cone rows."""

    @property
    def cone_rows(self) -> int:
        """Rows with a cone."""

    @property
    def blocks(self) -> int:
        """Number of cone blocks."""


class System(Protocol):
    """One form of the linear system."""

    own_factorisation: ClassVar[str] = ""
    """Name of its own factorisation; empty where a back end factors it."""

    def factor(self, scaling: Scaling, values: Array) -> FactorReport:
        """Assemble and factor at the scaling; `values` are the turned values of A, valid until the next call."""

    def solve(self, r1: Array, r2: Array) -> tuple[Array, Array]:
        """(dw, dx), approximately: the caller refines against the exact system."""

    def residual(self, r1: Array, r2: Array, dw: Array, dx: Array) -> tuple[Array, Array]:
        """What the last answer of `solve` leaves of the two exact equations."""

    def release(self) -> None:
        """After the last solve: what the next problem of the same pattern can use is kept."""

    def analysis(self) -> Mapping[str, float]:
        """Log entries of the last linear solve."""
        return {}

    def refined(self, r1: Array, r2: Array, accuracy: float, refinements: int) -> tuple[Array, Array]:
        """(dw, dx); refined until its residual is below `accuracy` or refinement stops paying."""
        dw, dx = refined(self.solve, self.residual, (r1, r2), accuracy, refinements, WORTH_WHILE)
        return dw, dx


@dataclass
class Seconds:
    """Of a linear system [s]."""

    factor: float = 0.0
    solve: float = 0.0


class RefinedSystem:
    """Factor once, solve often, refine: a `System` at one scaling after another."""

    def __init__(self, form: StandardForm, system: System, refinements: int) -> None:
        self._form, self._system, self._refinements = form, system, refinements
        self._values = np.empty_like(form.A.values)
        self.accuracy = ACCURATE
        """Residual of the linear system at which refinement ends."""
        self.seconds = Seconds()
        """Spent so far."""

    def analysis(self) -> Mapping[str, float]:
        """What the linear solver tells of its last solve, for a log."""
        return self._system.analysis()

    def factor(self, scaling: Scaling) -> FactorReport:
        """Factor at the scaling; it is used until the next call."""
        begin = perf_counter()
        self._form.A.turned(scaling.frames, scaling.reflector, self._values)
        report = self._system.factor(scaling, self._values)
        self.seconds.factor += perf_counter() - begin
        return report

    def solve(self, r1: Array, r2: Array) -> tuple[Array, Array]:
        """(dw, dx); refined until it is accurate or refinement stops paying."""
        begin = perf_counter()
        found = self._system.refined(r1, r2, self.accuracy, self._refinements)
        self.seconds.solve += perf_counter() - begin
        return found


def exact_residual(
    form: NewtonForm, scaling: Scaling, values: Array, r1: Array, r2: Array, dw: Array, dx: Array
) -> tuple[Array, Array]:
    """What (dw, dx) leaves of the two equations; `values` are the turned values of A."""
    e1 = form.A.multiply_transposed(dx, values, r1 - mass_times(form, dw))
    e2 = r2 - form.A.multiply(dw, values) - scaling.theta * dx
    if form.E is not None:
        e2[: form.cone_rows] -= scaling.turn(multiply(form.E, scaling.turn_back(dx[: form.cone_rows])))
    return e1, e2


def mass_times(form: NewtonForm, dw: Array) -> Array:
    """H dw."""
    return dw if form.H is None else multiply(form.H, dw)
