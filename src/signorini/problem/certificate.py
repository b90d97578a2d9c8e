"""The certificate: one function measures every solver's answer, with code of its own (see `certificate_terms`)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from signorini.math.cached import cached_property
from signorini.math.sparse import Array
from signorini.problem import certificate_terms as terms
from signorini.problem.certificate_terms import IDLE_JOINTS as IDLE_JOINTS
from signorini.problem.certificate_terms import IDLE_ROW as IDLE_ROW
from signorini.problem.certificate_terms import PREVENTED as PREVENTED
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.products import checked

Law = Literal["convex", "coulomb"]
"""`convex`: the relaxation, in which sliding contacts lift at the speed `mu |u_t|`; `coulomb`: the exact law."""


@dataclass(frozen=True, eq=False)
class FclibErrors:
    """Three normalisations of `e = |r - P_K(r - u)|`, as in the FCLIB collection."""

    scaled: float
    """e of the problem in units where `mean(diag W) = max|q| = 1`, over |q|: free of units, what decides."""
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

    def __repr__(self) -> str:
        return f"Answer({self.problem!r})"

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

    @cached_property
    def units(self) -> terms.Units | None:
        """In which errors of contacts are measured."""
        return terms.units_of(self.problem)

    def scaled(self, slip: Array, law: Law) -> float:
        """`FclibErrors.scaled` of the contact impulses with this slip."""
        return terms.scaled(self.problem, self.contact_impulse, slip, law == "coulomb", self.units)

    def by_law(self, slip: Array, law: Law) -> Array:
        """The slip as the law has it."""
        return slip if law == "convex" else terms.exact_slip(self.problem, self.contact_impulse, slip)


@dataclass(frozen=True, eq=False)
class Certificate:
    """How well (v, lambda, gamma) solves a `ContactProblem`, term by term.

    Relative errors divide each row by the sum of the magnitudes of its terms, so they do not depend on units. Rows
    where nothing happens are measured against the others (see `IDLE_ROW`). The errors that decide are measured at once,
    the others on demand.
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
    joint at rest is measured against the motion that it prevents, not against its own round-off. `v_push` counts up to
    `PREVENTED` times the rest of the row, which says no more on very light bodies. Rows in which nearly
    nothing moves are measured against `IDLE_JOINTS * IDLE_ROW` of the largest momentum."""
    scaled: float
    """What decides: the unit-free natural-map error by the law, u from the impulses alone (see `FclibErrors`)."""
    scaled_by_velocity: float
    """`scaled` with u from the velocities. The two agree but for round-off, unless masses differ so much that the
    impulses on a light body cancel to less than their own round-off: then only the velocities know the slip."""
    law: Law = "convex"
    """The law by which contacts were measured: with `coulomb`, u stands for `ContactProblem.exact_slip` everywhere but
    in the objectives, which only the convex problem has."""

    def __repr__(self) -> str:
        return (
            f"Certificate({self.law} law: error {self.error:.1e}; scaled {self.scaled:.1e}, "
            f"stationarity {self.stationarity_relative:.1e}, joints {self.joint_error_relative:.1e}, "
            f"worst contact {self.worst_contact})"
        )

    @cached_property
    def error(self) -> float:
        """What a tolerance is compared with: the largest of `scaled`, relative stationarity and joint error.

        `scaled` counts with the better of its two values, from impulses and from velocities: stationarity, which is
        measured as well, ties the two together.
        """
        natural = min(self.scaled, self.scaled_by_velocity)
        terms = (self.scaled, self.scaled_by_velocity, self.stationarity_relative, self.joint_error_relative)
        # NaN must be kept; min and max may drop it.
        return math.nan if any(map(math.isnan, terms)) else float(max(natural, *terms[2:]))

    # --- contacts ----------------------------------------------------------------------------------------------

    @cached_property
    def _slip(self) -> Array:
        """u by velocities and by the law."""
        return self.answer.by_law(self.answer.slip, self.law)

    @cached_property
    def _contacts(self) -> tuple[float, float, int, Array]:
        return terms.contact_errors(self.answer.problem, self.answer.contact_impulse, self._slip)

    @cached_property
    def _violations(self) -> tuple[float, float]:
        return terms.violations(self.answer.problem, self.answer.contact_impulse, self._slip)

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
        return self._contacts[3]

    @property
    def worst_contact(self) -> int:
        """Contact with the largest natural-map error relative to its own size, -1 without contacts."""
        return self._contacts[2] if self.answer.problem.contacts else -1

    @property
    def cone_violation(self) -> float:
        """How far the worst impulse lies outside K [N s]."""
        return self._violations[0]

    @property
    def dual_violation(self) -> float:
        """How far the worst slip lies outside K* [m/s]."""
        return self._violations[1]

    @cached_property
    def convex(self) -> FclibErrors:
        """FCLIB measures of the convex problem, u from the impulses alone."""
        return _fclib(self.answer, self.answer.caused_slip, "convex")

    @cached_property
    def coulomb(self) -> FclibErrors:
        """FCLIB measures of the exact Coulomb law (de Saxce), u from the impulses alone."""
        return _fclib(self.answer, self.answer.caused_slip, "coulomb")

    # --- energies ----------------------------------------------------------------------------------------------

    @cached_property
    def _work(self) -> tuple[float, float]:
        return terms.work_and_size(self.answer.problem, self.answer.contact_impulse, self._slip)

    @property
    def complementarity(self) -> float:
        """|lambda' u + sigma(-u)| [J], with the support function sigma of intervals (see `Cones`), 0 for cones."""
        return abs(self._work[0])

    @property
    def complementarity_relative(self) -> float:
        """Over `sum |lambda| (|u| + |r|)` plus the size of the objective; r is the slip without impulses."""
        size = self._work[1] + abs(self.objective_primal)
        return self.complementarity / size if size != 0 else 0.0

    @cached_property
    def _objectives(self) -> tuple[float, float]:
        a = self.answer
        return terms.objectives(a.problem, a.velocity, a.contact_impulse, a.joint_impulse, a.caused, a.slip)

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
    force, force_size = terms.forces(problem, lam, gamma)
    caused = terms.caused(problem, force)
    caused.flags.writeable = False
    v = caused if velocity is None else _kept(velocity, problem.velocities, "velocity to be measured")
    stationarity, stationarity_relative, idle = terms.stationarity(problem, v, force, force_size)
    joint_error, joint_error_relative = terms.joint_errors(problem, v, lam, idle)
    answer = Answer(problem, v, lam, gamma, caused)
    scaled = answer.scaled(answer.caused_slip, law)
    return Certificate(
        answer=answer,
        stationarity=stationarity,
        stationarity_relative=stationarity_relative,
        joint_error=joint_error,
        joint_error_relative=joint_error_relative,
        scaled=scaled,
        scaled_by_velocity=scaled if v is caused else answer.scaled(answer.slip, law),
        law=law,
    )


def _kept(vector: Array, size: int, name: str) -> Array:
    """The vector, copied if it is writable, so that it cannot change before it is measured."""
    found = checked(vector, size, name)
    if found.flags.writeable:
        found = terms.copied(found)
        found.flags.writeable = False
    return found


def _fclib(answer: Answer, slip: Array, law: Law) -> FclibErrors:
    """The three measures of the contact impulses with this slip."""
    problem, lam, exact = answer.problem, answer.contact_impulse, law == "coulomb"
    if not problem.contacts:
        return FclibErrors(0.0, 0.0, 0.0)
    q, plain = problem.slip_size, terms.unscaled(problem, lam, slip, exact)
    whole = terms.with_skew(problem, lam, slip) if exact else slip
    size = max(q, *(terms.norm(x) for x in (lam, whole)))
    return FclibErrors(
        scaled=answer.scaled(slip, law),
        abh=plain / q if q > 0 else plain,
        siconos=plain / size if size > 0 else plain,
    )
