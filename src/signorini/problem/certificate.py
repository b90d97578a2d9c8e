"""The judge: one function measures every solver's answer, and it shares no code with any solver."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from signorini.kernels import general_blocks as general
from signorini.kernels import residuals
from signorini.math.sparse import Array
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.products import add_product, add_transposed_product, checked, multiply_magnitudes

Law = Literal["convex", "coulomb"]
"""`convex`: the relaxation, in which sliding contacts lift at the speed `mu |u_t|`; `coulomb`: the exact law."""
IDLE_ROW = 1e-6
"""Rows of stationarity and joints in which nothing happens (no force, no motion) hold only round-off. They are
measured against this fraction of the largest momentum, in units of `sqrt(energy)`, instead of against themselves."""
ROUND_OFF = 1e-12
"""Contacts whose impulse and slip are below this fraction of the largest cannot be the worst ones."""


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
    """The same over `|C| (|v| + |v_free| + |v_push|) + |b_gamma|` of the row, with the velocities `v_free = -H^-1 c`
    that the bodies would have without joints and contacts, and those that the contacts give them, `H^-1 D' lambda`: a
    joint at rest is measured against the motion that it prevents, not against its own round-off."""
    natural_map: float
    """Norm over all contacts of `|lambda - P_K(lambda - rho u)|` [N s], u from the velocities, rho = 1/mean(diag N)."""
    natural_map_relative: float
    """The same with lambda and rho u in the denominator, of the worst contact."""
    natural_map_per_contact: Array
    """[N s], shape (contacts,)."""
    complementarity: float
    """|lambda' u + sigma(-u)| [J], with the support function sigma of intervals (see `Cones`), 0 for cones."""
    complementarity_relative: float
    """Over `sum |lambda| (|u| + |r|)` plus the size of the objective; r is the slip without impulses."""
    cone_violation: float
    """How far the worst impulse lies outside K [N s]."""
    dual_violation: float
    """How far the worst slip lies outside K* [m/s]."""
    objective_primal: float
    """`1/2 v'Hv + c'v + 1/2 lambda'E lambda + sigma(-u)` [J]."""
    objective_dual: float
    """`b_lambda'lambda + b_gamma'gamma - 1/2 w'H w - 1/2 lambda'E lambda` [J], w caused by the impulses.

    Without joints `-(1/2 lambda'N lambda + r'lambda) - 1/2 c'H^-1 c`: the constant is included, so that it equals
    the primal one at the solution."""
    worst_contact: int
    """Contact with the largest natural-map error relative to its own size, -1 without contacts."""
    scaled_by_velocity: float
    """`scaled` with u from the velocities. The two agree but for round-off, unless masses differ so much that the
    impulses on a light body cancel to less than their own round-off: then only the velocities know the slip."""
    convex: FclibErrors
    """FCLIB measures of the convex problem, u from the impulses alone."""
    coulomb: FclibErrors
    """FCLIB measures of the exact Coulomb law (de Saxce), u from the impulses alone."""
    law: Law = "convex"
    """The law by which contacts were measured: with `coulomb`, u stands for `ContactProblem.exact_slip` everywhere but
    in the objectives, which only the convex problem has."""

    @property
    def scaled(self) -> float:
        """The gate: unit-free natural-map error of contacts by the law."""
        return self.convex.scaled if self.law == "convex" else self.coulomb.scaled

    @property
    def gap(self) -> float:
        """`objective_primal - objective_dual` [J]."""
        return self.objective_primal - self.objective_dual

    @property
    def error(self) -> float:
        """What a tolerance is compared with: the largest of `scaled`, relative stationarity and joint error.

        `scaled` counts as the better of its two readings, from impulses and from velocities: stationarity, which is
        measured beside it, ties the two together.
        """
        natural = np.min((self.scaled, self.scaled_by_velocity))
        # Unlike max, this lets not-a-number through.
        return float(np.max((natural, self.stationarity_relative, self.joint_error_relative)))


def measure(
    problem: ContactProblem,
    velocity: Array,
    contact_impulse: Array,
    joint_impulse: Array,
    law: Law = "convex",
) -> Certificate:
    """Measure (v, lambda, gamma) against the KKT conditions in the docstring of `ContactProblem`, by either law."""
    v = checked(velocity, problem.velocities, "velocity to be measured")
    lam = checked(contact_impulse, problem.contact_rows, "contact impulse to be measured")
    gamma = checked(joint_impulse, problem.joint_rows, "joint impulse to be measured")
    # sqrt(H_ii) brings rows of all units to the square root of an energy, so that one scale serves them all.
    root = np.sqrt(problem.H.diagonal())
    stationarity, stationarity_relative, idle = _balance(problem, v, lam, gamma, root)
    joint_error, joint_error_relative = _joints(problem, v, lam, idle / root) if problem.joint_rows else (0.0, 0.0)
    slip = problem.slip_of(v, lam)
    y = slip if law == "convex" else problem.exact_slip(slip, lam)
    per_contact = np.empty(problem.contacts)
    natural_map, natural_map_relative, worst, cone_violation, dual_violation = _contacts(problem, lam, y, per_contact)
    caused = problem.velocity_of(lam, gamma)
    primal, dual = _objectives(problem, v, caused, lam, gamma, slip)
    work, work_size = residuals.work_and_size(lam, y, problem.r)
    work += problem.cones.support(y)
    convex, coulomb = _both_fclib(problem, caused, lam)
    return Certificate(
        stationarity=stationarity,
        stationarity_relative=stationarity_relative,
        joint_error=joint_error,
        joint_error_relative=joint_error_relative,
        natural_map=natural_map,
        natural_map_relative=natural_map_relative,
        natural_map_per_contact=per_contact,
        complementarity=abs(work),
        complementarity_relative=_ratio(abs(work), work_size + abs(primal)),
        cone_violation=cone_violation,
        dual_violation=dual_violation,
        objective_primal=primal,
        objective_dual=dual,
        worst_contact=worst if problem.contacts else -1,
        scaled_by_velocity=_fclib(problem, lam, slip, y).scaled if problem.contacts else 0.0,
        convex=convex,
        coulomb=coulomb,
        law=law,
    )


def fclib_errors(
    problem: ContactProblem, contact_impulse: Array, joint_impulse: Array
) -> tuple[FclibErrors, FclibErrors]:
    """The FCLIB measures of the convex and of the exact Coulomb problem; u comes from the impulses alone."""
    return _both_fclib(problem, problem.velocity_of(contact_impulse, joint_impulse), contact_impulse)


def _contacts(
    problem: ContactProblem, lam: Array, slip: Array, per_contact: Array
) -> tuple[float, float, int, float, float]:
    """(norm of the natural map, its largest relative error, where, violation of K, of K*); fills `per_contact`."""
    cones = problem.cones
    if cones.is_plain:
        found: tuple[float, float, int, float, float] = residuals.contact_errors(
            cones.start, cones.friction, problem.rho, lam, slip, ROUND_OFF, per_contact
        )
        return found
    root = np.sqrt(cones.group_means(problem.N_diagonal))
    natural_map, relative, worst = general.block_errors(
        cones.start, cones.scaled_table(root), root, lam, slip, ROUND_OFF, per_contact
    )
    outside, outside_dual = residuals.largest(cones.violation(lam)), residuals.largest(cones.dual_violation(slip))
    return natural_map, relative, worst, outside, outside_dual


def _both_fclib(problem: ContactProblem, velocity: Array, lam: Array) -> tuple[FclibErrors, FclibErrors]:
    if problem.contacts == 0:
        return FclibErrors(0.0, 0.0, 0.0), FclibErrors(0.0, 0.0, 0.0)
    slip = problem.slip_of(velocity, lam)
    whole = slip if problem.skew is None else add_product(problem.skew, lam, slip.copy())
    return _fclib(problem, lam, slip, slip), _fclib(problem, lam, whole, problem.exact_slip(slip, lam))


def _fclib(problem: ContactProblem, lam: Array, slip: Array, shifted: Array) -> FclibErrors:
    """`shifted` enters the natural map, `slip` the normalisation of Siconos."""
    q, cones = problem.slip_size, problem.cones
    if cones.is_plain:
        w = float(problem.N_diagonal.mean())
        w = w if w > 0 else 1.0
        scaled = w * residuals.uniform_natural_map(cones.start, cones.friction, 1.0 / w, lam, shifted)
        scaled = scaled / q if q > 0 else scaled
        plain = residuals.uniform_natural_map(cones.start, cones.friction, 1.0, lam, shifted)
    else:
        scaled = problem.gate(lam, shifted)
        each, ones = np.empty(problem.contacts), np.ones(problem.contact_rows)
        plain = general.natural_map(cones.start, cones.table, ones, lam, shifted, each)
    size = max(q, residuals.norm(lam), residuals.norm(slip))
    return FclibErrors(
        scaled=scaled,
        abh=plain / q if q > 0 else plain,
        siconos=plain / size if size > 0 else plain,
    )


def _balance(problem: ContactProblem, v: Array, lam: Array, gamma: Array, root: Array) -> tuple[float, float, float]:
    """Largest |H v + c - C' gamma - D' lambda|, the same relative to the row's terms, and the size of idle rows."""
    total, size = problem.c.copy(), np.abs(problem.c)
    H, C, D = problem.H, problem.C, problem.D
    residuals.add_product(H.indptr, H.indices, H.data, v, 1.0, total, size)
    # The momenta alone say what is idle: impulses may be as large as they like without moving anything.
    idle = IDLE_ROW * float((size / root).max(initial=0.0))
    residuals.add_transposed_product(C.indptr, C.indices, C.data, gamma, -1.0, total, size)
    residuals.add_transposed_product(D.indptr, D.indices, D.data, lam, -1.0, total, size)
    np.maximum(size, idle * root, out=size)
    absolute, relative = residuals.row_errors(total, size)
    return absolute, relative, idle


def _joints(problem: ContactProblem, v: Array, lam: Array, idle_velocity: Array) -> tuple[float, float]:
    """Largest |C v - b_gamma|, and the same relative to the row's terms and to the motion that the joint prevents."""
    C, total, size = problem.C, -problem.b_gamma, np.abs(problem.b_gamma) + problem.joint_size
    residuals.add_product(C.indptr, C.indices, C.data, v, 1.0, total, size)
    pushed = add_transposed_product(problem.D, lam, np.zeros(problem.velocities))
    size += multiply_magnitudes(C, idle_velocity + np.abs(problem.inverse.solve(pushed)))
    absolute, relative = residuals.row_errors(total, size)
    return absolute, relative


def _objectives(
    problem: ContactProblem, v: Array, w: Array, lam: Array, gamma: Array, slip: Array
) -> tuple[float, float]:
    """Primal value at v with its slip, and the dual value at (lambda, gamma), with the velocities w they cause."""
    H, E = problem.H, problem.E
    compliance = 0.5 * residuals.quadratic_form(E.indptr, E.indices, E.data, lam)
    primal = 0.5 * residuals.quadratic_form(H.indptr, H.indices, H.data, v) + float(problem.c @ v) + compliance
    primal += problem.cones.support(slip)
    kinetic = 0.5 * residuals.quadratic_form(H.indptr, H.indices, H.data, w)
    dual = float(problem.b_lambda @ lam) + float(problem.b_gamma @ gamma) - kinetic - compliance
    return primal, dual


def _ratio(value: float, size: float) -> float:
    return value / size if size != 0 else 0.0
