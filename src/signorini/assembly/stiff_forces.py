"""Springs and their kin in the linearised implicit step.

With forces taken at the end of the step and linearised at its beginning,
`M (v - v0) = h (F + dF/dq h v + dF/dv (v - v0))`, so that

    H = M + h R + h^2 K    and    c = -(M v0 + h F + h R v0),

with `K = -dF/dq` and `R = -dF/dv`. H must be symmetric and positive definite: of K and R the symmetric parts are taken,
and their negative eigenvalues are set to 0 (a compressed spring pushes sideways, which would be one). What is left out
changes the velocities by O(h^2) in a step, as the linearisation itself does; the force F itself is whole.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp

from signorini.assembly.masses import Masses
from signorini.math.sparse import Array, Csr, canonical
from signorini.model.component import StiffForce
from signorini.model.state import State
from signorini.problem.errors import ModelError


def stiff_terms(forces: Sequence[StiffForce], masses: Masses, state: State, h: float) -> tuple[Csr, Array]:
    """`h R + h^2 K`, and the momentum `h F + h R v0` that goes with it, over the unknown velocities."""
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
        np.add.at(momentum, here, h * (term.force[free] + R @ v[free] + h * led))
        rows.append(np.repeat(here, len(here)))
        columns.append(np.tile(here, len(here)))
        data.append((h * R + h * h * K).reshape(-1))
    entries = (np.concatenate(data), (np.concatenate(rows), np.concatenate(columns)))
    return canonical(sp.csr_array(entries, shape=(masses.velocities, masses.velocities))), momentum


def definite(matrix: Array) -> Array:
    """The symmetric part without negative eigenvalues."""
    values, vectors = np.linalg.eigh(0.5 * (matrix + matrix.T))
    if not len(values) or values[0] >= 0.0:
        return np.asarray(0.5 * (matrix + matrix.T))
    return np.asarray((vectors * np.maximum(values, 0.0)) @ vectors.T)
