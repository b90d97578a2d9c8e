"""Cost of a sweep, gain from threads, and products that the gradient methods need, on settled piles of spheres.

    python benchmarks/first_order.py [--json FILE]

Bars: ProjectedSOR at most 30 ns per contact and sweep on one quiet core for 1190 spheres and 35 ns for 20000; two
threads at least 1.5 times as fast for 5000; BarzilaiBorwein and APGD reach 1e-4 on 1190 spheres in fewer products
with N than ProjectedSOR needs sweeps.
"""

from __future__ import annotations

import argparse
from statistics import median
from typing import Any

import signorini as sg
from common import cold, print_rows, write_json
from piles import make_pile

REPEAT = 5
SHORT, LONG = 20, 120
"""Two runs of so many sweeps; the difference of their times is free of the set-up."""
PRECISION = 1e-4


def nanoseconds(problem: sg.ContactProblem, threads: int) -> float:
    """Median cost of one sweep per contact [ns], from the difference of a long and a short run."""
    found = []
    for _ in range(REPEAT):
        seconds = []
        for sweeps in (SHORT, LONG):
            # One check of the error at the start and one at the end, in both runs alike.
            solver = sg.ProjectedSOR(tolerance=1e-300, max_iterations=sweeps, check_every=sweeps, threads=threads)
            solution = solver.solve(problem)
            seconds.append(solution.history.seconds[-1] - solution.history.seconds[0])
        found.append(1e9 * (seconds[1] - seconds[0]) / ((LONG - SHORT) * problem.contacts))
    return median(found)


def sweep_costs(spheres: list[int]) -> list[dict[str, Any]]:
    """Cost of a sweep for one and two threads."""
    rows = []
    for count in spheres:
        problem = make_pile(count)
        one, two = nanoseconds(problem, 1), nanoseconds(problem, 2)
        rows.append({"pile": count, "contacts": problem.contacts, "ns": one, "ns_2_threads": two, "gain": one / two})
    return rows


def products(spheres: int) -> list[dict[str, Any]]:
    """Sweeps or products with N to `PRECISION`; the iterations of a solution count them."""
    problem = make_pile(spheres)
    solvers = (
        sg.ProjectedSOR(tolerance=PRECISION, check_every=1),
        sg.BarzilaiBorwein(tolerance=PRECISION),
        sg.APGD(tolerance=PRECISION),
        sg.ProjectedJacobi(tolerance=PRECISION),
    )
    rows = []
    for solver in solvers:
        solution = solver.solve(cold(problem))
        rows.append(
            {
                "solver": solution.solver, "status": solution.status.name, "products": solution.iterations,
                "seconds": solution.seconds, "error": solution.certificate.scaled,
            }
        )  # fmt: skip
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--piles", type=int, nargs="*", default=[1190, 5000, 20000])
    parser.add_argument("--json", metavar="FILE", help="write the numbers, - for standard output")
    options = parser.parse_args()
    sg.ProjectedSOR(threads=2).solve(make_pile(20))
    costs, counts = sweep_costs(options.piles), products(1190)
    if options.json != "-":
        print_rows(
            costs,
            {
                "pile": str, "contacts": str, "ns": "{:.1f}".format, "ns_2_threads": "{:.1f}".format,
                "gain": "{:.2f}".format,
            },
        )  # fmt: skip
        print()
        print_rows(
            counts,
            {
                "solver": str, "status": str, "products": str, "seconds": "{:.3f}".format, "error": "{:.1e}".format,
            },
        )  # fmt: skip
    if options.json:
        write_json(options.json, {"sweeps": costs, "products": counts})


if __name__ == "__main__":
    main()
