"""Redundant contacts: rank-deficient Jacobians with and without compliance."""

from __future__ import annotations

import numpy as np

from signorini.problem.cones import Cones
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.solution import Status
from signorini.solvers.interior_point import InteriorPoint
from signorini.studies.reproduce.study import Cell, Claim, Findings, Scale, Study, Table, Tell

WEIGHT, STEP = 9.81, 0.01
COMPLIANCE = 1e-3
"""[m/(s N s)], as of a stiff rubber foot."""


def run(scale: Scale, tell: Tell) -> Findings:
    """A table of mass 1 kg on more and more legs, three of which would do."""
    legs = scale.sizes((4, 8, 16, 64, 256), (4, 8, 16, 64), (4, 8))
    rows: list[tuple[Cell, ...]] = []
    solved = True
    uneven = 0.0
    for count in legs:
        tell(f"{count} legs")
        for compliance in (0.0, COMPLIANCE):
            problem = table_on_legs(count, compliance)
            solution = InteriorPoint(tolerance=1e-10).solve(problem)
            normal = solution.contact_impulse
            rank = int(np.linalg.matrix_rank(problem.D.toarray()))
            share = float(normal.max() / normal.mean() - 1.0)
            solved &= solution.status is Status.SOLVED
            uneven = max(uneven, share if compliance else 0.0)
            error = abs(float(normal.sum()) / (WEIGHT * STEP) - 1.0)
            rows.append((count, rank, compliance, solution.iterations, f"{error:.0e}", f"{share:.0e}"))
    table = Table(
        "A table on many legs",
        ("legs", "rank of D", "compliance", "iterations", "weight carried, error", "largest leg over mean, - 1"),
        tuple(rows),
        "The documents tell of this in words: no published figures.",
    )
    claims = (
        Claim(
            "rank-deficient Jacobians are solved without workarounds",
            solved,
            "all solved" if solved else "failures",
            place="000, section 4.3",
        ),
        Claim("with compliance the loads are unique: equal legs carry equal shares", uneven < 1e-6, f"{uneven:.0e}"),
    )
    return Findings((table,), claims, (), {"mass [kg]": 1.0, "step [s]": STEP})


def table_on_legs(count: int, compliance: float) -> ContactProblem:
    """A round plate of 1 kg on `count` frictionless legs along its rim; velocities: up and two tilts."""
    angle = 2.0 * np.pi * np.arange(count) / count
    D = np.column_stack((np.ones(count), np.sin(angle), -np.cos(angle)))
    H = np.diag([1.0, 0.25, 0.25])
    E = compliance * np.eye(count) if compliance else None
    return ContactProblem(H=H, c=[WEIGHT * STEP, 0.0, 0.0], D=D, cones=Cones.half_lines(count), E=E)


STUDY = Study(
    "ip-redundant",
    "Redundant contacts and compliance",
    "Mangoni and Tasora, section 4.3; Mangoni 2018, section 5.2",
    "that redundant contacts are solved, and what compliance changes",
    "no figures are printed",
    ("a round table on 4 to 256 legs: rank 3 whatever the number of legs",),
    run,
)
