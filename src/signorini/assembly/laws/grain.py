"""Anisotropic friction: an elliptic cone by scaled and turned tangent rows.

With a along the grain and c across it, both in the contact plane, the law is `(lambda_a / mu_a)^2 + (lambda_c / mu_c)^2
<= lambda_n^2`, and slip is normal to that ellipse. In the rows `S R D_t`, R turning (t1, t2) to (a, c) and
`S = diag(mu_a, mu_c) / mu`, `mu = max(mu_a, mu_c)`, it is the circular cone of mu: the impulse on the bodies is
`R' S lambda`, the slip that the cone sees is `S R u`. The grain of a flexible body goes with its surface (`patches`).
"""

from __future__ import annotations

import numpy as np

from signorini.assembly.frames import contact_frames
from signorini.assembly.laws.contact_snapshot import ContactSnapshot
from signorini.assembly.laws.patches import Patches
from signorini.math.rotations import rotate
from signorini.math.sparse import Array
from signorini.model.state import State


def turns(
    snapshot: ContactSnapshot, state: State, along: Array, across: Array, patches: Patches | None = None
) -> tuple[Array, Array | None]:
    """mu of the circular cone, shape (contacts,), and S R of each contact, (contacts, 2, 2); None where it is 1."""
    grain = snapshot.laws.grain
    mu = np.maximum(along, across)
    if not (grain >= 0).any():
        return mu, None
    contacts = snapshot.contacts
    direction = _directions(snapshot, state, patches)
    frames = contact_frames(contacts.normal)
    flat = np.einsum("ckj,cj->ck", frames[:, 1:], direction)
    length = np.sqrt((flat * flat).sum(axis=1))
    # A grain along the normal has no direction in the plane: t1 is taken.
    size = np.linalg.norm(snapshot.laws.direction, axis=1)
    upright = length <= 1e-9 * size
    cosine, sine = (
        np.where(upright, other, flat[:, k] / np.where(upright, 1.0, length)) for k, other in ((0, 1.0), (1, 0.0))
    )
    scale = np.divide(np.stack((along, across)), mu, out=np.ones((2, len(mu))), where=mu > 0)
    turn = np.empty((len(mu), 2, 2))
    turn[:, 0, 0], turn[:, 0, 1] = scale[0] * cosine, scale[0] * sine
    turn[:, 1, 0], turn[:, 1, 1] = -scale[1] * sine, scale[1] * cosine
    turn[grain < 0] = np.eye(2)
    return mu, turn


def _directions(snapshot: ContactSnapshot, state: State, patches: Patches | None) -> Array:
    """Of the grain of each contact, world, shape (contacts, 3)."""
    contacts, grain, drawn = snapshot.contacts, snapshot.laws.grain, snapshot.laws.direction
    body, count = np.where(grain == 1, contacts.body_b, contacts.body_a), len(state.position)
    rigid, out = body < count, drawn.copy()
    out[rigid] = rotate(state.orientation[body[rigid]], drawn[rigid])
    if patches is not None:
        for k in np.flatnonzero(~rigid & (grain >= 0)).tolist():
            out[k] = patches.direction(state, contacts, k, int(grain[k]), drawn[k])
    return out
