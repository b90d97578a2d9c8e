"""Triangles of surfaces of revolution, for pictures."""

from __future__ import annotations

import numpy as np

from signorini.math.sparse import Array
from signorini.model.shapes.descriptor import Drawing

AROUND, ARC = 32, 7
"""Corners around an axis, and along a quarter of a circle."""


def turned(profile: Array, normals: Array) -> tuple[Array, Array]:
    """Corners and normals of the surface that a profile (radius, z) and its normals sweep about the z axis.

    Both of shape (triangles, 3, 3).
    """
    return _quads(_swept(profile)), _quads(_swept(normals))


def revolved(profile: Array) -> Drawing:
    """The surface that a profile (radius, z), from top to bottom, sweeps about the z axis: round, with sharp edges."""
    along = np.diff(profile, axis=0)
    outward = np.column_stack((-along[:, 1], along[:, 0]))
    pieces = [turned(profile[k : k + 2], np.tile(normal, (2, 1))) for k, normal in enumerate(outward)]
    corners, normals = (np.concatenate(each) for each in zip(*pieces, strict=True))
    return Drawing(corners, normals)


def _swept(curve: Array) -> Array:
    angle = np.linspace(0.0, 2.0 * np.pi, AROUND + 1)
    swept = np.empty((len(curve), AROUND + 1, 3))
    swept[..., :2] = curve[:, None, :1] * np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    swept[..., 2] = curve[:, 1:]
    return swept


def _quads(grid: Array) -> Array:
    """Two triangles for each cell of a grid of points, shape (triangles, 3, 3)."""
    a, b, c, d = grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]
    return np.concatenate([np.stack(t, axis=-2).reshape(-1, 3, 3) for t in ((a, b, c), (a, c, d))])
