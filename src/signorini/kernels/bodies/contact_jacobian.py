"""Rows of the contact Jacobian and the tangents that go with a normal."""

from __future__ import annotations

import math

import numpy as np

from signorini.kernels.compile import kernel
from signorini.kernels.simd.prefetch import FIRST, prefetch
from signorini.kernels.threads.parts import first_of, parts_of, shared

# The reference direction p of the tangent frames and two tangents of p. No frame is continuous on the whole sphere:
# this one breaks at -p alone, a direction that no floor, wall or ceiling has. At the normal (0, 0, 1) it is (x, y).
PX, PY = 0.4721, -0.3163
PZ = math.sqrt(1.0 - PX * PX - PY * PY)
SX = (1.0 - PX * PX / (1.0 + PZ), -PX * PY / (1.0 + PZ), -PX)
SY = (-PX * PY / (1.0 + PZ), 1.0 - PY * PY / (1.0 + PZ), -PY)
AT_THE_BREAK = 1e-12
LEAST = 512
"""Contacts of a part."""


@kernel
def tangents(nx, ny, nz):
    """Two unit vectors (t1, t2) with n right-handed: the tangents of p, turned the short way from p to n."""
    x, y, z = nx + PX, ny + PY, nz + PZ
    share = 1.0 + nx * PX + ny * PY + nz * PZ
    if share < AT_THE_BREAK:
        return SX[0], SX[1], SX[2], -SY[0], -SY[1], -SY[2]
    s = (SX[0] * nx + SX[1] * ny + SX[2] * nz) / share
    t = (SY[0] * nx + SY[1] * ny + SY[2] * nz) / share
    return SX[0] - s * x, SX[1] - s * y, SX[2] - s * z, SY[0] - t * x, SY[1] - t * y, SY[2] - t * z


@kernel
def frames(normal, out):
    """Rows (normal, t1, t2) of each contact; out has shape (contacts, 3, 3)."""
    for i in range(len(normal)):
        nx, ny, nz = normal[i, 0], normal[i, 1], normal[i, 2]
        out[i, 0, 0], out[i, 0, 1], out[i, 0, 2] = nx, ny, nz
        ux, uy, uz, wx, wy, wz = tangents(nx, ny, nz)
        out[i, 1, 0], out[i, 1, 1], out[i, 1, 2] = ux, uy, uz
        out[i, 2, 0], out[i, 2, 1], out[i, 2, 2] = wx, wy, wz


@kernel
def world_vectors(normal, parts, out):
    """Sums of (normal, t1, t2) times the parts of each contact; both arrays have shape (contacts, 3)."""
    for i in range(len(normal)):
        nx, ny, nz = normal[i, 0], normal[i, 1], normal[i, 2]
        ux, uy, uz, wx, wy, wz = tangents(nx, ny, nz)
        a, b, c = parts[i, 0], parts[i, 1], parts[i, 2]
        out[i, 0], out[i, 1], out[i, 2] = a * nx + b * ux + c * wx, a * ny + b * uy + c * wy, a * nz + b * uz + c * wz


@shared
@kernel
def clear_part(part, parts, out):
    """`clear` of one part of the contacts."""
    for i in range(first_of(part, parts, len(out)), first_of(part + 1, parts, len(out))):
        out[i, 0], out[i, 1], out[i, 2] = 0.0, 0.0, 0.0


@kernel
def clear(team, out):
    """Clear the offsets of all contacts."""
    parts = parts_of(len(out), LEAST)
    clear_part(team, parts, (parts, out))


@kernel
def offsets_part(part, parts, gap, step, fastest, out):
    """`offsets` of one part of the contacts."""
    for i in range(first_of(part, parts, len(gap)), first_of(part + 1, parts, len(gap))):
        out[i, 0], out[i, 1], out[i, 2] = min(-gap[i] / step, fastest), 0.0, 0.0


offsets_by_team = shared(offsets_part)


@kernel
def offsets(team, gap, step, fastest, out):
    """-gap/step in normal rows, no more than `fastest`, 0 in tangent rows."""
    parts = parts_of(len(gap), LEAST)
    offsets_by_team(team, parts, (parts, gap, step, fastest, out))


CLOSED = 1e-6
"""Gaps below this share of a shallow penetration, 1e-13 of the size of a body, are closed."""


@kernel
def at_rest(away, rest):
    """Speed at which a contact is to part that would be pushed out of its penetration at the speed `away` [m/s].

    None up to `rest`; what goes beyond `rest` up to twice of it; none beyond. See `ContactBend.rest`.
    """
    if away <= 0.0:
        return away
    return away - rest if rest < away < 2.0 * rest else 0.0


@kernel
def closed(gap, shallow):
    """The gap of a contact, 0 where it is no more than the error of solvers.

    Contacts at rest outnumber the ways to move. Gaps that are errors of the last solve contradict one another, and are
    answered by errors as large: in a pile of three cylinders near the edge of sliding they grew by 5 % in every step.
    """
    return 0.0 if abs(gap) < CLOSED * shallow < math.inf else gap


@kernel
def bent_offset(gap, bend, slip, step, fastest, shallow, rest):
    """Speed at which a contact is to part whose path bends (see `assembly.bend`) [m/s].

    slip is that along the normal before the step; what a penetration of `shallow` asks for is always granted, but those
    up to `rest` stay on straight paths.
    """
    away = min(-(closed(gap, shallow) + bend) / step, fastest)
    if bend == 0.0 and shallow < rest:
        away = at_rest(away, rest / step)
    # Parting faster than the approach and the bend of the path would make energy.
    return min(away, max(-slip, 0.0) + abs(bend) / step + shallow / step)


@shared
@kernel
def bent_offsets_part(part, parts, gap, bend, slip_bend, shallow, rest, slip, step, fastest, out):
    """`bent_offsets` of one part of the contacts."""
    for i in range(first_of(part, parts, len(out)), first_of(part + 1, parts, len(out))):
        out[i, 0] = bent_offset(gap[i], bend[i], slip[i, 0], step, fastest, shallow[i], rest)
        out[i, 1], out[i, 2] = -slip_bend[i, 0], -slip_bend[i, 1]


@kernel
def bent_offsets(team, gap, bends, slip, step, fastest, out):
    """Offsets of contacts whose paths bend, one row (normal, t1, t2) each.

    bends are those of the gaps, of the tangential slips (contacts, 2), the penetrations that are always pushed out, and
    the one that stays (see `bent_offset`); slip (contacts, 3) is that before the step, fastest the largest speed of
    recovery.
    """
    bend, slip_bend, shallow, rest = bends
    parts = parts_of(len(out), LEAST)
    bent_offsets_part(team, parts, (parts, gap, bend, slip_bend, shallow, rest, slip, step, fastest, out))


@kernel
def _turned_lever(orientation, body, x, y, z):
    """Entries, row by row, of the matrix that takes a direction d to R' (arm x d), with arm = (x, y, z)."""
    w, i, j, k = orientation[body, 0], orientation[body, 1], orientation[body, 2], orientation[body, 3]
    r00, r01, r02 = 1 - 2 * (j * j + k * k), 2 * (i * j - w * k), 2 * (i * k + w * j)
    r10, r11, r12 = 2 * (i * j + w * k), 1 - 2 * (i * i + k * k), 2 * (j * k - w * i)
    r20, r21, r22 = 2 * (i * k - w * j), 2 * (j * k + w * i), 1 - 2 * (i * i + j * j)
    return (
        r10 * z - r20 * y, r20 * x - r00 * z, r00 * y - r10 * x,
        r11 * z - r21 * y, r21 * x - r01 * z, r01 * y - r11 * x,
        r12 * z - r22 * y, r22 * x - r02 * z, r02 * y - r12 * x,
    )  # fmt: skip


@kernel
def _turned(m, d):
    """R' (arm x d) by `_turned_lever`."""
    x, y, z = d
    return m[0] * x + m[1] * y + m[2] * z, m[3] * x + m[4] * y + m[5] * z, m[6] * x + m[7] * y + m[8] * z


@kernel
def _turned_frame(frame, position, orientation, body, point, i):
    """R' (arm x d) of one body for the three directions d of a contact.

    Arrays are passed one by one: unpacking a tuple counts references, for which threads contend.
    """
    x, y, z = point[i, 0] - position[body, 0], point[i, 1] - position[body, 1], point[i, 2] - position[body, 2]
    m = _turned_lever(orientation, body, x, y, z)
    return _turned(m, frame[0]), _turned(m, frame[1]), _turned(m, frame[2])


@kernel
def _speeds(frame, turned, linear, angular, body):
    """Velocities of the contact point of one body along the three directions of a contact."""
    x, y, z = linear[body, 0], linear[body, 1], linear[body, 2]
    u, v, w = angular[body, 0], angular[body, 1], angular[body, 2]
    n, s, t = frame
    f, g, h = turned
    return (
        (n[0] * x + n[1] * y + n[2] * z) + (f[0] * u + f[1] * v + f[2] * w),
        (s[0] * x + s[1] * y + s[2] * z) + (g[0] * u + g[1] * v + g[2] * w),
        (t[0] * x + t[1] * y + t[2] * z) + (h[0] * u + h[1] * v + h[2] * w),
    )


@kernel
def point_slip(bodies, points, normal, pose, velocity, i):
    """Slip of a against b along (normal, t1, t2) of contact i [m/s]; arguments as in `fill`, bodies those of i."""
    n = (normal[i, 0], normal[i, 1], normal[i, 2])
    ux, uy, uz, wx, wy, wz = tangents(n[0], n[1], n[2])
    frame = (n, (ux, uy, uz), (wx, wy, wz))
    one, two = bodies
    position, orientation = pose
    linear, angular = velocity
    x, y, z = _speeds(frame, _turned_frame(frame, position, orientation, one, points[0], i), linear, angular, one)
    u, v, w = _speeds(frame, _turned_frame(frame, position, orientation, two, points[1], i), linear, angular, two)
    return x - u, y - v, z - w


@kernel
def _put(d, r, s, sign, other, entries, i, k):
    """One row of a contact, see `rigid_rows`."""
    entries[i, k], entries[i, k + 1], entries[i, k + 2] = sign * d[0], sign * d[1], sign * d[2]
    entries[i, k + 3], entries[i, k + 4], entries[i, k + 5] = sign * r[0], sign * r[1], sign * r[2]
    entries[i, k + 6], entries[i, k + 7], entries[i, k + 8] = other * s[0], other * s[1], other * s[2]


@kernel
def _put_contact(frame, first, second, sign, other, entries, i):
    """The three rows of a contact."""
    _put(frame[0], first[0], second[0], sign, other, entries, i, 0)
    _put(frame[1], first[1], second[1], sign, other, entries, i, 9)
    _put(frame[2], first[2], second[2], sign, other, entries, i, 18)


AHEAD = 8
"""Prefetch distance of bodies, in contacts."""


@kernel
def fill_part(part, parts, bodies, points, normal, place, pose, velocity, pairs, entries, b, movable):
    """`fill` of one part of the contacts."""
    all_movable, last = True, len(normal) - 1
    body_a, body_b = bodies
    point_a, point_b = points
    position, orientation = pose
    linear, angular = velocity
    for count in range(first_of(part, parts, len(normal)), first_of(part + 1, parts, len(normal))):
        i, ahead = np.uint64(count), np.uint64(body_b[min(count + AHEAD, last)])
        # Contacts are ordered by their first bodies: accesses to the second ones are random.
        prefetch(position, ahead, FIRST)
        prefetch(orientation, ahead, FIRST)
        one, two = np.uint64(body_a[i]), np.uint64(body_b[i])
        n = (normal[i, 0], normal[i, 1], normal[i, 2])
        ux, uy, uz, wx, wy, wz = tangents(n[0], n[1], n[2])
        frame = (n, (ux, uy, uz), (wx, wy, wz))
        a = _turned_frame(frame, position, orientation, one, point_a, i)
        c = _turned_frame(frame, position, orientation, two, point_b, i)
        p, q = place[one], place[two]
        if p < 0 or q < 0:
            x, y, z = _speeds(frame, a, linear, angular, one) if p < 0 else (0.0, 0.0, 0.0)
            u, v, w = _speeds(frame, c, linear, angular, two) if q < 0 else (0.0, 0.0, 0.0)
            b[i, 0], b[i, 1], b[i, 2] = b[i, 0] - (x - u), b[i, 1] - (y - v), b[i, 2] - (z - w)
        # Of numbers alone: branches among calls with an array count references to it.
        first = p >= 0 and (q < 0 or p < q)
        sign, both = 1.0 if first else -1.0, p >= 0 and q >= 0
        lead, follow = (a, c) if first else (c, a)
        _put_contact(frame, lead, follow, sign, -sign if both else 0.0, entries, i)
        p, q = p if p >= 0 else q, q if q >= 0 else p
        pairs[i, 0], pairs[i, 1] = min(p, q), max(p, q)
        all_movable = all_movable and p >= 0
    movable[part] = all_movable


fill_by_team = shared(fill_part)


@kernel
def fill(team, bodies, points, normal, place, pose, velocity, pairs, entries, b):
    """Rows of contacts over movable bodies (see `rigid_rows`), and b less the slip that the velocities of others cause.

    bodies and points hold (a, b) of each contact; pose (position, orientation) and velocity (linear, world; angular,
    body's frame) those of all bodies; b has three numbers per contact. Returns whether every contact has a body that
    can move; a pair without one is (-1, -1).
    """
    parts = parts_of(len(normal), LEAST)
    movable = np.empty(parts, np.bool_)
    fill_by_team(team, parts, (parts, bodies, points, normal, place, pose, velocity, pairs, entries, b, movable))
    return movable.all()
