"""The standard form of rigid bodies in 3D contact, straight from the whitened rows: no sparse products."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from signorini.kernels.linalg import block_rows as kernels
from signorini.math.sparse import Array, Csr, Indices, assembled
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.inverse import BlockInverse
from signorini.problem.products import add_transposed_product, multiply
from signorini.solvers.interior_point.block_rows import BlockRows
from signorini.solvers.interior_point.scales import block_scale, positive, row_squares
from signorini.solvers.interior_point.standard_form import StandardForm, round_off_scale


@dataclass(frozen=True, eq=False)
class RigidForm(StandardForm):
    """A standard form with a diagonal T: nothing but the units of a row differ from those of the problem."""

    factor: Array
    """The diagonal of T, shape (cone rows,)."""

    def impulses(self, x: Array) -> tuple[Array, Array]:
        m = self.cone_rows
        return x[:m] * (self.scale * self.factor), x[m:] * (self.scale * self.joint_scale)

    def slips(self, rows: Array) -> Array:
        return rows[: self.cone_rows] * (self.scale / self.factor)


def rigid_form(problem: ContactProblem) -> StandardForm | None:
    """`standard_form(problem)` where each contact is one cone of the form and rigid; None for other problems."""
    inverse, cones = problem.inverse, problem.cones
    plain = bool(np.all((cones.dims == 1) | ((cones.dims > 2) & (cones.friction > 0))))
    if problem.is_dual_only or not plain or problem.E.nnz or not isinstance(inverse, BlockInverse):
        return None
    D = problem.whitened
    assert D is not None
    C = inverse.whiten(problem.C)
    root = np.ones(cones.rows)
    sliding = cones.dims > 1
    root[cones.start[:-1][sliding]] = 1.0 / cones.friction[sliding]
    factor = root * block_scale(problem.N_diagonal * root**2, cones.start)
    joint = 1.0 / np.sqrt(positive(row_squares(C)))
    slip = factor * problem.r
    drift = joint * (multiply(problem.C, problem.free_velocity) - problem.b_gamma)
    scale = (max(_largest(slip), _largest(drift)) or 1.0) * round_off_scale(problem)
    white_c = add_transposed_product(inverse.factor, problem.c, np.zeros(problem.velocities))
    A, touched = _touched(_rows(D, C, cones.start, np.concatenate((factor, joint))))
    return RigidForm(
        start=cones.start,
        A=A,
        b=np.concatenate((factor * problem.b_lambda, joint * problem.b_gamma)) / scale,
        c=white_c[touched] / scale,
        H=None,
        E=None,
        scale=scale,
        T=_diagonal(factor),
        T_dual=_diagonal(1.0 / factor),
        joint_scale=joint,
        G=inverse.factor,
        touched=touched,
        free=-white_c,
        factor=factor,
    )


def _rows(D: Csr, C: Csr, start: Indices, factor: Array) -> BlockRows:
    """The contacts, then one block per joint row, every row times its factor."""
    if not C.shape[0]:
        return BlockRows.of_bodies(D, start, factor) or BlockRows.from_csr(D, start, factor)
    starts = np.concatenate((start, start[-1] + 1 + np.arange(C.shape[0])))
    indptr = np.concatenate((D.indptr, D.indptr[-1] + C.indptr[1:])).astype(np.int32)
    indices, data = np.concatenate((D.indices, C.indices)), np.concatenate((D.data, C.data))
    both = assembled(data, indices.astype(np.int32), indptr, (D.shape[0] + C.shape[0], D.shape[1]))
    return BlockRows.from_csr(both, starts, factor)


def _touched(A: BlockRows) -> tuple[BlockRows, Indices]:
    """A over the columns that it touches, and these columns."""
    place = np.full(A.width, -1, dtype=np.int64)
    touched = kernels.number_columns(A.columns, place)
    if touched == A.width:
        return A, np.arange(A.width)
    columns = np.flatnonzero(place >= 0)
    return BlockRows(A.start, A.column_start, A.value_start, place[A.columns], A.values, touched), columns


def _diagonal(values: Array) -> Csr:
    n = len(values)
    return assembled(values, np.arange(n, dtype=np.int32), np.arange(n + 1, dtype=np.int32), (n, n))


def _largest(values: Array) -> float:
    return float(np.abs(values).max(initial=0.0))
