"""Clarabel, a third-party interior point, behind our solver interface: a reference for accuracy and for time."""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from signorini.math.sparse import Array
from signorini.problem.cones import Cones
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.errors import MissingExtraError, SolverError
from signorini.problem.lifting import Lifting
from signorini.problem.solution import Guess, Solution, Status
from signorini.solvers.base import Monitor, check_settings, finish, starting_impulses

GAP_SHARE, SMALLEST_GAP = 1e-4, 1e-12
FORMS = ("auto", "primal", "dual")
DUAL_ROWS = 6000
"""`auto` takes the primal form above this many contact rows: the explicit N of a large pile costs too much."""


@dataclass(frozen=True)
class Clarabel:
    """The contact problem as a cone QP for Clarabel (extra `oracle`).

    **Its own tolerance is a gap**, and a gap of 1e-8 typically leaves a natural-map error of 1e-6 to 1e-5. So Clarabel
    is asked for `gap` (its `tol_gap_abs`, `tol_gap_rel` and `tol_feas`), by default 1e-4 times `tolerance` but not
    below 1e-12. As for every solver the status is judged by `Certificate.error <= tolerance`, so a run that Clarabel
    calls solved may come back as STALLED; `detail` quotes Clarabel. The guess is not used: Clarabel has no warm start.

    Shares of the FCLIB collection that reach a scaled error of 1e-4 / 1e-6 / 1e-8 (Clarabel 0.11.1, 83 files, scaled):
    dual form 93 / 90 / 53 % with gap 1e-12, 100 / 93 / 23 % with 1e-10, 100 / 36 / 8 % with 1e-8; primal form (57
    files) 100 / 81 / 53 % with 1e-12. Unscaled data lose: 89 / 22 / 6 % with 1e-8 in dual form.

    Forms: `dual` is `min 1/2 x'Px + q'x` over x = (lambda, gamma), lambda in K and gamma free; `primal` has x = v with
    the slack in K*, joints in the zero cone, and lambda among the multipliers. A compliance E adds to the primal form
    variables z with `1/2 z'Ez` in the objective and `E z` in the slack, so that `E z = E lambda` at the solution.
    """

    name: ClassVar[str] = "clarabel"

    tolerance: float = 1e-8
    """On `Certificate.error` [-]."""
    max_iterations: int = 200
    time_budget: float = float("inf")
    """[s]."""
    form: str = "auto"
    """`primal`, `dual`, or `auto`: dual up to a few thousand contact rows, the more accurate one."""
    scaled: bool = True
    """Solve in units where `mean(diag N) = max|r| = 1`: Clarabel is far more accurate so."""
    gap: float | None = None
    """Clarabel's own tolerance [-]; None: `max(1e-4 * tolerance, 1e-12)`."""

    def __post_init__(self) -> None:
        check_settings(self.tolerance, self.max_iterations, self.time_budget)
        if self.form not in FORMS:
            raise SolverError(f"there is no form {self.form!r}; choose one of {', '.join(FORMS)}")
        if self.gap is not None and not self.gap > 0:
            raise SolverError(f"gap is {self.gap}, expected a number > 0 such as 1e-12")

    def solve(self, problem: ContactProblem, guess: Guess | Solution | None = None) -> Solution:
        """Solve `problem`; the guess is not used."""
        clarabel = _load()
        starting_impulses(problem, guess)  # a guess of the wrong shape is an error even where it is not used
        monitor = Monitor(self.tolerance, self.max_iterations, self.time_budget)
        units = _Units.of(problem) if self.scaled else _Units(1.0, 1.0)
        dual = self.form == "dual" or problem.is_dual_only
        if self.form == "auto" and not dual:
            dual = 0 < problem.contact_rows <= DUAL_ROWS
        program = _dual(problem, units, clarabel) if dual else _primal(problem, units, clarabel)
        found = self._run(clarabel, program, monitor)
        lam, gamma, v = program.answer(problem, units, np.array(found.x), np.array(found.z))
        reason = _status(clarabel, found.status)
        detail = f"{'dual' if dual else 'primal'} form; Clarabel says {found.status}"
        return finish(problem, self.name, monitor, reason, lam, gamma, v, detail)

    def _run(self, clarabel: ModuleType, program: _Program, monitor: Monitor) -> Any:
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        settings.max_iter = self.max_iterations
        settings.time_limit = self.time_budget
        gap = max(GAP_SHARE * self.tolerance, SMALLEST_GAP) if self.gap is None else self.gap
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = gap
        solver = clarabel.DefaultSolver(program.P, program.q, program.A, program.b, program.cones, settings)

        def watch(info: Any) -> bool:
            monitor.record(int(info.iterations), max(info.gap_rel, info.res_primal, info.res_dual))
            return False

        solver.set_termination_callback(watch)
        return solver.solve()


@dataclass(frozen=True)
class _Units:
    """Slips are counted in `speed`, impulses in `speed / inverse_mass`."""

    inverse_mass: float
    """mean(diag N) [1/kg]."""
    speed: float
    """max|r| [m/s]."""

    @classmethod
    def of(cls, problem: ContactProblem) -> _Units:
        rows = problem.contact_rows
        if rows == 0:
            w = float(np.mean(1.0 / problem.H.diagonal())) if problem.velocities else 1.0
            s = float(np.abs(problem.free_velocity).max(initial=0.0))
        else:
            w = float(np.mean(problem.N_diagonal))
            s = float(np.abs(problem.r).max())
        return cls(w if w > 0 else 1.0, s if s > 0 else 1.0)

    @property
    def impulse(self) -> float:
        return self.speed / self.inverse_mass


@dataclass(frozen=True, eq=False)
class _Program:
    """`min 1/2 x'Px + q'x` with `A x + s = b`, s in cones."""

    P: sp.csc_array
    q: Array
    A: sp.csc_array
    b: Array
    cones: list[Any]
    back: sp.csr_array
    """lambda from the multipliers of the primal form."""
    base: Array
    """What lambda is without them [N s]."""
    dual: bool

    def answer(self, problem: ContactProblem, units: _Units, x: Array, z: Array) -> tuple[Array, Array, Array | None]:
        """(lambda, gamma, v) in SI; v is None where it follows from the impulses."""
        m, n, g = problem.contact_rows, problem.velocities, problem.joint_rows
        if self.dual:
            return units.impulse * x[:m], units.impulse * x[m:], None
        # Hv + c + A'z = 0 with A = -(C; S D): the multipliers of C are -gamma, those of S D give lambda = S z.
        lam = self.base + units.impulse * np.asarray(self.back @ z[g:])
        return lam, -units.impulse * z[:g], units.speed * x[:n]


@dataclass(frozen=True, eq=False)
class _ConeRows:
    """How rows of contacts become rows of Clarabel's cones: `matrix @ rows + offset`."""

    matrix: sp.csr_array
    offset: Array
    cones: list[Any]

    @classmethod
    def of(cls, cones: Cones, clarabel: ModuleType, dual_cone: bool, unit: float = 1.0) -> _ConeRows:
        """Of K in units of impulse (as `(mu n, t)` in a Lorentz cone) or of the K* of plain cones (as `(n, mu t)`).

        With mu = 0 the tangent rows are zero in K and free in K*.
        """
        made = _RowList(clarabel)
        for k in range(cones.count):
            first, d, mu = int(cones.start[k]), int(cones.dims[k]), float(cones.friction[k])
            if dual_cone:
                made.dual_cone(first, d, mu)
            elif cones.is_interval[k]:
                made.interval(first, float(cones.low[k]) / unit, float(cones.high[k]) / unit)
            elif cones.is_rolling[k]:
                made.cone(first, range(first + 1, first + 3), mu)
                made.cone(first, range(first + 3, first + 4), float(cones.spinning[k]))
                made.cone(first, range(first + 4, first + 6), float(cones.rolling[k]))
            else:
                made.cone(first, range(first + 1, first + d), mu)
        shape = (len(made.chosen), cones.rows)
        matrix = sp.csr_array((made.weight, (np.arange(shape[0]), np.array(made.chosen, dtype=np.int64))), shape=shape)
        return cls(matrix, np.array(made.offset), made.cones)


class _RowList:
    """Collects rows of Clarabel's cones, `weight * row + offset`."""

    def __init__(self, clarabel: ModuleType) -> None:
        self._clarabel = clarabel
        self.chosen: list[int] = []
        self.weight: list[float] = []
        self.offset: list[float] = []
        self.cones: list[Any] = []

    def _add(self, cone: Any, rows: list[int], weight: list[float], offset: float = 0.0) -> None:
        self.cones.append(cone)
        self.chosen += rows
        self.weight += weight
        self.offset += [offset] * len(rows)

    def cone(self, normal: int, tangents: range, mu: float) -> None:
        """`mu n >= |t|`."""
        if mu > 0:
            lorentz = self._clarabel.SecondOrderConeT(1 + len(tangents))
            self._add(lorentz, [normal, *tangents], [mu] + [1.0] * len(tangents))
            return
        self._add(self._clarabel.NonnegativeConeT(1), [normal], [1.0])
        if tangents:
            self._add(self._clarabel.ZeroConeT(len(tangents)), [*tangents], [1.0] * len(tangents))

    def dual_cone(self, first: int, d: int, mu: float) -> None:
        """`n >= mu |t|`."""
        if mu > 0:
            self._add(self._clarabel.SecondOrderConeT(d), [*range(first, first + d)], [1.0] + [mu] * (d - 1))
        else:
            self._add(self._clarabel.NonnegativeConeT(1), [first], [1.0])

    def interval(self, row: int, low: float, high: float) -> None:
        """`low <= row <= high`."""
        if np.isfinite(low):
            self._add(self._clarabel.NonnegativeConeT(1), [row], [1.0], -low)
        if np.isfinite(high):
            self._add(self._clarabel.NonnegativeConeT(1), [row], [-1.0], high)


def _dual(problem: ContactProblem, units: _Units, clarabel: ModuleType) -> _Program:
    """Impulses as unknowns, joints as free ones."""
    w, s = units.inverse_mass, units.speed
    P: Any = problem.N / w
    q = problem.r / s
    joints = problem.joint_rows
    if joints:
        G: Any = sp.csr_array(sp.vstack([problem.D, problem.C]))
        grown = sp.block_diag([problem.E, sp.csr_array((joints, joints))])
        P = (problem.mass.congruence(G) + grown) / w
        q = np.concatenate((q, (problem.C @ problem.free_velocity - problem.b_gamma) / s))
    rows = _ConeRows.of(problem.cones, clarabel, False, units.impulse)
    A: Any = sp.hstack([-rows.matrix, sp.csr_array((rows.matrix.shape[0], joints))])
    nothing = np.zeros(problem.contact_rows)
    return _Program(_upper(P), q, sp.csc_array(A), rows.offset, rows.cones, rows.matrix, nothing, True)


def _primal(problem: ContactProblem, units: _Units, clarabel: ModuleType) -> _Program:
    """Velocities as unknowns; intervals and rolling blocks through `Lifting`."""
    w, s = units.inverse_mass, units.speed
    lift = Lifting.of(problem.cones)
    rows = _ConeRows.of(lift.cones, clarabel, True)
    joints, free, extra = problem.joint_rows, len(lift.free), len(lift.cost)
    soft = np.flatnonzero(np.diff(problem.E.indptr)) if problem.E.nnz else np.zeros(0, dtype=np.int64)
    E: Any = problem.E[:, soft] / w
    P: Any = sp.block_diag([problem.H * w, E[soft], sp.csr_array((extra, extra))])
    D: Any = sp.hstack([problem.D, E])
    S: Any = rows.matrix @ lift.S
    pick: Any = sp.csr_array((np.ones(free), (np.arange(free), lift.free)), shape=(free, problem.contact_rows))
    A = sp.csc_array(
        sp.vstack(
            [
                sp.hstack([problem.C, sp.csr_array((joints, len(soft) + extra))]),
                sp.hstack([-(pick @ D), sp.csr_array((free, extra))]),
                sp.hstack([-(S @ D), -(rows.matrix @ lift.Z)]),
            ]
        )
    )
    b = np.concatenate((problem.b_gamma, -(pick @ problem.b_lambda), -(S @ problem.b_lambda))) / s
    pushed = problem.c - problem.D.T @ lift.base
    q = np.concatenate((pushed * (w / s), -(problem.E @ lift.base)[soft] / s, lift.cost * (w / s)))
    zero = [clarabel.ZeroConeT(joints + free)] if joints + free else []
    back = sp.csr_array(sp.hstack([pick.T, S.T]))
    return _Program(_upper(P), q, A, b, [*zero, *rows.cones], back, lift.base, False)


def _upper(P: Any) -> sp.csc_array:
    return sp.csc_array(sp.triu(P))


def _status(clarabel: ModuleType, status: Any) -> Status:
    """Clarabel's status as one of ours."""
    names = clarabel.SolverStatus
    table = {
        str(names.Solved): Status.SOLVED,
        str(names.MaxIterations): Status.ITERATION_LIMIT,
        str(names.MaxTime): Status.TIME_LIMIT,
        str(names.PrimalInfeasible): Status.INFEASIBLE,
        str(names.DualInfeasible): Status.INFEASIBLE,
        str(names.AlmostPrimalInfeasible): Status.INFEASIBLE,
        str(names.AlmostDualInfeasible): Status.INFEASIBLE,
    }
    return table.get(str(status), Status.STALLED)


def _load() -> ModuleType:
    try:
        import clarabel
    except ImportError as error:
        raise MissingExtraError("Clarabel is not installed; type: pip install 'signorini[oracle]'") from error
    module: ModuleType = clarabel
    return module
