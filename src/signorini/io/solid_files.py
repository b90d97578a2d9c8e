"""Solid meshes from files of other programs, read by meshio in a process of its own."""

from __future__ import annotations

import io
import re
import signal
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from signorini.math.sparse import Array, Indices
from signorini.problem.errors import FileError, MissingExtraError

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


def check_solid(file: Path, points: Array, cells: Indices) -> None:
    """Finite points, cells that refer to them."""
    if points.ndim != 2 or points.shape[1] < 3 or not np.isfinite(points).all():
        raise FileError(f"{file} has points of shape {points.shape}, expected (points, 3) finite numbers")
    if cells.ndim != 2 or (cells.size and not 0 <= cells.min() <= cells.max() < len(points)):
        raise FileError(f"{file} has cells that refer to points that do not exist; there are {len(points)}")


def read_solid(file: Path) -> tuple[Array, list[tuple[str, Indices]]]:
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
