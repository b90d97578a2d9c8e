"""Contacts of spheres and capsules among themselves."""

from __future__ import annotations

from math import sqrt

import numpy as np

from signorini.kernels.collision.table import put
from signorini.kernels.compile import kernel
from signorini.kernels.simd.prefetch import FIRST, prefetch
from signorini.kernels.threads.parts import first_of, parts_of, shared

PREFETCH_DISTANCE = 8
"""Prefetch distance of positions, in pairs."""
LEAST = 512
"""Pairs of a part."""
PARALLEL = 1e-3
"""Sine of the angle below which two capsules touch along a line, so at two points."""


@kernel
def put_balls(found, k, i, j, feature, limit, ax, ay, az, ra, bx, by, bz, rb):
    """Contact of two balls, if within the limit. Balls with one centre are pushed apart vertically."""
    dx, dy, dz = ax - bx, ay - by, az - bz
    distance = sqrt(dx * dx + dy * dy + dz * dz)
    gap = distance - ra - rb
    if gap >= limit:
        return k
    if distance > 0:
        dx, dy, dz = dx / distance, dy / distance, dz / distance
    else:
        dx, dy, dz = 0.0, 0.0, 1.0
    return put(found, k, i, j, feature, ax - ra * dx, ay - ra * dy, az - ra * dz, dx, dy, dz, gap)


@kernel
def sphere_sphere(shapes, placed, first, second, limits, found, k):
    """All pairs of spheres."""
    origin, last = placed.origin, len(first) - 1
    for p in range(len(first)):
        # Pairs are ordered by their first shapes: accesses to the second ones are random.
        prefetch(origin, np.uint64(second[min(p + PREFETCH_DISTANCE, last)]), FIRST)
        i, j = np.uint64(first[p]), np.uint64(second[p])
        k = put_balls(
            found, k, first[p], second[p], 0, limits[p], origin[i, 0], origin[i, 1], origin[i, 2], shapes.param[i, 0],
            origin[j, 0], origin[j, 1], origin[j, 2], shapes.param[j, 0],
        )  # fmt: skip
    return k


@shared
@kernel
def spheres_part(part, parts, shapes, placed, first, second, limits, found, counts):
    """`sphere_sphere` of one part of the pairs, from their own places in `found` on."""
    low, high = first_of(part, parts, len(first)), first_of(part + 1, parts, len(first))
    counts[part] = sphere_sphere(shapes, placed, first[low:high], second[low:high], limits[low:high], found, low) - low


@shared
@kernel
def copy_part(part, starts, places, counts, source, target):
    """Contacts of one part from where they are in `source` to where they belong in `target`."""
    identity, data, _ = source
    new_identity, new_data, _ = target
    begin, place = starts[part], places[part]
    for k in range(counts[part]):
        at, to = begin + k, place + k
        new_identity[to] = identity[at]
        for c in range(data.shape[1]):
            new_data[to, c] = data[at, c]


@kernel
def spheres_by_team(team, shapes, placed, first, second, limits, found, k, scratch):
    """`sphere_sphere` by the threads of a team; scratch has room for a contact of every pair."""
    parts, total = parts_of(len(first), LEAST), k
    counts, starts, places = np.empty(parts, np.int64), np.empty(parts, np.int64), np.empty(parts, np.int64)
    spheres_part(team, parts, (parts, shapes, placed, first, second, limits, scratch, counts))
    for part in range(parts):
        starts[part], places[part] = first_of(part, parts, len(first)), total
        total += counts[part]
    copy_part(team, parts, (starts, places, counts, scratch, found))
    return total


@kernel
def clamp(x, low, high):
    """The number of [low, high] nearest to x."""
    return min(max(x, low), high)


@kernel
def sphere_capsule(shapes, placed, first, second, limits, found, k):
    """Spheres (first) against capsules (second)."""
    for p in range(len(first)):
        i, j = first[p], second[p]
        a, b, r = placed.origin[i], placed.origin[j], placed.rotation[j]
        half = shapes.param[j, 1]
        s = clamp((a[0] - b[0]) * r[2] + (a[1] - b[1]) * r[5] + (a[2] - b[2]) * r[8], -half, half)
        x, y, z = b[0] + s * r[2], b[1] + s * r[5], b[2] + s * r[8]
        k = put_balls(found, k, i, j, 0, limits[p], a[0], a[1], a[2], shapes.param[i, 0], x, y, z, shapes.param[j, 0])
    return k


@kernel
def segment_parameters(dx, dy, dz, ux, uy, uz, ha, vx, vy, vz, hb):
    """Nearest points c_a + s u (|s| <= ha) and c_b + t v (|t| <= hb) of two segments, d = c_a - c_b, |u| = |v| = 1."""
    uv = ux * vx + uy * vy + uz * vz
    du = dx * ux + dy * uy + dz * uz
    dv = dx * vx + dy * vy + dz * vz
    det = 1.0 - uv * uv
    s = clamp((uv * dv - du) / det, -ha, ha) if det > 1e-12 else 0.0
    t = dv + s * uv
    if t > hb or t < -hb:
        t = clamp(t, -hb, hb)
    s = clamp(t * uv - du, -ha, ha)
    t = clamp(dv + s * uv, -hb, hb)
    return s, t


@kernel
def capsule_capsule(shapes, placed, first, second, limits, found, k):
    """Pairs of capsules: one point, or both ends of the overlap of parallel ones."""
    for p in range(len(first)):
        i, j = first[p], second[p]
        a, b, ra, rb = placed.origin[i], placed.origin[j], placed.rotation[i], placed.rotation[j]
        ux, uy, uz, ha = ra[2], ra[5], ra[8], shapes.param[i, 1]
        vx, vy, vz, hb = rb[2], rb[5], rb[8], shapes.param[j, 1]
        dx, dy, dz = a[0] - b[0], a[1] - b[1], a[2] - b[2]
        wx, wy, wz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        sense = 1.0 if ux * vx + uy * vy + uz * vz > 0 else -1.0
        along = dx * ux + dy * uy + dz * uz
        low, high = max(-ha, -along - hb), min(ha, -along + hb)
        if wx * wx + wy * wy + wz * wz < PARALLEL * PARALLEL and high - low > PARALLEL * (ha + hb):
            for end in range(2):
                s = low if end == 0 else high
                t = clamp(sense * (s + along), -hb, hb)
                k = put_balls(
                    found, k, i, j, 1 + end, limits[p],
                    a[0] + s * ux, a[1] + s * uy, a[2] + s * uz, shapes.param[i, 0],
                    b[0] + t * vx, b[1] + t * vy, b[2] + t * vz, shapes.param[j, 0],
                )  # fmt: skip
        else:
            s, t = segment_parameters(dx, dy, dz, ux, uy, uz, ha, vx, vy, vz, hb)
            k = put_balls(
                found, k, i, j, 0, limits[p],
                a[0] + s * ux, a[1] + s * uy, a[2] + s * uz, shapes.param[i, 0],
                b[0] + t * vx, b[1] + t * vy, b[2] + t * vz, shapes.param[j, 0],
            )  # fmt: skip
    return k
