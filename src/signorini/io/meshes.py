"""Meshes from files of other programs: surfaces and solids."""

from __future__ import annotations

import io
import re
import signal
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from signorini.fe.elements import ELEMENTS
from signorini.fe.mesh import Mesh, oriented, without_loose_nodes
<<<<<<< HEAD
from signorini.math.sparse import Array, Indices
=======
from signorini.io.surfaces import is_surface_file, read_surface
from signorini.math.sparse import Array
from signorini.model.shapes.polyhedron import is_closed, merged, solid_properties
from signorini.model.shapes.triangle_mesh import TriangleMesh
>>>>>>> 59ebff8b10584748177c73554114a8c65c0e0adc
from signorini.problem.errors import FileError, MissingExtraError, ModelError

KINDS = tuple(element.name for element in ELEMENTS.values())
FORMATS = {
    ".msh": ("gmsh", "ansys"), ".vtk": ("vtk",), ".vtu": ("vtu",), ".inp": ("abaqus",), ".mesh": ("medit",),
    ".meshb": ("medit",), ".bdf": ("nastran",), ".fem": ("nastran",), ".nas": ("nastran",), ".vol": ("netgen",),
    ".su2": ("su2",), ".f3grid": ("flac3d",),
}  # fmt: skip
"""Names that meshio has for the formats of solid meshes in one file. Left out are those that refer to other files
(XDMF, TetGen, DOLFIN, HDF5 with links) and those whose readers do not end on damaged files (Tecplot)."""
INCLUDES = re.compile(rb"^[ \t]*\*?[ \t]*include\b", re.IGNORECASE | re.MULTILINE)
"""Lines with which Abaqus and Nastran take in another file."""
MEGABYTES, MEGABYTES_PER_MEGABYTE = 2048, 100
SECONDS, BYTES_PER_SECOND = 4, 50_000
"""Memory and processor time that reading may take: a start, and more for large files."""


<<<<<<< HEAD
def load_mesh(path: str | Path, scale: float = 1.0, repair: bool = False) -> Mesh:
    """The tetrahedra or hexahedra of a mesh file: Gmsh, Abaqus, VTK, Medit, Nastran, Netgen, SU2, FLAC3D.
=======
UNITS = {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "um": 1e-6, "in": 0.0254, "ft": 0.3048}
"""Lengths of units [m]."""


def load_mesh(
    path: str | Path, scale: Any = 1.0, repair: bool = False, unit: str = "m", **options: Any
) -> Mesh | TriangleMesh:
    """A mesh file: STL, OBJ, PLY and GLB surfaces as a `TriangleMesh`, solids as a `flexible.Mesh`.

    Surfaces are shapes, `model.add_body(sg.load_mesh("part.stl", unit="mm"), density=7800)`; solids of tetrahedra or
    hexahedra (Gmsh, Abaqus, VTK, Medit, ...: all that meshio reads) are for flexible bodies.
>>>>>>> 59ebff8b10584748177c73554114a8c65c0e0adc

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
    points, found = _read(file)
    blocks = [(kind, cells) for kind, cells in found if kind in KINDS]
    kinds = {kind for kind, _ in blocks}
    if not blocks:
        has = ", ".join(sorted({kind for kind, _ in found})) or "no cells"
        raise FileError(f"{file} has no solid cells: it holds {has}, expected {', '.join(KINDS)}; mesh the volume")
    if len(kinds) > 1:
        raise FileError(f"{file} mixes {', '.join(sorted(kinds))}, expected one kind; mesh it with tetrahedra only")
    cells = np.concatenate([cells for _, cells in blocks])
    _check(file, points, cells)
    points = points[:, :3] * scale
    if repair:
        points, cells = without_loose_nodes(points, cells)
        cells = oriented(points, cells)
    try:
        return Mesh(points, cells)
    except ModelError as error:
        hint = "" if repair else "; load_mesh(path, repair=True) drops loose nodes and turns cells around"
        raise ModelError(f"{file}: {error}{hint}") from error


def _check(file: Path, points: Array, cells: Indices) -> None:
    """Finite points, cells that refer to them."""
    if points.ndim != 2 or points.shape[1] < 3 or not np.isfinite(points).all():
        raise FileError(f"{file} has points of shape {points.shape}, expected (points, 3) finite numbers")
    if cells.ndim != 2 or (cells.size and not 0 <= cells.min() <= cells.max() < len(points)):
        raise FileError(f"{file} has cells that refer to points that do not exist; there are {len(points)}")


def _read(file: Path) -> tuple[Array, list[tuple[str, Indices]]]:
    """Points and blocks of cells, read in a process of its own."""
    if find_spec("meshio") is None:
        raise MissingExtraError("mesh files need meshio; install it with: pip install 'signorini[mesh]'")
    formats = FORMATS.get(file.suffix.lower())
    if formats is None:
        raise FileError(
            f"{file} has an ending that is not read; take {', '.join(FORMATS)} (convert it: meshio convert {file.name} "
            f"{file.stem}.vtu)"
        )
    size = file.stat().st_size
    if formats[0] in ("abaqus", "nastran") and INCLUDES.search(file.read_bytes()):
        raise FileError(f"{file} includes another file, which is not read; write the mesh to one file")
    limits = (MEGABYTES + MEGABYTES_PER_MEGABYTE * (size >> 20), SECONDS + size // BYTES_PER_SECOND)
    # -P: modules in the current folder are not run.
    command = [sys.executable, "-P", str(Path(__file__).with_name("mesh_process.py")), str(file.resolve())]
    done = subprocess.run([*command, *map(str, limits), *formats], capture_output=True, check=False)
    if done.returncode == -signal.SIGXCPU or done.returncode == -signal.SIGKILL:
        raise FileError(f"{file} cannot be read: that takes more than {limits[1]} s; it is damaged")
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        raise FileError(f"{file} cannot be read: meshio says {lines[-1] if lines else done.returncode!r}")
    with np.load(io.BytesIO(done.stdout), allow_pickle=False) as arrays:
        count = sum(name.startswith("kind-") for name in arrays)
        return arrays["points"], [(str(arrays[f"kind-{k}"]), arrays[f"cells-{k}"]) for k in range(count)]
