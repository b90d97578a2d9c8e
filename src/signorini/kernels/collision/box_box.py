"""Box against box: separating axes, face manifolds, and exact distances where only edges or corners are near.

All vectors are in the frame of the first box; n points from the second box to the first.
"""

from __future__ import annotations

import numpy as np

from signorini.kernels.collision.box import point_box
from signorini.kernels.collision.frames import into_frame, out_of_frame
from signorini.kernels.collision.polygon import overlap, plane_through, seen_along, tangents
from signorini.kernels.collision.round import segment_parameters
from signorini.kernels.collision.table import put
from signorini.kernels.compile import kernel

FACE_BIAS = 1e-5
"""A face is preferred to edges unless they separate by more than this share of the smallest half size."""
DEEP_BIAS = 0.05
"""And, when overlapping, unless they do by this share of the depth."""
EDGE_FEATURE = 1 << 14
"""Features of single points begin here, those of face manifolds are below."""


@kernel
def relative_pose(placed, i, j, R, t):
    """Rotation R (second to first) and position t of the second in the frame of the first."""
    ra, rb = placed.rotation[i], placed.rotation[j]
    for c in range(3):
        for d in range(3):
            R[c, d] = ra[c] * rb[d] + ra[3 + c] * rb[3 + d] + ra[6 + c] * rb[6 + d]
    a, b = placed.origin[i], placed.origin[j]
    t[0], t[1], t[2] = into_frame(ra, b[0] - a[0], b[1] - a[1], b[2] - a[2])


@kernel
def best_face(R, t, ha, hb, n):
    """Largest separation along the six face normals, and that normal in `n`."""
    best = -np.inf
    for c in range(3):
        spread = hb[0] * abs(R[c, 0]) + hb[1] * abs(R[c, 1]) + hb[2] * abs(R[c, 2])
        separation = abs(t[c]) - ha[c] - spread
        if separation > best:
            best = separation
            n[0], n[1], n[2] = 0.0, 0.0, 0.0
            n[c] = -1.0 if t[c] > 0 else 1.0
    for c in range(3):
        along = t[0] * R[0, c] + t[1] * R[1, c] + t[2] * R[2, c]
        spread = ha[0] * abs(R[0, c]) + ha[1] * abs(R[1, c]) + ha[2] * abs(R[2, c])
        separation = abs(along) - hb[c] - spread
        # The faces of the first win ties, so that two boxes face to face keep their reference.
        if separation > best + 1e-12 * (ha[0] + hb[0]):
            best = separation
            sign = -1.0 if along > 0 else 1.0
            n[0], n[1], n[2] = sign * R[0, c], sign * R[1, c], sign * R[2, c]
    return best


@kernel
def best_edges(R, t, ha, hb, n):
    """Largest separation along the nine products of edges, that direction in `n`, and 3 * edge of a + edge of b."""
    best, which = -np.inf, -1
    for c in range(3):
        for d in range(3):
            u, v = (c + 1) % 3, (c + 2) % 3
            # e_c x R_d has no component along c.
            x, y = -R[v, d], R[u, d]
            length = np.sqrt(x * x + y * y)
            if length < 1e-4:
                continue
            x, y = x / length, y / length
            spread = ha[u] * abs(x) + ha[v] * abs(y)
            for m in range(3):
                spread += hb[m] * abs(x * R[u, m] + y * R[v, m])
            along = x * t[u] + y * t[v]
            separation = abs(along) - spread
            if separation > best:
                best, which = separation, 3 * c + d
                sign = -1.0 if along > 0 else 1.0
                n[c], n[u], n[v] = 0.0, sign * x, sign * y
    return best, which


@kernel
def face_towards(R, t, h, n, sign, corners):
    """Corners of the face whose outward normal is nearest to sign * n; returns its number."""
    axis, best, side = 0, -1.0, 1.0
    for c in range(3):
        along = sign * (R[0, c] * n[0] + R[1, c] * n[1] + R[2, c] * n[2])
        if abs(along) > best:
            best, axis, side = abs(along), c, (1.0 if along > 0 else -1.0)
    u, v = (axis + 1) % 3, (axis + 2) % 3
    for k in range(4):
        a = h[u] if k == 0 or k == 3 else -h[u]
        b = h[v] if k < 2 else -h[v]
        for c in range(3):
            corners[k, c] = t[c] + side * h[axis] * R[c, axis] + a * R[c, u] + b * R[c, v]
    return 2 * axis + (1 if side > 0 else 0)


@kernel
def face_manifold(R, t, ha, hb, n, points, gaps, features):
    """Contacts of the two faces that face each other along n; returns their number.

    points (8, 3): on the first box.
    """
    tx, ty, tz, sx, sy, sz = tangents(n[0], n[1], n[2])
    frame = np.array([tx, ty, tz, sx, sy, sz, n[0], n[1], n[2]])
    corners, a, b = np.empty((4, 3)), np.empty((4, 3)), np.empty((4, 3))
    face_a = face_towards(np.eye(3), np.zeros(3), ha, n, -1.0, corners)
    seen_along(corners, frame, a)
    face_b = face_towards(R, t, hb, n, 1.0, corners)
    seen_along(corners, frame, b)
    au, av, a0 = plane_through(a)
    bu, bv, b0 = plane_through(b)
    common, names = overlap(a, b)
    count = min(len(common), 8)
    for k in range(count):
        u, v = common[k, 0], common[k, 1]
        w = au * u + av * v + a0
        points[k, 0] = tx * u + sx * v + n[0] * w
        points[k, 1] = ty * u + sy * v + n[1] * w
        points[k, 2] = tz * u + sz * v + n[2] * w
        gaps[k] = w - (bu * u + bv * v + b0)
        # Features are pairs of labels below 8.
        features[k] = ((face_a * 6 + face_b) * 8 + names[k] // 64) * 8 + names[k] % 64
    return count


@kernel
def support_edge(R, t, h, n, sign, axis, centre):
    """Centre of the edge along `axis` farthest towards sign * n; returns its number among the four."""
    number = 0
    for c in range(3):
        centre[c] = t[c]
    for m in range(1, 3):
        d = (axis + m) % 3
        along = sign * (R[0, d] * n[0] + R[1, d] * n[1] + R[2, d] * n[2])
        side = h[d] if along > 0 else -h[d]
        number += m if along > 0 else 0
        for c in range(3):
            centre[c] += side * R[c, d]
    return number


@kernel
def edge_point(R, t, ha, hb, n, which, point):
    """Point of the first box where two edges cross along n: (gap, feature, by how much they miss)."""
    ea, eb = which // 3, which % 3
    ca, cb = np.empty(3), np.empty(3)
    eye = np.eye(3)
    na = support_edge(eye, np.zeros(3), ha, n, -1.0, ea, ca)
    nb = support_edge(R, t, hb, n, 1.0, eb, cb)
    dx, dy, dz = ca[0] - cb[0], ca[1] - cb[1], ca[2] - cb[2]
    ux, uy, uz = eye[0, ea], eye[1, ea], eye[2, ea]
    s, q = segment_parameters(dx, dy, dz, ux, uy, uz, ha[ea], R[0, eb], R[1, eb], R[2, eb], hb[eb])
    gap = n[0] * dx + n[1] * dy + n[2] * dz
    square = 0.0
    for c in range(3):
        point[c] = ca[c] + s * eye[c, ea]
        square += (point[c] - cb[c] - q * R[c, eb] - gap * n[c]) ** 2
    return gap, EDGE_FEATURE + (which * 4 + na) * 4 + nb, np.sqrt(square)


@kernel
def corner(R, t, h, number, out):
    """Corner `number` (bits: signs of x, y, z)."""
    for c in range(3):
        out[c] = t[c]
        for d in range(3):
            out[c] += (h[d] if (number >> d) & 1 else -h[d]) * R[c, d]


@kernel
def nearest_of_corners(R, t, ha, hb, point, n):
    """Nearest corner of either to the other box, for boxes apart: (distance, feature); point is on the first."""
    best, feature, x = np.inf, 0, np.empty(3)
    for number in range(8):
        corner(R, t, hb, number, x)
        d, nx, ny, nz = point_box(x[0], x[1], x[2], ha[0], ha[1], ha[2])
        if d < best:
            best, feature = d, 2048 + number
            n[0], n[1], n[2] = -nx, -ny, -nz
            point[0], point[1], point[2] = x[0] - d * nx, x[1] - d * ny, x[2] - d * nz
    for number in range(8):
        for c in range(3):
            x[c] = ha[c] if (number >> c) & 1 else -ha[c]
        dx, dy, dz = x[0] - t[0], x[1] - t[1], x[2] - t[2]
        lx = R[0, 0] * dx + R[1, 0] * dy + R[2, 0] * dz
        ly = R[0, 1] * dx + R[1, 1] * dy + R[2, 1] * dz
        lz = R[0, 2] * dx + R[1, 2] * dy + R[2, 2] * dz
        d, nx, ny, nz = point_box(lx, ly, lz, hb[0], hb[1], hb[2])
        if d < best - 1e-12 * (ha[0] + hb[0]):
            best, feature = d, 2056 + number
            for c in range(3):
                n[c] = R[c, 0] * nx + R[c, 1] * ny + R[c, 2] * nz
                point[c] = x[c]
    return best, feature


@kernel
def nearest_of_edges(R, t, ha, hb, best, point, n):
    """Nearest pair of edges, if nearer than `best`: (distance, feature or -1)."""
    feature = -1
    ca, cb, d = np.empty(3), np.empty(3), np.empty(3)
    for ea in range(12):
        a = edge_centre(np.eye(3), np.zeros(3), ha, ea, ca)
        for eb in range(12):
            b = edge_centre(R, t, hb, eb, cb)
            for c in range(3):
                d[c] = ca[c] - cb[c]
            ux, uy, uz = (1.0 if a == 0 else 0.0), (1.0 if a == 1 else 0.0), (1.0 if a == 2 else 0.0)
            s, q = segment_parameters(d[0], d[1], d[2], ux, uy, uz, ha[a], R[0, b], R[1, b], R[2, b], hb[b])
            d[0], d[1], d[2] = d[0] + s * ux - q * R[0, b], d[1] + s * uy - q * R[1, b], d[2] + s * uz - q * R[2, b]
            length = np.sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
            if 0 < length < best - 1e-12 * (ha[0] + hb[0]):
                best, feature = length, 2064 + 12 * ea + eb
                point[0], point[1], point[2] = ca[0] + s * ux, ca[1] + s * uy, ca[2] + s * uz
                for c in range(3):
                    n[c] = d[c] / length
    return best, feature


@kernel
def edge_centre(R, t, h, number, out):
    """Centre of edge `number` (4 * axis + signs of the two others); returns its axis."""
    axis, signs = number // 4, number % 4
    u, v = (axis + 1) % 3, (axis + 2) % 3
    a = h[u] if signs & 1 else -h[u]
    b = h[v] if signs & 2 else -h[v]
    for c in range(3):
        out[c] = t[c] + a * R[c, u] + b * R[c, v]
    return axis


@kernel
def one_pair(R, t, ha, hb, limit, n, points, gaps, features):
    """Contacts of one pair: their number, with points on the first box, gaps and features."""
    edge_normal = np.empty(3)
    face = best_face(R, t, ha, hb, n)
    if face >= limit:
        return 0
    edges, which = best_edges(R, t, ha, hb, edge_normal)
    if edges >= limit:
        return 0
    smallest = min(min(ha[0], ha[1], ha[2]), min(hb[0], hb[1], hb[2]))
    bias = FACE_BIAS * smallest
    if edges <= face + bias + DEEP_BIAS * max(0.0, -face):
        count = face_manifold(R, t, ha, hb, n, points, gaps, features)
        # Apart, the faces are the nearest features only if the manifold reaches the separation.
        if count and (face <= 0 or gaps[:count].min() <= face + bias):
            return count
    if which >= 0 and edges >= face:
        gaps[0], features[0], miss = edge_point(R, t, ha, hb, edge_normal, which, points[0])
        # Apart, edges are the nearest features only if they really cross along their common normal.
        if edges <= 0 or miss <= 1e-7 * smallest:
            n[:] = edge_normal
            return 1
    elif face <= 0:
        return 0
    face_normal = n.copy()
    best, feature = nearest_of_corners(R, t, ha, hb, points[0], n)
    gaps[0], edge_feature = nearest_of_edges(R, t, ha, hb, best, points[0], n)
    features[0] = EDGE_FEATURE + (feature if edge_feature < 0 else edge_feature)
    if gaps[0] <= 1e-9 * smallest:
        # Two points that fall together give no direction.
        n[:] = face_normal
    return 1


@kernel
def box_box(shapes, placed, first, second, limits, found, k):
    """Pairs of boxes."""
    R, t, n = np.empty((3, 3)), np.empty(3), np.empty(3)
    points, gaps, features = np.empty((8, 3)), np.empty(8), np.empty(8, np.int64)
    for p in range(len(first)):
        i, j = first[p], second[p]
        relative_pose(placed, i, j, R, t)
        count = one_pair(R, t, shapes.param[i], shapes.param[j], limits[p], n, points, gaps, features)
        r, o = placed.rotation[i], placed.origin[i]
        nx, ny, nz = out_of_frame(r, n[0], n[1], n[2])
        for m in range(count):
            if gaps[m] < limits[p]:
                x, y, z = out_of_frame(r, points[m, 0], points[m, 1], points[m, 2])
                k = put(found, k, i, j, features[m], x + o[0], y + o[1], z + o[2], nx, ny, nz, gaps[m])
    return k
