"""Meshes from files of other programs: surfaces and solids."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from signorini.fe.elements import ELEMENTS
from signorini.fe.mesh import Mesh, oriented, without_loose_nodes
from signorini.io.surfaces import is_surface_file, read_surface
from signorini.math.sparse import Array
from signorini.model.shapes.polyhedron import is_closed, merged, solid_properties
from signorini.model.shapes.triangle_mesh import TriangleMesh
from signorini.problem.errors import FileError, MissingExtraError, ModelError

KINDS = tuple(element.name for element in ELEMENTS.values())


UNITS = {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "um": 1e-6, "in": 0.0254, "ft": 0.3048}
"""Lengths of units [m]."""


def load_mesh(
    path: str | Path, scale: Any = 1.0, repair: bool = False, unit: str = "m", **options: Any
) -> Mesh | TriangleMesh:
    """A mesh file: STL, OBJ, PLY and GLB surfaces as a `TriangleMesh`, solids as a `flexible.Mesh`.

    Surfaces are shapes, `model.add_body(sg.load_mesh("part.stl", unit="mm"), density=7800)`; solids of tetrahedra or
    hexahedra (Gmsh, Abaqus, VTK, Medit, ...: all that meshio reads) are for flexible bodies.

    Parameters
    ----------
    scale
        Multiplies the points; a surface takes one number for each axis, too.
    unit
        Of the file: m, cm, mm, um, in, ft.
    repair
        Surfaces: whether triangles without area are dropped, and a closed surface that is inside out is turned.
        Solids: whether nodes without cells are dropped and cells that are numbered the wrong way round are turned.
    options
        Of `TriangleMesh`, such as `concavity` and `max_pieces`.
    """
    file = Path(path)
    if unit not in UNITS:
        raise ModelError(f"unit is {unit!r}, expected one of {', '.join(UNITS)}")
    factor = UNITS[unit] * np.asarray(scale, dtype=np.float64)
    if factor.shape not in ((), (3,)) or not np.isfinite(factor).all() or not factor.all():
        raise ModelError(f"scale is {scale!r}, expected a number, or three, not 0")
    if is_surface_file(file):
        return _surface(file, factor, repair, options)
    if factor.shape or options:
        raise ModelError(f"{file} is a mesh of a solid: expected one number as scale, and no options of surfaces")
    return _solid(file, float(factor), repair)


def _surface(file: Path, factor: Array, repair: bool, options: dict[str, Any]) -> TriangleMesh:
    found = read_surface(file, factor)
    vertices, triangles = found.vertices, found.triangles
    if np.prod(np.broadcast_to(factor, 3)) < 0:  # a mirror turns triangles round
        triangles = triangles[:, ::-1]
    if repair:
        same = merged(vertices, triangles)
        whole = (same != np.roll(same, 1, axis=1)).all(axis=1)
        triangles = triangles[whole]
        if len(triangles) and is_closed(same[whole]) and solid_properties(vertices, triangles).volume < 0:
            triangles = triangles[:, ::-1]
    try:
        return TriangleMesh(vertices, triangles, **options)
    except ModelError as error:
        raise ModelError(f"{file}: {error}") from error


def _solid(file: Path, scale: float, repair: bool) -> Mesh:
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
