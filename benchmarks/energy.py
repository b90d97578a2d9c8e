"""Passive scenes for 10 s, and Euler's disc for 5 s at 1 ms: does their energy ever rise above that of the start?

python benchmarks/energy.py [SCENE ...] [--time 10] [--gaps curved linear] [--halved] [--json FILE]

Bars: `above_start` at most 1e-6 of what moves (largest kinetic energy plus the range of the potential one; of scenes
that stand still the energy that lifts all bodies by the radius of the smallest one), Euler's disc at most 1e-4 of its
energy. `--halved` tells an exchange that a symmetric scheme makes from growth: with half the step the first falls to a
quarter, and four times the time does not raise it (1e-9 and less is round-off).
"""

from __future__ import annotations

import argparse
import math
import time
import warnings
from typing import Any

import numpy as np

import signorini as sg
from common import write_json
from signorini.scenes import SCENES
from signorini.stepping.dvi import Gaps

PASSIVE = (
    "single-brick", "domino", "card-house", "brick-wall", "polytope-stack", "ragdolls", "chain", "pendulum",
    "double-pendulum", "n-four-bar", "bricard", "governor",
)  # fmt: skip
DISC_STEP, DISC_TIME, GRAVITY = 1e-3, 5.0, 9.81


def eulers_disc(theta: float = math.radians(30.0), radius: float = 0.1, thick: float = 0.01) -> sg.Model:
    """A steel disc that rolls on its rim at `theta` to the floor, about as fast as its centre stays at rest."""
    model = sg.Model()
    rough = sg.Material(friction=1.0)
    model.add_fixed(sg.HalfSpace(), material=rough)
    lean = -theta
    q = (math.cos(0.5 * lean), math.sin(0.5 * lean), 0.0, 0.0)
    axle = np.array([0.0, -math.sin(lean), math.cos(lean)])
    down = np.array([0.0, 0.0, -1.0])
    across = down - (down @ axle) * axle
    contact = radius * across / np.linalg.norm(across) - 0.5 * thick * axle
    yaw = math.sqrt(4.0 * GRAVITY / (radius * math.sin(theta)))
    w = yaw * (np.array([0.0, 0.0, 1.0]) - math.cos(theta) * axle)
    own = np.array([[1, 0, 0], [0, math.cos(lean), math.sin(lean)], [0, -math.sin(lean), math.cos(lean)]]) @ w
    model.add_body(
        sg.Cylinder(radius, thick), density=7800, position=(0, 0, -contact[2]), orientation=q,
        velocity=tuple(np.cross(w, -contact)), angular_velocity=tuple(own), material=rough, name="disc",
    )  # fmt: skip
    return model


def lifting(model: sg.Model) -> float:
    """What it takes to lift all bodies by the radius of the smallest one [J]."""
    bodies = [body for body in model.bodies if body.movable]
    radii = [part.shape.bounding_radius() for body in bodies for part in body.shapes]
    return GRAVITY * sum(body.mass for body in bodies) * min(radii, default=1.0)


def measured(model: sg.Model, step: float, duration: float, gaps: Gaps) -> dict[str, Any]:
    """How far energy rises above that of the start, and above any earlier value, relative to what moves."""
    sim, started = sg.Simulation(model, step=step, gaps=gaps), time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = sim.run(duration)
    rows = run.diagnostics
    kinetic, potential = sim._driver.stepper.energy(model.initial_state())  # type: ignore[union-attr]
    T, V = (np.concatenate(([first], rows[name])) for first, name in ((kinetic, "kinetic"), (potential, "potential")))
    energy, moving = T + V, max(float(T.max() + np.ptp(V)), lifting(model))
    return {
        "steps": len(T) - 1,
        "above_start": float((energy - energy[0]).max()) / moving,
        "rise": float((energy - np.minimum.accumulate(energy)).max()) / moving,
        "at_the_end": float(energy[-1] - energy[0]) / moving,
        "energy_over_start": float(energy[-1] / energy[0] - 1.0),
        "penetration_max": run.summary()["penetration_max"],
        "failures": run.summary()["failures"],
        "seconds": time.perf_counter() - started,
    }


def exchange(name: str, duration: float, gaps: Gaps, above: float) -> dict[str, float]:
    """What half the step, and four times the time, make of the energy above the start: ratios, nan for round-off."""
    scene = SCENES[name]
    half = measured(scene.build(), 0.5 * scene.step, duration, gaps)["above_start"]
    longer = measured(scene.build(), scene.step, 4.0 * duration, gaps)["above_start"]
    resolved = min(above, half) > 1e-9
    found = {
        "with_the_step": above / half if resolved else math.nan,
        "longer": longer / above if resolved else math.nan,
    }
    print(f"{name:16} {gaps:7} h over h/2 {found['with_the_step']:.2f}, 4 T over T {found['longer']:.2f}", flush=True)
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenes", nargs="*", default=[*PASSIVE, "eulers-disc"])
    parser.add_argument("--time", type=float, default=10.0)
    parser.add_argument("--gaps", nargs="*", default=["curved"], choices=("curved", "linear"))
    parser.add_argument("--halved", action="store_true", help="also with half the step, and for four times the time")
    parser.add_argument("--json", default="")
    options = parser.parse_args()
    found: dict[str, Any] = {}
    for name in options.scenes:
        for gaps in options.gaps:
            if name == "eulers-disc":
                result = measured(eulers_disc(), DISC_STEP, DISC_TIME, gaps)
            else:
                result = measured(SCENES[name].build(), SCENES[name].step, options.time, gaps)
            if options.halved and name != "eulers-disc":
                result |= exchange(name, options.time, gaps, result["above_start"])
            found[f"{name}, {gaps}"] = result
            numbers = ("above_start", "rise", "at_the_end", "energy_over_start", "penetration_max")
            words = ", ".join(f"{word} {result[word]:.1e}" for word in numbers)
            print(f"{name:16} {gaps:7} {words}, failures {result['failures']}, {result['seconds']:.0f} s", flush=True)
    if options.json:
        write_json(options.json, {"scenes": found})


if __name__ == "__main__":
    main()
