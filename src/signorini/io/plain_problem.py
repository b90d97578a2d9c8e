"""Contact problems as plain arrays, for solvers that read no FCLIB: one NPZ file, or Matrix Market files in a folder.

Names are those of `ContactProblem`: matrices H, C, D, E; vectors c, b_gamma, b_lambda; of each block of rows its
dimension, friction, low, high, rolling, spinning. In an NPZ file a matrix is `H_data`, `H_indices`, `H_indptr`,
`H_shape`, compressed by rows.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import scipy.io
import scipy.sparse as sp

from signorini.math.sparse import Array
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.errors import FileError


def save_npz(problem: ContactProblem, path: Path) -> None:
    """Write a problem as one NPZ file."""
    arrays: dict[str, Any] = dict(_vectors(problem))
    for name, matrix in _matrices(problem).items():
        parts = {"data": matrix.data, "indices": matrix.indices, "indptr": matrix.indptr, "shape": matrix.shape}
        arrays |= {f"{name}_{part}": np.asarray(values) for part, values in parts.items()}
    try:
        with path.open("wb") as file:
            np.savez_compressed(file, **arrays)
    except OSError as error:
        raise FileError(f"{path} cannot be written: {error.strerror}") from error


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


def _matrices(problem: ContactProblem) -> dict[str, sp.csr_array]:
    return {name: sp.csr_array(getattr(problem, name)) for name in ("H", "C", "D", "E")}


def _vectors(problem: ContactProblem) -> dict[str, Array]:
    cones = problem.cones
    own = {name: getattr(problem, name) for name in ("c", "b_gamma", "b_lambda")}
    blocks = {name: getattr(cones, name) for name in ("dims", "friction", "low", "high", "rolling", "spinning")}
    return own | blocks
