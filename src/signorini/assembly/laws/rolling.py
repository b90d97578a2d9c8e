"""Rolling and spinning friction: three more rows per contact.

A contact patch resists spinning about the normal and rolling about the tangents by torques of up to a length times the
normal force. With `w = w_a - w_b` the relative angular velocity in the world, the rows of such a contact are

    (normal, t1, t2) . (velocity of a against b),      (normal, t1, t2) . w

and its block of K is the rolling block of `Cones`. Angular velocities are in body axes, so the entries of the new rows
are `d'R_a` and `-d'R_b`; those of bodies of known velocity go to b. A flexible body turns there as its surface does
(see `patches`), whose nodes take up the torque.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from signorini.assembly.frames import contact_frames
from signorini.assembly.laws.contact_snapshot import ContactSnapshot
from signorini.assembly.laws.patches import Patches
from signorini.math.rotations import matrix, rotate
from signorini.math.sparse import Array, Csr, Indices, canonical
from signorini.model.state import State
from signorini.problem.cones import ROLLING_ROWS, Cones
from signorini.problem.contact_problem import ContactProblem

ROWS = 3
"""That are added to a contact."""


@dataclass(frozen=True, eq=False)
class RollingRows:
    """Rows (spin, roll about t1, roll about t2) of some contacts."""

    contacts: Indices
    """Which ones, rising, shape (rolling,)."""
    D: Csr
    """Over the unknown velocities [-], shape (3 rolling, n)."""
    known: Array
    """What known velocities add to b [rad/s], shape (3 rolling,)."""
    rolling: Array
    """Length [m], shape (rolling,)."""
    spinning: Array
    """Length [m], shape (rolling,)."""


def rolling_rows(
    snapshot: ContactSnapshot, state: State, place: Indices, patches: Patches | None = None
) -> RollingRows | None:
    """Of the contacts that resist rolling or spinning, None where there are none; `place` is that of `Masses`."""
    laws = snapshot.laws
    chosen = np.flatnonzero((laws.rolling_friction > 0) | (laws.spinning_friction > 0))
    if not len(chosen):
        return None
    contacts = snapshot.contacts
    frames = contact_frames(contacts.normal[chosen])
    known = np.zeros((len(chosen), ROWS))
    data, row, column = [], [], []
    for side, (sign, body) in enumerate(((1.0, contacts.body_a[chosen]), (-1.0, contacts.body_b[chosen]))):
        rigid = body < len(place)
        free = rigid & (place[np.where(rigid, body, 0)] >= 0)
        turned = sign * np.einsum("ckj,cji->cki", frames[free], matrix(state.orientation[body[free]]))
        first = ROWS * np.flatnonzero(free)[:, None, None]
        data.append(turned.reshape(-1))
        row.append(np.broadcast_to(first + np.arange(ROWS)[:, None], turned.shape).reshape(-1))
        angular = 6 * place[body[free]][:, None, None] + 3 + np.arange(3)
        column.append(np.broadcast_to(angular, turned.shape).reshape(-1))
        fixed = rigid & ~free
        spin = rotate(state.orientation[body[fixed]], state.angular_velocity[body[fixed]])
        known[fixed] -= sign * np.einsum("ckj,cj->ck", frames[fixed], spin)
        for k in np.flatnonzero(~rigid).tolist():
            assert patches is not None
            nodes, B = patches.spin(state, contacts, int(chosen[k]), side)
            entries = sign * np.einsum("ri,nij->rnj", frames[k], B).reshape(ROWS, -1)
            columns, speed = patches.column[nodes].reshape(-1), state.node_velocity[nodes].reshape(-1)
            moves = columns >= 0
            data.append(entries[:, moves].reshape(-1))
            row.append(np.repeat(ROWS * k + np.arange(ROWS), moves.sum()))
            column.append(np.tile(columns[moves], ROWS))
            known[k] -= entries[:, ~moves] @ speed[~moves]
    places = (np.concatenate(row), np.concatenate(column))
    shape = (ROWS * len(chosen), 6 * int((place >= 0).sum()) if patches is None else patches.velocities)
    return RollingRows(
        chosen,
        canonical(sp.csr_array((np.concatenate(data), places), shape=shape)),
        known.reshape(-1),
        laws.rolling_friction[chosen],
        laws.spinning_friction[chosen],
    )


def with_rolling(problem: ContactProblem, extra: RollingRows) -> ContactProblem:
    """The problem with the rows of `extra` put behind those of their contacts."""
    cones, chosen = problem.cones, extra.contacts
    rolls = np.zeros(cones.count, dtype=np.bool_)
    rolls[chosen] = True
    blocks = Cones.join(cones, Cones.rolling_contacts(cones.friction[chosen], extra.rolling, extra.spinning)).take(
        np.where(rolls, cones.count + np.cumsum(rolls) - 1, np.arange(cones.count))
    )
    old, new = problem.contact_rows, ROWS * len(chosen)
    # Rows of block k: its own, then, if it rolls, the three that come after all others.
    place = np.empty(old + new, dtype=np.int64)
    start = blocks.start
    own = np.repeat(start[:-1] - cones.start[:-1], cones.dims) + np.arange(old)
    place[own] = np.arange(old)
    place[(start[chosen][:, None] + ROLLING_ROWS - ROWS + np.arange(ROWS)).reshape(-1)] = old + np.arange(new)
    E = problem.E
    if E.nnz:
        padded: Csr = sp.block_diag([E, sp.csr_array((new, new))], format="csr")
        E = canonical(padded[place][:, place])
    return problem.changed(
        D=canonical(sp.vstack([problem.D, extra.D], format="csr")[place]),
        b_lambda=np.concatenate((problem.b_lambda, extra.known))[place],
        cones=blocks,
        E=E if E.nnz else None,
    )
