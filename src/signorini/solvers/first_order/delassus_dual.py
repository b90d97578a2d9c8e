"""The scaled dual problem with an explicit sparse N."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from signorini.kernels.cones import block_scales
from signorini.kernels.sweeps import delassus, gradient_steps
from signorini.math.sparse import Array, Csr, Indices, canonical
from signorini.problem.contact_problem import ContactProblem
from signorini.solvers.first_order.dual import ConeSteps, Rows


@dataclass(frozen=True, eq=False)
class DelassusDual(ConeSteps):
    """Explicit sparse N, any cones."""

    N: Csr
    """Scaled, shape (rows, rows)."""
    b: Array
    start: Indices
    mu: Array
    scale: Array
    """s, shape (rows,)."""
    friction: Array
    """Unscaled friction coefficients, -1 for joint rows."""
    rho: float
    """1/w."""

    @classmethod
    def build(cls, problem: ContactProblem, rows: Rows, rule: int) -> DelassusDual:
        """Form N with the joints' rows and scale it."""
        N, r = with_joints(problem, rows)
        scale = np.empty(len(r))
        fallback = 1.0 / np.sqrt(rows.mean)
        block_scales.scales(rows.start, N.indptr, N.indices, N.data, rule, fallback, scale)
        last = np.minimum(rows.start[:-1] + 1, rows.start[1:] - 1)
        ratio = scale[rows.start[:-1]] / scale[last] if len(last) else np.ones(0)
        mu = np.where(rows.mu > 0, rows.mu * ratio, rows.mu)
        return cls(scaled_both_ways(N, scale), scale * r, rows.start, mu, scale, rows.mu, 1.0 / rows.mean)

    @property
    def detail(self) -> str:
        return "explicit N"

    def variables(self, impulses: Array) -> Array:
        return impulses / self.scale

    def begin(self, impulses: Array) -> Array:
        x = self.variables(impulses)
        self.forward(0.0, x, x, x)
        return x

    def impulses(self, x: Array) -> Array:
        return x * self.scale

    def product(self, x: Array, out: Array) -> None:
        delassus.product(self.N.indptr, self.N.indices, self.N.data, x, self.b, 0.0, out)

    def gradient(self, x: Array, out: Array) -> None:
        delassus.product(self.N.indptr, self.N.indices, self.N.data, x, self.b, 1.0, out)

    def sweep(self, done: int, count: int, symmetric: bool, omega: float, mixing: float, x: Array) -> None:
        N = self.N
        delassus.sweeps(
            done, count, symmetric, self.start, self.mu, N.indptr, N.indices, N.data, self.b, omega, mixing,
            np.empty_like(x), x,
        )  # fmt: skip

    def natural_error(self, x: Array, g: Array) -> float:
        return float(gradient_steps.natural_error(self.start, self.friction, self.scale, self.rho, x, g))


def with_joints(problem: ContactProblem, rows: Rows) -> tuple[Csr, Array]:
    """N and r with the joints' rows behind those of the contacts."""
    joints = problem.joint_rows
    if not joints:
        return problem.N, problem.r
    compliance = sp.block_diag([problem.E, sp.csr_array((joints, joints))])
    N = canonical(problem.mass.congruence(rows.matrix) + sp.csr_array(compliance))
    return N, np.concatenate((problem.r, problem.C @ problem.free_velocity - problem.b_gamma))


def scaled_both_ways(N: Csr, scale: Array) -> Csr:
    """`scale N scale`."""
    row = np.repeat(np.arange(len(scale)), np.diff(N.indptr))
    return sp.csr_array((N.data * scale[row] * scale[N.indices], N.indices, N.indptr), shape=N.shape)
