"""The exact law in self-dual units, with the impulses as the only unknowns.

With `lambda = s T x` (T a diagonal, s an overall scale) and `u = s T^-1 slips(x)`::

    slips(x) = N x + r,    y = slips + |slips_t| e,    x in K,  y in K,  x'y = 0          (joint rows: slips = 0)

K is a product of half-lines and Lorentz cones, N has a diagonal near 1 and the largest entry of r is 1. N acts as
`A H^-1 A' + E`, or is explicit (the **Delassus form**: A is None and E is N).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from signorini.kernels.cones import coulomb_cones as cone_kernels
from signorini.kernels.interior import coulomb as kernels
from signorini.math.sparse import Array, Csr, Indices
from signorini.problem.inverse import Inverse
from signorini.solvers.coulomb.rows import Rows

ROUND_OFF = 1e-13
"""Errors of impulses below this share of their size are none."""


@dataclass(frozen=True, eq=False)
class Mass:
    """H of bodies that are not rigid, scaled to a unit diagonal: `H = G H_problem G` with a diagonal G."""

    H: Csr
    G: Array
    inverse: Inverse
    """Of the problem's H."""

    def solve(self, push: Array) -> Array:
        """H^-1 push."""
        return self.inverse.solve(push / self.G) / self.G


@dataclass(frozen=True, eq=False)
class Form:
    """See the docstring of the module; letters as there."""

    start: Indices
    """First row of each cone, then the number of cone rows; joint rows follow."""
    mu: Array
    """Friction of each block, 0 for half-lines."""
    kept: Indices
    """Contact rows of the problem that are rows here: tangents without friction are left out."""
    factor: Array
    """Diagonal of T, joint rows included."""
    scale: float
    """s."""
    r: Array
    """Slips without impulses."""
    A: Rows | None
    """Contact and joint rows over velocities, whitened for rigid bodies; None in Delassus form."""
    mass: Mass | None
    """None where H is 1, or in Delassus form."""
    E: Rows | None
    """N in Delassus form, else the compliance, one block per contact; None where rigid."""
    contact_rows: int
    """Of the problem."""
    rho: float
    """1 / mean(diag N) of the problem: turns a slip into an impulse of the right size."""
    slip_size: float
    """|r| of the problem, what errors are relative to."""

    @property
    def cone_rows(self) -> int:
        """Rows with a cone; joint rows follow."""
        return int(self.start[-1])

    @property
    def rows(self) -> int:
        """Cone and joint rows."""
        return len(self.factor)

    def apply(self, x: Array) -> Array:
        """N x."""
        out = np.zeros(self.rows)
        if self.E is not None:
            out[: self.cone_rows] = self.E.multiply(x)
        if self.A is not None:
            push = self.A.multiply_transposed(x)
            out += self.A.multiply(push if self.mass is None else self.mass.solve(push))
        return out

    def slips(self, x: Array) -> Array:
        """N x + r."""
        return self.apply(x) + self.r

    def exact(self, slips: Array) -> tuple[Array, Array]:
        """y, and the unit vectors along the tangential slips."""
        y, along = np.empty_like(slips), np.empty_like(slips)
        kernels.de_saxce(self.start, slips, y, along)
        return y, along

    def point(self, contact_impulse: Array, joint_impulse: Array) -> Array:
        """x of impulses of the problem."""
        return np.concatenate((contact_impulse[self.kept], joint_impulse)) / (self.factor * self.scale)

    def impulses(self, x: Array) -> tuple[Array, Array]:
        """(lambda, gamma) of the problem."""
        whole, contact = x * self.factor * self.scale, np.zeros(self.contact_rows)
        contact[self.kept] = whole[: self.cone_rows]
        return contact, whole[self.cone_rows :]

    def error(self, x: Array, slips: Array) -> float:
        """The larger of `scaled` and `abh` of `Certificate.coulomb`, and of the slips of joints.

        `abh` is left out where it is round-off of the impulses: in units in which these are huge it never falls below.
        """
        m, blocks = self.cone_rows, len(self.mu)
        impulse, slip = x[:m] * self.factor[:m] * self.scale, slips[:m] / self.factor[:m] * self.scale
        exact, work, each = np.empty(m), np.empty(m), np.empty(blocks)
        cone_kernels.add_de_saxce(self.start, self.mu, slip, exact)
        scaled, plain = (
            float(cone_kernels.natural_map(self.start, self.mu, np.full(blocks, rho), impulse, exact, work, each))
            for rho in (self.rho, 1.0)
        )
        found = [scaled / self.rho / self.slip_size, float(np.abs(slips[m:]).max(initial=0.0))]
        if not plain <= ROUND_OFF * float(np.linalg.norm(impulse)):
            found.append(plain / self.slip_size)
        return float(np.max(found))  # unlike max, this lets not-a-number through
