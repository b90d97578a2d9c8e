"""Writing FCLIB files; the format is described in `signorini.io.fclib`."""

from __future__ import annotations

import io
import os
import tempfile
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from signorini.io.hdf5 import h5py
from signorini.math.sparse import Array, Csr, canonical, entry_rows
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.errors import FileError, ProblemError
from signorini.problem.solution import Solution

PACKED = {"compression": "gzip", "compression_opts": 6, "shuffle": True}
PACK_FROM = 256
"""Shorter arrays are stored plain [entries]."""


def write_problem(problem: ContactProblem, path: Path, solution: Solution | None, title: str, description: str) -> None:
    """See `signorini.io.fclib.save_problem`. The file appears whole or not at all."""
    dimension = _dimension(problem)
    if path.is_dir():
        raise FileError(f"{path} is a directory, expected the name of a file to write, such as {path / 'problem.hdf5'}")
    if not path.parent.is_dir():
        raise FileError(f"{path} cannot be written: there is no directory {path.parent}; make it first")
    scratch: Path | None = None
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        os.close(handle)
        scratch = Path(name)
        image = io.BytesIO()  # HDF5 may crash where a write fails, and does not in memory
        with h5py.File(image, "w") as file:
            form = file.create_group("fclib_local" if problem.is_dual_only else "fclib_global")
            _integer(form, "spacedim", dimension)
            write_form = _write_local if problem.is_dual_only else _write_global
            write_form(form, problem)
            _write_info(form, title, description)
            if solution is not None:
                _write_solution(file, problem, solution)
        scratch.write_bytes(image.getbuffer())
        scratch.chmod(0o666 & ~_umask())
        scratch.replace(path)
    except OSError as error:
        raise FileError(f"{path} cannot be written: {error.strerror or error}") from error
    finally:
        if scratch is not None:
            scratch.unlink(missing_ok=True)


def _dimension(problem: ContactProblem) -> int:
    """The one dimension of all contacts; raises where FCLIB has no place for the problem."""
    can = "FCLIB holds contacts that are all of dimension 2 or all of dimension 3"
    cones = problem.cones
    if not cones.is_plain:
        raise ProblemError(
            f"the problem has {int(cones.is_interval.sum())} intervals and {int(cones.is_rolling.sum())} rolling "
            f"blocks and cannot be saved: {can}, with Coulomb cones; leave those blocks out"
        )
    dims = np.unique(problem.cones.dims)
    if len(dims) == 0:
        raise ProblemError(f"the problem has no contacts and cannot be saved: {can}, and at least one")
    if len(dims) > 1 or dims[0] not in (2, 3):
        found = ", ".join(str(d) for d in dims)
        raise ProblemError(
            f"the problem has contacts of dimension {found} and cannot be saved: {can}; "
            "write a half-line as a contact with mu = 0 and empty tangent rows in D"
        )
    if not problem.is_dual_only and problem.E.nnz:
        raise ProblemError(
            f"the problem has velocities and a compliance E with {problem.E.nnz} entries and cannot be saved: "
            "FCLIB's global form is rigid; save ContactProblem.from_delassus(problem.N, problem.r, problem.cones)"
        )
    if problem.skew is not None and not problem.is_dual_only:
        raise ProblemError("the problem has velocities and a skew part and cannot be saved: FCLIB's M is symmetric")
    if problem.is_dual_only and problem.joint_rows:
        raise ProblemError(
            f"the problem has {problem.joint_rows} joint rows but no velocities and cannot be saved: "
            "FCLIB's global form holds joints, with H and c"
        )
    return int(dims[0])


def _write_local(form: h5py.Group, problem: ContactProblem) -> None:
    W = problem.E if problem.skew is None else unsplit(problem.E, problem.skew)
    _write_by_rows(form, "W", W)
    _write_vectors(form, {"q": -problem.b_lambda, "mu": problem.cones.friction})


def _write_global(form: h5py.Group, problem: ContactProblem) -> None:
    # M is symmetric and FCLIB's H and G are the transposes of D and C: our rows are their columns.
    _write_by_columns(form, "M", problem.H)
    _write_by_columns(form, "H", problem.D)
    vectors = {"f": -problem.c, "w": -problem.b_lambda, "mu": problem.cones.friction}
    if problem.joint_rows:
        _write_by_columns(form, "G", problem.C)
        vectors["b"] = -problem.b_gamma
    _write_vectors(form, vectors)


def unsplit(symmetric: Csr, skew: Csr) -> Csr:
    """W whose halves `(W + W')/2` and `(W - W')/2`, as computed in floating point, are `symmetric` and `skew`.

    The plain sum often misses by the last bit, which the next split would turn into other halves. So the
    neighbours of each sum are tried, and those are kept whose halves are right.
    """
    skeleton = abs(symmetric) + abs(skew)
    rows = entry_rows(skeleton)
    upper = rows < skeleton.indices
    i, j = rows[upper], skeleton.indices[upper]
    s, a = _entries(symmetric, i, j), _entries(skew, i, j)
    above, below = s + a, s - a
    missing = np.flatnonzero(((above + below) * 0.5 != s) | ((above - below) * 0.5 != a))
    for up in _neighbours((s + a)[missing]):
        for low in _neighbours((s - a)[missing]):
            right = ((up + low) * 0.5 == s[missing]) & ((up - low) * 0.5 == a[missing])
            above[missing[right]], below[missing[right]] = up[right], low[right]
    diagonal = np.arange(skeleton.shape[0])
    data = np.concatenate([above, below, symmetric.diagonal()])
    where = (np.concatenate([i, j, diagonal]), np.concatenate([j, i, diagonal]))
    W = sp.coo_array((data, where), shape=symmetric.shape).tocsr()
    W.eliminate_zeros()
    return canonical(W)


def _neighbours(x: Array) -> list[Array]:
    """x and the four nearest numbers around it."""
    up, down = np.nextafter(x, np.inf), np.nextafter(x, -np.inf)
    return [x, up, down, np.nextafter(up, np.inf), np.nextafter(down, -np.inf)]


def _entries(matrix: Csr, i: NDArray[np.int64], j: NDArray[np.int32]) -> Array:
    """The entries (i, j) of `matrix`, 0 where nothing is stored."""
    return np.asarray(matrix[i, j], dtype=np.float64).reshape(-1) if len(i) else np.zeros(0)


def _write_by_rows(form: h5py.Group, name: str, matrix: Csr) -> None:
    _write_matrix(form.create_group(name), matrix, matrix.shape, -2)


def _write_by_columns(form: h5py.Group, name: str, transpose: Csr) -> None:
    _write_matrix(form.create_group(name), transpose, transpose.shape[::-1], -1)


def _write_matrix(group: h5py.Group, arrays: Csr, shape: tuple[int, ...], nz: int) -> None:
    for name, value in (("m", shape[0]), ("n", shape[1]), ("nz", nz), ("nzmax", arrays.nnz)):
        _integer(group, name, value)
    _array(group, "p", arrays.indptr.astype(np.int32))
    _array(group, "i", arrays.indices.astype(np.int32))
    _array(group, "x", arrays.data)


def _write_vectors(form: h5py.Group, vectors: dict[str, Array]) -> None:
    group = form.create_group("vectors")
    for name, values in vectors.items():
        _array(group, name, values)


def _write_info(form: h5py.Group, title: str, description: str) -> None:
    group = form.create_group("info")
    for name, text in (("title", title), ("description", description), ("math_info", "")):
        group[name] = np.bytes_(text.encode())


def _write_solution(file: h5py.File, problem: ContactProblem, solution: Solution) -> None:
    group = file.create_group("solution")
    parts = {
        "u": problem.slip_of(solution.velocity, solution.contact_impulse),
        "r": solution.contact_impulse,
        "v": solution.velocity,
        "l": solution.joint_impulse,
    }
    for name, values in parts.items():
        if len(values):
            _array(group, name, values)


def _array(group: h5py.Group, name: str, values: NDArray[np.float64] | NDArray[np.int32]) -> None:
    group.create_dataset(name, data=values, **(PACKED if len(values) >= PACK_FROM else {}))


def _integer(group: h5py.Group, name: str, value: int) -> None:
    group[name] = np.array([value], dtype=np.int32)


def _umask() -> int:
    """The process's file mode mask: temporary files are made private, a saved problem should not be."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
