"""Second-order steps beside the default ones: errors and orders on closed forms, and the cost of a step.

python benchmarks/second_order.py [--out results/second_order.json]
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import signorini as sg
from signorini.integrators import NonsmoothAlpha
from signorini.studies.reproduce.truth import SECOND_ORDER, all_cases
from signorini.studies.reproduce.truth.measure import measured

STEPS = (4e-3, 2e-3, 1e-3)
"""[s]."""
SCENES: dict[str, tuple[float, int, dict[str, Any]]] = {
    "pendulum": (0.005, 100, {}), "double-pendulum": (0.005, 100, {}), "slider-crank": (0.005, 100, {}),
    "walker": (0.002, 60, {}), "gripper": (0.005, 60, {}), "chain": (0.005, 60, {}), "single-ball": (0.005, 100, {}),
    "inclined-plane": (0.005, 100, {}), "balls-in-box": (0.005, 60, {"spheres": 60}), "cantilever": (0.005, 60, {}),
}  # fmt: skip
"""Scene -> step [s], steps, parameters."""
BEFORE = {"balls-in-box": 200}
"""Steps before those that are measured, where not 10: balls lie on one another."""


def accuracy() -> dict[str, Any]:
    """Case -> integrator -> errors at the steps, and the order between the last two."""
    found: dict[str, Any] = {}
    for name in SECOND_ORDER:
        found[name] = {}
        for label, hard in (("dvi", "dvi"), ("nonsmooth-alpha", NonsmoothAlpha())):
            errors = [measured(all_cases()[name], h, None, hard).error for h in STEPS]
            order = math.log2(errors[1] / errors[2]) if min(errors) > 1e-9 else None
            found[name][label] = {"errors": errors, "order": order}
            print(f"{name:26s} {label:16s}", " ".join(f"{e:.2e}" for e in errors), "order", order, flush=True)
    return found


def seconds_per_step(name: str, integrator: Any, compiled: bool) -> float:
    """Median processor time of a scene's steps [s]; `compiled=False` asks the default step for its general way."""
    h, steps, settings = SCENES[name]
    sim = sg.Simulation(sg.SCENES[name].build(**settings), step=h, integrator=integrator)
    if not compiled and integrator == "dvi":
        driver: Any = sim._driver
        sim._driver = dataclasses.replace(driver, compiled=None)
    for _ in range(BEFORE.get(name, 10)):
        sim.advance()
    taken = []
    for _ in range(steps):
        begin = time.process_time()
        sim.advance()
        taken.append(time.process_time() - begin)
    return float(np.median(taken))


def cost() -> dict[str, Any]:
    """Scene -> seconds of a step by all three ways, and ratios."""
    found: dict[str, Any] = {}
    for name in SCENES:
        general, quick = (seconds_per_step(name, "dvi", compiled) for compiled in (False, True))
        second = seconds_per_step(name, NonsmoothAlpha(), False)
        found[name] = {"dvi": general, "dvi, compiled": quick, "nonsmooth-alpha": second, "ratio": second / general,
                       "ratio to compiled": second / quick}  # fmt: skip
        print(f"{name:18s} dvi {1e3 * general:.2f} ms, compiled {1e3 * quick:.2f} ms, second {1e3 * second:.2f} ms"
              f": {second / general:.2f}", flush=True)  # fmt: skip
    return found


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results" / "second_order.json")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    document = {"steps": STEPS, "cost": cost(), "accuracy": accuracy()}
    arguments.out.write_text(json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
