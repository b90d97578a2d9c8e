"""The exact law in self-dual units, with the impulses as the only unknowns.

In the units of the standard form (`cone_newton/standard_form.py`)::

    slips(x) = N x + r,    y = slips + |slips_t| e,    x in K,  y in K,  x'y = 0          (joint rows: slips = 0)

K is a product of half-lines and Lorentz cones. N acts as `A H^-1 A' + E`, or is explicit (Delassus form: E is N).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from signorini.kernels.cones import coulomb_cones as cone_kernels
from signorini.kernels.interior import coulomb as kernels
from signorini.math.cached import cached_property
from signorini.math.sparse import Array, Indices
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.mass_matrix import MassMatrix
from signorini.problem.products import multiply
from signorini.solvers.cone_newton.block_rows import BlockRows
from signorini.solvers.cone_newton.cone_map import DiagonalMap, positive
from signorini.solvers.cone_newton.error_estimate import joint_sizes
from signorini.solvers.cone_newton.standard_form import StandardForm, couples_contacts, standard_form

FEW_IMPULSES = 0.5
"""With fewer contact rows than this share of the velocities of bodies that are not rigid, N is formed."""


@dataclass(frozen=True, eq=False)
class ExactForm:
    """See the docstring of the module; letters as there."""

    standard: StandardForm
    mu: Array
    """Friction of each block, 0 for half-lines."""
    factor: Array
    """Diagonal of T, shape (cone rows,)."""
    N: BlockRows | None
    """In Delassus form, else None."""
    mass: MassMatrix | None
    """The problem's H; None where H is 1 here, or in Delassus form."""
    rho: float
    """1 / mean(diag N) of the problem: turns a slip into an impulse of the right size."""
    slip_size: float
    """|r| of the problem, what errors are relative to."""
    joint_size: Array
    """The motion that each joint row would have to stop, in units of the form."""

    @cached_property
    def start(self) -> Indices:
        """First row of each cone, then the number of cone rows; joint rows follow."""
        return self.standard.start

    @cached_property
    def cone_rows(self) -> int:
        """Rows with a cone; joint rows follow."""
        return self.standard.cone_rows

    @cached_property
    def rows(self) -> int:
        """Cone and joint rows."""
        return self.standard.A.rows

    @property
    def is_delassus(self) -> bool:
        """Whether N is explicit."""
        return self.N is not None

    def apply(self, x: Array) -> Array:
        """N x."""
        if self.N is not None:
            return self.N.multiply(x)
        form = self.standard
        push = form.A.multiply_transposed(x)
        out = form.A.multiply(push if self.mass is None else self._solve(push))
        if form.E is not None:
            out[: self.cone_rows] += multiply(form.E, x[: self.cone_rows])
        return out

    def _solve(self, push: Array) -> Array:
        """H^-1 push, where H is that of the problem scaled by a diagonal G."""
        assert self.mass is not None
        G = self.standard.G.data
        return np.asarray(self.mass.solve(push / G) / G)

    def slips(self, x: Array) -> Array:
        """N x + r."""
        return self.apply(x) + self.standard.r

    def exact(self, slips: Array) -> tuple[Array, Array]:
        """y, and the unit vectors along the tangential slips."""
        y, along = np.empty_like(slips), np.empty_like(slips)
        kernels.de_saxce(self.start, slips, y, along)
        return y, along

    def error(self, x: Array, slips: Array) -> float:
        """`Certificate.scaled` by the exact law, or the slips of joints relative to the motion that they prevent."""
        m, scale = self.cone_rows, self.standard.scale
        impulse, slip = x[:m] * self.factor * scale, slips[:m] / self.factor * scale
        exact, work, each = np.empty(m), np.empty(m), np.empty(len(self.mu))
        cone_kernels.add_de_saxce(self.start, self.mu, slip, exact)
        natural = cone_kernels.natural_map(
            self.start, self.mu, np.full(len(self.mu), self.rho), impulse, exact, work, each
        )
        joints = np.abs(slips[m:]) / self.joint_size
        return float(np.max((float(natural) / (self.rho * self.slip_size), joints.max(initial=0.0))))


def exact_form(problem: ContactProblem) -> ExactForm | None:
    """The form of a problem; None for an E that couples contacts beside joints, which neither form has room for."""
    couples = not problem.is_dual_only and couples_contacts(problem, "coulomb")
    if couples and problem.joint_rows:
        return None
    delassus = problem.is_dual_only or problem.skew is not None or couples or _has_few_impulses(problem)
    standard = standard_form(problem, delassus, "coulomb")
    assert isinstance(standard.cones, DiagonalMap)
    return ExactForm(
        standard,
        problem.cones.friction,
        standard.cones.factor,
        BlockRows.of_square(standard.E, standard.start) if delassus and standard.E is not None else None,
        None if delassus or standard.is_white else problem.mass,
        rho=1.0 / problem.mean_weight,
        slip_size=problem.slip_size or 1.0,
        joint_size=positive(joint_sizes(problem, standard)),
    )


def _has_few_impulses(problem: ContactProblem) -> bool:
    few = problem.contact_rows < FEW_IMPULSES * problem.velocities and problem.joint_rows == 0
    return few and problem.mass.factor is None
