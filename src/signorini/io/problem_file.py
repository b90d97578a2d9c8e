"""Files of contact problems, by their ending: FCLIB, arrays, a folder of Matrix Market files."""

from __future__ import annotations

from pathlib import Path

from signorini.io import fclib
from signorini.io.plain_problem import load_npz, save_matrix_market, save_npz
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.errors import FileError
from signorini.problem.solution import Solution

ARRAYS, MATRICES = ".npz", ".mtx"


def load_problem(path: str | Path) -> ContactProblem:
    """The contact problem in the file at `path`, named after the file: arrays where it ends in `.npz`, else FCLIB.

    Raises
    ------
    FileError
        The file is missing, damaged or not of this format.
    ProblemError
        The file is sound but its problem is not, or has no place in `ContactProblem`.
    """
    path = Path(path)
    return load_npz(path) if path.suffix == ARRAYS else fclib.load_problem(path)


def save_problem(
    problem: ContactProblem,
    path: str | Path,
    solution: Solution | None = None,
    title: str = "",
    description: str = "",
) -> None:
    """Write `problem` to the file at `path`, which is replaced if it exists: arrays (`.npz`), a folder of Matrix Market
    files (`.mtx`), else FCLIB, with `solution` where given.

    FCLIB knows contacts that are all of dimension 2 or all of dimension 3, without compliance where there are
    velocities; the other two formats hold every problem, but no solution. `load_problem` gives the same bits back from
    FCLIB and from arrays.

    Raises
    ------
    ProblemError
        FCLIB has no place for this problem.
    FileError
        The file cannot be written, or has no place for a solution.
    """
    path = Path(path)
    if path.suffix not in (ARRAYS, MATRICES):
        fclib.save_problem(problem, path, solution, title, description)
        return
    if solution is not None or title or description:
        raise FileError(f"{path}: files that end in {path.suffix} hold the problem alone; use .hdf5 for the rest")
    if path.suffix == ARRAYS:
        save_npz(problem, path)
    else:
        save_matrix_market(problem, path.with_suffix(""))
