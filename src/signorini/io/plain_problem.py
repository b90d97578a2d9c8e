"""Contact problems as plain arrays, for solvers that read no FCLIB: one NPZ file, or Matrix Market files in a folder.

Names are those of `ContactProblem`: matrices H, C, D, E; vectors c, b_gamma, b_lambda; of each block of rows its
dimension, friction, low, high, rolling, spinning; `skew` where there is one. In an NPZ file a matrix is `H_data`,
`H_indices`, `H_indptr`, `H_shape`, compressed by rows; `load_npz` reads it back.
"""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io
import scipy.sparse as sp

from signorini.math.sparse import Array
from signorini.problem.cones import Cones
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.errors import FileError, ProblemError

BLOCKS = ("dims", "friction", "low", "high", "rolling", "spinning")
PARTS = ("data", "indices", "indptr", "shape")
DAMAGE = (ValueError, KeyError, TypeError, OverflowError, EOFError, zipfile.BadZipFile, zlib.error)
"""What numpy and scipy raise for arrays that are damaged or missing."""


def save_npz(problem: ContactProblem, path: Path) -> None:
    """Write a problem as one NPZ file."""
    arrays: dict[str, Any] = dict(_vectors(problem))
    for name, matrix in _matrices(problem).items():
        arrays |= {f"{name}_{part}": np.asarray(getattr(matrix, part)) for part in PARTS}
    try:
        with path.open("wb") as file:
            np.savez_compressed(file, **arrays)
    except OSError as error:
        raise FileError(f"{path} cannot be written: {error.strerror}") from error


def load_npz(path: Path) -> ContactProblem:
    """The problem in a file of `save_npz`, named after the file."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            parts: dict[str, Any] = {name: np.asarray(arrays[name]) for name in ("c", "b_gamma", "b_lambda", *BLOCKS)}
            parts |= {name: _matrix(arrays, name) for name in ("H", "C", "D", "E")}
            parts["skew"] = _matrix(arrays, "skew") if "skew_data" in arrays else None
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror or error}") from error
    except DAMAGE as error:
        raise FileError(f"{path} is not a problem written by signorini as arrays: {error}") from error
    try:
        cones = Cones(**{name: parts.pop(name) for name in BLOCKS})
        return ContactProblem(cones=cones, name=path.stem, **parts)
    except ProblemError as error:
        raise ProblemError(f"{path}: {error}") from error


def save_matrix_market(problem: ContactProblem, folder: Path) -> list[Path]:
    """Write a problem as Matrix Market files in a folder, which is made; the files."""
    files = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, matrix in _matrices(problem).items():
            files.append(folder / f"{name}.mtx")
            scipy.io.mmwrite(files[-1], matrix, precision=17)
        for name, values in _vectors(problem).items():
            files.append(folder / f"{name}.txt")
            np.savetxt(files[-1], values, fmt="%.17g")
    except OSError as error:
        raise FileError(f"{folder} cannot be written: {error.strerror}") from error
    return files


def _matrix(arrays: Any, name: str) -> sp.csr_array:
    data, indices, indptr, shape = (arrays[f"{name}_{part}"] for part in PARTS)
    rows, columns = (int(n) for n in shape)
    matrix = sp.csr_array((data, indices, indptr), shape=(rows, columns))
    matrix.check_format(full_check=True)
    return matrix


def _matrices(problem: ContactProblem) -> dict[str, sp.csr_array]:
    names = ("H", "C", "D", "E") if problem.skew is None else ("H", "C", "D", "E", "skew")
    return {name: sp.csr_array(getattr(problem, name)) for name in names}


def _vectors(problem: ContactProblem) -> dict[str, Array]:
    cones = problem.cones
    own = {name: getattr(problem, name) for name in ("c", "b_gamma", "b_lambda")}
    blocks = {name: getattr(cones, name) for name in BLOCKS}
    return own | blocks
