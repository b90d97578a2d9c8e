"""Convex shapes in the world: support points and flat features.

A shape is a core, swollen by `rounding` in every direction: a ball is a point, a capsule a line. A feature towards a
direction is the corners of what the shape shows there: one point, the two ends of a straight line, or a face of three
and more in order. Tilts up to `FLAT` still count, so that the whole manifold is found.
"""

from __future__ import annotations

from math import cos, sqrt
from typing import NamedTuple

import numpy as np

from signorini.kernels.collision.conventions import CAPSULE, CONE, CONVEX, CYLINDER, ELLIPSOID, FLAT
from signorini.kernels.collision.frames import into_frame, out_of_frame
from signorini.kernels.collision.round_face import AROUND, PLACE
from signorini.kernels.compile import kernel

AXIAL = 1e-12
"""Sine of the angle to its axis below which a direction has no side of a shape of revolution."""


class Convex(NamedTuple):
    """A convex shape somewhere in the world."""

    kind: int
    """Of the core, see `conventions`; polyhedra are `CONVEX`, a point is a `SPHERE`."""
    param: np.ndarray
    """Of the core: capsule (-, half length), cylinder and cone (radius, half length), ellipsoid (half axes)."""
    rounding: float
    """[m]."""
    corners: np.ndarray
    """Of polyhedra, world [m], shape (corners, 3)."""
    normals: np.ndarray
    """Of flat faces, outwards, world, shape (faces, 3)."""
    face_start: np.ndarray
    """The corners of face f of a polyhedron are `face_corner[face_start[f]:face_start[f + 1]]`, in order."""
    face_corner: np.ndarray
    size: float
    """Half its largest extent [m]."""
    position: np.ndarray
    """Of its frame, world [m]."""
    rotation: np.ndarray
    """Frame to world, row by row, 9 entries."""


@kernel
def highest_corner(corners, x, y, z):
    """Number of the corner farthest along a direction."""
    best, at = -np.inf, 0
    for k in range(len(corners)):
        height = corners[k, 0] * x + corners[k, 1] * y + corners[k, 2] * z
        if height > best:
            best, at = height, k
    return at


@kernel
def _sideways(u, v, w):
    """Unit vector of (u, v), or (1, 0) for a direction along the axis."""
    across = sqrt(u * u + v * v)
    if across <= AXIAL * abs(w):
        return 1.0, 0.0
    return u / across, v / across


@kernel
def _local_support(kind, param, u, v, w):
    """Farthest point of a core that is no polyhedron, in its frame."""
    if kind == CAPSULE:
        return 0.0, 0.0, param[1] if w > 0 else -param[1]
    if kind == CYLINDER:
        c, s = _sideways(u, v, w)
        return param[0] * c, param[0] * s, param[1] if w > 0 else -param[1]
    if kind == CONE:
        c, s = _sideways(u, v, w)
        if param[1] * w >= param[0] * (c * u + s * v) - param[1] * w:
            return 0.0, 0.0, param[1]
        return param[0] * c, param[0] * s, -param[1]
    if kind == ELLIPSOID:
        a, b, c = param[0] * u, param[1] * v, param[2] * w
        length = sqrt(a * a + b * b + c * c)
        return param[0] * a / length, param[1] * b / length, param[2] * c / length
    return 0.0, 0.0, 0.0


@kernel
def core_support(shape, x, y, z):
    """Farthest point of the core along a direction of any length but 0."""
    if shape.kind == CONVEX:
        at = highest_corner(shape.corners, x, y, z)
        return shape.corners[at, 0], shape.corners[at, 1], shape.corners[at, 2]
    u, v, w = into_frame(shape.rotation, x, y, z)
    a, b, c = _local_support(shape.kind, shape.param, u, v, w)
    return _placed(shape, a, b, c)


@kernel
def _placed(shape, a, b, c):
    """A point of the shape's frame in the world."""
    x, y, z = out_of_frame(shape.rotation, a, b, c)
    return shape.position[0] + x, shape.position[1] + y, shape.position[2] + z


@kernel
def extent(shape, x, y, z):
    """How far the shape reaches along a unit direction [m]."""
    a, b, c = core_support(shape, x, y, z)
    return a * x + b * y + c * z + shape.rounding


@kernel
def round_radius(shape, x, y, z):
    """Radius of the flat round face that is the feature towards a unit direction [m], 0 where it is another."""
    if shape.kind != CYLINDER and shape.kind != CONE:
        return 0.0
    u, v, w = into_frame(shape.rotation, x, y, z)
    flat = u * u + v * v < FLAT * FLAT and (w < 0 or shape.kind == CYLINDER)
    return shape.param[0] if flat else 0.0


@kernel
def _put(shape, k, a, b, c, out):
    out[k, 0], out[k, 1], out[k, 2] = _placed(shape, a, b, c)


@kernel
def _support_feature(shape, x, y, z, out):
    """The support point alone."""
    a, b, c = core_support(shape, x, y, z)
    out[0, 0], out[0, 1], out[0, 2] = a + shape.rounding * x, b + shape.rounding * y, c + shape.rounding * z
    return 1


@kernel
def _level_edge(shape, top, x, y, z):
    """The other end of the most level edge of a corner, if it is nearly across the direction; -1 without such an edge.

    Corners that are nearly as high as the top need not be neighbours of it: those below a thin plate are not.
    """
    corners, found, least = shape.corners, -1, FLAT
    for f in range(len(shape.normals)):
        start, end = shape.face_start[f], shape.face_start[f + 1]
        for i in range(start, end):
            a, b = shape.face_corner[i], shape.face_corner[i + 1 if i + 1 < end else start]
            if a != top and b != top:
                continue
            other = b if a == top else a
            e0, e1 = corners[other, 0] - corners[top, 0], corners[other, 1] - corners[top, 1]
            e2 = corners[other, 2] - corners[top, 2]
            slope = abs(e0 * x + e1 * y + e2 * z) / sqrt(e0 * e0 + e1 * e1 + e2 * e2)
            if slope < least:
                found, least = other, slope
    return found


@kernel
def _polyhedron_feature(shape, x, y, z, out):
    """A face, an edge or a corner."""
    corners, normals = shape.corners, shape.normals
    best, towards = 0, -2.0
    for k in range(len(normals)):
        height = normals[k, 0] * x + normals[k, 1] * y + normals[k, 2] * z
        if height > towards:
            best, towards = k, height
    if towards > cos(FLAT):
        start = shape.face_start[best]
        count = shape.face_start[best + 1] - start
        for k in range(count):
            out[k] = corners[shape.face_corner[start + k]]
        return count
    top = highest_corner(corners, x, y, z)
    low = _level_edge(shape, top, x, y, z)
    out[0] = corners[top]
    if low < 0:
        return 1
    out[0], out[1] = corners[min(top, low)], corners[max(top, low)]
    return 2


@kernel
def feature(shape, x, y, z, out):
    """Corners of the feature towards a unit direction, world; returns their number, at most max(8, corners)."""
    kind = shape.kind
    if kind == CONVEX:
        return _polyhedron_feature(shape, x, y, z, out)
    u, v, w = into_frame(shape.rotation, x, y, z)
    r, half = shape.param[0], shape.param[1]
    c, s = _sideways(u, v, w)
    if round_radius(shape, x, y, z) > 0.0:
        height = half if w > 0 else -half
        for k in range(AROUND):
            _put(shape, k, r * PLACE[k, 0], r * PLACE[k, 1], height, out)
        return AROUND
    if kind in (CYLINDER, CAPSULE) and abs(w) < FLAT:
        r = r if kind == CYLINDER else shape.rounding
        _put(shape, 0, r * c, r * s, -half, out)
        _put(shape, 1, r * c, r * s, half, out)
        return 2
    if kind == CONE:
        # Normal of the side: (2 half, r) across and along.
        length = sqrt(4.0 * half * half + r * r)
        du, dv, dw = u - 2.0 * half * c / length, v - 2.0 * half * s / length, w - r / length
        if du * du + dv * dv + dw * dw < FLAT * FLAT:
            _put(shape, 0, r * c, r * s, -half, out)
            _put(shape, 1, 0.0, 0.0, half, out)
            return 2
    return _support_feature(shape, x, y, z, out)
