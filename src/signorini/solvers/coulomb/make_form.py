"""From a contact problem to the form of the exact law."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from signorini.math.sparse import Array, Csr, Indices, assembled, canonical
from signorini.problem.cones import Cones
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.inverse import BlockInverse
from signorini.problem.products import multiply
from signorini.solvers.coulomb.form import Form, Mass
from signorini.solvers.coulomb.rows import Rows, ranges

FEW_IMPULSES = 0.5
"""With fewer contact rows than this share of the velocities of bodies that are not rigid, N is formed."""


def make_form(problem: ContactProblem) -> Form | None:
    """The form of a problem; None for an E that couples contacts beside joints, which neither form has room for."""
    couples = _couples(problem)
    if couples and problem.joint_rows:
        return None
    start, mu, kept = _blocks(problem.cones)
    root = np.ones(problem.contact_rows)
    sliding = problem.cones.friction > 0
    root[problem.cones.start[:-1][sliding]] = 1.0 / problem.cones.friction[sliding]
    root = root[kept]
    mean = np.add.reduceat(problem.N_diagonal[kept] * root**2, start[:-1]) / np.diff(start)
    factor = root * np.repeat(1.0 / np.sqrt(_positive(mean)), np.diff(start))
    if problem.is_dual_only or problem.skew is not None or couples or _has_few_impulses(problem):
        N = problem.N if problem.skew is None else canonical(problem.N + problem.skew)
        parts: tuple[Rows | None, Mass | None, Rows | None] = (None, None, _square(N, start, kept, factor))
        drift, joint = np.zeros(0), np.zeros(0)
    else:
        D, C, mass = _jacobians(problem, kept)
        joint = 1.0 / np.sqrt(_positive(_row_squares(C)))
        drift = joint * (multiply(problem.C, problem.free_velocity) - problem.b_gamma)
        A = _over(D, C, start, np.concatenate((factor, joint)))
        E = _square(problem.E, start, kept, factor) if problem.E.nnz else None
        parts = (A if mass is not None else A.compressed(), mass, E)
    r = np.concatenate((factor * problem.r[kept], drift))
    scale = float(np.abs(r).max(initial=0.0)) or 1.0
    w = float(problem.N_diagonal.mean())
    return Form(
        start, mu, kept, np.concatenate((factor, joint)), scale, r / scale, *parts,
        contact_rows=problem.contact_rows, rho=1.0 / w if w > 0 else 1.0, slip_size=problem.slip_size or 1.0,
    )  # fmt: skip


def _blocks(cones: Cones) -> tuple[Indices, Array, Indices]:
    """Starts and friction of the self-dual blocks, and the rows of the problem that they keep."""
    flat = cones.friction == 0
    dims = np.where(flat, 1, cones.dims)
    start = np.concatenate(([0], np.cumsum(dims))).astype(np.int64)
    block = cones.block_of_row
    kept = np.flatnonzero(~flat[block] | (np.arange(cones.rows) == cones.start[block]))
    return start, cones.friction, kept


def _couples(problem: ContactProblem) -> bool:
    """Whether E has entries between different contacts."""
    block = problem.cones.block_of_row
    row = np.repeat(np.arange(problem.contact_rows), np.diff(problem.E.indptr))
    return not problem.is_dual_only and bool(np.any(block[row] != block[problem.E.indices]))


def _has_few_impulses(problem: ContactProblem) -> bool:
    few = problem.contact_rows < FEW_IMPULSES * problem.velocities and problem.joint_rows == 0
    return few and not isinstance(problem.inverse, BlockInverse)


def _square(matrix: Csr, start: Indices, kept: Indices, factor: Array) -> Rows:
    """T M T over the kept rows and columns by blocks of rows; every block has its own columns, stored zeros or not."""
    place = np.full(matrix.shape[0], -1, dtype=np.int64)
    place[kept] = np.arange(len(kept))
    row = place[np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))]
    column = place[matrix.indices]
    both = (row >= 0) & (column >= 0)
    size = np.repeat(np.diff(start), np.diff(start))
    own_row, own_column = np.repeat(np.arange(len(kept)), size), ranges(np.repeat(start[:-1], np.diff(start)), size)
    data = np.concatenate((matrix.data[both] * factor[column[both]], np.zeros(len(own_row))))
    at = np.concatenate((row[both], own_row)), np.concatenate((column[both], own_column))
    whole = canonical(sp.coo_array((data, at), shape=(len(kept), len(kept))))
    return Rows.of(whole, start, factor)


def _jacobians(problem: ContactProblem, kept: Indices) -> tuple[Csr, Csr, Mass | None]:
    """D and C over the velocities of the form, and their mass where it is not 1."""
    inverse = problem.inverse
    if isinstance(inverse, BlockInverse):
        D, C, mass = problem.whitened, inverse.whiten(problem.C), None
    else:
        G = 1.0 / np.sqrt(problem.H.diagonal())
        D, C = _scale_columns(problem.D, G), _scale_columns(problem.C, G)
        rows = np.repeat(G, np.diff(problem.H.indptr))
        H = assembled(
            problem.H.data * rows * G[problem.H.indices], problem.H.indices, problem.H.indptr, problem.H.shape
        )
        mass = Mass(H, G, inverse)
    assert D is not None
    return D if len(kept) == problem.contact_rows else canonical(D[kept]), C, mass


def _over(D: Csr, C: Csr, start: Indices, factor: Array) -> Rows:
    """The contacts, then one block per joint row."""
    starts = np.concatenate((start, start[-1] + 1 + np.arange(C.shape[0])))
    return Rows.of(D if not C.shape[0] else canonical(sp.vstack((D, C))), starts, factor)


def _scale_columns(matrix: Csr, factor: Array) -> Csr:
    return assembled(matrix.data * factor[matrix.indices], matrix.indices, matrix.indptr, matrix.shape)


def _row_squares(matrix: Csr) -> Array:
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    return np.bincount(rows, matrix.data**2, minlength=matrix.shape[0]).astype(np.float64)


def _positive(values: Array) -> Array:
    """Rows of zeros (a contact between two fixed bodies) are left unscaled."""
    return np.where(values > 0, values, 1.0)
