"""Iterations of first-order solvers against the number of spheres and the ratio of masses, to 1e-3 and 1e-4.

    python benchmarks/iterations.py 1000 5000 20000 --ratios 1 10 100 1000 --json benchmarks/results/iterations.json

One step of a close packing of spheres in a box, after eight steps in which its contacts close, solved from no impulses
under the convex law: the load has to find its way from the top to the bottom. With a ratio of masses, the upper half is
so many times as dense, in the smallest packing.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from typing import Any

import numpy as np

import signorini as sg
from common import environment
from packings import DENSITY, FRICTION, RADIUS, packing

STEP, SETTLING, MOST = 1e-3, 8, 5000
LEVELS = (1e-3, 1e-4)
SOLVERS = {"projected-sor": sg.ProjectedSOR, "barzilai-borwein": sg.BarzilaiBorwein, "apgd": sg.APGD}


def problem_of(count: int, ratio: float) -> sg.ContactProblem:
    """The problem of the step after the contacts have closed."""
    centres, model, material = packing(count, "close", False), sg.Model(), sg.Material(friction=FRICTION)
    model.add_box_container(size=tuple(centres.max(axis=0) + 1.001 * RADIUS), material=material)
    upper = centres[:, 2] > np.median(centres[:, 2])
    for part, density in ((centres[~upper], DENSITY), (centres[upper], ratio * DENSITY)):
        model.add_bodies(sg.Sphere(RADIUS), part, density=density, material=material)
    sor = sg.ProjectedSOR(max_iterations=50, tolerance=1e-12, check_every=50)
    sim = sg.Simulation(model, step=STEP, solver=sor, law="convex")
    for _ in range(SETTLING):
        step = sim.advance()
    return step.problem


def measure(count: int, ratio: float) -> dict[str, Any]:
    """Iterations, seconds and error of each solver at each level."""
    problem = problem_of(count, ratio)
    found: dict[str, Any] = {"spheres": count, "contacts": problem.cones.count, "mass_ratio": ratio, "solvers": {}}
    for name, kind in SOLVERS.items():
        for level in LEVELS:
            begin = time.process_time()
            answer = kind(tolerance=level, max_iterations=MOST).solve(problem)
            found["solvers"].setdefault(name, {})[f"{level:.0e}"] = {
                "iterations": answer.iterations,
                "cpu_seconds": round(time.process_time() - begin, 3),
                "error": float(f"{answer.certificate.error:.2g}"),
            }
    return found


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("spheres", nargs="*", type=int, default=[1000, 5000, 20_000])
    parser.add_argument("--ratios", nargs="*", type=float, default=[10.0, 100.0, 1000.0])
    parser.add_argument("--json", default="-")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    found: dict[str, Any] = {"environment": environment(), "packings": []}
    cases = [(count, 1.0) for count in chosen.spheres] + [(chosen.spheres[0], ratio) for ratio in chosen.ratios]
    for count, ratio in cases:
        found["packings"].append(measure(count, ratio))
        print(json.dumps(found["packings"][-1]), flush=True)
    if chosen.json != "-":
        with open(chosen.json, "w") as file:
            json.dump(found, file, indent=1)


if __name__ == "__main__":
    main()
