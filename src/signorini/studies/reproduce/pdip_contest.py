"""The solvers of the comparison of second with first order, the pile they are compared on, and their time."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from signorini.math.sparse import Array
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.solution import Solution
from signorini.scenes.balls_in_box import build
from signorini.simulation.simulation import Simulation
from signorini.solvers.apgd import APGD
from signorini.solvers.base import Solver
from signorini.solvers.interior_point import InteriorPoint
from signorini.solvers.linear.pardiso import use_mkl_threads
from signorini.solvers.primal_dual_barrier import PrimalDualBarrier
from signorini.studies.reproduce.hard_steps import hard_steps
from signorini.studies.reproduce.study import CONVEX

SCHUR, DOCUMENT = "schur direct", "schur direct, until the objective rests"
APGD_ITERATIONS = 30_000
NEVER = 1e-300
"""A tolerance that no answer meets: all iterations are made."""
AT_REST = 1e-10
"""Relative change of an objective that changes no more."""
MARGIN, WIDE = 0.002, 0.025
"""Pairs of spheres closer than this are contacts [m]: about 2.9 per sphere; with the second 5, nearly as many as in the
document, whose systems of 8, 18 and 36 thousand rows make 5.2 to 5.9."""
TOLERANCES = (1e-4, 1e-5, 1e-6, 1e-7, 1e-8)
ROUND_OFF = 1e-12
"""Of objectives, relative."""
LONG = 15.0
"""Solves beyond this are timed once [s]."""


def contestants(goal: float, budget: float) -> dict[str, PrimalDualBarrier]:
    """PDIP with its four linear solvers to that objective, and as the document has it."""
    to_goal = PrimalDualBarrier(tolerance=1e-14, goal=goal, time_budget=budget)
    document = PrimalDualBarrier(
        tolerance=1e-14, reduction=10.0, growth=1.0, stop="objective", change=AT_REST, time_budget=budget
    )
    return {
        SCHUR: to_goal,
        "schur cg": replace(to_goal, linear="cg"),
        "schur cg, cone preconditioner": replace(to_goal, linear="cg", preconditioner="cone"),
        "kkt direct": replace(to_goal, system="kkt"),
        "kkt cg": replace(to_goal, system="kkt", linear="cg"),
        DOCUMENT: document,
        "kkt direct, until the objective rests": replace(document, system="kkt"),
        "schur cg, until the objective rests": replace(document, linear="cg"),
        "interior point to 1e-8": InteriorPoint(),  # type: ignore[dict-item]
    }


def just_enough(problem: ContactProblem, goal: float, linear: str = "auto") -> InteriorPoint:
    """The interior point with the largest tolerance of decades whose objective is no higher than `goal`."""
    for tolerance in TOLERANCES:
        solver = InteriorPoint(tolerance=tolerance, linear=linear)
        if objective(problem, solver.solve(problem).contact_impulse) <= goal:
            break
    return solver


def settled(spheres: int, margin: float = MARGIN) -> ContactProblem:
    """One step of spheres that have come to rest in a box of half the usual width; pairs within `margin` touch [m]."""
    solver = APGD(tolerance=1e-5, max_iterations=400)
    model = build(spheres=spheres, side=0.6)
    model.margin = MARGIN
    simulation = Simulation(model, law=CONVEX, step=0.005, solver=solver)
    hard_steps(simulation, 159)
    model = build(spheres=spheres, side=0.6)
    model.margin = margin
    last = Simulation(model, law=CONVEX, step=0.005, solver=solver, state=simulation.state)
    return hard_steps(last, 1)[-1].problem


def objective(problem: ContactProblem, impulse: Array) -> float:
    """`1/2 lambda'N lambda + r'lambda`."""
    return float(0.5 * impulse @ problem.apply_N(impulse) + problem.r @ impulse)


def timed(solver: Solver, problem: ContactProblem) -> tuple[Solution, float]:
    """The answer and its CPU time on one thread; the least of two where the first was short: it may have compiled."""
    best, before = np.inf, use_mkl_threads(1)
    try:
        for _ in range(2):
            begin = time.process_time()
            solution = solver.solve(problem)
            best = min(best, time.process_time() - begin)
            if best > LONG:
                break
    finally:
        use_mkl_threads(before)
    return solution, float(best)
