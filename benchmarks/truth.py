"""What must hold exactly: stiction, no penetration, stacks of extreme mass ratios.

python benchmarks/truth.py [--spheres 1190] [--counts 15 20 25 30] [--masses 100 1e6 1e12] [--json FILE]
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


def slope_drift() -> dict[str, Any]:
    """Drift of a box on a slope of 20 degrees with friction 0.4 over 10 s [micrometres per second]."""
    run = sg.Simulation(SCENES["inclined-plane"].build(angle=20.0, friction=0.4), step=0.005).run(10.0)
    path = run.position("box")
    return {"drift_um_per_s": 1e6 * float(np.linalg.norm(path[-1] - path[0])) / 10.0, **_told(run)}


def falling_spheres(spheres: int, duration: float) -> dict[str, Any]:
    """Deepest penetration from the first drop to rest, in percent of a diameter."""
    model = SCENES["balls-in-box"].build(spheres=spheres)
    start = time.perf_counter()
    run = sg.Simulation(model, step=0.005).run(duration)
    deepest = 100.0 * run.summary()["penetration_max"] / 0.07
    speed = float(np.linalg.norm(run.velocity()[-1], axis=1).max())
    wall = time.perf_counter() - start
    return {
        "spheres": spheres,
        "penetration_percent": deepest,
        "speed_at_the_end": speed,
        "seconds": wall,
        **_told(run),
    }


def stack(count: int, mass: float, ratio: float) -> dict[str, Any]:
    """Deepest penetration of a stack over 100 steps of 50 ms, in radii of the smallest sphere.

    `round_off_radii` is the spacing of doubles at the top: what no solver can mend.
    """
    model = SCENES["sphere-stack"].build(count=count, mass=mass, ratio=ratio)
    about = {"count": count, "mass": mass, "ratio": ratio}
    try:
        run = sg.Simulation(model, step=0.05).run(5.0)
    except sg.SignoriniError as error:
        return {**about, "penetration_radii": math.inf, "error": str(error)}
    path, radius = run.position(), run.settings["smallest_radius"]
    return {
        **about,
        "penetration_radii": run.summary()["penetration_max_relative"],
        "moved_radii": float(np.abs(path - path[0]).max()) / radius,
        "round_off_radii": float(np.spacing(np.abs(path).max())) / radius,
        "iterations_first": int(run.diagnostics["iterations"][0]),
        **_told(run),
    }


def _told(run: sg.Run) -> dict[str, Any]:
    summary = run.summary()
    return {key: summary[key] for key in ("steps", "residual_max", "failures", "iterations_mean", "seconds_per_step")}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--spheres", type=int, default=1190)
    parser.add_argument("--duration", type=float, default=2.0, help="of the falling spheres [s]")
    parser.add_argument("--counts", type=int, nargs="*", default=[8, 15, 20, 25, 29, 30, 35, 40])
    parser.add_argument("--masses", type=float, nargs="*", default=[100.0, 1e6, 1e12], help="of equal spheres [kg]")
    parser.add_argument("--json")
    options = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)  # failures are counted in the rows
    slope = slope_drift()
    print(f"slope: {slope['drift_um_per_s']:.2e} um/s (bar 1e-3)", slope)
    stacks = [stack(count, 100.0, 10.0) for count in options.counts] + [stack(25, m, 1.0) for m in options.masses]
    for row in stacks:
        about = f"stack of {row['count']}, {row['mass']:g} kg, ratio {row['ratio']:g}"
        print(f"{about}: {row['penetration_radii']:.1e} radii (bar 1e-6)", row)
    spheres = falling_spheres(options.spheres, options.duration) if options.spheres else {}
    if spheres:
        print(f"{options.spheres} spheres: {spheres['penetration_percent']:.2e} % of a diameter (bar 0.1 %)", spheres)
    if options.json:
        write_json(options.json, {"slope": slope, "stacks": stacks, "spheres": spheres})


if __name__ == "__main__":
    main()
