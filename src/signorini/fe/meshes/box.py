"""A box of bricks."""

from __future__ import annotations

from typing import Any

import numpy as np

from signorini.fe.elements.hexahedron import CORNERS
from signorini.fe.meshes.split import along_diagonals, check_kind
from signorini.math.sparse import Array, Indices
from signorini.model.checks import positive_sizes, vector
from signorini.problem.errors import ModelError


def box(size: Any, divisions: Any, kind: str) -> tuple[Array, Indices]:
    """Points and cells."""
    check_kind(kind)
    extent = np.array(positive_sizes(size, "size of the box"))
    points, cells = grid(counts(divisions, "divisions of the box"))
    points = (points - 0.5) * extent
    return points, cells if kind == "hexahedron" else along_diagonals(cells)


def counts(value: Any, what: str) -> tuple[int, int, int]:
    """Three whole numbers of at least 1."""
    given = vector(value, what)
    if given.min() < 1 or np.any(given != np.rint(given)):
        raise ModelError(f"{what} are {given.tolist()}, expected three whole numbers of 1 or more")
    nx, ny, nz = (int(n) for n in given)
    return nx, ny, nz


def grid(divisions: tuple[int, int, int]) -> tuple[Array, Indices]:
    """Points of the unit cube and its hexahedra."""
    axes = [np.linspace(0.0, 1.0, n + 1) for n in divisions]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    shape = tuple(n + 1 for n in divisions)
    first = np.stack(np.meshgrid(*(np.arange(n) for n in divisions), indexing="ij"), axis=-1).reshape(-1, 1, 3)
    corners = first + ((CORNERS + 1) / 2).astype(np.int64)
    return points, np.ravel_multi_index(tuple(np.moveaxis(corners, -1, 0)), shape).astype(np.int64)
