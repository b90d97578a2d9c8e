"""The convergence theorem: how much f falls in each sweep of projected SOR, against the bound."""

from __future__ import annotations

import numpy as np

from signorini.math.sparse import Array
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.solution import Guess
from signorini.scenes.balls_in_box import build
from signorini.simulation.simulation import Simulation
from signorini.solvers.interior_point import InteriorPoint
from signorini.solvers.projected_sor import ProjectedSOR
from signorini.studies.reproduce.hard_steps import hard_steps
from signorini.studies.reproduce.study import CONVEX, Cell, Claim, Findings, Scale, Study, Table, Tell
from signorini.view.study_figure import Figure, Line, Panel

SETTLED = 160
"""Steps after which balls lie on one another, so that contacts depend on each other."""
SETTINGS = ((1.0, 1.0), (0.7, 1.0), (1.0, 0.7), (0.3, 1.0), (1.3, 0.7))
"""(omega, lambda)."""


def run(scale: Scale, tell: Tell) -> Findings:
    """Sweep one step of a pile, one sweep at a time, and watch f."""
    problem = _problem(scale.number(280, 280, 40))
    sweeps = scale.number(200, 100, 20)
    best = _objective(problem, InteriorPoint(tolerance=1e-12).solve(problem).contact_impulse)
    rows: list[tuple[Cell, ...]] = []
    lines = []
    monotone = bounded = True
    for omega, mixing in SETTINGS:
        tell(f"omega {omega}, lambda {mixing}")
        values, moves = _descent(problem, omega, mixing, sweeps)
        falls = -np.diff(values)
        noise = 1e-13 * np.abs(values).max()
        ratio = falls[moves > 1e-9 * moves.max()] / moves[moves > 1e-9 * moves.max()]
        monotone &= bool(np.all(falls >= -noise))
        bounded &= bool(ratio.min() > 0.0)
        rows.append((omega, mixing, f"{values[-1] - best:.1e}", f"{ratio.min():.1e}", f"{np.median(ratio):.1e}"))
        lines.append(Line(f"omega {omega}, lambda {mixing}", np.arange(sweeps + 1), np.maximum(values - best, 1e-18)))
    table = Table(
        "Decrease of f per sweep",
        ("omega", "lambda", "f - f* at the end [J]", "least fall / |dx|^2 (beta)", "median fall / |dx|^2"),
        tuple(rows),
        "The theorem says that a beta > 0 exists with fall >= beta |dx|^2; no figures are printed.",
    )
    claims = (
        Claim("f falls in every sweep", monotone, "all settings" if monotone else "not in all", place="001, theory"),
        Claim(
            "the fall is at least beta |dx|^2 with one beta > 0",
            bounded,
            "all settings" if bounded else "not in all",
            place="001, theory",
        ),
    )
    panel = Panel("descent", "sweep", "f - f* [J]", lines, log_y=True)
    settings: dict[str, Cell] = {"contacts": problem.contacts, "sweeps": sweeps}
    return Findings((table,), claims, (Figure("How f falls.", (panel,)),), settings)


def _problem(spheres: int) -> ContactProblem:
    simulation = Simulation(build(spheres=spheres), law=CONVEX, step=0.005, solver=InteriorPoint(tolerance=1e-8))
    return hard_steps(simulation, SETTLED)[-1].problem


def _descent(problem: ContactProblem, omega: float, mixing: float, sweeps: int) -> tuple[Array, Array]:
    """f after each sweep, and |dx|^2 of each, in the units of the diagonal of N."""
    impulse = np.zeros(problem.contact_rows)
    values, moves = [_objective(problem, impulse)], []
    weight = np.repeat(1.0 / problem.rho, problem.cones.dims)
    solver = ProjectedSOR(1e-15, 1, relaxation=omega, mixing=mixing, scaling="isotropic", check_every=1)
    for _ in range(sweeps):
        new = solver.solve(problem, Guess(contact_impulse=impulse)).contact_impulse
        moves.append(float((weight * (new - impulse)) @ (new - impulse)))
        impulse = new
        values.append(_objective(problem, impulse))
    return np.array(values), np.array(moves)


def _objective(problem: ContactProblem, impulse: Array) -> float:
    return float(0.5 * impulse @ problem.apply_N(impulse) + problem.r @ impulse)


STUDY = Study(
    "sor-descent",
    "The descent theorem",
    "Anitescu and Tasora, slide 'theory'",
    "monotone decrease, a positive bound",
    "no figures are printed",
    ("one step of a settling pile; eta shortened where the theorem's assumption A3 asks for it (`isotropic`)",),
    run,
)
