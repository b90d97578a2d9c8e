"""Files of contact problems by their ending: what is written comes back, what is damaged is told."""

from __future__ import annotations

import contextlib
from pathlib import Path

import numpy as np
import pytest

import signorini as sg
from signorini.problem.errors import FileError, ProblemError
from signorini.problem.library import library

PARTS = ("H", "C", "D", "E")
VECTORS = ("c", "b_gamma", "b_lambda")
BLOCKS = ("dims", "friction", "low", "high", "rolling", "spinning")


def problems() -> dict[str, sg.ContactProblem]:
    rng = np.random.default_rng(0)
    cones = sg.Cones.join(sg.Cones.coulomb([0.4, 0.3], 3), sg.Cones.intervals([-1.0], [np.inf]))
    N = rng.normal(size=(7, 7))
    measured = N @ N.T + 1e-9 * rng.normal(size=(7, 7))
    return {
        **{known.problem.name: known.problem for known in library()},
        "intervals and a measured matrix": sg.ContactProblem.from_delassus(measured, rng.normal(size=7), cones),
    }


@pytest.mark.parametrize("name", problems())
def test_arrays_give_the_same_bits_back(name: str, tmp_path: Path) -> None:
    problem, path = problems()[name], tmp_path / "problem.npz"
    sg.save_problem(problem, path)
    assert path.read_bytes()[:2] == b"PK"
    read = sg.load_problem(path)
    assert read.name == "problem"
    for part in PARTS:
        np.testing.assert_array_equal(getattr(read, part).toarray(), getattr(problem, part).toarray())
    for part in VECTORS:
        np.testing.assert_array_equal(getattr(read, part), getattr(problem, part))
    for part in BLOCKS:
        np.testing.assert_array_equal(getattr(read.cones, part), getattr(problem.cones, part))
    assert (read.skew is None) == (problem.skew is None)
    if read.skew is not None and problem.skew is not None:
        np.testing.assert_array_equal(read.skew.toarray(), problem.skew.toarray())


def test_the_ending_decides(tmp_path: Path) -> None:
    problem = library()[0].problem
    sg.save_problem(problem, tmp_path / "a.hdf5")
    assert sg.load_problem(tmp_path / "a.hdf5").contacts == problem.contacts
    sg.save_problem(problem, tmp_path / "b.mtx")
    assert (tmp_path / "b" / "D.mtx").is_file()
    with pytest.raises(FileError, match="hold the problem alone"):
        sg.save_problem(problem, tmp_path / "c.npz", sg.InteriorPoint().solve(problem))


def test_damaged_arrays_are_told(tmp_path: Path) -> None:
    whole, path = tmp_path / "whole.npz", tmp_path / "damaged.npz"
    sg.save_problem(library()[0].problem, whole)
    contents = whole.read_bytes()
    rng = np.random.default_rng(0)
    for _ in range(60):
        changed = bytearray(contents)
        for place in rng.integers(0, len(contents), 4):
            changed[place] = rng.integers(256)
        path.write_bytes(changed[: rng.integers(1, len(contents) + 1)])
        with contextlib.suppress(FileError, ProblemError):  # anything else is a defect
            sg.load_problem(path)
    with np.load(whole) as arrays:
        held = dict(arrays)
    for name, value in {"D_indices": held["D_indices"] + 10**6, "c": held["c"][:-1], "dims": held["dims"][:-1]}.items():
        np.savez(path, **{**held, name: value})
        with pytest.raises((FileError, ProblemError), match=r"damaged\.npz"):
            sg.load_problem(path)
    with pytest.raises(FileError, match="cannot be read"):
        sg.load_problem(tmp_path / "missing.npz")
