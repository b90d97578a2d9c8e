"""What a whole step costs: detection and assembly against the sweeps, and how it grows with the number of contacts.

    python benchmarks/simulation.py [--spheres 5000 20000] [--growth 1000 4000 16000 50000] [--steps 20] [--json FILE]

Steps are those of `Simulation` with 50 warm-started sweeps of `ProjectedSOR` on one thread. The piles are those of
piles.py; the growth is measured on close packings in cubic boxes, numbered at random, which are at rest from the start.
"""

from __future__ import annotations

import argparse
import time
import warnings
from statistics import median
from typing import Any

import numpy as np

import signorini as sg
from common import print_rows, write_json
from piles import DENSITY, FRICTION, RADIUS, SIDE, STEP, pile_state
from signorini.kernels.sweeps.pair_sweeps import sweeps
from signorini.kernels.threads.parts import SOLO
from signorini.scenes.arrange import close_packing
from signorini.solvers.first_order import make_dual

SWEEPS = 50
STAGES = ("detect", "assemble", "solve", "advance", "record")


def model_of(centres: np.ndarray, side: float, velocity: np.ndarray | None = None) -> sg.Model:
    """Equal spheres with these centres in a square box."""
    model = sg.Model()
    material = sg.Material(friction=FRICTION)
    model.add_box_container(size=(side, side, side), material=material)
    ball = sg.Sphere(RADIUS)
    speeds = np.zeros_like(centres) if velocity is None else velocity
    for centre, speed in zip(centres, speeds, strict=True):
        model.add_body(ball, density=DENSITY, position=centre, velocity=speed, material=material)
    return model


def sweeping() -> sg.ProjectedSOR:
    """Fifty sweeps, never fewer: the tolerance is out of reach."""
    return sg.ProjectedSOR(tolerance=1e-15, max_iterations=SWEEPS, check_every=SWEEPS)


def sweeps_alone(problem: sg.ContactProblem, repeats: int) -> float:
    """Median seconds of the sweeps by themselves."""
    dual = make_dual(problem, "anisotropic")
    x, z = np.zeros((problem.contacts, 3)), dual.z0.copy()
    data = (dual.groups, dual.phases, dual.body, dual.record, dual.compliance, False, 1.0, 1.0, x, z)
    seconds = []
    for _ in range(repeats + 1):
        start = time.perf_counter()
        sweeps(SOLO, 0, SWEEPS, False, *data)
        seconds.append(time.perf_counter() - start)
    return median(seconds[1:])


def measure(model: sg.Model, steps: int, warm_up: int = 3) -> dict[str, Any]:
    """Medians over `steps` steps of the stages [s], and the sweeps alone on the last problem."""
    simulation = sg.Simulation(model, step=STEP, solver=sweeping(), threads=1)
    stages: dict[str, list[float]] = {stage: [] for stage in STAGES}
    totals, contacts = [], []
    for number, step in enumerate(simulation):
        if number >= warm_up:
            for stage in STAGES:
                stages[stage].append(step.seconds.get(stage, 0.0))
            totals.append(sum(step.seconds.values()))
            contacts.append(step.contacts.count)
        if number + 1 >= warm_up + steps:
            break
    found = {stage: median(values) for stage, values in stages.items()}
    alone = sweeps_alone(step.problem, 5)
    total = median(totals)
    return {
        "spheres": len(model.bodies) - 1,
        "contacts": int(median(contacts)),
        **found,
        "total": total,
        "sweeps_alone": alone,
        "detect_and_assemble_share": (found["detect"] + found["assemble"]) / total,
        "step_over_sweeps": total / alone,
        "us_per_contact": 1e6 * total / median(contacts),
    }


def pile_model(spheres: int) -> sg.Model:
    """The settled pile of piles.py."""
    position, velocity, _ = pile_state(spheres)
    return model_of(position, SIDE, velocity)


def packed_model(spheres: int) -> sg.Model:
    """About so many spheres in a close packing that is as high as wide, in a random order."""
    across = max(2, round((spheres / np.sqrt(2.0)) ** (1 / 3)))
    layers = max(1, round(spheres / (across**2 - across + 0.5)))
    centres = close_packing(across, layers, 2.0 * RADIUS)
    np.random.default_rng(0).shuffle(centres)
    return model_of(centres, across * 2.0 * RADIUS)


FORMATS = {
    "spheres": str,
    "contacts": str,
    **{stage: (lambda s: f"{1e3 * s:.2f} ms") for stage in (*STAGES[:4], "total", "sweeps_alone")},
    "detect_and_assemble_share": lambda s: f"{s:.1%}",
    "step_over_sweeps": lambda s: f"{s:.2f}",
    "us_per_contact": lambda s: f"{s:.3f}",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--spheres", type=int, nargs="*", default=[5000, 20000])
    parser.add_argument("--growth", type=int, nargs="*", default=[1000, 4000, 16000, 50000])
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--json")
    options = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)  # fifty sweeps miss the tolerance, and are meant to
    measure(packed_model(100), 2)  # compiles
    piles = [measure(pile_model(n), options.steps) for n in options.spheres]
    print("settled piles (bars: share at most 30 %, step over sweeps at most 1.3 at 20000)")
    print_rows(piles, FORMATS)
    growth = [measure(packed_model(n), max(5, options.steps // 2)) for n in options.growth]
    print("close packings (bar: us_per_contact of the last at most 1.15 of the first)")
    print_rows(growth, FORMATS)
    factor = growth[-1]["us_per_contact"] / growth[0]["us_per_contact"] if growth else None
    if factor:
        print(f"time per contact and step grows by {factor:.2f}")
    if options.json:
        write_json(options.json, {"piles": piles, "growth": growth, "growth_factor": factor})


if __name__ == "__main__":
    main()
