"""Displacements of bodies that bounce within a step, as far as joints can follow them.

Bodies that strike within a step begin it displaced, so that they end where the flights before and after the impact lead
(see `instants`). Rows of joints are those of the undisplaced bodies: they hold for displacements that turn bodies a
little. A light body that takes a blow from a heavy one spins so fast that it may turn by a radian until the next blow
of the same step stops it; its joints would stay open by a share of its size.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from signorini.math.sparse import Array
from signorini.problem.contact_problem import ContactProblem

FARTHEST = 0.25
"""Turn of a body that its joints can follow [rad]."""


def followed(level: ContactProblem, shift: Array, rigid: int) -> Array:
    """The displacement, 0 for all that contacts and joints connect with a jointed body that it turns too far.

    Those strike at the beginning of the step, to first order. The first `rigid` velocities are those of rigid bodies.
    """
    turns = np.linalg.norm(shift[:rigid].reshape(-1, 6)[:, 3:], axis=1)
    jointed = np.zeros(len(shift), dtype=np.bool_)
    jointed[level.C.indices] = True
    far = (turns > FARTHEST) & jointed[:rigid].reshape(-1, 6).any(axis=1)
    if not far.any():
        return shift
    columns = len(shift)
    bodies = sp.csr_array((np.ones(rigid), (np.arange(rigid) // 6, np.arange(rigid))), shape=(rigid // 6, columns))
    rows = sp.vstack((level.C, level.D, bodies), format="csr")
    _, group = connected_components(sp.block_array([[None, rows.T], [rows, None]]), directed=False)
    lost = np.isin(group[:columns], group[np.repeat(far, 6).nonzero()[0]])
    return np.where(lost, 0.0, shift)
