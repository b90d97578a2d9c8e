"""The judge: one function measures every solver's answer, and it shares no code with any solver."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from signorini.kernels import cones as kernels
from signorini.kernels import residuals
from signorini.math.sparse import Array
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.errors import ProblemError

IDLE_ROW = 1e-4
"""Rows of stationarity and joints in which nothing happens (no force, no motion) hold only round-off. They are
measured against this fraction of the largest row, in units of `sqrt(energy)`, instead of against themselves."""


@dataclass(frozen=True, eq=False)
class FclibErrors:
    """Three normalisations of `e = |r - P_K(r - u)|`, as in the FCLIB collection."""

    scaled: float
    """e of the problem in units where `mean(diag W) = max|q| = 1`, over |q|: free of units, our gate."""
    abh: float
    """`e / |q|` [Acary2018]."""
    siconos: float
    """`e / max(|q|, |r|, |u|)`."""


@dataclass(frozen=True, eq=False)
class Certificate:
    """How well (v, lambda, gamma) solves a `ContactProblem`, term by term.

    Relative errors divide each row by the sum of the magnitudes of its terms, so they do not depend on units. Rows
    where nothing happens are measured against the others (see `IDLE_ROW`).
    """

    stationarity: float
    """max |H v + c - C' gamma - D' lambda| [N s]."""
    stationarity_relative: float
    joint_error: float
    """max |C v - b_gamma| [m/s]."""
    joint_error_relative: float
    natural_map: float
    """Norm over all contacts of `|lambda - P_K(lambda - rho u)|` [N s], u from the velocities, rho = 1/mean(diag N)."""
    natural_map_relative: float
    """The same with lambda and rho u in the denominator, of the worst contact."""
    natural_map_per_contact: Array
    """[N s], shape (contacts,)."""
    complementarity: float
    """|lambda' u| [J]."""
    complementarity_relative: float
    """Over `sum |lambda| (|u| + |r|)` plus the size of the objective; r is the slip without impulses."""
    cone_violation: float
    """How far the worst impulse lies outside K [N s]."""
    dual_violation: float
    """How far the worst slip lies outside K* [m/s]."""
    objective_primal: float
    """`1/2 v'Hv + c'v + 1/2 lambda'E lambda` [J]."""
    objective_dual: float
    """`-(1/2 lambda'N lambda + r'lambda)` with the joints' share [J]; equals the primal one at the solution."""
    worst_contact: int
    """Contact with the largest natural-map error relative to its own size, -1 without contacts."""
    convex: FclibErrors
    """FCLIB measures of the convex problem, u from the impulses alone."""
    coulomb: FclibErrors
    """FCLIB measures of the exact Coulomb law (de Saxce), u from the impulses alone."""

    @property
    def scaled(self) -> float:
        """The gate: unit-free natural-map error of the convex problem."""
        return self.convex.scaled

    @property
    def gap(self) -> float:
        """`objective_primal - objective_dual` [J]."""
        return self.objective_primal - self.objective_dual

    @property
    def error(self) -> float:
        """What a tolerance is compared with: the largest of `scaled`, relative stationarity and joint error."""
        return max(self.scaled, self.stationarity_relative, self.joint_error_relative)


def measure(
    problem: ContactProblem,
    velocity: Array,
    contact_impulse: Array,
    joint_impulse: Array,
) -> Certificate:
    """Measure (v, lambda, gamma) against the KKT conditions in the docstring of `ContactProblem`."""
    v, lam, gamma = (
        _vector(x, name, size)
        for x, name, size in (
            (velocity, "velocity", problem.velocities),
            (contact_impulse, "contact impulse", problem.contact_rows),
            (joint_impulse, "joint impulse", problem.joint_rows),
        )
    )
    balance, balance_size = _balance(problem, v, lam, gamma)
    # sqrt(H_ii) brings rows of all units to the square root of an energy, so that one scale serves them all.
    root = np.sqrt(problem.H.diagonal())
    idle = IDLE_ROW * float((balance_size / root).max(initial=0.0))
    joint, joint_size = _joints(problem, v, idle / root)
    slip = problem.slip_of(v, lam)
    per_contact, norm = _natural_map(problem, problem.rho, lam, slip)
    size = _norms(problem, lam) + problem.rho * _norms(problem, slip)
    # Contacts whose impulse and slip are both far below the problem's scale cannot be the worst ones.
    floor = 1e-12 * float(size.max(initial=0.0))
    relative = per_contact / np.maximum(size, floor if floor > 0 else 1.0)
    caused = problem.velocity_of(lam, gamma)
    primal, dual = _objectives(problem, v, caused, lam, gamma)
    work = float(lam @ slip)
    convex, coulomb = _both_fclib(problem, caused, lam)
    return Certificate(
        stationarity=float(balance.max(initial=0.0)),
        stationarity_relative=_largest_ratio(balance, np.maximum(balance_size, idle * root)),
        joint_error=float(joint.max(initial=0.0)),
        joint_error_relative=_largest_ratio(joint, joint_size),
        natural_map=norm,
        natural_map_relative=float(relative.max(initial=0.0)),
        natural_map_per_contact=per_contact,
        complementarity=abs(work),
        complementarity_relative=_ratio(
            abs(work), float(np.abs(lam) @ (np.abs(slip) + np.abs(problem.r))) + abs(primal)
        ),
        cone_violation=float(problem.cones.violation(lam).max(initial=0.0)),
        dual_violation=float(problem.cones.dual_violation(slip).max(initial=0.0)),
        objective_primal=primal,
        objective_dual=dual,
        worst_contact=int(relative.argmax()) if len(relative) else -1,
        convex=convex,
        coulomb=coulomb,
    )


def fclib_errors(
    problem: ContactProblem, contact_impulse: Array, joint_impulse: Array
) -> tuple[FclibErrors, FclibErrors]:
    """The FCLIB measures of the convex and of the exact Coulomb problem; u comes from the impulses alone."""
    return _both_fclib(problem, problem.velocity_of(contact_impulse, joint_impulse), contact_impulse)


def _both_fclib(problem: ContactProblem, velocity: Array, lam: Array) -> tuple[FclibErrors, FclibErrors]:
    if problem.contacts == 0:
        return FclibErrors(0.0, 0.0, 0.0), FclibErrors(0.0, 0.0, 0.0)
    slip = problem.slip_of(velocity, lam)
    exact = slip if problem.skew is None else slip + problem.skew @ lam
    de_saxce = np.empty_like(exact)
    kernels.add_de_saxce(problem.cones.start, problem.cones.friction, exact, de_saxce)
    return _fclib(problem, lam, slip, slip), _fclib(problem, lam, exact, de_saxce)


def _fclib(problem: ContactProblem, lam: Array, slip: Array, shifted: Array) -> FclibErrors:
    """`shifted` enters the natural map, `slip` the normalisation of Siconos."""
    w = float(np.mean(problem.N_diagonal))
    w = w if w > 0 else 1.0
    q = float(np.linalg.norm(problem.r))
    ones = np.ones(problem.contacts)
    _, scaled = _natural_map(problem, ones / w, lam, shifted)
    _, plain = _natural_map(problem, ones, lam, shifted)
    largest = max(q, float(np.linalg.norm(lam)), float(np.linalg.norm(slip)))
    return FclibErrors(
        scaled=w * scaled / q if q > 0 else w * scaled,
        abh=plain / q if q > 0 else plain,
        siconos=plain / largest if largest > 0 else plain,
    )


def _natural_map(problem: ContactProblem, rho: Array, lam: Array, slip: Array) -> tuple[Array, float]:
    error = np.empty(problem.contacts)
    work = np.empty(problem.contact_rows)
    norm = kernels.natural_map(problem.cones.start, problem.cones.friction, rho, lam, slip, work, error)
    return error, float(norm)


def _norms(problem: ContactProblem, x: Array) -> Array:
    """Euclidean norm of each block of x."""
    if problem.contacts == 0:
        return np.zeros(0)
    return np.asarray(np.sqrt(np.add.reduceat(x * x, problem.cones.start[:-1])))


def _vector(x: Array, name: str, size: int) -> Array:
    # Kernels do not check bounds: a short vector would read foreign memory.
    if x.shape != (size,):
        raise ProblemError(f"the {name} to be measured has shape {x.shape}, expected ({size},)")
    return np.ascontiguousarray(x, dtype=np.float64)


def _balance(problem: ContactProblem, v: Array, lam: Array, gamma: Array) -> tuple[Array, Array]:
    """|H v + c - C' gamma - D' lambda| of each row, and the sum of the magnitudes of the row's terms."""
    total, size = problem.c.copy(), np.abs(problem.c)
    if len(total):
        H, C, D = problem.H, problem.C, problem.D
        residuals.add_product(H.indptr, H.indices, H.data, v, 1.0, total, size)
        residuals.add_transposed_product(C.indptr, C.indices, C.data, gamma, -1.0, total, size)
        residuals.add_transposed_product(D.indptr, D.indices, D.data, lam, -1.0, total, size)
    return np.abs(total), size


def _joints(problem: ContactProblem, v: Array, idle_velocity: Array) -> tuple[Array, Array]:
    """|C v - b_gamma| of each row, and what it is measured against."""
    total, size = -problem.b_gamma, np.abs(problem.b_gamma)
    if len(total):
        C, unused = problem.C, np.zeros_like(total)
        residuals.add_product(C.indptr, C.indices, C.data, v, 1.0, total, size)
        # Joints at rest have C v = b = 0; what they are measured against is the motion that they stop.
        size += problem.joint_size
        residuals.add_product(C.indptr, C.indices, C.data, idle_velocity, 1.0, unused, size)
    return np.abs(total), size


def _largest_ratio(error: Array, size: Array) -> float:
    """Largest error / size; rows without size have no error either."""
    return float((error[size > 0] / size[size > 0]).max(initial=0.0))


def _objectives(problem: ContactProblem, v: Array, w: Array, lam: Array, gamma: Array) -> tuple[float, float]:
    """Primal value at v, and the dual value at (lambda, gamma), which uses the velocities w that these cause."""
    compliance = 0.5 * float(lam @ (problem.E @ lam)) if problem.E.nnz else 0.0
    primal = 0.5 * float(v @ (problem.H @ v)) + float(problem.c @ v) + compliance
    dual = (
        float(problem.b_lambda @ lam) + float(problem.b_gamma @ gamma) - 0.5 * float(w @ (problem.H @ w)) - compliance
    )
    return primal, dual


def _ratio(value: float, size: float) -> float:
    return value / size if size > 0 else 0.0
