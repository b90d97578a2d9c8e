"""Springs and other forces with derivatives in the linearised implicit step.

With forces taken at `q0 + h (a v - b v0)` and linearised at the beginning of the step,
`M (v - v0) = h (F + dF/dq h (a v - b v0) + dF/dv (v - v0))`, so that

    H = M + h R + a h^2 K    and    c = -(M v0 + h F + h R v0 + b h^2 K v0),

with `K = -dF/dq` and `R = -dF/dv`. Implicit Euler has a = 1, b = 0 and damps: a free oscillation loses about `(omega
h)/2` of its amplitude per radian. Steps to second order take springs with a = b = 1/4, the mean of the last two middles
of steps: `1/2 v'Mv + V((q0 + q)/2)` is then kept, for linear springs to round-off and at any step. Springs too fast for
the step would oscillate undamped; from (omega h)^2 = 1/4 on a and b go over to implicit Euler, which they reach at 1.
omega is that of the spring between its bodies without joints: `omega^2 <= trace(M^-1 K)`.

H must be symmetric and positive definite: of K and R the symmetric parts are taken, and their negative eigenvalues are
set to 0 (a compressed spring pushes sideways, which would be one). What is left out changes the velocities by O(h^2) in
a step, as the linearisation itself does; the force F itself is whole.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp

from signorini.assembly.masses import Masses
from signorini.kernels.step.springs import force_place
from signorini.math.sparse import Array, Csr, canonical
from signorini.model.component import StiffForce
from signorini.model.state import State
from signorini.problem.errors import ModelError


def stiff_terms(
    forces: Sequence[StiffForce], masses: Masses, state: State, h: float, inverse_diagonal: Array | None = None
) -> tuple[Csr, Array]:
    """`h R + a h^2 K`, and the momentum `h F + h R v0 + b h^2 K v0` that goes with it, over the unknown velocities.

    `inverse_diagonal` is the inverse of the diagonal of M, shape (velocities,); None has a = 1, b = 0.
    """
    momentum = np.zeros(masses.velocities)
    rows, columns, data = [], [], []
    velocities = state.velocities
    for force in forces:
        term = force.term(state)
        if not (np.isfinite(term.force).all() and np.isfinite(term.dq).all() and np.isfinite(term.dv).all()):
            raise ModelError(f"force {force.name!r} or its derivatives are not finite at t = {state.time:g} s")
        place, v = masses.column[term.columns], velocities[term.columns]
        free = place >= 0
        here = place[free]
        R, K = (definite(-part[np.ix_(free, free)]) for part in (term.dv, term.dq))
        # Bodies of known velocity move on by h v in the step; that velocity holds for all of it.
        led = term.dq[np.ix_(free, ~free)] @ v[~free]
        a, b = 1.0, 0.0
        if inverse_diagonal is not None and term.elastic:
            a, b = force_place(h * h * float(np.diag(K) @ inverse_diagonal[here]))
        np.add.at(momentum, here, h * (term.force[free] + (R + b * h * K) @ v[free] + (a - b) * h * led))
        rows.append(np.repeat(here, len(here)))
        columns.append(np.tile(here, len(here)))
        data.append((h * R + a * h * h * K).reshape(-1))
    entries = (np.concatenate(data), (np.concatenate(rows), np.concatenate(columns)))
    return canonical(sp.csr_array(entries, shape=(masses.velocities, masses.velocities))), momentum


def definite(matrix: Array) -> Array:
    """The symmetric part without negative eigenvalues."""
    values, vectors = np.linalg.eigh(0.5 * (matrix + matrix.T))
    if not len(values) or values[0] >= 0.0:
        return np.asarray(0.5 * (matrix + matrix.T))
    return np.asarray((vectors * np.maximum(values, 0.0)) @ vectors.T)
