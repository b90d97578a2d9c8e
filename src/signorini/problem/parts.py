"""The parts of a contact problem: converted to canonical form, and checked."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.math.sparse import Array, Csr, assembled, canonical, frozen_vector, room_for
from signorini.problem.cones import Cones
from signorini.problem.contact_rows import ContactRows, SparseRows
from signorini.problem.errors import ProblemError
from signorini.problem.mass_matrix import MassMatrix, mass_matrix
from signorini.problem.products import asymmetry

SYMMETRY_TOLERANCE = 1e-9
"""H and E may differ from their transposes by this, relative to their largest entry."""


def accept(parts: dict[str, Any], new: Collection[str]) -> dict[str, Any]:
    """The `parts` of a problem, those named in `new` brought into form and checked; all have to fit one another.

    H becomes a `MassMatrix` and D `ContactRows`; None stands for zeros.
    """
    parts = dict(parts)
    cones = parts["cones"] = Cones.half_lines(0) if parts["cones"] is None else parts["cones"]
    m, of_cones = cones.rows, f"the cones have {cones.rows} rows in {cones.count} contacts"
    for name in ("c", "b_gamma", "b_lambda"):
        if name in new:
            empty = np.zeros(m if name == "b_lambda" else 0)
            parts[name] = frozen_vector(empty if parts[name] is None else parts[name])
            _require_finite(name, parts[name])
    n, joints = len(parts["c"]), len(parts["b_gamma"])
    if len(parts["b_lambda"]) != m:
        raise ProblemError(f"b_lambda has {len(parts['b_lambda'])} entries, expected {m} for {cones.count} contacts")
    if parts["H"] is None and n:
        raise ProblemError(f"H is missing, expected shape {(n, n)} because c has {n} entries")
    for name, shape, reason in (
        ("H", (n, n), f"c has {n} entries"),
        ("C", (joints, n), f"b_gamma has {joints} entries and c has {n}"),
        ("D", (m, n), f"{of_cones} and c has {n} entries"),
        ("E", (m, m), of_cones),
        ("skew", (m, m), of_cones),
    ):
        value = parts[name]
        if name in new:
            value = parts[name] = _in_form(name, value, shape)
        if value is not None and value.shape != shape:
            raise ProblemError(f"{name} has shape {value.shape}, expected {shape} because {reason}")
        if name in new and value is not None:
            parts[name] = _checked(name, value)
    return parts


@lru_cache(maxsize=64)
def nothing(shape: tuple[int, int]) -> Csr:
    """Zeros, read-only, shared by all problems of that size."""
    none, no_places, pointers = _no_entries(room_for(shape[0] + 1))
    return assembled(none, no_places, pointers[: shape[0] + 1], shape)


@lru_cache(maxsize=4)
def _no_entries(room: int) -> tuple[Array, NDArray[np.int32], NDArray[np.int32]]:
    return np.zeros(0), np.zeros(0, dtype=np.int32), np.zeros(room, dtype=np.int32)


def _in_form(name: str, value: Any, shape: tuple[int, int]) -> Any:
    if isinstance(value, MassMatrix | ContactRows) or (value is None and name == "skew"):
        return value
    return nothing(shape) if value is None else canonical(value)


def _checked(name: str, value: Any) -> Any:
    """The part as the problem keeps it, its numbers checked."""
    if name == "D":
        rows = value if isinstance(value, ContactRows) else SparseRows(value)
        _require_finite(name, rows.values)
        return rows
    matrix = value.csr if isinstance(value, MassMatrix) else value
    _require_finite(name, matrix.data)
    if name == "H" or (name == "E" and len(matrix.data)):
        _require_symmetric(name, matrix)
    if name == "H":
        return value if isinstance(value, MassMatrix) else mass_matrix(matrix)
    return matrix


def _require_symmetric(name: str, matrix: Csr) -> None:
    """H and E: symmetric, and with a diagonal that a mass or a compliance may have."""
    found = asymmetry(matrix)
    if found > SYMMETRY_TOLERANCE:
        raise ProblemError(f"{name} is not symmetric (relative difference {found:.1e}); pass ({name} + {name}')/2")
    diagonal = matrix.diagonal()
    row = int(diagonal.argmin()) if len(diagonal) else -1
    if row >= 0 and name == "H" and diagonal[row] <= 0:
        raise ProblemError(
            f"H has {diagonal[row]} on its diagonal in row {row}, expected a positive mass; "
            "take a fixed body's columns out of the problem instead"
        )
    if row >= 0 and diagonal[row] < 0:
        raise ProblemError(f"E has {diagonal[row]} on its diagonal in row {row}, expected 0 or more")


def _require_finite(name: str, values: Array) -> None:
    if not np.isfinite(values).all():
        raise ProblemError(f"{name} holds {int(np.sum(~np.isfinite(values)))} entries that are not finite numbers")
