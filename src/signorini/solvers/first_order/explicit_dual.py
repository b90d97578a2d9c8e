"""The scaled dual problem with an explicit sparse N and blocks of all kinds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from signorini.kernels.cones import general_blocks
from signorini.kernels.sweeps import conjugate, delassus
from signorini.math.sparse import Array, Csr, Indices, canonical
from signorini.problem.cones import Cones
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.natural_map_scale import NaturalMapScale
from signorini.solvers.first_order.dual import DualRows


@dataclass(frozen=True, eq=False)
class ExplicitDual:
    """Any H and any blocks; a joint row is an interval without ends."""

    N: Csr
    """Scaled, shape (rows, rows)."""
    b: Array
    start: Indices
    """First row of each block, then the number of rows."""
    table: Array
    """Of the scaled set, see `Cones.scaled_table`."""
    recession: Array
    """Of its directions, see `Cones.recession`."""
    scale: Array
    """s, shape (rows,)."""
    natural_map_scale: NaturalMapScale

    @classmethod
    def build(cls, problem: ContactProblem, rows: DualRows, rule: int) -> ExplicitDual:
        """Form N with the joints' rows and scale it."""
        N, r = _with_joints(problem, rows)
        endless = np.full(problem.joint_rows, np.inf)
        cones = Cones.join(problem.cones, Cones.intervals(-endless, endless))
        s, fallback = np.empty(len(r)), 1.0 / np.sqrt(rows.mean)
        delassus.scales(cones.start, cones.table, N.indptr, N.indices, N.data, rule, fallback, s)
        row = np.repeat(np.arange(len(s)), np.diff(N.indptr))
        scaled = sp.csr_array((N.data * s[row] * s[N.indices], N.indices, N.indptr), shape=N.shape)
        table, recession = cones.scaled_table(1.0 / s), cones.recession.scaled_table(1.0 / s)
        return cls(scaled, s * r, cones.start, table, recession, s, problem.natural_map_scale)

    @property
    def detail(self) -> str:
        return "explicit N, blocks of all kinds"

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

    def sweep(
        self, done: int, count: int, symmetric: bool, omega: float, mixing: float, x: Array, exact: bool = False
    ) -> None:
        N = self.N
        delassus.sweeps(
            done, count, symmetric, self.start, self.table, N.indptr, N.indices, N.data, self.b, exact, omega,
            mixing, np.empty_like(x), x,
        )  # fmt: skip

    def conjugate_sweeps(self, count: int, x: Array, exact: bool) -> None:
        column = x.reshape(-1, 1)
        old, direction, last = column.copy(), np.zeros_like(column), 0.0
        for k in range(count):
            self.sweep(0, 1, False, 1.0, 1.0, x, exact)
            if k < count - 1:
                square = conjugate.squared_change(column, old)
                conjugate.extrapolate(conjugate.share(square, last), column, old, direction)
                last = square

    def with_de_saxce(self, g: Array) -> Array:
        out = np.empty_like(g)
        general_blocks.add_de_saxce(self.start, self.table, g, out)
        return out

    def natural_error(self, x: Array, g: Array) -> float:
        m = len(self.natural_map_scale.root)
        return self.natural_map_scale(self.scale[:m] * x[:m], g[:m] / self.scale[:m])

    def direction(self, step: float, x: Array, g: Array, d: Array) -> tuple[float, float]:
        found: tuple[float, float] = delassus.direction(self.start, self.table, step, x, g, d)
        return found

    def forward(self, step: float, y: Array, gy: Array, x: Array) -> None:
        delassus.forward(self.start, self.table, step, y, gy, x)

    def recede(self, d: Array) -> Array:
        inside = np.empty_like(d)
        general_blocks.project(self.start, self.recession, d, inside)
        return inside


def _with_joints(problem: ContactProblem, rows: DualRows) -> tuple[Csr, Array]:
    """N and r with the joints' rows behind those of the contacts."""
    joints = problem.joint_rows
    if not joints:
        return problem.N, problem.r
    compliance = sp.block_diag([problem.E, sp.csr_array((joints, joints))])
    N = canonical(problem.mass.congruence(rows.matrix) + sp.csr_array(compliance))
    return N, np.concatenate((problem.r, problem.C @ problem.free_velocity - problem.b_gamma))
