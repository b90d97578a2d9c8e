"""Contacts of any two convex shapes: nearest points where they are apart, moved apart where they are not, faces.

Nearest points are searched for only where the cores are well apart, because there the search is exact. Others are first
moved apart along a guessed normal n; the nearest points then give a better n. A fixed point is a local optimum of the
separation, because moving apart along the true normal keeps the nearest points.

Polyhedra that lie on one another by faces need no search: along the normal of the face that separates them most, a
point of the overlap of both faces that is as near as the separation proves that no direction separates them more.
"""

from __future__ import annotations

from math import inf, sqrt

import numpy as np

from signorini.kernels.collision.conventions import CONVEX
from signorini.kernels.collision.convex import core_support, extent, feature, round_radius
from signorini.kernels.collision.face_manifold import feature_contacts
from signorini.kernels.collision.gjk import core_distance
from signorini.kernels.collision.table import put
from signorini.kernels.compile import kernel

APART = 0.01
"""Distance from which nearest points are searched, relative to the smaller size."""
MOST_GUESSES = 8
SNAP = 1e-4
"""Angle [rad] within which a contact normal is that of a face, which is exact where that of a search is not."""
SAME_HEIGHT = 1e-6
"""Contacts of a manifold this much above the nearest point, relative to their extent, make it superfluous."""
SINGLE = 1 << 13
"""Feature of the nearest point, above those of manifolds."""
EXACT = 1e-12
"""Gaps that differ by less than this share of the smaller size are one."""
FARTHEST = 1e-6
"""Corners of a feature this near the farthest are as far, relative to the size."""


@kernel
def separation(a, b, n):
    """Gap along n [m], which points from b to a."""
    return -extent(a, -n[0], -n[1], -n[2]) - extent(b, n[0], n[1], n[2])


@kernel
def on_support(a, n, point):
    """Move a point along n to where the shape a ends against n."""
    rise = -extent(a, -n[0], -n[1], -n[2]) - (point[0] * n[0] + point[1] * n[1] + point[2] * n[2])
    for c in range(3):
        point[c] += rise * n[c]


@kernel
def _try(a, b, x, y, z, best, n):
    """Take the direction (x, y, z) if its separation exceeds `best`; returns the larger one."""
    gap = -extent(a, -x, -y, -z) - extent(b, x, y, z)
    if gap > best:
        n[0], n[1], n[2] = x, y, z
        return gap
    return best


@kernel
def _try_centres(a, b, best, n):
    """`_try` of the line of centres."""
    x, y, z = a.position[0] - b.position[0], a.position[1] - b.position[1], a.position[2] - b.position[2]
    length = sqrt(x * x + y * y + z * z)
    if length > 0.0:
        return _try(a, b, x / length, y / length, z / length, best, n)
    return _try(a, b, 0.0, 0.0, 1.0, best, n)


@kernel
def _face_extent(shape, k):
    """How far a shape reaches along the normal of its face k [m]."""
    x, y, z = shape.normals[k, 0], shape.normals[k, 1], shape.normals[k, 2]
    if shape.kind != CONVEX:
        return extent(shape, x, y, z)
    c = shape.face_corner[shape.face_start[k]]
    return shape.corners[c, 0] * x + shape.corners[c, 1] * y + shape.corners[c, 2] * z + shape.rounding


@kernel
def _try_faces(a, b, best, n):
    """`_try` of the normals of all faces."""
    for k in range(len(a.normals)):
        x, y, z = -a.normals[k, 0], -a.normals[k, 1], -a.normals[k, 2]
        gap = -_face_extent(a, k) - extent(b, x, y, z)
        if gap > best:
            best, n[0], n[1], n[2] = gap, x, y, z
    for k in range(len(b.normals)):
        x, y, z = b.normals[k, 0], b.normals[k, 1], b.normals[k, 2]
        gap = -extent(a, -x, -y, -z) - _face_extent(b, k)
        if gap > best:
            best, n[0], n[1], n[2] = gap, x, y, z
    return best


@kernel
def best_face(a, b, n):
    """The direction n of largest separation among the line of centres and the normals of faces; that separation."""
    return _try_faces(a, b, _try_centres(a, b, -inf, n), n)


@kernel
def _farthest_mean(shape, x, y, z, room, out):
    """Mean of the corners of the feature towards a direction that are farthest along it, or the support point beyond
    them. Returns the number of corners."""
    count = feature(shape, x, y, z, room)
    top = -inf
    for k in range(count):
        top = max(top, room[k, 0] * x + room[k, 1] * y + room[k, 2] * z)
    near = FARTHEST * shape.size
    if extent(shape, x, y, z) > top + near:
        out[0], out[1], out[2] = core_support(shape, x, y, z)
        out[0], out[1], out[2] = out[0] + shape.rounding * x, out[1] + shape.rounding * y, out[2] + shape.rounding * z
        return 1
    out[:] = 0.0
    used = 0
    for k in range(count):
        if room[k, 0] * x + room[k, 1] * y + room[k, 2] * z > top - near:
            out += room[k]
            used += 1
    out /= used
    return used


@kernel
def nearest(a, b, room, n, point):
    """Gap of the nearest (or deepest) contact [m], its normal n and its point on a."""
    rounding = a.rounding + b.rounding
    apart = APART * min(a.size, b.size)
    start, shift, other, place = np.empty(3), np.zeros(3), np.empty(3), np.empty(3)
    for c in range(3):
        start[c] = a.position[c] - b.position[c]
    distance = core_distance(a, b, shift, start, n, point)
    if distance > apart:
        on_support(a, n, point)
        return separation(a, b, n)
    best = best_face(a, b, n)
    count = _farthest_mean(a, -n[0], -n[1], -n[2], room, point)
    if _farthest_mean(b, n[0], n[1], n[2], room, other) < count:
        point[:] = other
    on_support(a, n, point)
    for _ in range(MOST_GUESSES):
        for c in range(3):
            shift[c] = (apart - best - rounding) * n[c]
        if core_distance(a, b, shift, n, other, place) <= 0.0:
            break
        gap = separation(a, b, other)
        # Ties count as better: the point comes from a search.
        if gap < best - 1e-12 * apart:
            break
        done = n[0] * other[0] + n[1] * other[1] + n[2] * other[2] > 1 - 1e-12
        best = gap
        n[:] = other
        for c in range(3):
            point[c] = place[c] - shift[c]
        on_support(a, n, point)
        if done:
            break
    return best


@kernel
def snapped(a, b, n):
    """Take as n the normal of a face within `SNAP` of it, that of largest separation; whether there is one."""
    largest = -inf
    x, y, z = n[0], n[1], n[2]
    for side in range(2):
        normals, turn = (a.normals, -1.0) if side == 0 else (b.normals, 1.0)
        for k in range(len(normals)):
            u, v, w = turn * normals[k, 0], turn * normals[k, 1], turn * normals[k, 2]
            if (u - x) ** 2 + (v - y) ** 2 + (w - z) ** 2 < SNAP * SNAP:
                largest = _try(a, b, u, v, w, largest, n)
    return largest > -inf


@kernel
def _extent_of(found, count):
    """Largest extent of points along an axis."""
    largest = 0.0
    for c in range(3):
        low = high = found[0, c]
        for k in range(1, count):
            low, high = min(low, found[k, c]), max(high, found[k, c])
        largest = max(largest, high - low)
    return largest


@kernel
def rounder_of(one, two):
    """Which of two features is a round face, the smaller if both are, given their radii; -1 for none."""
    if one > 0.0 and (two == 0.0 or one <= two):
        return 0
    return 1 if two > 0.0 else -1


@kernel
def with_nearest(count, all_count, on_face, point, gap, limit, found, names):
    """Add the nearest contact to the `count` contacts of two features unless they make it superfluous.

    `all_count` counts those beyond the limit; `on_face` tells that the normal is that of a face.
    """
    deepest = inf
    for k in range(count):
        deepest = min(deepest, found[k, 3])
    reach = _extent_of(found, count) if count else 0.0
    # Along the normal of a face the support points may lie beside it: only points over the face count.
    beside = on_face and all_count > 2
    if not beside and deepest > gap + SAME_HEIGHT * (abs(gap) + reach) and gap < limit:
        found[count, 0], found[count, 1], found[count, 2] = point[0], point[1], point[2]
        found[count, 3], found[count, 4], names[count] = gap, 0.0, SINGLE
        count += 1
    return count


@kernel
def manifold(a, b, gap, limit, n, point, rooms, found, names):
    """All contacts of the features that face each other along the normal n of the nearest contact (point, gap).

    `found` gets (point on a, gap, share) of each, `names` its feature, n may become the normal of a face. Returns their
    number.
    """
    on_face = snapped(a, b, n)
    if on_face:
        on_support(a, n, point)
        gap = separation(a, b, n)
    of_a = rooms[0][: feature(a, -n[0], -n[1], -n[2], rooms[0])]
    of_b = rooms[1][: feature(b, n[0], n[1], n[2], rooms[1])]
    rounder = rounder_of(round_radius(a, -n[0], -n[1], -n[2]), round_radius(b, n[0], n[1], n[2]))
    count, all_count = feature_contacts(of_a, of_b, n, rounder, limit, found, names)
    return with_nearest(count, all_count, on_face, point, gap, limit, found, names)


@kernel
def face_contacts(a, b, limit, n, rooms, found, names):
    """`convex_contacts` of two polyhedra that lie on one another by faces; -1 contacts where that is not certain."""
    if a.kind != CONVEX or b.kind != CONVEX or a.rounding + b.rounding > 0.0:
        return -1, 0.0
    gap = _try_faces(a, b, -inf, n)
    if gap >= limit or _try_centres(a, b, gap, n) > gap:
        return -1, 0.0
    of_a = rooms[0][: feature(a, -n[0], -n[1], -n[2], rooms[0])]
    of_b = rooms[1][: feature(b, n[0], n[1], n[2], rooms[1])]
    if len(of_a) < 3 or len(of_b) < 3:
        return -1, 0.0
    count, all_count = feature_contacts(of_a, of_b, n, -1, limit, found, names)
    deepest = inf
    for k in range(count):
        deepest = min(deepest, found[k, 3])
    if all_count < 3 or not deepest <= gap + EXACT * min(a.size, b.size):
        return -1, 0.0
    return count, gap


@kernel
def convex_contacts(a, b, limit, n, point, rooms, found, names):
    """Contacts nearer than `limit` of two convex shapes; see `manifold`. Returns their number and the least gap."""
    count, gap = face_contacts(a, b, limit, n, rooms, found, names)
    if count >= 0:
        return count, gap
    gap = nearest(a, b, rooms[0], n, point)
    if gap >= limit:
        return 0, gap
    return manifold(a, b, gap, limit, n, point, rooms, found, names), gap


@kernel
def put_all(found, shapes, names, touches):
    """Store contacts of pairs of shapes: (point on the first, normal, gap, share), named by their features."""
    for k in range(len(shapes)):
        t = touches[k]
        put(found, k, shapes[k, 0], shapes[k, 1], names[k], t[0], t[1], t[2], t[3], t[4], t[5], t[6])
        found.data[k, 10] = t[7]
