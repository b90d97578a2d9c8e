"""How the directions of joint forces change with the configuration.

A light link that holds a heavy body swings across its load faster than a step of h can follow: a force f at the lever
r turns with neither, and with the rows of the beginning of the step the link is unstable beyond (omega h)^2 = 4. There
the change of the directions is taken implicitly, with the joint forces f = lambda / h of the last step, as springs are
(see `assembly.stiff_forces`): `H = M + a h^2 K`, `K = -d(C' f)/dq` of each joint, its symmetric part without negative
eigenvalues. Slow motion is hardly damped, by `(a - b) omega h / 2` of critical; swings that the step does not resolve
lose 2 % of their amplitude per step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import scipy.sparse as sp

from signorini.assembly.dynamics import Dynamics
from signorini.assembly.masses import Masses
from signorini.assembly.stiff_forces import definite
from signorini.math.rotations import exponential, multiply
from signorini.math.sparse import Array, Csr, Indices, canonical
from signorini.model.component import Joint
from signorini.model.state import State

DIFFERENCE = 1e-6
"""Displacement of central differences [m, rad]: their error and round-off are both near 1e-10."""


NOISE = 1e-7
"""Share of the largest entry of a block below which entries are errors of differences: they would couple bodies."""
STIFFEST = 1e10
"""Largest (omega h)^2 of a swing: faster ones stand still as well, but the masses would vanish beside them in H."""
NONE = np.zeros(0, dtype=np.int64)
LATE, EARLY = 0.5, 0.48
"""a and b of the place `q0 + h (a v1 - b v0)` where directions are taken: stable at any step, with little damping."""


def geometric_stiffness(dynamics: Dynamics, state: State, multipliers: Array) -> Csr:
    """d (C' lambda) / d displacement over the unknowns, by central differences joint by joint."""
    start = dynamics.joints.start
    parts = [multipliers[start[k] : start[k + 1]] for k in range(len(dynamics.joints.joints))]
    rows, columns, values = [], [], []
    for place, block in _blocks(dynamics.joints.joints, parts, dynamics.masses, state):
        rows.append(np.tile(place, len(place)))
        columns.append(np.repeat(place, len(place)))
        values.append(block.T.reshape(-1))
    n = dynamics.size
    if not rows:
        return Csr((n, n))
    entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
    return Csr(sp.coo_array(entries, shape=(n, n)))


def loaded_joints(
    joints: Sequence[Joint], impulses: Sequence[Array], masses: Masses, state: State, h: float
) -> tuple[Csr, Array]:
    """`a h^2 K`, and the momentum `b h^2 K v0` that goes with it; `impulses` are those of each joint [N s, N m s]."""
    momentum, velocity = np.zeros(masses.velocities), masses.velocity_of(state)
    parts: list[tuple[Indices, Indices, Array]] = []
    for place, block in _blocks(joints, impulses, masses, state):
        stiff = h * definite(-np.where(np.abs(block) > NOISE * np.abs(block).max(), block, 0.0))
        stiff = _bounded(stiff, masses.inverse_diagonal[place])
        i, j = np.nonzero(stiff)
        parts.append((place[i], place[j], LATE * stiff[i, j]))
        momentum[place] += EARLY * (stiff @ velocity[place])
    rows, columns, values = (np.concatenate(some) for some in zip(*parts, strict=True)) if parts else (NONE, NONE, NONE)
    entries = (values, (rows, columns))
    return canonical(Csr(sp.coo_array(entries, shape=(len(momentum), len(momentum))))), momentum


def _bounded(stiff: Array, mobility: Array) -> Array:
    """Without what is beyond `STIFFEST`, by the mobilities of the unknowns [1/kg, 1/(kg m2)]."""
    if float(np.diag(stiff) @ mobility) <= STIFFEST:  # not less than the largest eigenvalue
        return stiff
    root = np.sqrt(mobility)
    scale = np.outer(root, root)
    values, vectors = np.linalg.eigh(stiff * scale)
    return np.asarray((vectors * np.clip(values, 0.0, STIFFEST)) @ vectors.T / scale)


def _blocks(
    joints: Sequence[Joint], multipliers: Sequence[Array], masses: Masses, state: State
) -> Iterator[tuple[Indices, Array]]:
    """d (C' lambda) / d displacement of each loaded joint, and the unknowns it depends on."""
    for joint, lam in zip(joints, multipliers, strict=True):
        if not lam.any():
            continue
        touched = joint.rows(state).columns
        keep = masses.column[touched] >= 0
        free = touched[keep]
        block = np.column_stack([_directions(joint, state, int(column), lam)[keep] for column in free])
        yield masses.column[free], block


def _directions(joint: Joint, state: State, column: int, lam: Array) -> Array:
    there, back = (joint.rows(nudged(state, column, sign * DIFFERENCE)) for sign in (1.0, -1.0))
    return np.asarray((there.jacobian - back.jacobian).T @ lam / (2.0 * DIFFERENCE))


def nudged(state: State, column: int, amount: float) -> State:
    """The state with one velocity column (see `model.component`) followed for a small way [m, rad]."""
    new = state.copy()
    body, axis = divmod(column, 6)
    if body >= len(state.position):
        node, axis = divmod(column - 6 * len(state.position), 3)
        new.node_position[node, axis] += amount
    elif axis < 3:
        new.position[body, axis] += amount
    else:
        new.orientation[body] = multiply(new.orientation[body], exponential(amount * np.eye(3)[axis - 3]))
    return new
