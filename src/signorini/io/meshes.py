"""Meshes of solids from files of other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from signorini.fe.elements import ELEMENTS
from signorini.fe.mesh import Mesh, oriented, without_loose_nodes
from signorini.problem.errors import FileError, MissingExtraError, ModelError

KINDS = tuple(element.name for element in ELEMENTS.values())


def load_mesh(path: str | Path, scale: float = 1.0, repair: bool = False) -> Mesh:
    """The tetrahedra or hexahedra of a mesh file: Gmsh, Abaqus, VTK, Medit, ... (all that meshio reads).

    Parameters
    ----------
    scale
        Multiplies the points, such as 1e-3 for a file in millimetres.
    repair
        Whether nodes without cells are dropped and cells that are numbered the wrong way round are turned.
    """
    file = Path(path)
    if not file.is_file():
        raise FileError(f"{file}: there is no such file; check the name (`ls {file.parent}`)")
    found = _read(file)
    blocks = [(block.type, np.asarray(block.data)) for block in found.cells if block.type in KINDS]
    kinds = {kind for kind, _ in blocks}
    if not blocks:
        has = ", ".join(sorted({block.type for block in found.cells})) or "no cells"
        raise FileError(f"{file} has no solid cells: it holds {has}, expected {', '.join(KINDS)}; mesh the volume")
    if len(kinds) > 1:
        raise FileError(f"{file} mixes {', '.join(sorted(kinds))}, expected one kind; mesh it with tetrahedra only")
    points = np.asarray(found.points, dtype=np.float64)[:, :3] * scale
    cells = np.concatenate([cells for _, cells in blocks]).astype(np.int64)
    if repair:
        points, cells = without_loose_nodes(points, cells)
        cells = oriented(points, cells)
    try:
        return Mesh(points, cells)
    except ModelError as error:
        hint = "" if repair else "; load_mesh(path, repair=True) drops loose nodes and turns cells around"
        raise ModelError(f"{file}: {error}{hint}") from error


def _read(file: Path) -> Any:
    try:
        import meshio
    except ImportError as error:
        raise MissingExtraError("mesh files need meshio; install it with: pip install 'signorini[mesh]'") from error
    try:
        return meshio.read(file)
    except SystemExit as error:  # meshio ends the program for endings that it does not know
        raise FileError(f"{file} has an ending that meshio does not know; take .msh, .vtu, .inp, .mesh, ...") from error
    except Exception as error:
        raise FileError(f"{file} cannot be read: meshio says {str(error).strip() or type(error).__name__!r}") from error
