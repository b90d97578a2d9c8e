"""Whole steps of close packings of spheres by 1, 2, 4, ... threads: time per stage, the same bits, memory.

    python benchmarks/threads.py 20000 200000 --threads 1 2 4 8 16 --json benchmarks/results/threads.json

Spheres of 70 mm in a box of walls, numbered at random, friction 0.4, h = 1 ms, 50 warm sweeps of projected SOR under
the exact law. Ratios are those of medians within one run, the numbers of threads in turns.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import resource
import time
import warnings
from statistics import median
from typing import Any

import signorini as sg
from common import environment
from packings import DENSITY, FRICTION, RADIUS, packing

STEP, SWEEPS, WARM_UP = 1e-3, 50, 8
"""Contacts close after four steps."""


def simulation(count: int, threads: int) -> sg.Simulation:
    """A packing between walls."""
    centres, model, material = packing(count, "close", True), sg.Model(), sg.Material(friction=FRICTION)
    model.add_box_container(size=tuple(centres.max(axis=0) + 1.001 * RADIUS), material=material)
    model.add_bodies(sg.Sphere(RADIUS), centres, density=DENSITY, material=material)
    sor = sg.ProjectedSOR(max_iterations=SWEEPS, tolerance=1e-12, check_every=SWEEPS)
    return sg.Simulation(model, step=STEP, solver=sor, threads=threads)


def measure(count: int, teams: list[int], steps: int) -> dict[str, Any]:
    """Steps of the same packing with each number of threads in turns."""
    begin = time.perf_counter()
    sims = [simulation(count, threads) for threads in teams]
    creation = (time.perf_counter() - begin) / len(teams)
    seconds: dict[int, list[float]] = {threads: [] for threads in teams}
    stages: dict[int, list[dict[str, float]]] = {threads: [] for threads in teams}
    for number in range(WARM_UP + steps):
        for threads, sim in zip(teams, sims, strict=True):
            begin = time.perf_counter()
            step = sim.advance()
            if number >= WARM_UP:
                seconds[threads].append(time.perf_counter() - begin)
                stages[threads].append(dict(step.seconds))
    digests = [hashlib.sha256(sim.state.position.tobytes()).hexdigest() for sim in sims]
    whole = {threads: median(values) for threads, values in seconds.items()}
    return {
        "spheres": len(sims[0].model.bodies) - 1,
        "contacts": step.contacts.count,
        "creation_s": round(creation, 2),
        "step_ms": {threads: round(1e3 * value, 2) for threads, value in whole.items()},
        "ratio": {threads: round(whole[teams[0]] / value, 2) for threads, value in whole.items()},
        "stages_ms": {
            threads: {name: round(1e3 * median(s.get(name, 0.0) for s in found), 2) for name in found[0]}
            for threads, found in stages.items()
        },
        "same_bits": len(set(digests)) == 1,
        "peak_memory_gib": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2),
    }


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("spheres", nargs="*", type=int, default=[20_000, 200_000])
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--json", default="-")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    found: dict[str, Any] = {"environment": environment(), "piles": []}
    for count in chosen.spheres:
        found["piles"].append(measure(count, chosen.threads, chosen.steps))
        print(json.dumps(found["piles"][-1]), flush=True)
    if chosen.json != "-":
        with open(chosen.json, "w") as file:
            json.dump(found, file, indent=1)


if __name__ == "__main__":
    main()
