"""Contact frames: the normal and the two tangents that belong to it."""

from __future__ import annotations

import numpy as np

from signorini.kernels.bodies import contact_jacobian
from signorini.math.sparse import Array


def contact_frames(normal: Array) -> Array:
    """Rows (normal, t1, t2), right-handed, of each contact; shape (contacts, 3, 3).

    The tangents depend on the normal alone and turn with it continuously (except at one direction that rarely occurs),
    so that impulses can be carried from one step to the next in these axes.
    """
    normal = np.ascontiguousarray(normal, dtype=np.float64).reshape(-1, 3)
    out = np.empty((len(normal), 3, 3))
    contact_jacobian.frames(normal, out)
    return out


def world_impulses(normal: Array, impulse: Array) -> Array:
    """Impulses on body a [N s], world, from (normal, t1, t2) components; both of shape (contacts, 3)."""
    normal = np.ascontiguousarray(normal, dtype=np.float64).reshape(-1, 3)
    out = np.empty((len(normal), 3))
    contact_jacobian.world_vectors(normal, np.ascontiguousarray(impulse, dtype=np.float64), out)
    return out
