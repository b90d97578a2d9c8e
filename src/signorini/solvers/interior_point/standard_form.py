"""The contact problem in the units and cones that the interior point works in.

With `lambda = s T x` and `v = s G w` (T cones, G mass, s overall scale) the problem keeps its shape::

    H w + c - A' x = 0,    A w - b + E x = y,    x and y in a product of half-lines and Lorentz cones,

where H is the identity for rigid bodies, the diagonal of A H^-1 A' + E is near 1, the largest slip without impulses
is 1, and the rows of A are the contacts followed by the joints (for which y = 0 and E = 0). Coulomb cones of
dimension 2 become two half-lines; contacts without friction lose their tangent rows; bodies that no row touches are
left out. In the **Delassus form** there are no velocities: E = T'NT.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from signorini.kernels.interior import dense_form as small_form
from signorini.kernels.linalg import block_rows as kernels
from signorini.math.sparse import Array, Csr, Indices, assembled, canonical
from signorini.problem.cones import Cones
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.inverse import BlockInverse
from signorini.problem.products import add_transposed_product, multiply
from signorini.solvers.interior_point.block_rows import BlockRows
from signorini.solvers.interior_point.scales import block_scale, positive, row_squares


@dataclass(frozen=True, eq=False)
class StandardForm:
    """See the docstring of the module; letters as there."""

    start: Indices
    """First row of each cone block, then the number of cone rows; shape (blocks + 1,)."""
    A: BlockRows
    """Cone rows, then joint rows."""
    b: Array
    c: Array
    H: Csr | None
    """None is the identity."""
    E: Csr | None
    """Compliance of the cone rows, None is rigid."""
    scale: float
    """s [m/s times sqrt(kg)]."""
    T: Csr
    """Shape (contact rows, cone rows)."""
    T_dual: Csr
    """Slips of the problem from slips of this form, `T^-T`; dropped tangents get 0."""
    joint_scale: Array
    """The diagonal of T for joint rows."""
    G: Csr
    """Shape (n, n)."""
    touched: Indices
    """Columns of G that w stands for."""
    free: Array
    """`G^-1` of the free velocity, shape (n,): what the untouched columns keep."""

    @property
    def cone_rows(self) -> int:
        """Rows with a cone; joint rows follow."""
        return int(self.start[-1])

    @property
    def blocks(self) -> int:
        """Number of cone blocks."""
        return len(self.start) - 1

    @property
    def is_white(self) -> bool:
        """Whether v has unit mass here, so that `w - (H w + c - A'x)` are the velocities that impulses x cause."""
        return self.H is None

    def impulses(self, x: Array) -> tuple[Array, Array]:
        """(lambda, gamma) of the problem."""
        lam = _multiply(self.T, x) * self.scale
        return lam, x[self.cone_rows :] * self.joint_scale * self.scale

    def slips(self, rows: Array) -> Array:
        """u of the problem from the rows `A w - b + E x`."""
        return _multiply(self.T_dual, rows) * self.scale

    def velocity(self, w: Array) -> Array:
        """v of the problem."""
        full = self.free.copy()
        full[self.touched] = w * self.scale
        return _multiply(self.G, full)

    def rows_of(self, impulse: Array, joint_impulse: Array) -> Array:
        """x of a guess (lambda, gamma)."""
        cone = add_transposed_product(self.T_dual, impulse, np.zeros(self.cone_rows))
        return np.concatenate((cone, joint_impulse / self.joint_scale)) / self.scale

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

    @staticmethod
    def multiply(matrix: Csr, x: Array) -> Array:
        """Sparse matrix times the leading entries of a vector, without scipy's overhead."""
        return _multiply(matrix, x)


def _multiply(matrix: Csr, x: Array) -> Array:
    out = np.empty(matrix.shape[0])
    kernels.csr_multiply(matrix.indptr, matrix.indices, matrix.data, x, out)
    return out


def standard_form(problem: ContactProblem, delassus: bool) -> StandardForm:
    """Build the form; `delassus` asks for the one without velocities (needs a problem without joints)."""
    T, T_dual, start = cone_map(problem.cones)
    if delassus or problem.is_dual_only:
        return _delassus_form(problem, T, T_dual, start)
    inverse = problem.inverse
    whitened = isinstance(inverse, BlockInverse)
    G = inverse.factor if isinstance(inverse, BlockInverse) else _diagonal_scaling(problem.H)
    D = canonical((T.T @ problem.D) @ G)
    C = canonical(problem.C @ G)
    E = canonical(T.T @ problem.E @ T) if problem.E.nnz else None
    diagonal = row_squares(D) + (E.diagonal() if E is not None else 0.0)
    factor = block_scale(diagonal, start)
    joint = 1.0 / np.sqrt(positive(row_squares(C)))
    T, T_dual, D, C = (
        _scale_columns(T, factor),
        _scale_columns(T_dual, 1 / factor),
        _scale_rows(D, factor),
        _scale_rows(C, joint),
    )
    E = None if E is None else _scale_rows(_scale_columns(E, factor), factor)
    slip = np.concatenate(
        (_multiply(canonical(T.T), problem.r), joint * (problem.C @ problem.free_velocity - problem.b_gamma))
    )
    scale = (float(np.abs(slip).max(initial=0.0)) or 1.0) * round_off_scale(problem)
    A = canonical(sp.vstack((D, C))) if C.shape[0] else D
    touched = np.unique(A.indices).astype(np.int64) if whitened else np.arange(problem.velocities)
    free = _free(problem, inverse, G)
    if len(touched) < problem.velocities:
        A = canonical(A[:, touched])
    return StandardForm(
        start=start,
        A=BlockRows.from_csr(A, np.concatenate((start, start[-1] + 1 + np.arange(C.shape[0])))),
        b=np.concatenate((_multiply(canonical(T.T), problem.b_lambda), joint * problem.b_gamma)) / scale,
        c=np.asarray(G.T @ problem.c)[touched] / scale,
        H=None if whitened else _scale_both(problem.H, G.diagonal()),
        E=E,
        scale=scale,
        T=T,
        T_dual=T_dual,
        joint_scale=joint,
        G=G,
        touched=touched,
        free=free,
    )


def _delassus_form(problem: ContactProblem, T: Csr, T_dual: Csr, start: Indices) -> StandardForm:
    N = canonical(T.T @ problem.N @ T)
    factor = block_scale(N.diagonal(), start)
    T, T_dual = _scale_columns(T, factor), _scale_columns(T_dual, 1 / factor)
    r = _multiply(canonical(T.T), problem.r)
    scale = (float(np.abs(r).max(initial=0.0)) or 1.0) * round_off_scale(problem)
    empty = np.zeros(0)
    return StandardForm(
        start=start,
        A=BlockRows.from_csr(canonical(sp.csr_array((int(start[-1]), 0))), start),
        b=-r / scale,
        c=empty,
        H=None,
        E=_scale_rows(_scale_columns(N, factor), factor),
        scale=scale,
        T=T,
        T_dual=T_dual,
        joint_scale=empty,
        G=canonical(sp.csr_array((0, 0))),
        touched=np.zeros(0, dtype=np.int64),
        free=empty,
    )


def round_off_scale(problem: ContactProblem) -> float:
    """1, or how far the slips without impulses lie below a sensible scale when they are round-off only."""
    size = float(np.linalg.norm(problem.r))
    return problem.slip_size / size if size > 0 and not problem.joint_rows else 1.0


def cone_map(cones: Cones) -> tuple[Csr, Csr, Indices]:
    """T, its dual `T^-T` and the starts of the self-dual blocks."""
    indptr, indices, values, duals, start = small_form.cone_map(cones.start, cones.friction)
    shape = (cones.rows, int(start[-1]))
    return (
        canonical(sp.csr_array((values, indices, indptr), shape=shape)),
        canonical(sp.csr_array((duals, indices, indptr), shape=shape)),
        start,
    )


def _free(problem: ContactProblem, inverse: object, G: Csr) -> Array:
    """G^-1 of the free velocity: -G'c where G G' = H^-1; irrelevant otherwise, all columns are touched."""
    if isinstance(inverse, BlockInverse):
        return -np.asarray(G.T @ problem.c)
    return np.zeros(problem.velocities)


def _scale_both(H: Csr, factor: Array) -> Csr:
    """diag(factor) H diag(factor)."""
    data = H.data * np.repeat(factor, np.diff(H.indptr)) * factor[H.indices]
    return assembled(data, H.indices, H.indptr, H.shape)


def _diagonal_scaling(H: Csr) -> Csr:
    return canonical(sp.diags_array(1.0 / np.sqrt(H.diagonal())))


def _scale_rows(matrix: Csr, factor: Array) -> Csr:
    data = matrix.data * np.repeat(factor, np.diff(matrix.indptr))
    return sp.csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)


def _scale_columns(matrix: Csr, factor: Array) -> Csr:
    return sp.csr_array((matrix.data * factor[matrix.indices], matrix.indices, matrix.indptr), shape=matrix.shape)
