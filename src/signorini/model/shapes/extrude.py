"""Prisms over outlines."""

from __future__ import annotations

from typing import Any

import numpy as np

from signorini.model.checks import positive
from signorini.model.shapes.polygon import Polygon
from signorini.model.shapes.triangle_mesh import TriangleMesh


def extrude(outline: Any, height: float, holes: Any = (), **options: Any) -> TriangleMesh:
    """The prism over an outline in the plane xy, from -height/2 to height/2 along z.

    Parameters
    ----------
    outline
        Corners [m], shape (n, 2), in either sense; it must not cross itself.
    height
        [m].
    holes
        Outlines of holes inside it.
    options
        Of `TriangleMesh`, such as `concavity` and `max_pieces`.

    >>> bracket = extrude([(0, 0), (2, 0), (2, 0.5), (0.5, 0.5), (0.5, 2), (0, 2)], height=0.3)
    """
    half = 0.5 * positive(height, "height of an extrusion")
    polygon = Polygon.of(outline, holes)
    count = len(polygon.points)
    low, high = (np.column_stack((polygon.points, np.full(count, z))) for z in (-half, half))
    cap = polygon.triangles()
    start, end = polygon.edges.T
    sides = np.concatenate(
        (np.column_stack((start, end, end + count)), np.column_stack((start, end + count, start + count)))
    )
    return TriangleMesh(np.concatenate((low, high)), np.concatenate((cap[:, ::-1], cap + count, sides)), **options)
