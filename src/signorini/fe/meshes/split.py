"""Tetrahedra from hexahedra."""

from __future__ import annotations

from itertools import permutations

import numpy as np

from signorini.fe.elements.hexahedron import CORNERS, FACES
from signorini.math.sparse import Array, Indices
from signorini.problem.errors import ModelError

KINDS = ("tetra", "hexahedron")


def check_kind(kind: str) -> None:
    """Raise `ModelError` for a kind of cell that cannot be made."""
    if kind not in KINDS:
        raise ModelError(f"kind is {kind!r}, expected one of {', '.join(KINDS)} (or Mesh.quadratic() of tetra)")


def along_diagonals(cells: Indices) -> Indices:
    """Six tetrahedra per hexahedron, one for each way from corner 0 to corner 6 along the edges.

    Neighbours fit when all hexahedra lie along the same axes, as in a box.
    """
    number = {tuple(corner): k for k, corner in enumerate(((CORNERS + 1) / 2).astype(int).tolist())}
    tetrahedra = []
    for axes in permutations(range(3)):
        corner, way = [0, 0, 0], [0]
        for axis in axes:
            corner[axis] = 1
            way.append(number[tuple(corner)])
        odd = axes in ((0, 2, 1), (2, 1, 0), (1, 0, 2))
        tetrahedra.append([way[0], way[2], way[1], way[3]] if odd else way)
    return cells[:, np.array(tetrahedra)].reshape(-1, 4)


def about_centres(points: Array, cells: Indices) -> tuple[Array, Indices]:
    """Twelve tetrahedra per hexahedron about a new node in its middle; faces are cut from their smallest node."""
    centres = points[cells].mean(axis=1)
    corners = cells[:, FACES]
    start = np.argmin(corners, axis=2)
    turned = np.take_along_axis(corners, (start[..., None] + np.arange(4)) % 4, axis=2)
    middle = np.broadcast_to((len(points) + np.arange(len(cells)))[:, None], start.shape)
    # Faces are counter-clockwise seen from outside; seen from the middle they are clockwise.
    parts = [np.stack((middle, turned[..., 0], turned[..., k], turned[..., k + 1]), axis=-1) for k in (1, 2)]
    return np.vstack((points, centres)), np.concatenate(parts, axis=1).reshape(-1, 4)
