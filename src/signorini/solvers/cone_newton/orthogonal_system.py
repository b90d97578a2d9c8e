"""The linear system by orthogonal rows, from the lightest body to the heaviest: for extreme ratios of masses."""

from __future__ import annotations

import numpy as np
import scipy.linalg as la

from signorini.kernels.linalg import orthogonal_rows as kernels
from signorini.math.sparse import Array
from signorini.problem.contact_problem import ContactProblem
from signorini.solvers.cone_newton.scaling import Scaling
from signorini.solvers.cone_newton.standard_form import StandardForm
from signorini.solvers.cone_newton.system import System, exact_residual
from signorini.solvers.linear import FactorReport

DEPENDENT = 1e-13
"""A row of which less than this share is not a combination of others is one."""
MOST_ROWS, MOST_COLUMNS = 600, 2000
"""The matrices are dense: beyond, a factorisation takes seconds."""


class Orthogonal(System):
    """`B = [A S F] = R'Q` with `S S' = Theta`, `F F' = E` and orthonormal rows Q; no delta.

    With u = [S F]'dx the two equations ask for the point of the plane `B (dw, u) = r2` that is nearest to (r1, 0)::

        (dw, u) = Q'R^-T r2 + (1 - Q'Q)(r1, 0),      R dx = R^-T r2 - Q (r1, 0)

    Neither N nor K is formed, and velocities come from the constraints, not from impulses that cancel. Rows are taken
    in the order of `|B_i|` in units of velocity, so contacts and joints of light bodies come before those of heavy
    ones: a chain in which each body is ten times heavier than the last has the factor A itself, with no subtraction at
    all, where other orders lose a digit per body. Rows that are combinations of earlier ones (redundant joints, and
    contacts with theta = 0) are left out: their impulses stay as they are.
    """

    own_factorisation = "dense"

    def __init__(self, problem: ContactProblem, form: StandardForm) -> None:
        A = form.A
        self._form, self._place = form, form.A.positions()
        self._weight = _row_weights(problem, form)
        self._root = None if form.H is None else la.cholesky(form.H.toarray(), lower=True)
        self._compliance = np.zeros((form.cone_rows, 0)) if form.E is None else _square_root(form.E.toarray())
        self._R = np.empty((A.rows, A.rows))
        self._kept = np.empty(A.rows, dtype=np.int64)

    def factor(self, scaling: Scaling, values: Array) -> FactorReport:
        n, m = self._form.A.width, self._form.cone_rows
        self._scaling, self._values = scaling, values
        F = [scaling.turn(column) for column in self._compliance.T]
        B = np.zeros((self._form.A.rows, n + m + len(F)))
        B[self._place] = values
        if self._root is not None:
            B[:, :n] = la.solve_triangular(self._root, B[:, :n].T, lower=True).T
        B[np.arange(m), n + np.arange(m)] = np.sqrt(scaling.theta[:m])
        if F:
            B[:m, n + m :] = np.transpose(F)
        if not np.isfinite(B).all():
            return FactorReport(False, message="the matrix holds entries that are not finite numbers")
        self._R[:] = 0.0
        order = np.argsort(-self._weight * np.linalg.norm(B, axis=1), kind="stable")
        self._rank = kernels.orthonormalise(B, order, DEPENDENT, self._R, self._kept)
        self._Q = B[self._kept[: self._rank]]
        return FactorReport(True)

    def solve(self, r1: Array, r2: Array) -> tuple[Array, Array]:
        n, Q = len(r1), self._Q
        rest = np.zeros(Q.shape[1])
        rest[:n] = r1 if self._root is None else la.solve_triangular(self._root, r1, lower=True)
        along = Q @ rest
        rest -= along @ Q
        more = Q @ rest  # once more, for what round-off has left
        rest -= more @ Q
        t = np.empty(self._rank)
        kernels.forward(self._R, self._kept, self._rank, r2, t)
        rest += t @ Q
        dx = np.zeros(len(r2))
        kernels.backward(self._R, self._kept, self._rank, t - along - more, dx)
        dw = rest[:n] if self._root is None else la.solve_triangular(self._root, rest[:n], lower=True, trans="T")
        return dw, dx

    def residual(self, r1: Array, r2: Array, dw: Array, dx: Array) -> tuple[Array, Array]:
        return exact_residual(self._form, self._scaling, self._values, r1, r2, dw, dx)

    def release(self) -> None:
        """Nothing is kept."""


def _square_root(E: Array) -> Array:
    """F with `F F' = E`, as many columns as E has rank."""
    values, vectors = np.linalg.eigh(E)
    positive = values > len(E) * np.finfo(np.float64).eps * values.max(initial=0.0)
    return np.asarray(vectors[:, positive] * np.sqrt(values[positive]))


def _row_weights(problem: ContactProblem, form: StandardForm) -> Array:
    """What brings the rows of the standard form back to units of velocity: the root of the diagonal of N."""
    contact = problem.cones.block_of_row[form.cones.contact_row]
    return np.concatenate((1.0 / np.sqrt(problem.rho[contact]), 1.0 / form.joint_scale))
