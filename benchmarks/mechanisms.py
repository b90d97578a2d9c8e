"""The IFToMM benchmarks over their full durations: where each reference comes from, precision asked, reached, time.

python benchmarks/mechanisms.py [--only andrews bricard] [--json FILE]

References are those of tests/scenes/iftomm.py: closed forms, published values, or scipy on another formulation.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.scenes import iftomm

import signorini as sg
from common import write_json
from signorini.math.rotations import matrix
from signorini.scenes import SCENES
from signorini.scenes.andrews import angles

Error = Callable[[sg.Simulation], float]


def pendulum(sim: sg.Simulation) -> float:
    """[m]."""
    return float(np.abs(sim.state.position[0, [0, 2]] - iftomm.pendulum(10.0)).max())


def four_bar(sim: sg.Simulation) -> float:
    """[m]."""
    theta, _ = iftomm.four_bar(2, 10.0)
    return float(np.abs(2 * sim.state.position[0, [0, 2]] - [np.sin(theta), np.cos(theta)]).max())


def andrews(sim: sg.Simulation) -> float:
    """[rad]."""
    q = angles(sim.state.orientation) - iftomm.ANDREWS[:7]
    return float(np.abs(np.remainder(q + np.pi, 2 * np.pi) - np.pi).max())


def bricard(sim: sg.Simulation) -> float:
    """[m]."""
    start = sim.model.bodies[2]
    place = sim.state.position[2] + matrix(sim.state.orientation[2]) @ (np.array([1.0, -1.0, 1.0]) - start.position)
    return float(np.abs(place - iftomm.bricard_point(10.0)).max())


def governor(sim: sg.Simulation) -> float:
    """[m]."""
    return abs(float(sim.state.position[1, 2]) - iftomm.governor_height(10.0))


BENCHMARKS: dict[str, tuple[str, float, float, float, float, Error]] = {
    "simple-pendulum": ("closed form (elliptic functions)", 10.0, 1e-3, -0.05, 1e-3, pendulum),
    "n-four-bar": ("one equation for the angle, DOP853 at 1e-13", 10.0, 1e-3, -0.05, 1e-3, four_bar),
    "andrews": ("Test Set for IVP Solvers, 14 digits, t = 0.03 s", 0.03, 1e-5, -0.05, 1e-3, andrews),
    "bricard": ("joint coordinates, DOP853 at 1e-10", 10.0, 2e-3, -0.05, 1e-3, bricard),
    "governor": ("two coordinates, Radau at 1e-10", 10.0, 2.5e-3, -0.1, 1e-3, governor),
}
"""Scene -> source of the reference, duration [s], step [s], alpha, precision asked [m or rad], error at the end."""


def measure(name: str) -> dict[str, Any]:
    """One benchmark."""
    source, duration, h, alpha, asked, error = BENCHMARKS[name]
    sim = sg.Simulation(SCENES[name].build(), step=h, integrator=sg.integrators.HHT(alpha=alpha))
    begin, joints, iterations, failures = time.perf_counter(), 0.0, 0, 0
    energies: list[float] = []
    steps = round(duration / h)
    for _ in range(steps):
        step: Any = sim.advance()
        joints, iterations = max(joints, step.joint_error), iterations + step.iterations
        failures += not step.status.ok
        energies.append(step.energy)
    seconds = time.perf_counter() - begin
    return {
        "scene": name, "reference": source, "duration": duration, "step": h, "asked": asked, "reached": error(sim),
        "joint_error": joints, "iterations_mean": iterations / steps, "failures": failures, "seconds": seconds,
        "energy_drift": energies[-1] - energies[0],
    }  # fmt: skip


def main() -> None:
    """All of them, or some."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", default=list(BENCHMARKS), choices=list(BENCHMARKS))
    parser.add_argument("--json")
    chosen = parser.parse_args()
    rows = []
    for name in chosen.only:
        row = measure(name)
        rows.append(row)
        print(
            f"{name:16s} asked {row['asked']:.0e}  reached {row['reached']:.1e}  joints {row['joint_error']:.0e}  "
            f"{row['iterations_mean']:.1f} iterations  {row['failures']} failures  {row['seconds']:.0f} s",
            flush=True,
        )
    if chosen.json:
        write_json(chosen.json, {"mechanisms": rows})


if __name__ == "__main__":
    main()
