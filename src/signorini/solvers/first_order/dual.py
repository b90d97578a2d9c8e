"""What a first-order solver asks of the scaled dual problem, and the rows it is made of."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
import scipy.sparse as sp

from signorini.kernels.cones.coulomb_cones import add_de_saxce
from signorini.kernels.sweeps import gradient_steps
from signorini.math.sparse import Array, Csr, Indices, canonical
from signorini.problem.contact_problem import ContactProblem


class Dual(Protocol):
    """The scaled dual problem; vectors over x are flat and have `size` entries."""

    @property
    def start(self) -> Indices:
        """First entry of each block of x, then `size`."""

    @property
    def mu(self) -> Array:
        """Friction coefficient of each block in the scaled variables, -1 for a free impulse."""

    @property
    def b(self) -> Array:
        """Gradient at x = 0."""

    @property
    def detail(self) -> str:
        """Storage and threads, for the user."""

    def variables(self, impulses: Array) -> Array:
        """x of the impulses (lambda, gamma)."""

    def begin(self, impulses: Array) -> Array:
        """x of the impulses, projected on the set."""

    def impulses(self, x: Array) -> Array:
        """(lambda, gamma) of x."""

    def product(self, x: Array, out: Array) -> None:
        """out = N x."""

    def gradient(self, x: Array, out: Array) -> None:
        """out = N x + b."""

    def sweep(
        self, done: int, count: int, symmetric: bool, omega: float, mixing: float, x: Array, exact: bool = False
    ) -> None:
        """`count` sweeps of projected SOR, the first being sweep number `done`; `exact` by the exact Coulomb law."""

    def lawful(self, g: Array) -> Array:
        """The gradient with the de Saxce term in its normal rows: what the exact Coulomb law has in its place."""

    def natural_error(self, x: Array, g: Array) -> float:
        """|lambda - P_K(lambda - u / w)|, w = mean(diag N) without scaling."""

    def direction(self, step: float, x: Array, g: Array, d: Array) -> tuple[float, float]:
        """d = P(x - step g) - x; returns (g'd, d'd)."""

    def forward(self, step: float, y: Array, gy: Array, x: Array) -> None:
        """x = P(y - step gy); `x` may be `y`."""

    def recede(self, d: Array) -> Array:
        """The direction nearest to d along which one can go for ever without leaving the set."""


class Blocks(Protocol):
    """What steps over cones read of a `Dual`."""

    @property
    def start(self) -> Indices:
        """See `Dual`."""

    @property
    def mu(self) -> Array:
        """See `Dual`."""


class ConeSteps:
    """Steps where the blocks are cones and free impulses: a cone is the set of its own directions."""

    def direction(self: Blocks, step: float, x: Array, g: Array, d: Array) -> tuple[float, float]:
        found: tuple[float, float] = gradient_steps.direction(self.start, self.mu, step, x, g, d)
        return found

    def forward(self: Blocks, step: float, y: Array, gy: Array, x: Array) -> None:
        gradient_steps.forward(self.start, self.mu, step, y, gy, x)

    def lawful(self: Blocks, g: Array) -> Array:
        out = np.empty_like(g)
        add_de_saxce(self.start, self.mu, g, out)
        return out

    def recede(self: Blocks, d: Array) -> Array:
        inside = d.copy()
        gradient_steps.forward(self.start, self.mu, 0.0, inside, inside, inside)
        return inside


@dataclass(frozen=True, eq=False)
class Rows:
    """Contacts and joints as one list of blocks."""

    problem: ContactProblem
    start: Indices
    """First row of each block, then the number of rows."""
    mu: Array
    """Friction coefficient of each block, -1 for joint rows."""
    mean: float
    """w = mean(diag N) over the contact rows, 1 where that is 0."""

    @classmethod
    def of(cls, problem: ContactProblem) -> Rows:
        """The rows of `problem`."""
        joints, start, mu = problem.joint_rows, problem.cones.start, problem.cones.friction
        if joints:
            start = np.concatenate((start, start[-1] + 1 + np.arange(joints)))
            mu = np.concatenate((mu, np.full(joints, -1.0)))
        return cls(problem, start, mu, problem.mean_weight)

    @cached_property
    def matrix(self) -> Csr:
        """[D; C], shape (rows, n)."""
        D, C = self.problem.D, self.problem.C
        return canonical(sp.vstack([D, C])) if self.problem.joint_rows else D

    @cached_property
    def offset(self) -> Array:
        """-(b_lambda, b_gamma) [m/s], shape (rows,)."""
        return -np.concatenate((self.problem.b_lambda, self.problem.b_gamma))
