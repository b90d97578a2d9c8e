"""Problems without contacts: one linear system, by factorisation or by a Krylov method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as spla

from signorini.math.sparse import Array, Csr, canonical
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.errors import SolverError
from signorini.problem.solution import Guess, Solution, Status
from signorini.solvers import SOLVERS
from signorini.solvers.base import Monitor, check_settings, finish, starting_impulses, starting_velocity
from signorini.solvers.linear import MatrixKind, back_end

METHODS = ("direct", "minres", "gmres", "bicgstab")
FAR = 0.01
"""Residual of an answer, in units of the right-hand side, from which on a small relative error tells nothing."""
GMRES_RESTART = 200
"""Directions that GMRES keeps."""
REGULARISATION = 1e-8
"""delta in `[H C'; C -delta I]`, relative to the diagonal of `C H^-1 C'`, which is scaled to one."""
IDLE_ROW = 1e-4
"""Least scale of a row of stationarity, relative to the largest one."""
STAGNATION = 0.5
"""Refinement ends when a step leaves more than this share of the error."""
CONTRADICTION = 0.5
"""The joints contradict one another when more than this share of the error that is left cannot be removed."""


@dataclass(frozen=True)
class Linear:
    """Solves a problem that has joints but no contacts [Mangoni2018, section 4.9]::

        [ H  C' ] [    v   ]   [   -c    ]
        [ C  0  ] [ -gamma ] = [ b_gamma ]

    Rows of C are scaled to a unit diagonal of `C H^-1 C'`. `direct` factors the system with `-delta I` in its corner
    and refines with the true system: that is the method of multipliers, so redundant but consistent joints get exact
    velocities and (nearly) the smallest multipliers. Joints that contradict one another end as INFEASIBLE, with the
    velocities that violate them least.
    """

    name: ClassVar[str] = "linear"

    tolerance: float = 1e-10
    """On `Certificate.error` [-]."""
    max_iterations: int = 10000
    """Steps of refinement, or of the Krylov method."""
    time_budget: float = float("inf")
    """[s]."""
    method: str = "direct"
    """`direct`, `minres`, or for comparison `gmres` and `bicgstab`, which do not use that the matrix is symmetric."""
    back_end: str = "auto"
    """Which factorisation `direct` uses; see `signorini.solvers.linear`."""
    warm_start: bool = True
    """Whether Krylov methods start from the guess [ChronoSlides003], or from the free motion."""

    def __post_init__(self) -> None:
        check_settings(self.tolerance, self.max_iterations, self.time_budget)
        if self.method not in METHODS:
            raise SolverError(f"there is no method {self.method!r}; choose one of {', '.join(METHODS)}")

    def solve(self, problem: ContactProblem, guess: Guess | Solution | None = None) -> Solution:
        """Solve `problem`; `direct` has no use for the guess, the others start from it."""
        if problem.contacts:
            able = ", ".join(name for name in SOLVERS if name != self.name)
            raise SolverError(
                f"the problem has {problem.contacts} contacts, and the solver 'linear' is for joints alone; use {able}"
            )
        monitor = Monitor(self.tolerance, self.max_iterations, self.time_budget)
        system = _System(problem)
        start = system.start(guess if self.warm_start else None)
        if self.method == "direct":
            x, reason, detail = self._direct(system, monitor)
        else:
            x, reason, detail = self._krylov(system, monitor, start)
        if reason is not Status.SOLVED and (row := system.contradiction(x)) is not None:
            reason, detail = Status.INFEASIBLE, f"{detail}; the joints contradict one another, worst in row {row} of C"
            x = system.with_least_multipliers(x)
        v, gamma = system.split(x)
        return finish(problem, self.name, monitor, reason, np.zeros(0), gamma, v, detail)

    def _direct(self, system: _System, monitor: Monitor) -> tuple[Array, Status, str]:
        chosen = back_end(self.back_end)
        matrix = system.regularised()
        factors = chosen.analyse(matrix, MatrixKind.SYMMETRIC)
        report = factors.factor(matrix.data)
        detail = f"direct, {chosen.name}"
        if not report.ok:
            monitor.record(0, float("inf"))
            return np.zeros(system.size), Status.STALLED, f"{detail}: {report.message}"
        x = factors.solve(system.b)
        best, last = x, float("inf")
        for iteration in range(1, self.max_iterations + 1):
            error = system.error(x)
            if monitor.record(iteration, error):
                best = x
            reason = monitor.verdict()
            if reason is not None:
                return best, reason, detail
            if error > STAGNATION * last:
                return best, Status.STALLED, detail
            last = error
            x = x + factors.solve(system.residual(x))
        return best, Status.ITERATION_LIMIT, detail

    def _krylov(self, system: _System, monitor: Monitor, x: Array) -> tuple[Array, Status, str]:
        """With a diagonal preconditioner, begun again from the answer until the error is small in every row."""
        watch = _Watch(system, monitor, x)
        relative = min(0.1 * self.tolerance, 1e-4)
        diagonal: Any = sp.diags_array(system.preconditioner) if system.size else None
        before = float("inf")
        try:
            watch.restart(np.zeros_like(x))
            while True:
                left = self.max_iterations - monitor.iterations
                watch.restart(
                    self._correction(system.matrix, system.residual(watch.x), relative, left, diagonal, watch)
                )
                if monitor.best_residual > STAGNATION * before:
                    return watch.x, Status.STALLED, self.method
                before = monitor.best_residual
        except _Stop as stop:
            ran_away = stop.reason is Status.SOLVED and system.is_far(watch.best)
            return watch.best, Status.STALLED if ran_away else stop.reason, self.method

    def _correction(self, matrix: Csr, b: Array, relative: float, left: int, M: Any, watch: _Watch) -> Array:
        """One run of the method, of `left` iterations at most."""
        if self.method == "gmres":
            # GMRES forms an iterate only when it restarts; until then iterations are counted but not measured.
            length = min(GMRES_RESTART, left)
            found, _ = spla.gmres(
                matrix, b, rtol=relative, restart=length, maxiter=1, M=M, callback=watch.count, callback_type="pr_norm"
            )
            return np.asarray(found)
        method = spla.minres if self.method == "minres" else spla.bicgstab
        return np.asarray(method(matrix, b, rtol=relative, maxiter=left, M=M, callback=watch)[0])


class _System:
    """The symmetric system in the unknowns (v, -S gamma), rows of C scaled by S^-1."""

    def __init__(self, problem: ContactProblem) -> None:
        self._problem = problem
        n, m = problem.velocities, problem.joint_rows
        self.size = n + m
        diagonal = problem.mass.congruence_diagonal(problem.C) if m else np.zeros(0)
        self._scale = 1.0 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
        C = sp.diags_array(self._scale) @ problem.C if m else problem.C
        self._C = canonical(C)
        self.matrix: Csr = _blocks(problem.H, self._C.T, self._C, None) if m else problem.H
        self.b = np.concatenate((-problem.c, self._scale * problem.b_gamma))
        self._absolute = abs(self.matrix)
        self.preconditioner = np.concatenate((1.0 / problem.H.diagonal(), np.ones(m)))

    def regularised(self) -> Csr:
        """Upper triangle of `[H C'; C -delta I]`."""
        m = len(self._scale)
        if m == 0:
            return canonical(sp.triu(self._problem.H))
        corner = -REGULARISATION * sp.eye_array(m)
        return canonical(sp.triu(_blocks(self._problem.H, self._C.T, None, corner)))

    def start(self, guess: Guess | Solution | None) -> Array:
        v = starting_velocity(self._problem, guess)
        _, gamma = starting_impulses(self._problem, guess)
        v = self._problem.velocity_of(np.zeros(0), gamma) if v is None else v
        return np.concatenate((v, -gamma / self._scale))

    def split(self, x: Array) -> tuple[Array, Array]:
        """(v, gamma) of the unknowns."""
        n = self._problem.velocities
        return x[:n].copy(), -self._scale * x[n:]

    def residual(self, x: Array) -> Array:
        return np.asarray(self.b - self.matrix @ x)

    def error(self, x: Array) -> float:
        """Largest residual of a row, relative to the size of the row's terms."""
        n = self._problem.velocities
        size = self._absolute @ np.abs(x) + np.abs(self.b)
        # As in the certificate: rows in which nothing happens are measured against those in which something does.
        root = np.sqrt(self._problem.H.diagonal())
        size[:n] = np.maximum(size[:n], IDLE_ROW * root * float((size[:n] / root).max(initial=0.0)))
        size[n:] += self._scale * self._problem.joint_size
        residual = np.abs(self.residual(x))
        return float((residual[size > 0] / size[size > 0]).max(initial=0.0))

    def is_far(self, x: Array) -> bool:
        """Whether residuals are small only beside unknowns that grew without bound, as BiCGStab's do where joints
        contradict one another."""
        return bool(np.linalg.norm(self.residual(x)) > FAR * np.linalg.norm(self.b))

    def contradiction(self, x: Array) -> int | None:
        """The worst row of C if what is left of the joints' error cannot be removed by any velocity.

        Farkas: `C v = b` has no solution if and only if there is an e with `C' e = 0` and `b'e != 0`.
        """
        left = self.residual(x)[self._problem.velocities :]
        size = float(np.linalg.norm(left))
        if size == 0.0:
            return None
        never = left - self._C @ _least_squares(self._C, left)
        return int(np.abs(never).argmax()) if float(np.linalg.norm(never)) > CONTRADICTION * size else None

    def with_least_multipliers(self, x: Array) -> Array:
        """The velocities of x with the smallest multipliers: those of contradictory joints grow without bound."""
        n = self._problem.velocities
        force = self._problem.H @ x[:n] + self._problem.c
        return np.concatenate((x[:n], -_least_squares(self._C.T, np.asarray(force))))


def _least_squares(matrix: Any, b: Array) -> Array:
    """The smallest x that minimises `|matrix x - b|`."""
    return np.asarray(spla.lsqr(matrix, b, atol=1e-14, btol=1e-14, iter_lim=10 * sum(matrix.shape))[0])


def _blocks(a: Any, b: Any, c: Any, d: Any) -> Csr:
    """[a b; c d]."""
    return sp.csr_array(sp.block_array([[a, b], [c, d]]))


class _Stop(Exception):  # noqa: N818 - not an error: the way out of scipy's loop
    def __init__(self, reason: Status) -> None:
        self.reason = reason


class _Watch:
    """Callback of scipy's methods: records, keeps the best iterate, stops by raising `_Stop`."""

    def __init__(self, system: _System, monitor: Monitor, x: Array) -> None:
        self._system, self._monitor = system, monitor
        self.x = x
        self.best = x

    def __call__(self, correction: Array) -> None:
        self._record(self.x + correction, self._monitor.iterations + 1)

    def count(self, _: float) -> None:
        """An iteration whose iterate is not available."""
        self._monitor.iterations += 1

    def restart(self, correction: Array) -> None:
        self.x = self.x + correction
        self._record(self.x, self._monitor.iterations)

    def _record(self, x: Array, iterations: int) -> None:
        if self._monitor.record(iterations, self._system.error(x)):
            self.best = x.copy()
        reason = self._monitor.verdict()
        if reason is not None:
            raise _Stop(reason)
