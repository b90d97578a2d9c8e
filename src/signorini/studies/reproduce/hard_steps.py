"""Steps with hard contact, whose contact problems the studies look at."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from signorini.problem.contact_problem import ContactProblem
from signorini.problem.solution import Solution
from signorini.simulation.simulation import Simulation
from signorini.stepping.step import DviStep


def hard_steps(simulation: Simulation, count: int) -> list[DviStep]:
    """The next steps; those of smooth dynamics have no contact problem and are left out."""
    taken = (simulation.advance() for _ in range(count))
    return [step for step in taken if isinstance(step, DviStep)]


def solved(solver: Any, problem: ContactProblem) -> Solution:
    """The answer of a solver with a time budget, after two iterations without one: loops may have to be compiled."""
    replace(solver, max_iterations=2, time_budget=float("inf")).solve(problem)
    solution: Solution = solver.solve(problem)
    return solution
