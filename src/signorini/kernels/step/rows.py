"""Rows of joints, limits and dry friction at a state, and those of contacts, as dense blocks and in CSR form."""

from __future__ import annotations

import math

import numpy as np

from signorini.kernels.bodies import contact_jacobian
from signorini.kernels.bodies.coordinates import evaluate
from signorini.kernels.bodies.rigid_rows import WIDTH
from signorini.kernels.compile import kernel
from signorini.kernels.stack import matrix, vector
from signorini.kernels.step.tables import Sparse

TWO_TURNS = 4.0 * math.pi


@kernel
def _remainder(value, period):
    """`value` but for whole periods, from -period/2 to period/2."""
    return value - period * np.round(value / period)


@kernel
def coordinate_rows(bodies, table, rows, state, values):
    """Fill the rows that are coordinates: derivatives, errors, and what known velocities add."""
    count = len(table.kind)
    s, jacobian = vector(count), matrix(count, 12)
    evaluate(
        table.kind, table.axis, table.body, table.point, table.turn, state.position, state.orientation, s, jacobian
    )
    for k in range(count):
        row, sign, block = table.row[k], table.sign[k], rows.start[table.row[k]]
        value = s[k]
        if table.middle[k] == table.middle[k]:
            value = table.middle[k] + _remainder(value - table.middle[k], TWO_TURNS)
        error = sign * value + table.offset[k] - values.target[row]
        values.error[row] = _remainder(error, table.period[k]) if table.period[k] > 0.0 else error
        known = 0.0
        a, b = table.body[k, 0], table.body[k, 1]
        places = (bodies.place[a] if a >= 0 else -1, bodies.place[b] if b >= 0 else -1)
        for side in range(2):
            body, place = table.body[k, side], places[side]
            if place >= 0:
                # Blocks of a row rise by their bodies.
                at = block + (1 if places[1 - side] >= 0 and places[1 - side] < place else 0)
                for j in range(6):
                    values.blocks[at, j] = sign * jacobian[k, 6 * side + j]
            elif body >= 0:
                for j in range(3):
                    known += jacobian[k, 6 * side + j] * state.velocity[body, j]
                    known += jacobian[k, 6 * side + 3 + j] * state.spin[body, j]
        values.known[row] = sign * known


@kernel
def speed_bound(rows, values, row, fastest):
    """Bound of the speed of a row at velocities of the magnitudes `fastest` [m/s or rad/s]."""
    speed = abs(values.known[row] + values.rate[row])
    for k in range(rows.start[row], rows.start[row + 1]):
        for j in range(6):
            speed += abs(values.blocks[k, j]) * fastest[6 * rows.body[k] + j]
    return speed


@kernel
def row_speed(rows, values, row, v):
    """Rate of a row at velocities v [m/s or rad/s]."""
    speed = values.known[row] + values.rate[row]
    for k in range(rows.start[row], rows.start[row + 1]):
        for j in range(6):
            speed += values.blocks[k, j] * v[6 * rows.body[k] + j]
    return speed


@kernel
def joint_matrix(rows, values):
    """C in CSR form."""
    blocks = rows.start[rows.joints]
    indptr, indices, data = np.empty(rows.joints + 1, np.int32), np.empty(6 * blocks, np.int32), np.empty(6 * blocks)
    for i in range(rows.joints + 1):
        indptr[i] = 6 * rows.start[i]
    for k in range(blocks):
        for j in range(6):
            indices[6 * k + j], data[6 * k + j] = 6 * rows.body[k] + j, values.blocks[k, j]
    return Sparse(indptr, indices, data)


@kernel
def contact_matrix(bodies, state, contacts, rows, values, near, b):
    """D in CSR form: contacts, near limits, dry friction; b less what known velocities cause in contacts."""
    count = len(contacts.gap)
    pairs, entries = np.empty((count, 2), np.int64), matrix(count, WIDTH)
    contact_jacobian.fill_part(
        0, 1, (contacts.body_a, contacts.body_b), (contacts.point_a, contacts.point_b), contacts.normal, bodies.place,
        (state.position, state.orientation), (state.velocity, state.spin), pairs, entries,
        b[: 3 * count].reshape(-1, 3), np.empty(1, np.bool_),
    )  # fmt: skip
    others = 0
    for row in range(rows.joints, len(rows.start) - 1):
        others += near[row - rows.joints]
    size = 36 * count
    for row in range(rows.joints, len(rows.start) - 1):
        size += 6 * (rows.start[row + 1] - rows.start[row]) if near[row - rows.joints] else 0
    indptr, indices, data = np.empty(3 * count + others + 1, np.int32), np.empty(size, np.int32), np.empty(size)
    at, place = 0, 0
    for i in range(count):
        p, q = pairs[i, 0], pairs[i, 1]
        for k in range(3):
            indptr[place] = at
            place += 1
            for j in range(6):
                indices[at], data[at] = 6 * p + j, entries[i, 9 * k + j]
                at += 1
            for j in range(6 if p != q else 0):
                indices[at], data[at] = 6 * q + j, entries[i, 9 * k + 3 + j] if j >= 3 else -entries[i, 9 * k + j]
                at += 1
    for row in range(rows.joints, len(rows.start) - 1):
        if not near[row - rows.joints]:
            continue
        indptr[place] = at
        place += 1
        for k in range(rows.start[row], rows.start[row + 1]):
            for j in range(6):
                indices[at], data[at] = 6 * rows.body[k] + j, values.blocks[k, j]
                at += 1
    indptr[place] = at
    return Sparse(indptr, indices[:at], data[:at])
