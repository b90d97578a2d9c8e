"""The judge: one function measures every solver's answer, and it shares no code with any solver."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from signorini.kernels.cones import general_blocks as general
from signorini.kernels.cones import residuals
from signorini.math.sparse import Array
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.products import add_product, add_transposed_product, checked, multiply_magnitudes

Law = Literal["convex", "coulomb"]
"""`convex`: the relaxation, in which sliding contacts lift at the speed `mu |u_t|`; `coulomb`: the exact law."""
IDLE_ROW = 1e-6
"""Rows of stationarity and joints in which nothing happens (no force, no motion) hold only round-off. They are
measured against this fraction of the largest momentum, in units of `sqrt(energy)`, instead of against themselves."""
IDLE_JOINTS = 10.0
"""How much more counts as nothing in the rows of joints: they ask for velocities that mend errors of position, and
redundant ones contradict one another by the round-off of positions over a short step."""
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
class Answer:
    """What is measured, and what it causes."""

    problem: ContactProblem
    velocity: Array
    """v, shape (n,)."""
    contact_impulse: Array
    """lambda, shape (contact rows,)."""
    joint_impulse: Array
    """gamma, shape (joint rows,)."""
    caused: Array
    """The velocities that the impulses alone cause, `H^-1 (D' lambda + C' gamma - c)`; often the same array as v."""

    @cached_property
    def slip(self) -> Array:
        """u of the velocities [m/s], shape (contact rows,)."""
        return self.problem.slip_of(self.velocity, self.contact_impulse)

    @cached_property
    def caused_slip(self) -> Array:
        """u of the impulses alone [m/s], shape (contact rows,)."""
        if self.caused is self.velocity:
            return self.slip
        return self.problem.slip_of(self.caused, self.contact_impulse)

    def by_law(self, slip: Array, law: Law) -> Array:
        """What stands for the slip in the law."""
        return slip if law == "convex" else self.problem.exact_slip(slip, self.contact_impulse)


@dataclass(frozen=True, eq=False)
class Certificate:
    """How well (v, lambda, gamma) solves a `ContactProblem`, term by term.

    Relative errors divide each row by the sum of the magnitudes of its terms, so they do not depend on units. Rows
    where nothing happens are measured against the others (see `IDLE_ROW`). What decides whether an answer is good is
    measured at once, the rest when it is asked for.
    """

    answer: Answer
    """What was measured."""
    stationarity: float
    """max |H v + c - C' gamma - D' lambda| [N s]."""
    stationarity_relative: float
    joint_error: float
    """max |C v - b_gamma| [m/s]."""
    joint_error_relative: float
    """The same over `|C| (|v| + |v_free| + |v_push|) + |b_gamma|` of the row, with the velocities `v_free = -H^-1 c`
    that the bodies would have without joints and contacts, and those that the contacts give them, `H^-1 D' lambda`: a
    joint at rest is measured against the motion that it prevents, not against its own round-off. Rows in which nearly
    nothing moves are measured against `IDLE_JOINTS * IDLE_ROW` of the largest momentum."""
    scaled: float
    """The gate: unit-free natural-map error by the law, u from the impulses alone (see `FclibErrors`)."""
    scaled_by_velocity: float
    """`scaled` with u from the velocities. The two agree but for round-off, unless masses differ so much that the
    impulses on a light body cancel to less than their own round-off: then only the velocities know the slip."""
    law: Law = "convex"
    """The law by which contacts were measured: with `coulomb`, u stands for `ContactProblem.exact_slip` everywhere but
    in the objectives, which only the convex problem has."""

    @cached_property
    def error(self) -> float:
        """What a tolerance is compared with: the largest of `scaled`, relative stationarity and joint error.

        `scaled` counts as the better of its two readings, from impulses and from velocities: stationarity, which is
        measured beside it, ties the two together.
        """
        natural = min(self.scaled, self.scaled_by_velocity)
        terms = (self.scaled, self.scaled_by_velocity, self.stationarity_relative, self.joint_error_relative)
        # Not-a-number must not get lost, as it may in min and max.
        return math.nan if any(map(math.isnan, terms)) else float(max(natural, *terms[2:]))

    # --- contacts ----------------------------------------------------------------------------------------------

    @cached_property
    def _slip(self) -> Array:
        """u by velocities and by the law."""
        return self.answer.by_law(self.answer.slip, self.law)

    @cached_property
    def _contacts(self) -> tuple[float, float, int, float, float, Array]:
        per_contact = np.empty(self.answer.problem.contacts)
        found = _contacts(self.answer.problem, self.answer.contact_impulse, self._slip, per_contact)
        return *found, per_contact

    @property
    def natural_map(self) -> float:
        """Norm over all contacts of `|lambda - P_K(lambda - rho u)|` [N s], u by velocities, rho = 1/mean(diag N)."""
        return self._contacts[0]

    @property
    def natural_map_relative(self) -> float:
        """The same with lambda and rho u in the denominator, of the worst contact."""
        return self._contacts[1]

    @property
    def natural_map_per_contact(self) -> Array:
        """[N s], shape (contacts,)."""
        return self._contacts[5]

    @property
    def worst_contact(self) -> int:
        """Contact with the largest natural-map error relative to its own size, -1 without contacts."""
        return self._contacts[2] if self.answer.problem.contacts else -1

    @property
    def cone_violation(self) -> float:
        """How far the worst impulse lies outside K [N s]."""
        return self._contacts[3]

    @property
    def dual_violation(self) -> float:
        """How far the worst slip lies outside K* [m/s]."""
        return self._contacts[4]

    @cached_property
    def convex(self) -> FclibErrors:
        """FCLIB measures of the convex problem, u from the impulses alone."""
        slip = self.answer.caused_slip
        return _fclib(self.answer.problem, self.answer.contact_impulse, slip, slip)

    @cached_property
    def coulomb(self) -> FclibErrors:
        """FCLIB measures of the exact Coulomb law (de Saxce), u from the impulses alone."""
        problem, lam, slip = self.answer.problem, self.answer.contact_impulse, self.answer.caused_slip
        whole = slip if problem.skew is None else add_product(problem.skew, lam, slip.copy())
        return _fclib(problem, lam, whole, problem.exact_slip(slip, lam))

    # --- energies ----------------------------------------------------------------------------------------------

    @cached_property
    def _work(self) -> tuple[float, float]:
        problem = self.answer.problem
        work, size = residuals.work_and_size(self.answer.contact_impulse, self._slip, problem.r)
        return work + problem.cones.support(self._slip), size

    @property
    def complementarity(self) -> float:
        """|lambda' u + sigma(-u)| [J], with the support function sigma of intervals (see `Cones`), 0 for cones."""
        return abs(self._work[0])

    @property
    def complementarity_relative(self) -> float:
        """Over `sum |lambda| (|u| + |r|)` plus the size of the objective; r is the slip without impulses."""
        return _ratio(self.complementarity, self._work[1] + abs(self.objective_primal))

    @cached_property
    def _objectives(self) -> tuple[float, float]:
        return _objectives(self.answer)

    @property
    def objective_primal(self) -> float:
        """`1/2 v'Hv + c'v + 1/2 lambda'E lambda + sigma(-u)` [J]."""
        return self._objectives[0]

    @property
    def objective_dual(self) -> float:
        """`b_lambda'lambda + b_gamma'gamma - 1/2 w'H w - 1/2 lambda'E lambda` [J], w caused by the impulses.

        Without joints `-(1/2 lambda'N lambda + r'lambda) - 1/2 c'H^-1 c`: the constant is included, so that it equals
        the primal one at the solution.
        """
        return self._objectives[1]

    @property
    def gap(self) -> float:
        """`objective_primal - objective_dual` [J]."""
        return self.objective_primal - self.objective_dual


def measure(
    problem: ContactProblem,
    velocity: Array | None,
    contact_impulse: Array,
    joint_impulse: Array,
    law: Law = "convex",
) -> Certificate:
    """Measure (v, lambda, gamma) against the KKT conditions in the docstring of `ContactProblem`, by either law.

    Without a `velocity`, v are the velocities that the impulses cause.
    """
    lam = _kept(contact_impulse, problem.contact_rows, "contact impulse to be measured")
    gamma = _kept(joint_impulse, problem.joint_rows, "joint impulse to be measured")
    force, force_size = _forces(problem, lam, gamma)
    caused = problem.inverse.solve(force - problem.c) if problem.velocities else np.zeros(0)
    caused.flags.writeable = False
    v = caused if velocity is None else _kept(velocity, problem.velocities, "velocity to be measured")
    H, idle = problem.H, np.empty(problem.velocities)
    stationarity, stationarity_relative = residuals.balance(
        H.indptr, H.indices, H.data, problem.c, v, force, force_size, IDLE_ROW, idle
    )
    joint_error, joint_error_relative = _joints(problem, v, lam, idle) if problem.joint_rows else (0.0, 0.0)
    answer = Answer(problem, v, lam, gamma, caused)
    scaled = _scaled(problem, lam, answer.by_law(answer.caused_slip, law))
    return Certificate(
        answer=answer,
        stationarity=stationarity,
        stationarity_relative=stationarity_relative,
        joint_error=joint_error,
        joint_error_relative=joint_error_relative,
        scaled=scaled,
        scaled_by_velocity=scaled if v is caused else _scaled(problem, lam, answer.by_law(answer.slip, law)),
        law=law,
    )


def fclib_errors(
    problem: ContactProblem, contact_impulse: Array, joint_impulse: Array
) -> tuple[FclibErrors, FclibErrors]:
    """The FCLIB measures of the convex and of the exact Coulomb problem; u comes from the impulses alone."""
    found = measure(problem, None, contact_impulse, joint_impulse)
    return found.convex, found.coulomb


def _kept(vector: Array, size: int, name: str) -> Array:
    """The vector, copied if somebody could change it before it is measured."""
    found = checked(vector, size, name)
    if found.flags.writeable:
        found = found.copy()
        found.flags.writeable = False
    return found


def _forces(problem: ContactProblem, lam: Array, gamma: Array) -> tuple[Array, Array]:
    """`D' lambda + C' gamma` and `|D|' |lambda| + |C|' |gamma|` [N s, N m s]."""
    rows = problem.rigid_rows
    if rows is not None and not len(gamma):
        return rows.forces(lam)
    force, size = np.zeros(problem.velocities), np.zeros(problem.velocities)
    for A, impulse in ((problem.C, gamma), (problem.D, lam)):
        if len(impulse):
            residuals.add_transposed_product(A.indptr, A.indices, A.data, impulse, 1.0, force, size)
    return force, size


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


def _scaled(problem: ContactProblem, lam: Array, shifted: Array) -> float:
    """`FclibErrors.scaled` of the slip that enters the natural map."""
    if not problem.contacts:
        return 0.0
    if not problem.cones.is_plain:
        return problem.gate(lam, shifted)
    w, q = problem.mean_weight, problem.slip_size
    error = residuals.uniform_natural_map(problem.cones.start, problem.cones.friction, 1.0 / w, lam, shifted)
    return float(w * error / q if q > 0 else w * error)


def _fclib(problem: ContactProblem, lam: Array, slip: Array, shifted: Array) -> FclibErrors:
    """`shifted` enters the natural map, `slip` the normalisation of Siconos."""
    if not problem.contacts:
        return FclibErrors(0.0, 0.0, 0.0)
    q, cones = problem.slip_size, problem.cones
    if cones.is_plain:
        plain = residuals.uniform_natural_map(cones.start, cones.friction, 1.0, lam, shifted)
    else:
        each, ones = np.empty(problem.contacts), np.ones(problem.contact_rows)
        plain = general.natural_map(cones.start, cones.table, ones, lam, shifted, each)
    size = max(q, residuals.norm(lam), residuals.norm(slip))
    return FclibErrors(
        scaled=_scaled(problem, lam, shifted),
        abh=plain / q if q > 0 else plain,
        siconos=plain / size if size > 0 else plain,
    )


def _joints(problem: ContactProblem, v: Array, lam: Array, idle_velocity: Array) -> tuple[float, float]:
    """Largest |C v - b_gamma|, and the same relative to the row's terms and to the motion that the joint prevents."""
    C, total, size = problem.C, -problem.b_gamma, np.abs(problem.b_gamma) + problem.joint_size
    residuals.add_product(C.indptr, C.indices, C.data, v, 1.0, total, size)
    pushed = add_transposed_product(problem.D, lam, np.zeros(problem.velocities))
    size += multiply_magnitudes(C, IDLE_JOINTS * idle_velocity + np.abs(problem.inverse.solve(pushed)))
    absolute, relative = residuals.row_errors(total, size)
    return absolute, relative


def _objectives(answer: Answer) -> tuple[float, float]:
    """Primal value at v, and the dual value at (lambda, gamma), which uses the velocities w that these cause."""
    problem, v, w = answer.problem, answer.velocity, answer.caused
    lam, gamma = answer.contact_impulse, answer.joint_impulse
    H, E = problem.H, problem.E
    compliance = 0.5 * residuals.quadratic_form(E.indptr, E.indices, E.data, lam)
    primal = 0.5 * residuals.quadratic_form(H.indptr, H.indices, H.data, v) + float(problem.c @ v) + compliance
    primal += problem.cones.support(answer.slip)
    kinetic = 0.5 * residuals.quadratic_form(H.indptr, H.indices, H.data, w)
    dual = float(problem.b_lambda @ lam) + float(problem.b_gamma @ gamma) - kinetic - compliance
    return primal, dual


def _ratio(value: float, size: float) -> float:
    return value / size if size != 0 else 0.0
