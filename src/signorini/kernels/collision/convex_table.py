"""All convex shapes of a model as arrays, and the contacts of pairs of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from signorini.kernels.collision.conventions import HALF_SPACE
from signorini.kernels.collision.convex import Convex
from signorini.kernels.collision.convex_pair import convex_contacts
from signorini.kernels.collision.round_face import SHARE
from signorini.kernels.collision.table import put
from signorini.kernels.compile import kernel


class ConvexTable(NamedTuple):
    """One row per shape of a model, in its own frame; lists of all shapes one after the other."""

    kind: np.ndarray
    """Of the core, see `Convex`; half-spaces stand here with their normals as `param`."""
    param: np.ndarray
    rounding: np.ndarray
    size: np.ndarray
    turned: np.ndarray
    """Whether the shape has a rotation: balls about the centre of their body have none."""
    corner_start: np.ndarray
    """The corners of shape s are `corners[corner_start[s]:corner_start[s + 1]]`, and so on."""
    corners: np.ndarray
    normal_start: np.ndarray
    normals: np.ndarray
    face_at: np.ndarray
    face_start: np.ndarray
    corner_at: np.ndarray
    face_corner: np.ndarray
    most: int
    """Corners that a shape has at most."""


@kernel
def _turned(rotation, vectors, shift, out):
    """World coordinates of vectors of a frame."""
    for k in range(len(vectors)):
        x, y, z = vectors[k, 0], vectors[k, 1], vectors[k, 2]
        for c in range(3):
            out[k, c] = shift[c] + rotation[3 * c] * x + rotation[3 * c + 1] * y + rotation[3 * c + 2] * z


class World(NamedTuple):
    """Corners and normals of shapes in the world, filled in when a shape is first met."""

    corners: np.ndarray
    normals: np.ndarray
    known: np.ndarray


@kernel
def world_of(table):
    """Room for all shapes of a table."""
    return World(np.empty(table.corners.shape), np.empty(table.normals.shape), np.zeros(len(table.kind), np.bool_))


@kernel
def posed(table, placed, world, s):
    """Shape s in the world."""
    rotation = placed.rotation[s] if table.turned[s] else np.array([1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0])
    first, last = table.corner_start[s], table.corner_start[s + 1]
    begin, end = table.normal_start[s], table.normal_start[s + 1]
    corners, normals = world.corners[first:last], world.normals[begin:end]
    if not world.known[s]:
        _turned(rotation, table.corners[first:last], placed.origin[s], corners)
        _turned(rotation, table.normals[begin:end], np.zeros(3), normals)
        world.known[s] = True
    return Convex(
        table.kind[s], table.param[s], table.rounding[s], corners, normals,
        table.face_start[table.face_at[s] : table.face_at[s + 1]],
        table.face_corner[table.corner_at[s] : table.corner_at[s + 1]],
        table.size[s], placed.origin[s], rotation,
    )  # fmt: skip


@kernel
def _corners_on_plane(table, placed, s, plane, limit, found, k):
    """Contacts of the corners of a polyhedron with a half-space; as `convex_pairs`."""
    n, origin = np.empty((1, 3)), placed.origin[plane]
    _turned(placed.rotation[plane], table.param[plane : plane + 1], np.zeros(3), n)
    local = table.corners[table.corner_start[s] : table.corner_start[s + 1]]
    corners = np.empty((len(local), 3))
    _turned(placed.rotation[s], local, placed.origin[s], corners)
    for c in range(len(corners)):
        gap = 0.0
        for j in range(3):
            gap += (corners[c, j] - origin[j]) * n[0, j]
        if gap >= limit:
            continue
        if k < len(found.identity):
            put(found, k, s, plane, c, corners[c, 0], corners[c, 1], corners[c, 2], n[0, 0], n[0, 1], n[0, 2], gap)
        k += 1
    return k


@kernel
def convex_pairs(table, placed, first, second, limits, found, k):
    """Contacts of pairs of convex shapes, from place k on; keeps counting past the capacity of `found`.

    Of pairs with a half-space the other one is a polyhedron.
    """
    most = 2 * max(table.most, 8) + len(SHARE) + 4
    rooms, n, point = np.empty((2, most, 3)), np.empty(3), np.empty(3)
    touches, names, world = np.empty((most, 5)), np.empty(most, np.int64), world_of(table)
    for p in range(len(first)):
        i, j = first[p], second[p]
        if table.kind[i] == HALF_SPACE or table.kind[j] == HALF_SPACE:
            s, plane = (j, i) if table.kind[i] == HALF_SPACE else (i, j)
            k = _corners_on_plane(table, placed, s, plane, limits[p], found, k)
            continue
        a, b = posed(table, placed, world, i), posed(table, placed, world, j)
        count, _ = convex_contacts(a, b, limits[p], n, point, rooms, touches, names)
        for m in range(count):
            if k < len(found.identity):
                t = touches[m]
                put(found, k, i, j, names[m], t[0], t[1], t[2], n[0], n[1], n[2], t[3])
                found.data[k, 10] = t[4]
            k += 1
    return k
