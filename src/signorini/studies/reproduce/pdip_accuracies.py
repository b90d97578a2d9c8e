"""How long first and second order take to an objective of a given accuracy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from signorini.problem.contact_problem import ContactProblem
from signorini.solvers.apgd import APGD
from signorini.studies.reproduce.pdip_contest import (
    APGD_ITERATIONS,
    NEVER,
    SCHUR,
    contestants,
    just_enough,
    objective,
    timed,
)
from signorini.studies.reproduce.study import Cell, Table

ACCURACIES = (4e-5, 1e-8, 1e-12)
"""Distances from the last objective of APGD, relative to it; the first is that of the document's own two objectives for
512 spheres, -14.9181 (APGD after 28265 iterations) and -14.918728 (PDIP)."""
SURE = 20
"""Numbers of iterations are found to one part in so many."""


def accuracy_table(rows: list[tuple[Cell, ...]]) -> Table:
    """The rows of `accuracy_rows`."""
    columns = (
        "spheres", "above the last objective of APGD",
        "APGD, iterations", "PDIP, iterations", "interior point, iterations", "APGD, CPU seconds",
        "PDIP, CPU seconds", "interior point, CPU seconds",
    )  # fmt: skip
    return Table(
        "To an objective of given accuracy",
        columns,
        tuple(rows),
        "30000 iterations are more than APGD needs here, so that ratios of times to its last objective depend on their "
        "number. In the document APGD is 4e-5 above PDIP after 28265 iterations.",
    )


def accuracy_rows(spheres: int, problem: ContactProblem, last: float) -> list[tuple[Cell, ...]]:
    """One row per accuracy above the last objective of APGD, with block factorisations."""
    rows: list[tuple[Cell, ...]] = []
    for accuracy in ACCURACIES:
        goal = last + accuracy * abs(last)
        count = _first_to(problem, goal)
        first = APGD(tolerance=NEVER, max_iterations=count, threads=1)
        solvers = contestants(goal, np.inf)[SCHUR], just_enough(problem, goal, "block")
        second, third = (timed(solver, problem) for solver in solvers)
        counts = (count, second[0].iterations, third[0].iterations)
        seconds = (round(s, 3) for s in (timed(first, problem)[1], second[1], third[1]))
        rows.append((spheres, f"{accuracy:g}", *counts, *seconds))
    return rows


def _first_to(problem: ContactProblem, goal: float) -> int:
    """Iterations of APGD to that objective, to a part in `SURE`."""

    def arrives(iterations: int) -> bool:
        limited = replace(APGD(tolerance=NEVER, threads=1), max_iterations=iterations)
        return objective(problem, limited.solve(problem).contact_impulse) <= goal

    low, high = 0, 64
    while high < APGD_ITERATIONS and not arrives(high):
        low, high = high, min(2 * high, APGD_ITERATIONS)
    while high - low > max(1, high // SURE):
        middle = (low + high) // 2
        low, high = (low, middle) if arrives(middle) else (middle, high)
    return high
