"""FCLIB files: the exchange format for frictional contact problems [Acary2014], in HDF5.

A file holds one problem, with the rows of a contact ordered (normal, tangent, tangent), in 2D (normal, tangent):

- local form `u = W r + q`: here `E = W`, `b_lambda = -q`, a dual-only `ContactProblem`. The antisymmetric half of a
  measured W is kept in `skew` and written back;
- global form `M v = H r + G l + f`, `u = H'v + w`, `G'v + b = 0`: here `H = M`, `c = -f`, `D = H'`, `b_lambda = -w`,
  `C = G'`, `b_gamma = -b`.

A matrix is a group with m, n, nz, nzmax, p, i, x. `nz` says how it is stored: -1 by columns, -2 by rows, and 0 or
more as that many triplets, of which p holds the column and i the row.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from signorini.io.checked_hdf5 import CheckedGroup, open_checked
from signorini.io.fclib_write import write_problem
from signorini.math.sparse import Csr, Indices, canonical
from signorini.problem.cones import Cones
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.errors import FileError, ProblemError
from signorini.problem.parts import SYMMETRY_TOLERANCE
from signorini.problem.products import asymmetry
from signorini.problem.solution import Guess, Solution

BY_COLUMNS = -1
BY_ROWS = -2
SPARE_ROOM = 16
"""A matrix with room for this many times its places is taken for damaged."""
FORMS = ("fclib_local", "fclib_global")
ROLLING = ("fclib_global_rolling", "fclib_local_rolling", "fclib_rolling")


def load_problem(path: str | Path) -> ContactProblem:
    """The contact problem in the FCLIB file at `path`, named after the file.

    Raises
    ------
    FileError
        The file is missing, damaged or not of this format.
    ProblemError
        The file is sound but its problem is not, or has no place in `ContactProblem`.
    """
    path = Path(path)
    with open_checked(path) as root:
        problem = _form(root)
        try:
            return _local(problem, path.stem) if problem.place == "/fclib_local" else _global(problem, path.stem)
        except ProblemError as error:
            raise ProblemError(f"{path}: {error}") from error


def load_guess(path: str | Path) -> Guess | None:
    """The solution stored in the FCLIB file at `path`, or else its first guess; None if there is none but zeros.

    The stored values are not checked: `problem.certificate.measure` measures their error.
    """
    with open_checked(Path(path)) as root:
        stored = [root.child("solution")] if "solution" in root else []
        if "guesses" in root and "1" in root.child("guesses"):
            stored.append(root.child("guesses").child("1"))
        for group in stored:
            r, v, l = (group.vector(name) if name in group else None for name in ("r", "v", "l"))
            if r is not None and np.any(r):
                return Guess(contact_impulse=r, joint_impulse=l, velocity=v)
    return None


def save_problem(
    problem: ContactProblem,
    path: str | Path,
    solution: Solution | None = None,
    title: str = "",
    description: str = "",
) -> None:
    """Write `problem`, and `solution` where given, to the FCLIB file at `path`, which is replaced if it exists.

    A dual-only problem becomes FCLIB's local form, any other its global form; `load_problem` gives the same bits back.

    Raises
    ------
    ProblemError
        FCLIB has no place for this problem: it knows contacts that are all of dimension 2 or all of dimension 3,
        without compliance where there are velocities.
    FileError
        The file cannot be written.
    """
    write_problem(problem, Path(path), solution, title or problem.name, description)


# --- reading ---------------------------------------------------------------------------------------------------


def _form(root: CheckedGroup) -> CheckedGroup:
    """The group of the problem, whichever form it has."""
    for name in ROLLING:
        if name in root:
            raise ProblemError(
                f"{root.path}: {name} is a problem with rolling friction (cones of dimension 5), "
                "expected fclib_local or fclib_global with spacedim 2 or 3"
            )
    for name in FORMS:
        if name in root:
            return root.child(name)
    held = ", ".join(root.names()[:12]) or "nothing"
    raise FileError(f"{root.path} is not an FCLIB file: it holds {held}, expected a group fclib_local or fclib_global")


def _cones(problem: CheckedGroup) -> Cones:
    dimension = problem.integer("spacedim")
    if dimension not in (2, 3):
        hint = " (5 is rolling friction, which is not supported)" if dimension == 5 else ""
        raise ProblemError(f"{problem.place} has spacedim {dimension}{hint}, expected 2 or 3")
    mu = problem.child("vectors").vector("mu")
    if len(mu) == 0:
        raise ProblemError(f"{problem.place}/vectors has no entries in 'mu': the problem has no contacts to solve")
    return Cones.coulomb(mu, dimension)


def _local(problem: CheckedGroup, name: str) -> ContactProblem:
    for joint in ("V", "R"):
        if joint in problem:
            raise ProblemError(
                f"{problem.place} has joints in local form (matrix {joint}), expected W alone; "
                "save the problem in global form, where joints are the matrix G"
            )
    cones = _cones(problem)
    reason = f"there are {cones.count} contacts of dimension {cones.dims[0]}"
    q = problem.child("vectors").vector("q", cones.rows, reason)
    W = _matrix(problem.child("W"), (cones.rows, cones.rows), reason)
    return ContactProblem.from_delassus(W, q, cones, name=name)


def _global(problem: CheckedGroup, name: str) -> ContactProblem:
    cones = _cones(problem)
    vectors = problem.child("vectors")
    reason = f"there are {cones.count} contacts of dimension {cones.dims[0]}"
    w = vectors.vector("w", cones.rows, reason)
    f = vectors.vector("f")
    if len(f) == 0:
        raise ProblemError(f"{vectors.place} has no entries in 'f': the problem has no velocities")
    M = _symmetric(problem, _matrix(problem.child("M"), (len(f), len(f)), f"f has {len(f)} entries"))
    H = _matrix(problem.child("H"), (len(f), cones.rows), f"f has {len(f)} entries and {reason}")
    joints: dict[str, Any] = {}
    if "G" in problem:
        b = vectors.vector("b")
        G = _matrix(problem.child("G"), (len(f), len(b)), f"f has {len(f)} entries and b has {len(b)}")
        joints = {"C": G.T, "b_gamma": -b}
    return ContactProblem(H=M, c=-f, D=H.T, b_lambda=-w, cones=cones, name=name, **joints)


def _symmetric(problem: CheckedGroup, M: Csr) -> Csr:
    """M without the asymmetry that round-off left in it."""
    found = asymmetry(M)
    if found > SYMMETRY_TOLERANCE:
        raise ProblemError(
            f"{problem.place}/M is not symmetric (relative difference {found:.1e}), "
            f"expected a mass matrix symmetric to {SYMMETRY_TOLERANCE:.0e}"
        )
    return canonical((M + M.T) * 0.5) if found > 0 else M


def _matrix(group: CheckedGroup, shape: tuple[int, int], reason: str) -> Csr:
    """The matrix in `group`, which must have this `shape`."""
    m, n, nz, nzmax = (group.integer(name) for name in ("m", "n", "nz", "nzmax"))
    if (m, n) != shape:
        raise ProblemError(f"{group.place} is a {m} x {n} matrix, expected {shape[0]} x {shape[1]} because {reason}")
    if nz < BY_ROWS:
        raise group.error(f"has nz = {nz}, expected -1 (by columns), -2 (by rows) or a number of triplets")
    if nz >= 0:
        count, rows, columns = _triplets(group, nz)
    else:
        count, rows, columns = _compressed(group, nz, shape)
    # nzmax is the room that the writer had in memory, often more than was stored: only an absurd one is damage.
    if not count <= nzmax <= SPARE_ROOM * (m * n + 100):
        raise group.error(f"has room for nzmax = {nzmax} entries, expected {count} or somewhat more in {m} x {n}")
    x = group.values("x", count, f"it has {count} entries")
    _require_range(group, "row", rows, m)
    _require_range(group, "column", columns, n)
    if not np.all(np.isfinite(x)):
        first = int(np.flatnonzero(~np.isfinite(x))[0])
        raise group.error(f"has {x[first]} in 'x' at entry {first}, expected finite numbers")
    return canonical(sp.coo_array((x, (rows, columns)), shape=shape))


def _triplets(group: CheckedGroup, nz: int) -> tuple[int, Indices, Indices]:
    reason = f"it has nz = {nz} triplets"
    return nz, group.indices("i", nz, reason), group.indices("p", nz, reason)


def _compressed(group: CheckedGroup, nz: int, shape: tuple[int, int]) -> tuple[int, Indices, Indices]:
    """Count, rows and columns of the entries of a matrix stored by columns or by rows."""
    lines = shape[1] if nz == BY_COLUMNS else shape[0]
    word = "columns" if nz == BY_COLUMNS else "rows"
    start = group.indices("p", lines + 1, f"one start for each of {lines} {word}, and the end")
    if start[0] != 0 or np.any(np.diff(start) < 0):
        where = int(np.flatnonzero(np.diff(start) < 0)[0]) + 1 if start[0] == 0 else 0
        raise group.error(f"has {start[where]} in 'p' at entry {where}, expected starts from 0 that never decrease")
    count = int(start[-1])
    inner = group.indices("i", count, f"'p' ends with {count} entries")
    outer = np.repeat(np.arange(lines), np.diff(start))
    return (count, inner, outer) if nz == BY_COLUMNS else (count, outer, inner)


def _require_range(group: CheckedGroup, word: str, index: Indices, size: int) -> None:
    wrong = np.flatnonzero((index < 0) | (index >= size))
    if len(wrong):
        raise group.error(
            f"has {word} index {index[wrong[0]]} at entry {wrong[0]}, expected 0 to {size - 1} "
            "(of triplets, p holds the column and i the row)"
        )
