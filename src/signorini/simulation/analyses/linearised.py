"""The equations of motion linearised about a state of rest, and their lowest eigenvalues."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
import scipy.sparse.linalg as spla

from signorini.assembly.dynamics import Dynamics, Extra, nothing
from signorini.assembly.effort import Weights
from signorini.assembly.geometric import DIFFERENCE, geometric_stiffness, nudged
from signorini.math.rotations import conjugate, rotate
from signorini.math.sparse import Array, Csr
from signorini.model.state import State
from signorini.problem.errors import SimulationError
from signorini.solvers.saddle.direct import Direct
from signorini.solvers.saddle.system import row_scales, scaled_rows

DENSE = 900
"""Unknowns up to which the null space of the joints is formed and all eigenvalues are found."""
DEPENDENT = 1e-9
"""A row of the joints is implied by others when less than this share of it is left without them."""
DIFFERENCES_ERROR = 1e-8
"""Relative error that finite differences leave in the stiffness of joint forces and users' forces."""
ROUND_OFF = 64.0 * np.finfo(np.float64).eps
"""Relative error of the eigenvalues, against the largest one."""
FIRST_SHIFT = 1e-7
"""First shift of the sparse method, as a share of the largest eigenvalue."""
MOST_SHIFTS = 12
ROUGH, FINE = 1e-3, 1e-12
"""Relative tolerances of eigenvalues while the shift is sought, and in the end."""


@dataclass(frozen=True, eq=False)
class Linearised:
    """Small motions x about a state of rest: `M x'' + K x = C' mu`, `C x = 0`; damping is left out.

    Unknowns are displacements in the order of `Masses`. K is the symmetric part of
    `-d(f + C' lambda)/dq` with the joint forces lambda at that state; it is symmetric by itself where forces have a
    potential and balance.
    """

    M: Csr
    """[kg, kg m2], shape (n, n)."""
    K: Csr
    """[N/m, N m/rad], shape (n, n)."""
    C: Csr
    """Joint rows, shape (rows, n)."""
    negligible: float
    """Eigenvalues below this are round-off [1/s2]."""

    @classmethod
    def of(cls, dynamics: Dynamics, state: State, multipliers: Array, extra: Extra = nothing) -> Linearised:
        """About a state at rest with the joint forces `multipliers` [N, N m]."""
        still = np.zeros(dynamics.size)
        elastic = dynamics.jacobian(state, dynamics.effort(state, extra), still, Weights(0.0, 0.0, 1.0))
        turning = geometric_stiffness(dynamics, state, multipliers) + _explicit_stiffness(dynamics, state)
        K = elastic - turning
        noise = ROUND_OFF * _largest(elastic, dynamics.M) + DIFFERENCES_ERROR * _largest(turning, dynamics.M)
        return cls(dynamics.M, Csr(0.5 * (K + K.T)), dynamics.constraints(state).C, noise)

    def lowest(self, count: int) -> tuple[Array, Array]:
        """The `count` lowest eigenvalues `K x = w^2 M x + C' mu`, `C x = 0` [1/s2], rising, and their vectors.

        Vectors are columns with `x' M x = 1`; there are fewer of them when the model has fewer degrees of freedom.
        """
        n = self.M.shape[0]
        return self._dense(count) if n <= max(DENSE, 3 * count) else self._sparse(count)

    def _dense(self, count: int) -> tuple[Array, Array]:
        Z = self._null_space()
        free = Z.shape[1]
        if not free:
            return np.zeros(0), np.zeros((Z.shape[0], 0))
        wanted = (0, min(count, free) - 1)
        values, vectors = scipy.linalg.eigh(Z.T @ (self.K @ Z), Z.T @ (self.M @ Z), subset_by_index=wanted)
        return np.asarray(values), np.asarray(Z @ vectors)

    def _null_space(self) -> Array:
        """Basis of the displacements that the joints allow, of unit length in the diagonal of M, shape (n, free)."""
        root = 1.0 / np.sqrt(self.M.diagonal())
        rows = scaled_rows(self.C, row_scales(self.M, self.C)).toarray() * root
        if not len(rows):
            return np.diag(root)
        Q, R, _ = scipy.linalg.qr(rows.T, pivoting=True)
        size = np.abs(np.diag(R))
        rank = int((size > DEPENDENT * max(float(size.max(initial=0.0)), 1.0)).sum())
        return np.asarray(root[:, None] * Q[:, rank:])

    def _sparse(self, count: int) -> tuple[Array, Array]:
        """Lanczos' method on `(K - shift M)^-1` within the null space of C; the shift is lowered to below all."""
        shift = -FIRST_SHIFT * _largest(self.K, self.M)
        for _ in range(MOST_SHIFTS):
            values, _ = self._near(shift, count, ROUGH)
            last = max(float(np.abs(values).max(initial=0.0)), self.negligible)
            if float(values[0]) < 0.5 * shift:
                shift = 4.0 * float(values[0])
            elif last < -0.1 * shift:
                shift = -last
            else:
                break
        values, vectors = self._near(shift, count, FINE)
        return values, vectors

    def _near(self, shift: float, count: int, tolerance: float) -> tuple[Array, Array]:
        n, session = self.M.shape[0], Direct().session()
        message = session.factor(Csr(self.K - shift * self.M), self.C)
        if message:
            raise SimulationError(f"the eigenvalues cannot be found: {message}")
        none = np.zeros(self.C.shape[0])
        inverse: Any = spla.LinearOperator((n, n), matvec=lambda r: session.solve(np.ravel(r), none).x)
        begin = inverse @ (self.M @ np.random.default_rng(0).normal(size=n))
        try:
            values, vectors = spla.eigsh(
                self.K, k=count, M=self.M, sigma=shift, OPinv=inverse, v0=begin, tol=tolerance,
                ncv=min(n, max(2 * count + 1, count + 20)),
            )  # fmt: skip
        except spla.ArpackNoConvergence as error:
            raise SimulationError(
                f"only {len(error.eigenvalues)} of {count} eigenvalues were found: ask for fewer"
            ) from error
        order = np.argsort(values)
        return values[order], vectors[:, order]


def _explicit_stiffness(dynamics: Dynamics, state: State) -> Csr:
    """d f / d displacement of the forces that come without derivatives (`add_force`), by central differences."""
    masses, n = dynamics.masses, dynamics.size
    if not dynamics.model.forces:
        return Csr((n, n))
    rows = np.arange(6 * len(masses.movable))
    columns = (6 * masses.movable[:, None] + np.arange(6)).reshape(-1)
    change = np.zeros((len(rows), len(rows)))
    for k, column in enumerate(columns):
        there, back = (_explicit(dynamics, nudged(state, int(column), s * DIFFERENCE)) for s in (1.0, -1.0))
        change[:, k] = (there - back) / (2.0 * DIFFERENCE)
    entry = np.nonzero(change)
    return Csr(sp.coo_array((change[entry], entry), shape=(n, n)))


def _explicit(dynamics: Dynamics, state: State) -> Array:
    movable = dynamics.masses.movable
    push, torque = np.zeros_like(state.position), np.zeros_like(state.position)
    for item in dynamics.model.forces:
        item.add(state, push, torque)
    return np.hstack((push[movable], rotate(conjugate(state.orientation[movable]), torque[movable]))).reshape(-1)


def _largest(K: Csr, M: Csr) -> float:
    """A bound of the eigenvalues of `M^-1 K` by row sums, M by its diagonal [1/s2]."""
    root = 1.0 / np.sqrt(M.diagonal())
    return float((root * (abs(K) @ root)).max(initial=0.0))
