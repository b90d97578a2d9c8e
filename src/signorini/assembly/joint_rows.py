"""Rows of the joints over the movable bodies."""

from __future__ import annotations

import numpy as np

from signorini.assembly.masses import Masses
from signorini.math.sparse import Array, Csr, assembled
from signorini.model.model import Model
from signorini.model.state import State


def joint_rows(model: Model, masses: Masses, state: State, step: float) -> tuple[Csr, Array]:
    """C and `b_gamma = -Psi/h - dPsi/dt`; columns of bodies of known velocity go to the right-hand side."""
    if not model.joints:
        nothing = np.zeros(0, dtype=np.int32)
        return assembled(np.zeros(0), nothing, np.zeros(1, dtype=np.int32), (0, masses.velocities)), np.zeros(0)
    parts = [joint.rows(state) for joint in model.joints]
    lengths = np.concatenate([np.diff(part.jacobian.indptr) for part in parts])
    row = np.repeat(np.arange(len(lengths)), lengths)
    column = np.concatenate([part.jacobian.indices for part in parts])
    data = np.concatenate([part.jacobian.data for part in parts])
    error, rate = (np.concatenate([getattr(part, name) for part in parts]) for name in ("error", "rate"))
    body, place = column // 6, masses.place[column // 6]
    known = place < 0
    velocity = np.hstack((state.velocity, state.angular_velocity)).reshape(-1)
    b = -error / step - rate
    b -= np.bincount(row[known], weights=data[known] * velocity[column[known]], minlength=len(b))
    row, column, data = row[~known], (6 * place + column - 6 * body)[~known], data[~known]
    order = np.lexsort((column, row))
    indptr = np.concatenate(([0], np.cumsum(np.bincount(row, minlength=len(b))))).astype(np.int32)
    return assembled(data[order], column[order].astype(np.int32), indptr, (len(b), masses.velocities)), b
