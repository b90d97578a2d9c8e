"""The convex shapes of a model as arrays for kernels."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from signorini.collision.shape_table import ShapeTable
from signorini.kernels.collision.conventions import HALF_SPACE, MESH, SPHERE
from signorini.kernels.collision.convex_table import ConvexTable
from signorini.math.sparse import Indices
from signorini.model.shapes.convex_core import ConvexCore

NOTHING = ConvexCore(SPHERE)
"""In place of shapes without a kernel."""


def convex_table(table: ShapeTable) -> tuple[ConvexTable, NDArray[np.bool_]]:
    """The arrays, and which shapes are in them."""
    convex = (table.arrays.kind != HALF_SPACE) & (table.arrays.kind != MESH)
    forms = [shape.convex_form() if there else None for shape, there in zip(table.shapes, convex, strict=True)]
    known = [None if form is None else form.core() for form in forms]
    cores = [NOTHING if core is None else core for core in known]
    for s in np.flatnonzero(table.arrays.kind == HALF_SPACE).tolist():
        cores[s] = ConvexCore(HALF_SPACE, tuple(table.arrays.param[s].tolist()))
    normals = [np.zeros((0, 3)) if form is None else np.asarray(form.normals) for form in forms]
    result = ConvexTable(
        kind=np.array([core.kind for core in cores], dtype=np.int64),
        param=np.array([core.parameters for core in cores], dtype=np.float64).reshape(-1, 3),
        rounding=np.array([core.rounding for core in cores], dtype=np.float64),
        size=np.array([0.0 if form is None else form.size for form in forms], dtype=np.float64),
        turned=~table.centred,
        corner_start=_starts(len(core.corners) for core in cores),
        corners=np.concatenate([np.zeros((0, 3)), *(core.corners for core in cores)]),
        normal_start=_starts(len(n) for n in normals),
        normals=np.concatenate([np.zeros((0, 3)), *normals]),
        face_at=_starts(len(core.face_start) for core in cores),
        face_start=np.concatenate([np.zeros(0, dtype=np.int64), *(core.face_start for core in cores)]),
        corner_at=_starts(len(core.face_corner) for core in cores),
        face_corner=np.concatenate([np.zeros(0, dtype=np.int64), *(core.face_corner for core in cores)]),
        most=max((len(core.corners) for core in cores), default=0),
    )
    return result, np.array([core is not None for core in known], dtype=bool)


def _starts(lengths: Iterable[int]) -> Indices:
    return np.cumsum([0, *lengths], dtype=np.int64)
