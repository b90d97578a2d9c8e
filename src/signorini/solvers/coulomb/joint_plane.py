"""Joints taken out of a problem of rigid bodies: whitened velocities are confined to the plane in which they hold.

With `v = G w`, `G G' = H^-1`, rows `A = C G` of the joints and `D G` of the contacts, let P be the projection on the
null space of A and `w_j` the velocities nearest to the free ones that meet the joints. What is left is a problem of
contacts alone, `u = N lambda + r` with `N = (D G) P (D G)' + E` and `r = D G w_j - b_lambda`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import scipy.sparse as sp

from signorini.kernels.linalg import joint_plane as kernels
from signorini.math.sparse import Array, Csr
from signorini.problem.contact_problem import ContactProblem
from signorini.solvers.coulomb.search import Iterate
from signorini.solvers.linear import MatrixKind, back_end

MOST_VELOCITIES = 100
"""Beyond, making rows orthonormal one by one takes longer than a sparse factorisation."""
DEPENDENT = 1e-10
"""A joint row of which less than this share is independent of others is redundant."""
DELTA = 1e-10
"""Regularisation of `A A'` for redundant joints, in units where its diagonal is 1."""
PROJECTIONS, PROJECTED = 8, 1e-14
"""Rounds of the sparse projection, each of which leaves `DELTA / s` of a part with eigenvalue s; error to end them."""
NULL_POWERS, NULL_ROUNDS = 5, 3
"""Solves that leave `(DELTA / s)^5` of all but the null space, and how often that is taken off: DELTA beside 1 has six
digits, so each time as much is left."""


@dataclass(frozen=True, eq=False)
class ContactPart:
    """What contacts see of a problem whose joints hold: `u = N lambda + r`."""

    N: Array
    """Shape (contact rows, contact rows)."""
    r: Array
    """[m/s], shape (contact rows,)."""


class JointPlane(Protocol):
    """The velocities in which all joints hold."""

    def contacts(self) -> ContactPart:
        """What the contacts see."""

    def iterate(self, impulse: Array) -> Iterate:
        """Joint impulses and velocities that go with impulses of the contacts."""


def contacts_of(problem: ContactProblem) -> ContactPart:
    """The problem itself, without joints."""
    N = problem.N if problem.skew is None else problem.N + problem.skew
    return ContactPart(N.toarray(), problem.r)


def joint_plane(problem: ContactProblem) -> JointPlane | None:
    """The plane of a problem of rigid bodies; None without joints."""
    if not problem.joint_rows:
        return None
    return OrthonormalPlane(problem) if problem.velocities <= MOST_VELOCITIES else SparsePlane(problem)


class _WhiteRows:
    """Whitened rows of contacts and joints, the latter of unit length."""

    def __init__(self, problem: ContactProblem) -> None:
        G, white, rows = problem.mass.factor, problem.whitened, problem.mass.whiten(problem.C)
        assert G is not None
        assert white is not None
        assert rows is not None
        self.G, self.D = G, white.toarray()
        length = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).reshape(-1))
        self.scale = 1.0 / np.where(length > 0.0, length, 1.0)
        self.A = Csr(sp.diags_array(self.scale) @ rows)
        self.b = self.scale * problem.b_gamma
        self.free = -np.asarray(self.G.T @ problem.c)


def _contact_part(problem: ContactProblem, white: _WhiteRows, velocity: Array, rows: Array) -> ContactPart:
    N = rows @ rows.T
    if problem.E.nnz:
        N += problem.E.toarray()
    return ContactPart(N, white.D @ velocity - problem.b_lambda)


class OrthonormalPlane:
    """By orthonormal rows (`kernels/linalg/joint_plane.py`): small mechanisms, any ratio of masses."""

    def __init__(self, problem: ContactProblem) -> None:
        self._problem, self._white = problem, _WhiteRows(problem)
        white = self._white
        self._Q = white.A.toarray()
        k, n = self._Q.shape
        self._R, self._kept, self._t = np.zeros((k, k)), np.empty(k, dtype=np.int64), np.empty(k)
        self._velocity, self._rows = np.empty(n), np.empty_like(white.D)
        self._rank = kernels.confine(
            self._Q, white.b, white.free, white.D, DEPENDENT, self._R, self._kept, self._t, self._velocity, self._rows
        )

    def contacts(self) -> ContactPart:
        return _contact_part(self._problem, self._white, self._velocity, self._rows)

    def iterate(self, impulse: Array) -> Iterate:
        white, joint = self._white, np.zeros(len(self._Q))
        pushed = white.free + impulse @ white.D
        kernels.joint_impulses(self._Q, self._R, self._kept, self._rank, self._t, pushed, joint)
        velocity = white.G @ (self._velocity + impulse @ self._rows)
        return Iterate(impulse, joint * white.scale, np.asarray(velocity))


class SparsePlane:
    """By a factorisation of `A A' + DELTA`: long chains and many bodies with few contacts.

    The projection is repeated until A leaves nothing of it, so that DELTA does not show. No motion can meet redundant
    joints that contradict one another: the contradiction is taken off the targets first, which leaves the least squares
    of their errors and the least impulses. DELTA would turn it into impulses of `1 / DELTA` times its size.
    """

    def __init__(self, problem: ContactProblem) -> None:
        self._problem, self._white = problem, _WhiteRows(problem)
        white, A = self._white, self._white.A
        S = Csr(sp.triu(A @ A.T + DELTA * sp.eye_array(A.shape[0]), format="csr"))
        S.sort_indices()
        self._factors = back_end("auto").analyse(S, MatrixKind.POSITIVE_DEFINITE)
        self.ok = self._factors.factor(S.data).ok
        columns = np.column_stack((white.free, white.D.T))
        target = np.zeros((A.shape[0], columns.shape[1]))
        target[:, 0] = self._consistent(white.b, A @ white.free)
        self._multipliers = self._confine(columns, target)
        self._velocity, self._rows = columns[:, 0].copy(), np.ascontiguousarray(columns[:, 1:].T)

    def _consistent(self, target: Array, free: Array) -> Array:
        """The targets without what joints ask in contradiction."""
        size = PROJECTED * (float(np.linalg.norm(target)) + float(np.linalg.norm(free)))
        for _ in range(NULL_ROUNDS if self.ok else 0):
            part = self._null_part(target - free)
            if float(np.abs(part).max(initial=0.0)) <= size:
                break
            target = target - part
        return target

    def _null_part(self, rows: Array) -> Array:
        """The part of joint rows in the null space of A', where `A A' + DELTA` is DELTA alone."""
        for _ in range(NULL_POWERS):
            rows = DELTA * self._factors.solve(rows)
        return rows

    def _confine(self, columns: Array, target: Array) -> Array:
        """Move columns until `A column = target`, in place; the multipliers that do so."""
        A, total = self._white.A, np.zeros_like(target)
        size = np.linalg.norm(columns, axis=0) + np.linalg.norm(target, axis=0)
        for _ in range(PROJECTIONS if self.ok else 0):
            left = target - A @ columns
            if np.all(np.abs(left).max(axis=0, initial=0.0) <= PROJECTED * size):
                break
            step = self._factors.solve(left)
            columns += A.T @ step
            total += step
        return total

    def contacts(self) -> ContactPart:
        return _contact_part(self._problem, self._white, self._velocity, self._rows)

    def iterate(self, impulse: Array) -> Iterate:
        white = self._white
        joint = self._multipliers[:, 0] + self._multipliers[:, 1:] @ impulse
        if self.ok:
            # Round-off in the null space of A', divided by DELTA.
            joint -= self._null_part(joint)
        velocity = white.G @ (self._velocity + impulse @ self._rows)
        return Iterate(impulse, joint * white.scale, np.asarray(velocity))
