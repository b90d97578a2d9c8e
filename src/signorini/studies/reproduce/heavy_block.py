"""A heavy block on settled spheres: how long each solver takes to the same residual."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from signorini.math.sparse import Array
from signorini.model.material import Material
from signorini.model.shapes.box import Box
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.solution import Solution, Status
from signorini.scenes.balls_in_box import build as balls
from signorini.scenes.heavy_block import build
from signorini.simulation.simulation import Simulation
from signorini.solvers.apgd import APGD
from signorini.solvers.barzilai_borwein import BarzilaiBorwein
from signorini.solvers.base import Solver
from signorini.solvers.interior_point import InteriorPoint
from signorini.solvers.projected_jacobi import ProjectedJacobi
from signorini.solvers.projected_sor import ProjectedSOR
from signorini.studies.reproduce.hard_steps import hard_steps, solved
from signorini.studies.reproduce.study import CONVEX, Cell, Claim, Findings, Scale, Study, Table, Tell
from signorini.view.study_figure import Figure, Line, Panel

TOLERANCE = 7e-6
Residual = Callable[[ContactProblem, Array], float]
"""Of the impulses of a problem."""
FIRST, SECOND = "apgd", "projected-sor"
"""The solvers whose numbers of iterations are compared."""
NEVER = 1e-300
"""A tolerance that no answer meets: all iterations are made."""
CHECKS = {"projected-sor": {"check_every": 1_000_000}}
"""So that the last iterate is returned, not the best by our error."""
TWICE = 2.0
"""Numbers of iterations within this factor count as the same."""
H = 0.005
RATIO = 1000.0
"""Mass of the block over that of a sphere."""
CLEARANCE = 1e-3
"""Of the box around a close packing, in diameters of a sphere."""
SIDE, SLIT = 0.5, 0.01
"""Width of the box of 500 spheres, and how much narrower the block is [m]."""
MASS_BUDGET = 20.0
"""[s]."""
SETTLED, CLOSE = "settled spheres", "close packing"
PUBLISHED = {
    "projected-jacobi": (500_000, 24_300.0, "7.5e-06, limit"),
    "projected-sor": (11_485, 494.8, "7.0e-06"),
    "apgd": (202, 10.6, "7.0e-06"),
}
"""Iterations, seconds, residual [Fang2014]."""


def run(scale: Scale, tell: Tell) -> Findings:
    """One step of the block at rest, on spheres that have settled and on a close packing."""
    tell("spheres settle")
    problems = {
        SETTLED: _settled(scale.number(4000, 500, 60), scale.number(160, 160, 60)),
        CLOSE: _packed(scale.number(16, 8, 4), scale.number(17, 7, 3)),
    }
    budget = float(scale.number(100, 5, 5))
    solvers: tuple[Solver, ...] = (
        ProjectedJacobi(TOLERANCE, 500_000, budget), ProjectedSOR(TOLERANCE, 500_000, budget),
        APGD(TOLERANCE, 500_000, budget), BarzilaiBorwein(TOLERANCE, 500_000, budget), InteriorPoint(TOLERANCE),
    )  # fmt: skip
    found: dict[str, dict[str, Solution]] = {}
    for packing, problem in problems.items():
        found[packing] = {}
        for solver in solvers:
            tell(f"{packing}: {solver.name}")
            found[packing][solver.name] = solved(solver, problem)
    masses, others = _masses(scale, tell), _measures(problems[SETTLED], found[SETTLED], tell)
    tables = (*(_table(packing, problems[packing], found[packing]) for packing in problems), masses, others)
    panels = tuple(
        Panel(packing, "seconds", "residual [-]",
              [Line(name, s.history.seconds, s.history.residual) for name, s in answers.items()],
              log_x=True, log_y=True)
        for packing, answers in found.items()
    )  # fmt: skip
    settings: dict[str, Cell] = {"tolerance": TOLERANCE, "time budget of each [s]": budget}
    return Findings(
        tables,
        _claims(found, ", ".join(str(row[1]) for row in masses.rows), others),
        (Figure("Residuals in time.", panels),),
        settings,
    )


def _table(packing: str, problem: ContactProblem, answers: dict[str, Solution]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name, solution in answers.items():
        iterations, time, residual = PUBLISHED.get(name, (None, None, None))
        there = _error_at(solution, iterations)
        counted = str(solution.iterations) + ("" if solution.status is Status.SOLVED else ", stopped by its time limit")
        error = f"{solution.certificate.error:.1e}"
        rows.append((name, iterations, counted, residual, error, there, time, round(solution.seconds, 3)))
    bodies = problem.velocities // 6 - 1
    columns = ("solver", "published iterations", "iterations", "published residual", "error",
               "error after the published iterations", "published seconds", "seconds")  # fmt: skip
    return Table(
        f"One step, {packing}: {bodies} spheres, {problem.contacts} contacts",
        columns,
        tuple(rows),
        "The document does not define its residual; ours is the error of the certificate. Seconds are of different "
        "machines.",
    )


def _error_at(solution: Solution, iterations: int | None) -> str | None:
    """Error after so many iterations, where there were as many."""
    history = solution.history
    if iterations is None or not len(history.iteration) or history.iteration[-1] < iterations:
        return None
    return f"{_residual_after(solution, iterations):.0e}"


def _residual_after(solution: Solution, iterations: int) -> float:
    """The error that was recorded at that iteration or next after it."""
    history = solution.history
    place = min(int(np.searchsorted(history.iteration, iterations)), len(history.iteration) - 1)
    return float(history.residual[place])


def _masses(scale: Scale, tell: Tell) -> Table:
    """Whether the mass of the block, which the document does not give, decides."""
    rows: list[tuple[Cell, ...]] = []
    for ratio in (1.0, 10.0, 100.0, 1000.0):
        tell(f"block of {ratio:g} sphere masses")
        problem = _packed(scale.number(10, 8, 4), scale.number(9, 7, 3), ratio)
        solution = solved(APGD(TOLERANCE, 500_000, MASS_BUDGET), problem)
        rows.append((ratio, solution.iterations, f"{solution.certificate.error:.1e}"))
    return Table(
        "Close packing, APGD against the mass of the block", ("sphere masses", "iterations", "error"), tuple(rows)
    )


def _measures(problem: ContactProblem, answers: dict[str, Solution], tell: Tell) -> Table:
    """Iterations to the document's number by other residuals."""
    rows: list[tuple[Cell, ...]] = []
    for name, measure in RESIDUALS.items():
        counts: list[Cell] = []
        for solver in (APGD(NEVER), ProjectedSOR(NEVER)):
            tell(f"{name}: {solver.name}")
            most = max(answers[solver.name].iterations, 1)
            counts.append(_first_below(partial(_after, solver, problem, measure), most))
        rows.append((name, *counts))
    return Table(
        f"Iterations to {TOLERANCE:g} by residuals of the kind that the authors' group has published",
        ("residual", "apgd", "projected-sor"),
        tuple(rows),
        "p = (x - P(x - g (N x + r))) / g, g = 1/n^2, of n rows, P the projection on the cones; the division by n "
        f"differs between versions of their program. Published: {PUBLISHED['apgd'][0]} and "
        f"{PUBLISHED['projected-sor'][0]} iterations. Empty: not within the iterations that our own error takes.",
    )


def _after(solver: Solver, problem: ContactProblem, measure: Residual, iterations: int) -> float:
    """The residual after so many iterations."""
    limited: Solver = replace(solver, max_iterations=iterations, **CHECKS.get(solver.name, {}))  # type: ignore[type-var]
    return measure(problem, limited.solve(problem).contact_impulse)


def _first_below(residual_after: Callable[[int], float], most: int) -> int | None:
    """Iterations to the document's number, to about 5 %; None where `most` do not reach it."""
    low, high = 0, 8
    while residual_after(high) > TOLERANCE:
        if high >= most:
            return None
        low, high = high, min(2 * high, most)
    while high - low > max(1, high // 20):
        middle = (low + high) // 2
        low, high = (low, middle) if residual_after(middle) <= TOLERANCE else (middle, high)
    return high


def projected_gradient(problem: ContactProblem, impulse: Array) -> float:
    """|p| [m/s], see `_measures`."""
    share = 1.0 / float(problem.contact_rows) ** 2
    gradient = problem.apply_N(impulse) + problem.r
    return float(np.linalg.norm(impulse - problem.cones.project(impulse - share * gradient))) / share


RESIDUALS: dict[str, Residual] = {
    "|p| [m/s]": projected_gradient,
    "|p| / n [m/s]": lambda problem, impulse: projected_gradient(problem, impulse) / problem.contact_rows,
}


def _claims(found: dict[str, dict[str, Solution]], masses: str, others: Table) -> tuple[Claim, ...]:
    """By the names of the solvers, on the settled spheres; the interior point on both packings."""
    answers = found[SETTLED]
    reached = {name: solution.status is Status.SOLVED for name, solution in answers.items()}
    count = {name: solution.iterations for name, solution in answers.items()}
    fastest_first = min(PUBLISHED, key=lambda name: (not reached[name], answers[name].seconds))
    inner = [solved_by["interior-point"] for solved_by in found.values()]
    return (
        Claim(
            "of Jacobi, Gauss-Seidel and APGD, APGD is the fastest",
            fastest_first == "apgd",
            fastest_first,
            place="002, slide on existing methods",
        ),
        Claim(
            "APGD needs fewer iterations than Gauss-Seidel (202 against 11485), and Jacobi the most",
            count["apgd"] < count["projected-sor"] and _behind(answers["projected-jacobi"], answers["projected-sor"]),
            ", ".join(f"{name} {count[name]}{'' if reached[name] else ' (time limit)'}" for name in PUBLISHED),
            place="002, slide on existing methods",
        ),
        _counts(found, masses, others),
        Claim(
            "the interior point gets there, on both packings",
            all(solution.status is Status.SOLVED for solution in inner),
            ", ".join(f"{solution.seconds:.2f} s" for solution in inner),
        ),
    )


def _behind(one: Solution, other: Solution) -> bool:
    """Whether the first takes more iterations; where neither was solved, whether it is farther off after as many."""
    if other.status is Status.SOLVED:
        return one.status is not Status.SOLVED or one.iterations > other.iterations
    few = min(one.iterations, other.iterations)
    return one.status is not Status.SOLVED and _residual_after(one, few) > _residual_after(other, few)


def _counts(found: dict[str, dict[str, Solution]], masses: str, others: Table) -> Claim:
    """The published numbers of iterations, which one residual has to explain together."""
    answers = found[SETTLED]
    ours = tuple(answers[name].iterations for name in (FIRST, SECOND))
    tried: dict[str, tuple[Cell, ...]] = {"our error": ours, **{str(row[0]): row[1:] for row in others.rows}}
    published = tuple(PUBLISHED[name][0] for name in (FIRST, SECOND))
    told = "; ".join(f"{name}: {_count(few)} and {_count(many)}" for name, (few, many) in tried.items())
    apgd, sor = (_error_at(answers[name], count) for name, count in zip((FIRST, SECOND), published, strict=True))
    close = found[CLOSE][FIRST].iterations
    limited = "" if answers[SECOND].status is Status.SOLVED else " (Gauss-Seidel ended at its time limit)"
    return Claim(
        f"one residual of those tried leads to both numbers of iterations, {published[0]} of APGD and {published[1]} "
        f"of Gauss-Seidel, within a factor of {TWICE:g}",
        any(all(_near(*pair) for pair in zip(counts, published, strict=True)) for counts in tried.values()),
        told + limited,
        place="002, slide on existing methods",
        disagreement=(
            "the document defines neither its residual, nor its packing, nor the mass of its block: no number of it "
            f"can be tested alone. After {published[0]} iterations of APGD our error is {apgd}, after "
            f"{published[1]} of Gauss-Seidel {sor}. By our error APGD takes {close} iterations on the close packing, "
            f"and {masses} with a block of 1 to 1000 sphere masses on such a one: neither packing nor mass makes up "
            "for the difference in these ranges"
        )
        if ours[0] < ours[1]
        else "",
    )


def _near(count: Cell, published: int) -> bool:
    return isinstance(count, int) and 1.0 / TWICE <= count / published <= TWICE


def _count(iterations: Cell) -> str:
    return "not in as many as our error takes" if iterations is None else str(iterations)


def _packed(across: int, layers: int, ratio: float = RATIO) -> ContactProblem:
    """The third step of a block on a close packing."""
    model = build(across=across, layers=layers, clearance=CLEARANCE, mass_ratio=ratio)
    simulation = Simulation(model, law=CONVEX, step=H, solver=APGD(tolerance=1e-4))
    return hard_steps(simulation, 3)[-1].problem


def _settled(spheres: int, steps: int) -> ContactProblem:
    """The last of `steps` steps of spheres that fall into a box together with a block that covers them."""
    side = SIDE * (spheres / 500) ** (1 / 3)
    model = balls(spheres=spheres, side=side)
    top = max(float(body.position[2]) for body in model.bodies)
    size = (side - SLIT, side - SLIT, 0.2 * side)
    mass = RATIO * max(body.mass for body in model.bodies if body.movable)
    position = (0.5 * side, 0.5 * side, top + size[2])
    model.add_body(Box(size), mass=mass, position=position, material=Material(friction=0.4), name="block")
    solver = APGD(tolerance=1e-4, max_iterations=500)
    return hard_steps(Simulation(model, law=CONVEX, step=H, solver=solver), steps)[-1].problem


STUDY = Study(
    "heavy-block",
    "Heavy block on spheres",
    "Fang 2014, table 'performance of existing numerical methods'",
    "the order of the solvers, iterations by order of magnitude",
    "seconds: other machines; their residual, their packing and the mass of their block are not told",
    (
        "a block of 1000 sphere masses",
        "settled spheres: 4000 (full run) fall into a box together with the block, for 0.8 s",
        f"close packing: 4104 spheres (full run) in a box wider by {CLEARANCE:g} diameters, third step from rest",
    ),
    run,
)
