"""The interface of the scaled dual problem, and the rows it is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import scipy.sparse as sp

from signorini.math.cached import cached_property
from signorini.math.sparse import Array, Csr, Indices, canonical
from signorini.problem.contact_problem import ContactProblem


class Dual(Protocol):
    """The scaled dual problem; vectors over x are flat and have `size` entries."""

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

    def conjugate_sweeps(self, count: int, x: Array, exact: bool) -> None:
        """`count` sweeps whose steps are combined as in the conjugate gradient method."""

    def with_de_saxce(self, g: Array) -> Array:
        """The gradient with the de Saxce term in its normal rows, as the exact Coulomb law has it."""

    def natural_error(self, x: Array, g: Array) -> float:
        """`w |lambda - P_K(lambda - u / w)| / |r|`, w = mean(diag N) without scaling; see `NaturalMapScale`."""

    def direction(self, step: float, x: Array, g: Array, d: Array) -> tuple[float, float]:
        """d = P(x - step g) - x; returns (g'd, d'd)."""

    def forward(self, step: float, y: Array, gy: Array, x: Array) -> None:
        """x = P(y - step gy); `x` may be `y`."""

    def recede(self, d: Array) -> Array:
        """Projection of d on the recession cone of the set."""


@dataclass(frozen=True, eq=False)
class DualRows:
    """Contacts and joints as one list of blocks."""

    problem: ContactProblem
    start: Indices
    """First row of each block, then the number of rows."""
    mu: Array
    """Friction coefficient of each block, -1 for joint rows."""
    mean: float
    """w = mean(diag N) over the contact rows, 1 where that is 0."""

    @classmethod
    def of(cls, problem: ContactProblem) -> DualRows:
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
