"""The XML of VTK's unstructured grids."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from signorini.io.trajectory import Trajectory
from signorini.math.sparse import Array

CELL_TYPES = {1: 1, 2: 3, 3: 5, 4: 10, 8: 12, 10: 24}
"""VTK's numbers of points, lines, triangles, tetrahedra, hexahedra and quadratic tetrahedra, by their nodes."""
TYPES = {"float64": "Float64", "int64": "Int64", "uint8": "UInt8"}
Part = Mapping[str, Any]
"""`points` and `cells` of one kind, and data by name."""


def grid(parts: Sequence[Part], data: Mapping[str, Sequence[str]]) -> str:
    """One grid of all parts; `data` names the arrays of points and of cells."""
    first = np.cumsum([0, *(len(part["points"]) for part in parts)])
    cells = [part["cells"] + start for part, start in zip(parts, first, strict=False)]
    sizes = np.concatenate([np.full(len(c), c.shape[1]) for c in cells])
    types = np.concatenate([np.full(len(c), CELL_TYPES[c.shape[1]], dtype=np.uint8) for c in cells])
    texts = {name: "".join(_array(key, _joined(parts, key)) for key in keys) for name, keys in data.items()}
    return document(
        "UnstructuredGrid",
        f'<UnstructuredGrid><Piece NumberOfPoints="{first[-1]}" NumberOfCells="{len(sizes)}">'
        f"<Points>{_array('points', _joined(parts, 'points'))}</Points><Cells>"
        + _array("connectivity", np.concatenate([c.reshape(-1) for c in cells]))
        + _array("offsets", np.cumsum(sizes))
        + _array("types", types)
        + f"</Cells><PointData>{texts['points']}</PointData>"
        f"<CellData>{texts['cells']}</CellData></Piece></UnstructuredGrid>",
    )


CONTACT_DATA = {"points": ("normal", "gap", "force", "friction", "body_a", "body_b"), "cells": ()}


def contact_grid(run: Trajectory, frame: int) -> str:
    """Points of contact of the step that led to a frame, on the first body."""
    found = run.contacts(frame)
    contacts = found.contacts
    step = float(run.settings["step"])
    part = {
        "points": contacts.point_a,
        "cells": np.arange(contacts.count).reshape(-1, 1),
        "normal": contacts.normal,
        "gap": contacts.gap,
        "force": found.world_impulse / step,
        "friction": contacts.friction,
        "body_a": contacts.body_a,
        "body_b": contacts.body_b,
    }
    return grid([part], CONTACT_DATA)


def document(kind: str, content: str) -> str:
    """A whole file."""
    return (
        '<?xml version="1.0"?>\n'
        f'<VTKFile type="{kind}" version="1.0" byte_order="LittleEndian" header_type="UInt64">{content}</VTKFile>\n'
    )


def _joined(parts: Sequence[Part], key: str) -> Array:
    return np.concatenate([part[key] for part in parts])


def _array(name: str, values: Any) -> str:
    """A data array, base64 behind its length in bytes."""
    data = np.ascontiguousarray(values)
    raw = data.tobytes()
    text = base64.b64encode(np.uint64(len(raw)).tobytes() + raw).decode()
    width = 1 if data.ndim == 1 else data.shape[1]
    return (
        f'<DataArray type="{TYPES[data.dtype.name]}" Name="{name}" NumberOfComponents="{width}" '
        f'format="binary">{text}</DataArray>'
    )
