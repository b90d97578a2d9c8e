"""The dual problem in scaled units, on which the barrier works, and the transformation back to SI."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from signorini.kernels.cones import coulomb_cones as kernels
from signorini.kernels.linalg.dense import dot
from signorini.math.cached import cached_property
from signorini.math.sparse import Array, Csr, Indices, canonical
from signorini.problem.cones import Cones
from signorini.problem.contact_problem import ContactProblem
from signorini.solvers.cone_newton.block_rows import BlockRows
from signorini.solvers.primal_dual_barrier.quadratic_constraints import QuadraticConstraints

MOST_ROWS = 3
"""Of a contact whose block is diagonalised in closed form."""
RAY = 1e-6
"""A direction d of unit length is a ray of unbounded descent when `|P d| <= this * (-q'd)`."""


@dataclass(frozen=True, eq=False)
class ScaledProblem:
    """`min 1/2 x'Px + q'x` over x = (impulses in cones, joint impulses free), `diag P` about 1 and `max|q| = 1`.

    Impulses are `unit * scale * x`. Tangent rows of contacts with mu = 0 are left out: such a contact is a half-line;
    so are the spins and rolls of coefficient 0, and intervals without width.
    """

    problem: ContactProblem
    q: Array
    """`scale r / unit`, shape (rows,)."""
    start: Indices
    """First row of each block, then the number of contact rows kept; without blocks that have no rows left."""
    constraints: QuadraticConstraints
    """The constraints on x."""
    kept: Indices
    """Contact rows of the problem that are unknowns here."""
    scale: Array
    """One number per contact and per joint row, shape (rows,)."""
    unit: float

    @classmethod
    def of(cls, problem: ContactProblem) -> Self:
        """Scale by the mean diagonal of N per contact, then by the largest entry of the linear term."""
        cones = problem.cones
        kept = _kept_rows(cones)
        dims = np.bincount(cones.block_of_row[kept], minlength=cones.count)
        start = np.concatenate(([0], np.cumsum(dims[dims > 0]))).astype(np.int64)
        m = int(start[-1])
        drift = problem.C @ problem.free_velocity - problem.b_gamma if problem.joint_rows else np.zeros(0)
        q = np.concatenate((problem.r[kept], drift))
        scale = np.ones(len(q))
        row_scale = 1.0 / np.sqrt(cones.group_means(problem.N_diagonal))
        scale[:m] = row_scale[kept]
        if problem.joint_rows:
            diagonal = problem.mass.congruence_diagonal(problem.C)
            scale[m:] = 1.0 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
        unit = float(np.abs(scale * q).max(initial=0.0))
        unit = unit if unit > 0 else 1.0
        if cones.is_plain:
            constraints = QuadraticConstraints.plain(start, cones.friction)
        else:
            constraints = QuadraticConstraints.of(
                start, kept, cones.start, cones.scaled_table(1.0 / (unit * row_scale))
            )
        return cls(problem, scale * q / unit, start, constraints, kept, scale, unit)

    @cached_property
    def P(self) -> Csr:
        """`scale N scale` with the joints' rows and columns behind those of the contacts, shape (rows, rows)."""
        S: Any = sp.diags_array(self.scale)
        return canonical(S @ _dual_matrix(self.problem, self.kept) @ S) if len(self.q) else canonical(np.zeros((0, 0)))

    @cached_property
    def rows(self) -> BlockRows | None:
        """A with `P = A A'`: contacts of rigid bodies without compliance, no joints; else None."""
        problem, white = self.problem, self.problem.whitened
        plain = problem.cones.is_plain and not (problem.joint_rows or problem.E.nnz)
        if white is None or not plain or np.diff(self.start).max(initial=0) > MOST_ROWS:
            return None
        kept = white if len(self.kept) == white.shape[0] else canonical(white[self.kept])
        return BlockRows.stacked(kept, canonical(problem.C), self.start, self.scale).compressed()[0]

    def times(self, x: Array) -> Array:
        """P x."""
        rows = self.rows
        return np.asarray(self.P @ x) if rows is None else rows.multiply(rows.multiply_transposed(x))

    @property
    def contact_rows(self) -> int:
        """Rows of x that belong to contacts; joints follow."""
        return int(self.start[-1])

    def slip(self, x: Array) -> Array:
        """`P x + q`: scaled slip of contacts, scaled error of joints."""
        return self.times(x) + self.q

    def objective(self, x: Array, u: Array) -> float:
        """`1/2 lambda'N lambda + r'lambda` [J] at x, with `u = P x + q`; joints included."""
        # BLAS would take a second thread for this.
        return 0.5 * self.unit**2 * float(dot(x, u + self.q, 0, len(x)))

    def impulses(self, x: Array) -> tuple[Array, Array]:
        """(lambda, gamma) in SI."""
        m = self.contact_rows
        impulse = self.unit * self.scale * x
        lam = np.zeros(self.problem.contact_rows)
        lam[self.kept] = impulse[:m]
        return lam, impulse[m:].copy()

    def unknowns(self, lam: Array, gamma: Array) -> Array:
        """x of impulses in SI."""
        return np.concatenate((lam[self.kept], gamma)) / (self.unit * self.scale)

    def error(self, x: Array, u: Array) -> float:
        """Estimate of `Certificate.error` at x, with `u = P x + q`."""
        error = self._natural_error(x, u) if self.contact_rows else 0.0
        return max(error, self._joint_error(x)) if self.problem.joint_rows else error

    def _natural_error(self, x: Array, u: Array) -> float:
        m, problem = self.contact_rows, self.problem
        slip = self.unit / self.scale[:m] * u[:m]
        if not problem.cones.is_plain:
            whole = np.zeros(problem.contact_rows)
            whole[self.kept] = slip
            return problem.natural_map_scale(self.impulses(x)[0], whole)
        w = float(np.mean(problem.N_diagonal))
        w = w if w > 0 else 1.0
        start, mu = self.constraints.start, self.constraints.friction
        rho, work, each = np.full(len(mu), 1.0 / w), np.empty(m), np.empty(len(mu))
        norm = float(kernels.natural_map(start, mu, rho, self.unit * self.scale[:m] * x[:m], slip, work, each))
        return w * norm / (problem.slip_size or 1.0)

    def _joint_error(self, x: Array) -> float:
        C, b = self.problem.C, self.problem.b_gamma
        v = self.problem.velocity_of(*self.impulses(x))
        size = abs(C) @ np.abs(v) + np.abs(b) + self.problem.joint_size
        left = np.abs(C @ v - b)
        return float((left[size > 0] / size[size > 0]).max(initial=0.0))

    def is_ray(self, x: Array) -> bool:
        """Whether x, projected on the cones, is a ray of unbounded descent.

        Then no velocity meets the constraints (Farkas): P d = 0 and q'd < 0.
        """
        lam, gamma = self.impulses(x)
        d = self.unknowns(self.problem.cones.recession.project(lam), gamma)
        length = float(np.linalg.norm(d))
        if not 0.0 < length < np.inf:
            return False
        d /= length
        return float(np.linalg.norm(self.times(d))) <= -RAY * float(self.q @ d)


def _kept_rows(cones: Cones) -> Indices:
    """Rows whose impulse can be other than 0."""
    block = cones.block_of_row
    place = np.arange(cones.rows) - cones.start[block]
    bound = np.where(place == 0, 1.0, cones.friction[block])
    rolling = cones.is_rolling[block]
    bound = np.where(rolling & (place == 3), cones.spinning[block], bound)
    bound = np.where(rolling & (place > 3), cones.rolling[block], bound)
    return np.flatnonzero((bound > 0) & (cones.low < cones.high)[block])


def _dual_matrix(problem: ContactProblem, kept: Indices) -> Csr:
    """P before scaling, joints as free unknowns behind the contacts."""
    joints = problem.joint_rows
    if not joints:
        return problem.N if len(kept) == problem.contact_rows else canonical(problem.N[kept][:, kept])
    G = canonical(sp.vstack([problem.D[kept], problem.C]))
    compliance: Any = sp.block_diag([problem.E[kept][:, kept], sp.csr_array((joints, joints))])
    return canonical(problem.mass.congruence(G) + compliance)
