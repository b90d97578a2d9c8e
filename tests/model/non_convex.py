"""Solids that are not convex, as meshes, with tests of membership written on their own."""

from __future__ import annotations

import math

import numpy as np
from scipy.spatial import ConvexHull as Hull

import signorini as sg
from signorini.math.sparse import Array, Indices

Outline = list[tuple[float, float]]
Surface = tuple[Array, Indices]

L: Outline = [(0, 0), (1, 0), (1, 0.5), (0.5, 0.5), (0.5, 1), (0, 1)]
U: Outline = [(0, 0), (3, 0), (3, 2), (2, 2), (2, 1), (1, 1), (1, 2), (0, 2)]
PLUS: Outline = [
    *((1, 0), (2, 0), (2, 1), (3, 1), (3, 2), (2, 2)),
    *((2, 3), (1, 3), (1, 2), (0, 2), (0, 1), (1, 1)),
]
STAR: Outline = [
    (r * math.cos(math.pi * k / 5), r * math.sin(math.pi * k / 5)) for k in range(10) for r in [0.45 if k % 2 else 1.0]
]
GEAR: Outline = [
    (r * math.cos(math.tau * (k + a) / 8), r * math.sin(math.tau * (k + a) / 8))
    for k in range(8)
    for r, a in ((0.8, -0.3), (1.0, -0.15), (1.0, 0.15), (0.8, 0.3))
]
OUTLINES = {"L": L, "U": U, "plus": PLUS, "star": STAR, "gear": GEAR}


def turn(a: Array, b: Array, c: Array) -> float:
    """Twice the area of a triangle that turns left."""
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def ears(outline: Outline) -> Indices:
    """Triangles of a polygon, by cutting ears."""
    p, left, result = np.array(outline), list(range(len(outline))), []
    while len(left) > 3:
        for k in range(len(left)):
            a, b, c = left[k - 1], left[k], left[(k + 1) % len(left)]
            others = [m for m in left if m not in (a, b, c)]
            if turn(p[a], p[b], p[c]) > 1e-12 and not any(
                min(turn(p[a], p[b], p[m]), turn(p[b], p[c], p[m]), turn(p[c], p[a], p[m])) > -1e-12 for m in others
            ):
                result.append((a, b, c))
                left.pop(k)
                break
    return np.array([*result, left])


def prism(outline: Outline, height: float = 1.0) -> Surface:
    """Over a polygon that turns left, from z = 0."""
    n, flat, top = len(outline), np.array(outline), ears(outline)
    vertices = np.vstack((np.c_[flat, np.zeros(n)], np.c_[flat, np.full(n, height)]))
    sides = [t for i in range(n) for j in [(i + 1) % n] for t in ((i, j, j + n), (i, j + n, i + n))]
    return vertices, np.vstack((top + n, top[:, ::-1], sides))


def in_prism(x: Array, outline: Outline, height: float = 1.0) -> Array:
    """By the number of edges that a ray crosses."""
    inside = np.zeros(len(x), dtype=bool)
    for k, (ax, ay) in enumerate(outline):
        bx, by = outline[k - 1]
        crosses = (ay > x[:, 1]) != (by > x[:, 1])
        if ay != by:
            inside ^= crosses & (x[:, 0] < (bx - ax) * (x[:, 1] - ay) / (by - ay) + ax)
    return inside & (x[:, 2] > 0) & (x[:, 2] < height)


def area(outline: Outline) -> float:
    p = np.array(outline)
    q = np.roll(p, -1, axis=0)
    return 0.5 * float((p[:, 0] * q[:, 1] - p[:, 1] * q[:, 0]).sum())


def voxels(full: Array) -> Surface:
    """The surface of unit cubes, loose squares of two triangles."""
    squares = []
    for cube in np.argwhere(full):
        for axis in range(3):
            for side in (0, 1):
                beyond = cube.copy()
                beyond[axis] += 2 * side - 1
                if (beyond >= 0).all() and (beyond < full.shape).all() and full[tuple(beyond)]:
                    continue
                u, v = np.eye(3)[(axis + 1) % 3], np.eye(3)[(axis + 2) % 3]
                corner = cube + side * np.eye(3)[axis]
                square = [corner, corner + u, corner + u + v, corner + v]
                squares.append(square if side else square[::-1])
    n = len(squares)
    triangles = [t for k in range(n) for t in ((4 * k, 4 * k + 1, 4 * k + 2), (4 * k, 4 * k + 2, 4 * k + 3))]
    return np.array(squares).reshape(-1, 3), np.array(triangles)


def revolved(rings: Array, closed: bool, around: int) -> Indices:
    """Triangles between rings of `around` points each, outwards if the rings run upwards turning left."""
    n = len(rings)
    result = []
    for i in range(n if closed else n - 1):
        for j in range(around):
            a, b = i * around + j, i * around + (j + 1) % around
            c, d = (i + 1) % n * around + (j + 1) % around, (i + 1) % n * around + j
            result += [(a, b, c), (a, c, d)]
    return np.array(result)


def torus(radius: float, tube: float, along: int, around: int) -> Surface:
    """About z; its vertices are on the torus."""
    u, v = np.meshgrid(np.arange(along) * math.tau / along, -np.arange(around) * math.tau / around, indexing="ij")
    r = radius + tube * np.cos(v)
    rings = np.stack((r * np.cos(u), r * np.sin(u), tube * np.sin(v)), axis=-1)
    return rings.reshape(-1, 3), revolved(rings, True, around)


def bent_rod(path: Array, radius: float, around: int = 10) -> Surface:
    """A round rod along a path in the plane y = 0, with flat ends."""
    along = np.gradient(path, axis=0)
    along /= np.linalg.norm(along, axis=1)[:, None]
    side = np.cross(along, [0.0, 1.0, 0.0])
    angle = np.arange(around) * math.tau / around
    rings = path[:, None] + radius * (
        np.cos(angle)[None, :, None] * np.array([0.0, 1.0, 0.0]) + np.sin(angle)[None, :, None] * side[:, None]
    )
    last = (len(path) - 1) * around
    start, end = len(path) * around, len(path) * around + 1
    lids = [t for j in range(around) for k in [(j + 1) % around] for t in ((start, k, j), (end, last + j, last + k))]
    return np.vstack((rings.reshape(-1, 3), path[0], path[-1])), np.vstack((revolved(rings, False, around), lids))


def hook(size: float = 1.0) -> Surface:
    """A rod of radius 0.1 up from (0.5, 0, -1.2) and around the origin with radius 0.5 to the other side and back."""
    angle = np.linspace(0, 1.25 * math.pi, 22)
    stem = np.array([[0.5, 0.0, z] for z in np.linspace(-1.2, -0.1, 6)])
    return bent_rod(size * np.vstack((stem, 0.5 * np.c_[np.cos(angle), 0 * angle, np.sin(angle)])), 0.1 * size)


def blob(rings: int = 14, around: int = 28) -> Surface:
    """A ball with dents and bumps."""
    theta, phi = np.linspace(math.pi, 0, rings + 2)[1:-1], np.arange(around) * math.tau / around
    t, p = np.meshgrid(theta, phi, indexing="ij")
    d = np.stack((np.sin(t) * np.cos(p), np.sin(t) * np.sin(p), np.cos(t)), axis=-1).reshape(-1, 3)
    d = np.vstack((d, [[0, 0, -1.0], [0, 0, 1.0]]))
    low, high, last = len(d) - 2, len(d) - 1, (rings - 1) * around
    lids = [t for j in range(around) for k in [(j + 1) % around] for t in ((low, k, j), (high, last + j, last + k))]
    return d * blob_radius(d)[:, None], np.vstack((revolved(np.zeros((rings, around)), False, around), lids))


def blob_radius(d: Array) -> Array:
    """In unit directions."""
    return np.asarray(1.0 + 0.3 * np.sin(4 * d[:, 0]) * np.cos(3 * d[:, 1]))


def in_pieces(x: Array, pieces: list[sg.ConvexHull], tolerance: float = 0.0) -> Array:
    """Which points are in any piece, or as near to it."""
    inside = np.zeros(len(x), dtype=bool)
    for piece in pieces:
        planes = Hull(piece.vertices).equations
        inside |= (x @ planes[:, :3].T + planes[:, 3]).max(axis=1) <= tolerance
    return inside
