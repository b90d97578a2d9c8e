"""Real problems: one default setting, 1e-8, few iterations, the objective of the reference."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from signorini.io.fclib import load_problem
from signorini.problem.solution import Solution, Status
from signorini.solvers.interior_point import InteriorPoint

DIVERSE = (
    "4LegTable_regen-nc0002-step01110.hdf5",
    "Box_Stacks-i0055-549-99.hdf5",
    "BoxesStack1-i100000-32.hdf5",
    "Capsules-i103-990.hdf5",
    "Confeti-ex13-4contact-Fc3D-SBM.hdf5",
    "FrictionContactProblem00237.hdf5",
    "GFC3D_TwoRods1-condensed.hdf5",
    "Kaplas_regen-nc0219-step00552.hdf5",
    "OneObject-i1028-138.hdf5",
    "gfc2d_granularflowonwall_00069_00350.hdf5",
)
"""Local and global, plane and space, 2 to 549 contacts, mu 0.04 to 0.9."""
MOST_ITERATIONS = 30


def solve(path: Path) -> tuple[Solution, float]:
    """The solution and its dual objective `1/2 r'Wr + q'r`."""
    problem = load_problem(path)
    solution = InteriorPoint().solve(problem)
    r = solution.contact_impulse
    return solution, float(0.5 * r @ problem.apply_N(r) + problem.r @ r)


def reference(fclib: Path) -> dict[str, float]:
    with (fclib / "reference_ccp.csv").open() as lines:
        return {row["file"]: float(row["ccp_objective"]) for row in csv.DictReader(lines)}


@pytest.mark.parametrize("name", DIVERSE)
def test_diverse_problems(fclib: Path, name: str) -> None:
    solution, objective = solve(fclib / name)
    assert solution.status is Status.SOLVED
    assert solution.certificate.scaled <= 1e-8
    assert solution.iterations <= MOST_ITERATIONS
    assert objective == pytest.approx(reference(fclib)[name], rel=1e-7)


@pytest.mark.slow
def test_all_problems(fclib: Path) -> None:
    expected = reference(fclib)
    paths = sorted(fclib.glob("*.hdf5"))
    answers = {path.name: solve(path) for path in paths}
    errors = np.array([solution.certificate.scaled for solution, _ in answers.values()])
    late = {name: s.iterations for name, (s, _) in answers.items() if s.iterations > MOST_ITERATIONS}
    assert not late
    assert errors.max() <= 1e-6
    assert np.mean(errors <= 1e-8) >= 0.9
    off = {
        name: (value, expected[name])
        for name, (_, value) in answers.items()
        if name in expected and value != pytest.approx(expected[name], rel=1e-7)
    }
    assert not off
