"""Solve the contacts of a settled pile of spheres with four solvers, and draw how they converge.

python examples/pile.py [--spheres 280] [--tolerance 1e-6] [--picture out/convergence.png]
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

import signorini as sg
from signorini.view.convergence import Curve, draw_convergence

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benchmarks"))

from piles import make_pile  # noqa: E402

SOLVERS = ("interior-point", "projected-sor", "barzilai-borwein", "apgd")


def solve_with(names: tuple[str, ...], problem: sg.ContactProblem, tolerance: float) -> list[sg.Solution]:
    """One solution per solver; each runs once before on a small pile, so that compiling is not counted."""
    small = make_pile(20)
    solutions = []
    for name in names:
        solver = sg.make_solver(name, tolerance=tolerance, time_budget=30.0)
        solver.solve(small)
        solutions.append(solver.solve(problem))
    return solutions


def table(problem: sg.ContactProblem, solutions: list[sg.Solution]) -> Table:
    """Status, iterations, seconds and certificate (convex problem, exact Coulomb law) of each solver."""
    result = Table(title=f"{problem.name}: {problem.contacts} contacts, {problem.velocities} velocities")
    for column in ("solver", "status", "iterations", "seconds", "error", "Coulomb error"):
        result.add_column(column, justify="left" if column in ("solver", "status") else "right", no_wrap=True)
    for s in solutions:
        result.add_row(
            s.solver,
            s.status.name.lower().replace("_", " "),
            str(s.iterations),
            f"{s.seconds:.3f}",
            f"{s.certificate.error:.1e}",
            f"{s.certificate.coulomb.scaled:.1e}",
        )
    return result


def main(arguments: list[str] | None = None) -> list[sg.Solution]:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--spheres", type=int, default=280)
    parser.add_argument("--tolerance", type=float, default=1e-6)
    parser.add_argument("--picture", type=Path, default=ROOT / "out" / "convergence.png")
    options = parser.parse_args(arguments)
    console = Console()
    console.print(f"Settling {options.spheres} spheres (cached for the next time) ...")
    problem = make_pile(options.spheres)
    solutions = solve_with(SOLVERS, problem, options.tolerance)
    console.print(table(problem, solutions))
    options.picture.parent.mkdir(parents=True, exist_ok=True)
    curves = [Curve(problem.name, s.solver, s.history) for s in solutions]
    draw_convergence(curves, options.picture, options.tolerance)
    console.print(f"Picture: {os.path.relpath(options.picture)}")
    return solutions


if __name__ == "__main__":
    main()
