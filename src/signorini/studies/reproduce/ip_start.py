"""Starting points of the interior point, over the units of the problem."""

from __future__ import annotations

from typing import get_args

import numpy as np

from signorini.problem.contact_problem import ContactProblem
from signorini.problem.solution import Status
from signorini.scenes import balls_in_box, single_brick
from signorini.simulation.simulation import Simulation
from signorini.solvers.interior_point import InteriorPoint
from signorini.solvers.interior_point.solver import Units
from signorini.solvers.interior_point.start import StartName
from signorini.studies.reproduce.hard_steps import hard_steps
from signorini.studies.reproduce.recipes import DOCUMENTS
from signorini.studies.reproduce.study import CONVEX, Cell, Claim, Findings, Scale, Study, Table, Tell
from signorini.view.study_figure import Figure, Line, Panel

TOLERANCE = 1e-8
SENSITIVE = 1.3
"""Most over fewest iterations from which on a start counts as one that depends on units."""


def run(scale: Scale, tell: Tell) -> Findings:
    """Solve a few steps from each start, with masses and speeds scaled up and down."""
    exponents = scale.sizes((-6, -4, -2, 0, 2, 4, 6), (-6, -3, 0, 3, 6), (-6, 0, 6))
    problems = _problems(scale)
    names = get_args(StartName)
    rows: list[tuple[Cell, ...]] = []
    lines = []
    spread: dict[str, float] = {}
    failures: dict[str, int] = {}
    scaled: list[tuple[Units, StartName]] = [("natural", name) for name in names]
    unscaled: list[tuple[Units, StartName]] = [("none", name) for name in names if name != "robust"]
    for scaling, start in scaled + unscaled:
        name = start if scaling == "natural" else f"{start}, unscaled"
        tell(name)
        means = []
        failures[name] = 0
        for exponent in exponents:
            solved = [_solve(_scaled(p, 10.0**exponent), start, scaling) for p in problems]
            failures[name] += sum(status is not Status.SOLVED for _, status in solved)
            means.append(float(np.mean([iterations for iterations, _ in solved])))
        spread[name] = max(means) / min(means)
        rows.append((name, *(round(mean, 1) for mean in means), failures[name]))
        lines.append(Line(name, 10.0 ** np.array(exponents, dtype=float), np.array(means)))
    table = Table(
        "Mean iterations against the scale of impulses",
        ("start", *(f"1e{exponent}" for exponent in exponents), "failures"),
        tuple(rows),
        "The documents compare the starts in words only: no published figures. Unscaled: the problem in SI, as the "
        "documents have it, with their centring, step lengths and system, no lift and no semismooth finish.",
    )
    panel = Panel("starting points", "scale of masses and impulses", "mean iterations", lines, log_x=True)
    settings: dict[str, Cell] = {"tolerance": TOLERANCE, "problems": len(problems)}
    return Findings((table,), _claims(spread, failures), (Figure("Iterations from each start.", (panel,)),), settings)


def _claims(spread: dict[str, float], failures: dict[str, int]) -> tuple[Claim, ...]:
    """By the names of the rows."""
    unscaled = {name: spread[f"{name}, unscaled"] for name in ("nocedal", "dapuzzo")}
    return (
        Claim("our start does not fail at any scale", failures["robust"] == 0, f"{failures['robust']} failures"),
        Claim(
            "our start does not depend on units", spread["robust"] <= 1.2, f"most over fewest {spread['robust']:.2f}"
        ),
        Claim(
            "unscaled, Nocedal's and D'Apuzzo's starts depend on the units",
            min(unscaled.values()) > SENSITIVE,
            ", ".join(f"{name}: most over fewest {ratio:.1f}" for name, ratio in unscaled.items()),
            place="000, section 2.4.1 (an order of magnitude may give divergence)",
        ),
    )


def _problems(scale: Scale) -> list[ContactProblem]:
    problems = []
    for model, steps in (
        (single_brick.build(), 12),
        (balls_in_box.build(spheres=scale.number(280, 120, 20), friction=0.4), scale.number(24, 16, 6)),
    ):
        simulation = Simulation(model, law=CONVEX, step=0.02, solver=InteriorPoint(tolerance=TOLERANCE))
        taken = [step.problem for step in hard_steps(simulation, steps)]
        problems += [p for p in taken[steps // 2 :: 3] if p.contacts]
    return problems


def _scaled(problem: ContactProblem, factor: float) -> ContactProblem:
    """The same problem with masses and impulses `factor` times as large."""
    return ContactProblem(
        H=problem.H * factor, c=problem.c * factor, D=problem.D, b_lambda=problem.b_lambda, cones=problem.cones
    )


def _solve(problem: ContactProblem, start: StartName, scaling: Units) -> tuple[int, Status]:
    if scaling == "none":
        recipe = {**DOCUMENTS, "start": start, "system": "unsymmetric", "scaling": scaling}
        solution = InteriorPoint(tolerance=TOLERANCE, **recipe).solve(problem)
    else:  # The compiled loop for few contacts knows our start alone.
        solution = InteriorPoint(tolerance=TOLERANCE, start=start, system="condensed").solve(problem)
    return solution.iterations, solution.status


STUDY = Study(
    "ip-start",
    "Starting points",
    "Mangoni and Tasora, section 2.4; Mangoni 2018, sections 4.5 and 4.14.4",
    "which starts fail, and how iterations depend on the units",
    "no figures are printed",
    (
        "scaled problems: masses, forces and impulses times 1e-6 to 1e6, velocities as they are",
        "Nocedal's and D'Apuzzo's points are carried over from half-lines to friction cones by the same rules",
    ),
    run,
)
