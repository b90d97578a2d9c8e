"""Standard form of problems with intervals and rolling blocks: `problem/lifting.py` in the units of the interior point.

The velocities without mass stand behind the others, H is zero there. Their columns are scaled so that the largest entry
is 1, their rows like the row of the problem whose impulse they repeat. An E that couples blocks (dual-only problems) or
free rows is factored, `E = L L'`, and becomes velocities of unit mass: `D v + L e` with `e = L'x`.
"""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
import scipy.sparse as sp
from scipy.linalg import lapack

from signorini.math.sparse import Array, Csr, Indices, canonical, entry_rows, row_squares
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.contact_rows import ContactRows
from signorini.problem.lifting import Lifting
from signorini.problem.solution import Solution, Status
from signorini.solvers.cone_newton.block_rows import BlockRows
from signorini.solvers.cone_newton.cone_map import SparseMap, block_scale, positive, scale_columns
from signorini.solvers.cone_newton.standard_form import StandardForm, diagonal_matrix, round_off_scale

FAR = 1e5
"""Ends of intervals beyond this many units of impulse are left out at first: other terms would drown in their
round-off."""


@dataclass(frozen=True, eq=False)
class Ends:
    """The ends of intervals that a solve includes, infinite where it leaves them out; shape (contacts,) each."""

    low: Array
    high: Array

    @classmethod
    def near(cls, problem: ContactProblem) -> Ends:
        """Those that impulses of the size of the problem may reach."""
        cones = problem.cones
        root = np.sqrt(cones.group_means(problem.N_diagonal))
        far = FAR * float(np.abs(problem.r / root).max(initial=0.0)) / root[cones.start[:-1]]
        kind = cones.is_interval
        return cls(
            np.where(kind & (cones.low < -far), -np.inf, cones.low),
            np.where(kind & (cones.high > far), np.inf, cones.high),
        )

    def with_missed(self, problem: ContactProblem, solution: Solution) -> Ends | None:
        """After a failed solve: also the ends that its impulses exceed, or else all; None if there are no more."""
        if solution.status is Status.SOLVED:
            return None
        cones = problem.cones
        first = solution.contact_impulse[cones.start[:-1]]
        below, above = np.isinf(self.low) & (first < cones.low), np.isinf(self.high) & (first > cones.high)
        every = not (below.any() or above.any())
        low, high = np.where(below | every, cones.low, self.low), np.where(above | every, cones.high, self.high)
        same = np.array_equal(low, self.low) and np.array_equal(high, self.high)
        return None if same else Ends(low, high)


@dataclass(frozen=True, eq=False)
class LiftedForm(StandardForm):
    """Standard form with velocities without mass; the free rows of the problem stand before those of its joints."""

    lifting: Lifting
    white: bool
    """Whether H is 1 where it is not 0."""
    inner: SparseMap
    """Cones of the lifted rows."""
    free_scale: Array
    """Like `joint_scale`, for free rows."""
    extra_scale: Array
    """Velocities without mass in units of `scale`."""
    L: Csr
    """Of an E that was factored, shape (cone and free rows, velocities of E)."""

    @property
    def is_white(self) -> bool:
        return self.white

    def impulses(self, x: Array) -> tuple[Array, Array]:
        lam = self.lifting.base + self.cones.impulses(x) * self.scale
        return lam, x[self.L.shape[0] :] * self.joint_scale * self.scale

    def velocity(self, w: Array) -> Array:
        return super().velocity(w[: len(self.touched)])

    def point_of(
        self, problem: ContactProblem, velocity: Array, impulse: Array, joint_impulse: Array
    ) -> tuple[Array, Array]:
        lift = self.lifting
        inside = problem.cones.project(impulse)
        cone = self.inner.rows(lift.impulses(inside))
        x = np.concatenate((cone, inside[lift.free] / self.free_scale, joint_impulse / self.joint_scale)) / self.scale
        extra = lift.velocities(problem.slip_of(velocity, inside)) / (self.extra_scale * self.scale)
        soft = np.asarray(self.L.T @ x[: self.L.shape[0]])
        return np.concatenate((self.columns_of(problem, velocity), extra, soft)), x

    def end_impulses(self) -> Array:
        return np.asarray(self.inner.rows(self.lifting.impulses(np.zeros(len(self.lifting.base)))) / self.scale)


@dataclass(frozen=True, eq=False)
class LiftedRows:
    """What does not depend on the right-hand sides b and c: the same for all problems of a fixed point."""

    made_of: tuple[object, ...]
    """Mass, cones, C and E of the problem; not its contact rows, which they are kept for."""
    ends: Ends
    lift: Lifting
    inner: SparseMap
    free_scale: Array
    joint_scale: Array
    R: Csr
    """Cone and free rows of the slips, shape (cone and free rows, contact rows)."""
    T_dual: Csr
    A: BlockRows
    C: Csr
    """In units of `joint_scale`."""
    E: Csr | None
    L: Csr
    H: Csr
    extra_scale: Array
    G: Csr
    touched: Indices
    white: bool

    def is_of(self, problem: ContactProblem, ends: Ends) -> bool:
        """Whether they are the rows of this problem."""
        same = all(one is other for one, other in zip(self.made_of, _makings(problem), strict=True))
        return same and np.array_equal(ends.low, self.ends.low) and np.array_equal(ends.high, self.ends.high)


LAST: WeakKeyDictionary[ContactRows, LiftedRows] = WeakKeyDictionary()
"""Made last for contact rows that are in use."""


def lifted_form(problem: ContactProblem, ends: Ends) -> LiftedForm:
    """Build the form; its rows are those of the cones, the free ones, and those of the joints."""
    rows = LAST.get(problem.rows)
    if rows is None or not rows.is_of(problem, ends):
        LAST[problem.rows] = rows = _lifted_rows(problem, ends)
    lift, R, joint_scale, G = rows.lift, rows.R, rows.joint_scale, rows.G
    slip = np.concatenate((R @ problem.r, rows.C @ problem.free_velocity - joint_scale * problem.b_gamma))
    scale = (float(np.abs(slip).max(initial=0.0)) or 1.0) * round_off_scale(problem)
    pushed = problem.c - problem.rows.push(lift.base)
    asked = problem.b_lambda - problem.E @ lift.base
    costs = (lift.cost * rows.extra_scale, np.zeros(rows.L.shape[1]))
    return LiftedForm(
        cones=SparseMap(rows.inner.start, canonical(R.T), rows.T_dual),
        A=rows.A,
        b=np.concatenate((R @ asked, joint_scale * problem.b_gamma)) / scale,
        c=np.concatenate(((G.T @ pushed)[rows.touched], *costs)) / scale,
        H=rows.H,
        E=rows.E,
        r=slip / scale,
        scale=scale,
        joint_scale=joint_scale,
        G=G,
        touched=rows.touched,
        free=-np.asarray(G.T @ problem.c) if rows.white else np.zeros(problem.velocities),
        lifting=lift,
        white=rows.white,
        inner=rows.inner,
        free_scale=rows.free_scale,
        extra_scale=rows.extra_scale,
        L=rows.L,
    )


def _makings(problem: ContactProblem) -> tuple[object, ...]:
    return problem.mass, problem.cones, problem.C, problem.E


def _lifted_rows(problem: ContactProblem, ends: Ends) -> LiftedRows:
    lift = Lifting.of(problem.cones, ends.low, ends.high)
    inner = SparseMap.of(lift.cones)
    start, G = inner.start, _mass_scaling(problem)
    cone_scale, free_scale, joint_scale = _row_scales(problem, lift, inner.T, start, G)
    inner = inner.scaled(cone_scale)
    R = canonical(sp.vstack((inner.T.T @ lift.S, _picked(lift.free, free_scale, problem))))
    T_dual = canonical(sp.hstack((lift.U @ inner.T_dual, _picked(lift.free, 1.0 / free_scale, problem).T)))
    E, L = _split_compliance(canonical(R @ problem.E @ R.T), start)
    Z = canonical(inner.T.T @ lift.Z)
    extra_scale = 1.0 / positive(np.sqrt(row_squares(canonical(Z.T))))
    C = canonical(sp.diags_array(joint_scale) @ problem.C) if len(joint_scale) else problem.C
    A = canonical(sp.vstack((R @ problem.D, C)) @ G)
    white = problem.is_dual_only or problem.mass.factor is not None
    touched = np.unique(A.indices).astype(np.int64) if white else np.arange(problem.velocities)
    mass = sp.eye_array(len(touched)) if white else G @ problem.H @ G
    columns = (A[:, touched], _taller(scale_columns(Z, extra_scale), A), _taller(L, A))
    return LiftedRows(
        made_of=_makings(problem),
        ends=ends,
        lift=lift,
        inner=inner,
        free_scale=free_scale,
        joint_scale=joint_scale,
        R=R,
        T_dual=T_dual,
        A=BlockRows.from_csr(
            canonical(sp.hstack(columns)), np.concatenate((start, np.arange(start[-1] + 1, A.shape[0] + 1)))
        ),
        C=C,
        E=E,
        L=L,
        H=canonical(sp.block_diag((mass, _stored_zeros(Z.shape[1]), sp.eye_array(L.shape[1])))),
        extra_scale=extra_scale,
        G=G,
        touched=touched,
        white=white,
    )


def _mass_scaling(problem: ContactProblem) -> Csr:
    if problem.is_dual_only:
        return canonical(sp.csr_array((0, 0)))
    factor = problem.mass.factor
    return diagonal_matrix(1.0 / np.sqrt(problem.H.diagonal())) if factor is None else factor


def _row_scales(problem: ContactProblem, lift: Lifting, T: Csr, start: Indices, G: Csr) -> tuple[Array, Array, Array]:
    """Factors of cone rows, free rows and joint rows that bring the diagonal of N to about 1."""
    ones = np.ones(len(lift.like))
    like = sp.csr_array((ones, (np.arange(len(ones)), lift.like)), shape=(len(ones), problem.contact_rows))
    rows = canonical(sp.vstack((T.T @ like, _picked(lift.free, np.ones(len(lift.free)), problem))))
    soft = canonical(rows.multiply(rows @ problem.E))
    diagonal = row_squares(canonical(rows @ problem.D @ G)) + np.asarray(soft.sum(axis=1)).reshape(-1)
    cone = block_scale(diagonal[: start[-1]], start)
    joint = row_squares(canonical(problem.C @ G))
    return cone, 1.0 / np.sqrt(positive(diagonal[start[-1] :])), 1.0 / np.sqrt(positive(joint))


def _picked(rows: Indices, factor: Array, problem: ContactProblem) -> Csr:
    """factor * (those rows of a vector over the contact rows)."""
    return sp.csr_array((factor, (np.arange(len(rows)), rows)), shape=(len(rows), problem.contact_rows))


def _stored_zeros(size: int) -> Csr:
    """A diagonal of zeros that are stored, as factorisations of indefinite matrices ask."""
    return sp.csr_array((np.zeros(size), (np.arange(size), np.arange(size))), shape=(size, size))


def _taller(matrix: Csr, A: Csr) -> Csr:
    """With rows of zeros below, as many as A has."""
    return sp.csr_array(sp.vstack((matrix, sp.csr_array((A.shape[0] - matrix.shape[0], matrix.shape[1])))))


def _split_compliance(soft: Csr, start: Indices) -> tuple[Csr | None, Csr]:
    """E of the cone rows, None if there is none; L of what cannot stand there, over cone and free rows."""
    m, rows = int(start[-1]), soft.shape[0]
    if soft.nnz == 0:
        return None, sp.csr_array((rows, 0))
    block = np.concatenate((np.repeat(np.arange(len(start) - 1), np.diff(start)), np.arange(m, rows) + len(start)))
    row = entry_rows(soft)
    if np.any(block[row] != block[soft.indices]):
        return None, _factored(soft.toarray())
    stiffness = np.sqrt(soft.diagonal()[m:])
    sprung = np.flatnonzero(stiffness)
    L = sp.csr_array((stiffness[sprung], (m + sprung, np.arange(len(sprung)))), shape=(rows, len(sprung)))
    E = canonical(soft[:m, :m])
    return (E if E.nnz else None), L


def _factored(matrix: Array) -> Csr:
    """L with `L L'` = the positive semidefinite matrix, by Cholesky with pivots; as many columns as its rank."""
    factor, pivots, rank, _ = lapack.dpstrf(matrix, lower=1)
    L = np.zeros((len(matrix), rank))
    L[pivots - 1] = np.tril(factor)[:, :rank]
    return canonical(L)
