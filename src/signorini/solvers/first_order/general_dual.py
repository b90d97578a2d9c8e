"""The scaled dual problem with blocks of all kinds: an explicit sparse N, and projections chosen block by block."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from signorini.kernels.cones import general_blocks
from signorini.kernels.sweeps import delassus
from signorini.kernels.sweeps import general_sweeps as kernels
from signorini.math.sparse import Array, Csr, Indices
from signorini.problem.cones import Cones
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.natural_map_scale import NaturalMapScale
from signorini.solvers.first_order.delassus_dual import scaled_both_ways, with_joints
from signorini.solvers.first_order.dual import Rows


@dataclass(frozen=True, eq=False)
class GeneralDual:
    """Intervals and rolling blocks among the cones; a joint row is an interval without ends."""

    N: Csr
    """Scaled, shape (rows, rows)."""
    b: Array
    start: Indices
    mu: Array
    """Of `table`."""
    table: Array
    """Of the scaled set, see `Cones.scaled_table`."""
    recession: Array
    """Of its directions, see `Cones.recession`."""
    scale: Array
    """s, shape (rows,)."""
    natural_map_scale: NaturalMapScale

    @classmethod
    def build(cls, problem: ContactProblem, rows: Rows, rule: int) -> GeneralDual:
        """Form N with the joints' rows and scale it."""
        N, r = with_joints(problem, rows)
        endless = np.full(problem.joint_rows, np.inf)
        cones = Cones.join(problem.cones, Cones.intervals(-endless, endless))
        scale = np.empty(len(r))
        fallback = 1.0 / np.sqrt(rows.mean)
        kernels.scales(cones.start, cones.table, N.indptr, N.indices, N.data, rule, fallback, scale)
        table, recession = cones.scaled_table(1.0 / scale), cones.recession.scaled_table(1.0 / scale)
        mu = table[:, general_blocks.MU].copy()
        return cls(
            scaled_both_ways(N, scale), scale * r, cones.start, mu, table, recession, scale, problem.natural_map_scale
        )

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

    def sweep(self, done: int, count: int, symmetric: bool, omega: float, mixing: float, x: Array) -> None:
        N = self.N
        kernels.sweeps(
            done, count, symmetric, self.start, self.table, N.indptr, N.indices, N.data, self.b, omega, mixing,
            np.empty_like(x), x,
        )  # fmt: skip

    def natural_error(self, x: Array, g: Array) -> float:
        """Free of units already, unlike that of cones alone."""
        m = len(self.natural_map_scale.root)
        return self.natural_map_scale(self.scale[:m] * x[:m], g[:m] / self.scale[:m])

    def direction(self, step: float, x: Array, g: Array, d: Array) -> tuple[float, float]:
        found: tuple[float, float] = kernels.direction(self.start, self.table, step, x, g, d)
        return found

    def forward(self, step: float, y: Array, gy: Array, x: Array) -> None:
        kernels.forward(self.start, self.table, step, y, gy, x)

    def recede(self, d: Array) -> Array:
        inside = np.empty_like(d)
        general_blocks.project(self.start, self.recession, d, inside)
        return inside
