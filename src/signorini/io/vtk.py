"""Flexible bodies for ParaView and its kin: unstructured grids (.vtu) and series of them (.pvd)."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np

from signorini.fe.cable import Cable
from signorini.fe.soft_body import SoftBody
from signorini.fe.stress import at_nodes, von_mises
from signorini.math.sparse import Array, Indices
from signorini.model.flexible_body import FlexibleBody
from signorini.model.model import Model
from signorini.model.state import State
from signorini.problem.errors import FileError, ModelError

CELL_TYPES = {4: 10, 8: 12, 10: 24, 2: 3}
"""VTK's numbers of tetrahedra, hexahedra, quadratic tetrahedra and lines, by their nodes."""
TYPES = {"float64": "Float64", "int64": "Int64", "uint8": "UInt8"}


def save_vtk(path: str | Path, model: Model, states: State | Iterable[State]) -> list[Path]:
    """Write all flexible bodies at one state to `path` (.vtu), or at many states to a series (.pvd).

    Points carry displacement [m] since t = 0, velocity [m/s] and von Mises stress [Pa]; cells carry Cauchy stress [Pa],
    strain [-] and the number of their body. Returns the files written; those of a series stand beside it, numbered.
    """
    target = Path(path)
    wanted = ".vtu" if isinstance(states, State) else ".pvd"
    if target.suffix != wanted:
        raise FileError(f"{target} has the ending '{target.suffix}', expected '{wanted}'")
    if not target.parent.is_dir():
        raise FileError(f"{target} cannot be written: there is no directory {target.parent}; make it first")
    if not model.flexibles:
        raise ModelError("the model has no flexible bodies: there is nothing to write")
    if isinstance(states, State):
        return [_written(target, _grid(model, states))]
    files, sets = [], []
    for number, state in enumerate(states):
        part = target.with_name(f"{target.stem}-{number:05d}.vtu")
        files.append(_written(part, _grid(model, state)))
        sets.append(f'<DataSet timestep="{state.time!r}" file={quoteattr(part.name)}/>')
    return [_written(target, _document("Collection", "<Collection>" + "".join(sets) + "</Collection>")), *files]


def _grid(model: Model, state: State) -> str:
    """The XML of one state."""
    parts = [_part(number, body, state) for number, body in enumerate(model.flexibles)]
    first = np.cumsum([0, *(len(part["points"]) for part in parts)])
    cells = [part["cells"] + start for part, start in zip(parts, first, strict=False)]
    sizes = np.concatenate([np.full(len(c), c.shape[1]) for c in cells])
    body = np.concatenate([part["body"] for part in parts])
    texts = {name: "".join(_array(key, _joined(parts, key)) for key in keys) for name, keys in DATA.items()}
    types = np.concatenate([np.full(len(c), CELL_TYPES[c.shape[1]], dtype=np.uint8) for c in cells])
    return _document(
        "UnstructuredGrid",
        f'<UnstructuredGrid><Piece NumberOfPoints="{first[-1]}" NumberOfCells="{len(sizes)}">'
        f"<Points>{_array('points', _joined(parts, 'points'))}</Points><Cells>"
        + _array("connectivity", np.concatenate([c.reshape(-1) for c in cells]))
        + _array("offsets", np.cumsum(sizes))
        + _array("types", types)
        + f"</Cells><PointData>{texts['points']}</PointData>"
        f"<CellData>{texts['cells']}{_array('body', body)}</CellData></Piece></UnstructuredGrid>",
    )


DATA = {"points": ("displacement", "velocity", "von_mises"), "cells": ("stress", "strain")}


def _part(number: int, body: FlexibleBody, state: State) -> dict[str, Any]:
    """Points, cells and their data of one body; of a cable the places alone."""
    x, v = state.node_position[body.nodes], state.node_velocity[body.nodes]
    flexible = body.flexible
    chosen: Indices = np.flatnonzero(flexible.translation > 0)
    if isinstance(flexible, SoftBody):
        cells = flexible.mesh.cells
        stress, strain = flexible.stress(x)
        mises = von_mises(at_nodes(flexible.mesh, stress))
    elif isinstance(flexible, Cable):
        cells = flexible.cells[:, [0, 2]] // 2
        stress = strain = np.zeros((len(cells), 3, 3))
        mises = np.zeros(len(chosen))
    else:
        raise ModelError(f"{body.name!r} is a {type(flexible).__name__}, expected a SoftBody or a Cable to write")
    return {
        "points": x[chosen],
        "cells": cells,
        "displacement": (x - body.position)[chosen],
        "velocity": v[chosen],
        "von_mises": mises,
        "stress": stress.reshape(-1, 9),
        "strain": strain.reshape(-1, 9),
        "body": np.full(len(cells), number),
    }


def _joined(parts: list[dict[str, Any]], key: str) -> Array:
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


def _document(kind: str, content: str) -> str:
    return (
        '<?xml version="1.0"?>\n'
        f'<VTKFile type="{kind}" version="1.0" byte_order="LittleEndian" header_type="UInt64">{content}</VTKFile>\n'
    )


def _written(path: Path, text: str) -> Path:
    try:
        path.write_text(text)
    except OSError as error:
        raise FileError(f"{path} cannot be written: {error.strerror or error}") from error
    return path
