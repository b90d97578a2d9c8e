"""Surfaces of triangles from STL, OBJ, PLY and GLB files."""

from __future__ import annotations

import io
import json
import logging
import re
import struct
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from signorini.io.confined_folder import read_bytes
from signorini.math.sparse import Array, Indices
from signorini.problem.errors import FileError, MissingExtraError

SUFFIXES = ("stl", "obj", "ply", "glb")
MOST_BYTES = 256 * 2**20
MOST_TRIANGLES = 2_000_000
NUMBER_BYTES = 1
"""Fewest bytes that a vertex or a face takes in a file: no header may promise more of them than there are bytes."""


@dataclass(frozen=True, eq=False)
class Surface:
    """Triangles as a file holds them."""

    vertices: Array
    """In the unit of the file times the scale, shape (n, 3)."""
    triangles: Indices
    """Places in `vertices`, shape (t, 3)."""


def is_surface_file(path: Path) -> bool:
    """Whether the ending is that of a surface."""
    return path.suffix.lower().lstrip(".") in SUFFIXES


def read_surface(path: Path, scale: Any = 1.0) -> Surface:
    """All triangles of a file, its parts in one; `scale` multiplies points, one number or one for each axis.

    Only this file is read: no materials, textures or buffers that it names. Raises `FileError` for files that are
    damaged, too large, or hold no triangles.
    """
    kind = path.suffix.lower().lstrip(".")
    if kind not in SUFFIXES:
        raise FileError(f"{path} has the ending '{path.suffix}', expected .{', .'.join(SUFFIXES)}")
    raw = read_bytes(path, MOST_BYTES)
    _check_counts(raw, kind, path)
    vertices, triangles = _loaded(raw, kind, path)
    if not len(triangles):
        raise FileError(f"{path} holds no triangles")
    if len(triangles) > MOST_TRIANGLES:
        raise FileError(f"{path} holds {len(triangles)} triangles, expected at most {MOST_TRIANGLES}; coarsen it")
    if triangles.min() < 0 or triangles.max() >= len(vertices):
        raise FileError(f"{path} is damaged: a triangle names a vertex that is not there")
    used, place = np.unique(triangles, return_inverse=True)
    points = vertices[used] * np.asarray(scale, dtype=np.float64)
    if not np.isfinite(points).all():
        raise FileError(f"{path} is damaged: it holds points that are not finite")
    return Surface(points, place.reshape(-1, 3).astype(np.int64))


def _loaded(raw: bytes, kind: str, path: Path) -> tuple[Array, Indices]:
    try:
        import trimesh
    except ImportError as error:
        raise MissingExtraError("surface files need trimesh; install it with: pip install trimesh") from error
    options = {"process": False, **OPTIONS.get(kind, {})}
    try:
        with _silent("trimesh"):
            mesh = trimesh.load_scene(io.BytesIO(raw), file_type=kind, resolver=None, **options).to_mesh()
        vertices, triangles = np.array(mesh.vertices, dtype=np.float64), np.array(mesh.faces, dtype=np.int64)
    except MemoryError:
        raise FileError(f"{path} is damaged or too large: there is not enough memory to read it") from None
    except Exception as error:  # damaged files raise whatever the parser stumbles over
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise FileError(f"{path} cannot be read as {kind.upper()}: {reason}") from None
    if vertices.ndim != 2 or vertices.shape[1] != 3 or (triangles.size and triangles.shape[1:] != (3,)):
        raise FileError(f"{path} is damaged: its points or triangles are not given by threes")
    return vertices, triangles.reshape(-1, 3)


@contextmanager
def _silent(name: str) -> Iterator[None]:
    """Keep a library from logging about damaged files: the error says it."""
    log = logging.getLogger(name)
    level = log.level
    log.setLevel(logging.CRITICAL + 1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        log.setLevel(level)


OPTIONS: dict[str, dict[str, Any]] = {"obj": {"skip_materials": True}}


def _check_counts(raw: bytes, kind: str, path: Path) -> None:
    """Raise `FileError` where a header promises more than the file can hold: parsers reserve memory by it."""
    if kind == "stl" and not raw[:5].lower().startswith(b"solid") and len(raw) >= 84:
        count = struct.unpack_from("<I", raw, 80)[0]
        if 84 + 50 * count > len(raw):
            raise FileError(f"{path} is damaged: it should hold {count} triangles and is too short for them")
    if kind == "ply":
        for name, count in re.findall(rb"^element\s+(\S+)\s+(\d+)", raw[:65536], flags=re.MULTILINE):
            if int(count[:20]) * NUMBER_BYTES > len(raw):
                raise FileError(f"{path} is damaged: {int(count[:20])} of {name[:20]!r} do not fit into its size")
    if kind == "glb":
        _check_glb(raw, path)


def _check_glb(raw: bytes, path: Path) -> None:
    try:
        length = struct.unpack_from("<I", raw, 12)[0]
        header = json.loads(raw[20 : 20 + length])
        accessors = header.get("accessors", [])
        counts = [int(accessor["count"]) for accessor in accessors]
        sizes = [int(buffer["byteLength"]) for buffer in header.get("buffers", [])]
        outside = [buffer for buffer in header.get("buffers", []) if "uri" in buffer]
        parts = [len(header.get(key, [])) for key in ("nodes", "meshes", "bufferViews")]
    except (struct.error, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise FileError(f"{path} is damaged: its header cannot be read as glTF") from None
    if outside:
        raise FileError(f"{path} names other files for its data; write one self-contained .glb")
    if any(n < 0 or n > len(raw) for n in (*counts, *sizes)) or sum(parts) > 100_000:
        raise FileError(f"{path} is damaged: its header promises more data than the file holds")
