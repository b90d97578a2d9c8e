"""The contact problem in the units and cones that Newton's method works in.

With `lambda = s T x` and `v = s G w` (T cones, G mass, s overall scale) the problem keeps its shape::

    H w + c - A' x = 0,    A w - b + E x = y,    x and y in a product of half-lines and Lorentz cones,

where H is the identity for rigid bodies, the diagonal of A H^-1 A' + E is near 1, the largest slip without impulses is
1, and the rows of A are the contacts followed by the joints (for which y = 0 and E = 0). Bodies without rows are left
out. In the **Delassus form** there are no velocities: E = T'NT.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from signorini.math.cached import cached_property
from signorini.math.sparse import Array, Csr, Indices, assembled, canonical, entry_rows, row_squares
from signorini.problem.certificate import Law
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.products import add_transposed_product, multiply
from signorini.solvers.cone_newton.block_rows import BlockRows
from signorini.solvers.cone_newton.cone_map import (
    ConeMap,
    DiagonalMap,
    block_scale,
    cone_map,
    positive,
    scale_both,
    scale_columns,
)


@dataclass(frozen=True, eq=False)
class StandardForm:
    """See the docstring of the module; letters as there."""

    cones: ConeMap
    """T."""
    A: BlockRows
    """Cone rows, then joint rows."""
    b: Array
    c: Array
    H: Csr | None
    """None is the identity."""
    E: Csr | None
    """Compliance of the cone rows, None is rigid."""
    r: Array
    """Slips without impulses, shape (rows of A,)."""
    scale: float
    """s [m/s times sqrt(kg)]."""
    joint_scale: Array
    """The diagonal of T for joint rows."""
    G: Csr
    """Shape (n, n)."""
    touched: Indices
    """Columns of G that w stands for."""
    free: Array
    """`G^-1` of the free velocity, shape (n,): what the untouched columns keep."""

    @cached_property
    def start(self) -> Indices:
        """First row of each cone block, then the number of cone rows; shape (blocks + 1,)."""
        return self.cones.start

    @cached_property
    def cone_rows(self) -> int:
        """Rows with a cone; joint rows follow."""
        return int(self.cones.start[-1])

    @cached_property
    def blocks(self) -> int:
        """Number of cone blocks."""
        return len(self.cones.start) - 1

    @property
    def is_white(self) -> bool:
        """Whether v has unit mass here, so that `w - (H w + c - A'x)` are the velocities that impulses x cause."""
        return self.H is None

    def residuals(self, w: Array, x: Array) -> tuple[Array, Array]:
        """`r1 = H w + c - A'x` and the slips `A w - b + E x` of all rows."""
        r1 = self.c - self.A.multiply_transposed(x)
        r1 += w if self.H is None else multiply(self.H, w)
        slips = self.A.multiply(w) - self.b
        if self.E is not None:
            slips[: self.cone_rows] += multiply(self.E, x[: self.cone_rows])
        return r1, slips

    def impulses(self, x: Array) -> tuple[Array, Array]:
        """(lambda, gamma) of the problem."""
        return self.cones.impulses(x) * self.scale, x[self.cone_rows :] * self.joint_scale * self.scale

    def slips(self, rows: Array) -> Array:
        """u of the problem from the rows `A w - b + E x`, of which joint rows may be missing."""
        return self.cones.slips(rows) * self.scale

    def velocity(self, w: Array) -> Array:
        """v of the problem."""
        full = self.free.copy()
        full[self.touched] = w * self.scale
        return multiply(self.G, full)

    def rows_of(self, impulse: Array, joint_impulse: Array) -> Array:
        """x of a guess (lambda, gamma)."""
        return np.concatenate((self.cones.rows(impulse), joint_impulse / self.joint_scale)) / self.scale

    def columns_of(self, problem: ContactProblem, velocity: Array) -> Array:
        """w of a guessed velocity: `G^-1 v`, where `G^-1 = G'H` for rigid bodies and G is diagonal elsewhere."""
        if self.is_white:
            momentum = multiply(problem.H, velocity)
            whole = add_transposed_product(self.G, momentum, np.zeros(problem.velocities))
        else:
            whole = velocity / self.G.diagonal()
        return whole[self.touched] / self.scale

    def point_of(
        self, problem: ContactProblem, velocity: Array, impulse: Array, joint_impulse: Array
    ) -> tuple[Array, Array]:
        """(w, x) of a guess."""
        w = self.columns_of(problem, velocity) if self.A.width else np.zeros(0)
        return w, self.rows_of(impulse, joint_impulse)

    def end_impulses(self) -> Array:
        """x of the problem without impulses in rows that count from the ends of intervals; empty without intervals."""
        return np.zeros(0)


def standard_form(problem: ContactProblem, delassus: bool = False, law: Law = "convex") -> StandardForm:
    """The form of half-lines and Coulomb cones; `delassus` asks for the one without velocities (needs no joints).

    The exact law keeps cones in the plane whole, and counts `skew` in N.
    """
    cones = cone_map(problem.cones, split=law == "convex")
    if delassus or problem.is_dual_only:
        return _delassus_form(problem, cones, law)
    white, G, D, C, H = _velocities(problem)
    rows, root = cones.factored_rows(D)
    if isinstance(cones, DiagonalMap) and (white or law == "coulomb"):
        diagonal = cones.picked(problem.N_diagonal) * root**2
    else:
        diagonal = row_squares(rows) * root**2
        diagonal += cones.congruence(problem.E).diagonal() if problem.E.nnz else 0.0
    factor = block_scale(diagonal, cones.start)
    cones = cones.scaled(factor)
    joint = 1.0 / np.sqrt(positive(row_squares(C)))
    drift = joint * (multiply(problem.C, problem.free_velocity) - problem.b_gamma)
    r = np.concatenate((cones.transposed(problem.r), drift))
    scale = _slip_scale(problem, r)
    A = BlockRows.stacked(rows, C, cones.start, np.concatenate((root * factor, joint)))
    A, touched = A.compressed() if white else (A, np.arange(problem.velocities))
    c = add_transposed_product(G, problem.c, np.zeros(problem.velocities))
    return StandardForm(
        cones=cones,
        A=A,
        b=np.concatenate((cones.transposed(problem.b_lambda), joint * problem.b_gamma)) / scale,
        c=c[touched] / scale,
        H=H,
        E=cones.congruence(problem.E) if problem.E.nnz else None,
        r=r / scale,
        scale=scale,
        joint_scale=joint,
        G=G,
        touched=touched,
        free=-c,
    )


def _velocities(problem: ContactProblem) -> tuple[bool, Csr, Csr, Csr, Csr | None]:
    """Whether H becomes 1; G, `D G`, `C G` and `G'HG`, None for 1."""
    factor, D, C = problem.mass.factor, problem.whitened, problem.mass.whiten(problem.C)
    if factor is not None and D is not None and C is not None:
        return True, factor, D, C, None
    G = 1.0 / np.sqrt(problem.H.diagonal())
    scaled = scale_columns(problem.D, G), scale_columns(problem.C, G), scale_both(problem.H, G)
    return False, diagonal_matrix(G), *scaled


def _delassus_form(problem: ContactProblem, cones: ConeMap, law: Law) -> StandardForm:
    N = problem.N if problem.skew is None or law == "convex" else canonical(problem.N + problem.skew)
    if isinstance(cones, DiagonalMap):
        factor = block_scale(cones.picked(problem.N.diagonal()) * cones.factor**2, cones.start)
        E = cones.scaled(factor).congruence(N)
    else:
        plain = cones.congruence(N)
        factor = block_scale(plain.diagonal(), cones.start)
        E = scale_both(plain, factor)
    cones = cones.scaled(factor)
    r, empty = cones.transposed(problem.r), np.zeros(0)
    scale = _slip_scale(problem, r)
    return StandardForm(
        cones=cones,
        A=BlockRows.from_csr(canonical(sp.csr_array((int(cones.start[-1]), 0))), cones.start),
        b=-r / scale,
        c=empty,
        H=None,
        E=E,
        r=r / scale,
        scale=scale,
        joint_scale=empty,
        G=canonical(sp.csr_array((0, 0))),
        touched=np.zeros(0, dtype=np.int64),
        free=empty,
    )


def _slip_scale(problem: ContactProblem, slips: Array) -> float:
    return (float(np.abs(slips).max(initial=0.0)) or 1.0) * round_off_scale(problem)


def round_off_scale(problem: ContactProblem) -> float:
    """1, or how far the slips without impulses lie below a sensible scale when they are round-off."""
    size = float(np.linalg.norm(problem.r))
    return problem.slip_size / size if size > 0 and not problem.joint_rows else 1.0


def diagonal_matrix(values: Array) -> Csr:
    """diag(values)."""
    n = len(values)
    return assembled(values, np.arange(n, dtype=np.int32), np.arange(n + 1, dtype=np.int32), (n, n))


def couples_contacts(problem: ContactProblem, law: Law = "convex") -> bool:
    """Whether E has entries between different contacts, or inside one that the form splits (cones in the plane)."""
    if problem.E.nnz == 0:
        return False
    block = problem.cones.block_of_row
    row = entry_rows(problem.E)
    split = (problem.cones.dims == 2) & (problem.cones.friction > 0) & (law == "convex")
    return bool(np.any(block[row] != block[problem.E.indices]) or np.any(split[block[row]]))
