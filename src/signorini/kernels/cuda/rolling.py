"""Rolling and spinning friction on the device: three more rows per contact, see `assembly.laws.rolling`.

The rows (spin, roll, roll) of a contact are 25 numbers, stored number by number over all contacts like the records of
`rows`: entries of the first body, entries of the second, offsets, coefficients in scaled variables, scales.
"""

from __future__ import annotations

import math

from signorini.kernels.collision import frames
from signorini.kernels.cones import rolling_cones
from signorini.kernels.cones.block_scales import LARGEST_EIGENVALUE
from signorini.kernels.cuda.door import cuda, on_device
from signorini.kernels.cuda.laws import ROLLING, SPINNING, spin_along
from signorini.kernels.cuda.rows import tangents
from signorini.kernels.sweeps.compact_records import OFFSET, SHARE

SECOND, TURN_OFFSET, SPIN_LIMIT, ROLL_LIMIT, SPIN_SCALE, ROLL_SCALE, TURNING = 9, 18, 21, 22, 23, 24, 25
"""Places in the 25 numbers, and how many there are."""

rotation_entries, into_frame = on_device(frames.rotation_entries), on_device(frames.into_frame)
projected_normal, shrink = on_device(rolling_cones.projected_normal), on_device(rolling_cones.shrink)


@cuda.jit(device=True)
def put_turning(turning, first, i, j, d, orientation, weight, body, sign):
    """Entries of row j of one body: `sign R' d`, whitened."""
    q = orientation[body]
    x, y, z = into_frame(rotation_entries(q[0], q[1], q[2], q[3]), d[0], d[1], d[2])
    place = first + 3 * j
    turning[place, i] = sign * x * weight[body, 3]
    turning[place + 1, i] = sign * y * weight[body, 4]
    turning[place + 2, i] = sign * z * weight[body, 5]


@cuda.jit(device=True)
def between_turns(turning, i, j, k):
    """Product of the rows j and k of the three."""
    total = 0.0
    for c in range(3):
        total += turning[3 * j + c, i] * turning[3 * k + c, i]
        total += turning[SECOND + 3 * j + c, i] * turning[SECOND + 3 * k + c, i]
    return total


@cuda.jit(device=True)
def across_kinds(record, turning, i, j, k):
    """Product of the row j of a record with the turning row k."""
    total = 0.0
    for c in range(3):
        total += record[9 * j + 3 + c, i] * turning[3 * k + c, i]
        total += record[9 * j + 6 + c, i] * turning[SECOND + 3 * k + c, i]
    return total


@cuda.jit(device=True)
def between_slides(record, soft, i, j, k):
    """Product of the rows j and k of a record, compliance included."""
    total = soft[j, i] if j == k else 0.0
    both = 1.0 + record[SHARE, i] * record[SHARE, i]
    for c in range(9):
        total += (both if c < 3 else 1.0) * record[9 * j + c, i] * record[9 * k + c, i]
    return total


@cuda.jit(device=True)
def block_bound(record, soft, turning, i):
    """A bound of the largest eigenvalue of the scaled block of six rows, by Gershgorin's circles."""
    bound = 0.0
    for j in range(3):
        slide, turn = 0.0, 0.0
        for k in range(3):
            slide += abs(between_slides(record, soft, i, j, k)) + abs(across_kinds(record, turning, i, j, k))
            turn += abs(between_turns(turning, i, j, k)) + abs(across_kinds(record, turning, i, k, j))
        bound = max(bound, max(slide, turn))
    return bound


@cuda.jit
def turning_rows(bodies, data, surface, table, state, weight, rank, record, scale, soft, turning):
    """The rows of all contacts; scales of the whole block, those of the record too, are shortened where it is stiff."""
    _, orientation, _, spin = state
    surfaces = int(math.sqrt(float(len(table))) + 0.5)
    for i in range(cuda.grid(1), turning.shape[1], cuda.gridsize(1)):
        a, b = bodies[0, i], bodies[1, i]
        law, sign, p, q = table[surface[a] * surfaces + surface[b]], 1.0, a, b
        if rank[a] < 0:
            sign, p, q = -1.0, b, a
        n = (data[i, 6], data[i, 7], data[i, 8])
        ux, uy, uz, wx, wy, wz = tangents(n[0], n[1], n[2])
        for j in range(3):
            d = n
            if j == 1:
                d = (ux, uy, uz)
            elif j == 2:
                d = (wx, wy, wz)
            put_turning(turning, 0, i, j, d, orientation, weight, p, sign)
            put_turning(turning, SECOND, i, j, d, orientation, weight, q, -sign)
            known = spin_along(orientation, spin, a, d) if rank[a] < 0 else 0.0
            turning[TURN_OFFSET + j, i] = known - (spin_along(orientation, spin, b, d) if rank[b] < 0 else 0.0)
        nn = between_turns(turning, i, 0, 0)
        rr = 0.5 * (between_turns(turning, i, 1, 1) + between_turns(turning, i, 2, 2))
        one = 1.0 / math.sqrt(nn) if nn > 0.0 else 1.0
        two = 1.0 / math.sqrt(rr) if rr > 0.0 else 1.0
        scale_turning(turning, i, one, two)
        factor = math.sqrt(min(1.0, LARGEST_EIGENVALUE / block_bound(record, soft, turning, i)))
        scale_turning(turning, i, factor, factor)
        turning[SPIN_SCALE, i], turning[ROLL_SCALE, i] = one * factor, two * factor
        shorten(record, scale, soft, i, factor)
        turning[SPIN_LIMIT, i] = law[SPINNING] * scale[0, i] / turning[SPIN_SCALE, i]
        turning[ROLL_LIMIT, i] = law[ROLLING] * scale[0, i] / turning[ROLL_SCALE, i]


@cuda.jit(device=True)
def scale_turning(turning, i, one, two):
    """Multiply the spinning row by one factor and the rolling rows by the other."""
    for j in range(3):
        factor = one if j == 0 else two
        turning[TURN_OFFSET + j, i] *= factor
        for c in range(3):
            turning[3 * j + c, i] *= factor
            turning[SECOND + 3 * j + c, i] *= factor


@cuda.jit(device=True)
def shorten(record, scale, soft, i, factor):
    """Multiply the scales of a record."""
    for c in range(27):
        record[c, i] *= factor
    for c in range(3):
        record[OFFSET + c, i] *= factor
        soft[c, i] *= factor * factor
    scale[0, i] *= factor
    scale[1, i] *= factor


@cuda.jit(device=True)
def turn_slip(turning, i, j, z, a, b):
    """Scaled slip of turning row j."""
    total = turning[TURN_OFFSET + j, i]
    for c in range(3):
        total += turning[3 * j + c, i] * z[a, 4 + c]
        if b >= 0:
            total += turning[SECOND + 3 * j + c, i] * z[b, 4 + c]
    return total


@cuda.jit(device=True)
def push_turning(turning, i, s, r, t, z, a, b):
    """z += A' (s, r, t) of the turning rows."""
    for c in range(3):
        z[a, 4 + c] += turning[c, i] * s + turning[3 + c, i] * r + turning[6 + c, i] * t
        if b >= 0:
            z[b, 4 + c] += turning[9 + c, i] * s + turning[12 + c, i] * r + turning[15 + c, i] * t


@cuda.jit(device=True)
def project_block(n, s, t, spin, r, q, mu, spinning, rolling):
    """Projection of the six numbers of a rolling block."""
    tangent, roll = math.sqrt(s * s + t * t), math.sqrt(r * r + q * q)
    m = projected_normal(n, tangent, abs(spin), roll, mu, spinning, rolling)
    a, b, c = shrink(tangent, mu * m), shrink(abs(spin), spinning * m), shrink(roll, rolling * m)
    return m, a * s, a * t, b * spin, c * r, c * q
