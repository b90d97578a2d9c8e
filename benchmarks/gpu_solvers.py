"""First-order solvers on the GPU: milliseconds per iteration, error after so many, agreement with the CPU, same bits.

python benchmarks/gpu_solvers.py [--spheres 200000] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import math
import time
from statistics import median
from typing import Any

import numpy as np

import signorini as sg
from common import environment
from gpu import STEP, tables
from packings import packing
from signorini.kernels.cuda.door import cuda
from signorini.scenes import SCENES
from signorini.solvers.projected_jacobi import ProjectedJacobi
from signorini.stepping.device.stepper import DeviceStepper

SOLVERS: dict[str, tuple[Any, str]] = {
    "projected-sor": (sg.ProjectedSOR, "coulomb"),
    "apgd, exact law": (sg.APGD, "coulomb"),
    "apgd": (sg.APGD, "convex"),
    "barzilai-borwein": (sg.BarzilaiBorwein, "convex"),
    "projected-jacobi": (ProjectedJacobi, "convex"),
}
ITERATIONS, STEPS = 100, 6


def made(kind: Any, law: str, **settings: Any) -> Any:
    """A solver with its law, where it has one."""
    return kind(**settings, law=law) if kind in (sg.ProjectedSOR, sg.APGD) else kind(**settings)


def measure(kind: Any, law: str, spheres: int) -> dict[str, Any]:
    """Steps of a close packing, twice."""
    ends, seconds = [], []
    for _ in range(2):
        known, state = tables(packing(spheres, "close", True))
        solver = made(kind, law, max_iterations=ITERATIONS, tolerance=1e-12, check_every=50)
        stepper = DeviceStepper(known, state, STEP, solver, math.inf)
        for _ in range(STEPS):
            cuda.synchronize()
            begin = time.perf_counter()
            answer = stepper.step()
            cuda.synchronize()
            seconds.append(time.perf_counter() - begin)
        ends.append(stepper.array("position"))
    return {
        "contacts": len(answer.contacts.identity),
        "step_ms": round(1e3 * median(seconds), 2),
        "error": float(f"{answer.error:.2e}"),
        "same_bits": bool(np.array_equal(*ends)),
    }


def agreement(kind: Any, law: str) -> dict[str, Any]:
    """Largest difference of positions between device and CPU after steps that are solved to 1e-9."""
    model = SCENES["balls-in-box"].builder(spheres=64)
    solver = made(kind, law, tolerance=1e-9, max_iterations=5000)
    one = sg.Simulation(model, step=5 * STEP, solver=solver, law=law, gaps="linear")
    two = sg.Simulation(model, step=5 * STEP, solver=solver, law=law, device="cuda")
    for _ in range(40):
        here, there = one.advance(), two.advance()
    difference = float(np.abs(here.state.position - there.state.position).max())
    return {"touching": there.contacts.count, "difference_m": difference, "solved": there.status.ok}


def main() -> None:
    """All of them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--spheres", type=int, default=200_000)
    parser.add_argument("--json")
    chosen = parser.parse_args()
    found: dict[str, Any] = {"environment": environment(), "iterations": ITERATIONS}
    for name, (kind, law) in SOLVERS.items():
        found[name] = {**measure(kind, law, chosen.spheres), **agreement(kind, law)}
        print(name, json.dumps(found[name]), flush=True)
    if chosen.json:
        with open(chosen.json, "w") as file:
            json.dump(found, file, indent=1)


if __name__ == "__main__":
    main()
