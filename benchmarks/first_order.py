"""Speed and convergence of the first-order solvers on settled piles of spheres.

    python benchmarks/first_order.py [--json] [--spheres 1190 5000 20000] [--repeats 5]

Prints nanoseconds per contact and sweep of `ProjectedSOR` with one and two threads, of one product with N, the set-up
in sweeps, and the sweeps or products that each solver needs for an error of 1e-4 on 1190 spheres, as ratios within the
run. Times are medians of the repeats; the smallest is printed too, because a busy machine only ever adds.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from piles import make_pile
from signorini.kernels.sweeps.pair_sweeps import sweeps
from signorini.kernels.threads.parts import SOLO
from signorini.kernels.threads.team import team, threads
from signorini.problem.contact_problem import ContactProblem
from signorini.solvers import make_solver
from signorini.solvers.first_order import make_dual
from signorini.solvers.first_order.pair_dual import PairDual

SWEEPS = 30
WARM_UP = 100
"""Sweeps before the clock starts: the pile is then near rest, as in a simulation."""
TOLERANCE = 1e-4
SOLVERS = ("projected-sor", "projected-jacobi", "barzilai-borwein", "apgd")


def times(action: Callable[[], Any], repeats: int) -> tuple[float, float]:
    """(median, minimum) [s] of `repeats` runs after one that does not count."""
    action()
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds), min(seconds)


def sweep_speed(problem: ContactProblem, repeats: int) -> dict[str, Any]:
    """Nanoseconds per contact of a sweep, a product and the set-up."""
    dual = make_dual(problem, "anisotropic")
    assert isinstance(dual, PairDual)
    contacts = problem.contacts
    x, z = np.zeros((contacts, 3)), dual.z0.copy()
    data = (dual.groups, dual.phases, dual.body, dual.record, dual.compliance, False, 1.0, 1.0, x, z)
    sweeps(SOLO, 0, WARM_UP, False, *data)
    one = times(lambda: sweeps(SOLO, 0, SWEEPS, False, *data), repeats)
    with threads(2):
        two = times(lambda: sweeps(team(contacts), 0, SWEEPS, False, *data), repeats)
    g = np.empty(3 * contacts)
    product = times(lambda: dual.product(x.reshape(-1), g), repeats)
    setup = times(lambda: make_dual(problem, "anisotropic"), repeats)

    def per_sweep(seconds: float) -> float:
        return round(1e9 * seconds / contacts / SWEEPS, 1)

    return {
        "contacts": contacts,
        "groups": len(dual.groups) - 1,
        "phases": len(dual.phases) - 1,
        "ns_1_thread": per_sweep(one[0]),
        "ns_1_thread_min": per_sweep(one[1]),
        "ns_2_threads": per_sweep(two[0]),
        "ns_2_threads_min": per_sweep(two[1]),
        "speed_up": round(one[0] / two[0], 2),
        "speed_up_min": round(one[1] / two[1], 2),
        "ns_product": round(1e9 * product[0] / contacts, 1),
        "setup_in_sweeps": round(setup[0] / one[0] * SWEEPS, 1),
    }


def convergence(problem: ContactProblem) -> dict[str, Any]:
    """Sweeps or products to TOLERANCE, and their ratio to those of projected SOR."""
    rows: dict[str, Any] = {}
    for name in SOLVERS:
        solution = make_solver(name, tolerance=TOLERANCE).solve(problem)
        rows[name] = {
            "status": solution.status.name,
            "iterations": solution.iterations,
            "seconds": round(solution.seconds, 3),
            "error": solution.certificate.error,
        }
    for row in rows.values():
        row["ratio_to_sor"] = round(row["iterations"] / rows["projected-sor"]["iterations"], 3)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--spheres", type=int, nargs="+", default=[1190, 5000, 20000])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    result: dict[str, Any] = {"sweep": {}, "convergence": {}}
    for spheres in arguments.spheres:
        result["sweep"][spheres] = sweep_speed(make_pile(spheres), arguments.repeats)
    result["convergence"] = convergence(make_pile(1190))
    if arguments.json:
        print(json.dumps(result, indent=2))
        return
    for spheres, row in result["sweep"].items():
        print(f"{spheres} spheres: " + ", ".join(f"{key} {value}" for key, value in row.items()))
    for name, row in result["convergence"].items():
        print(f"{name}: " + ", ".join(f"{key} {value}" for key, value in row.items()))


if __name__ == "__main__":
    main()
