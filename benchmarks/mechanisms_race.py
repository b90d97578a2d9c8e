"""Mechanisms and small piles: Signorini's exact law against MuJoCo's stiff Newton, one thread, medians within one run.

    pip install "signorini[bench]"
    python benchmarks/mechanisms_race.py [--only walker chain] [--steps 300] [--settle 30] [--json FILE]

Both engines have the same bodies, joints, motors, springs and step; each goes on for `--settle` steps and is then timed
for `--steps` steps. They take turns of 50 steps, so that a busy moment hits both. Times are CPU milliseconds per step,
in two ways that are compared like with like:

- `run`: a step inside `sim.run()`, where nobody asks between steps; `mujoco`: a step inside `mj_step(nstep=50)`. Where
  scenes have motors, whose targets MuJoCo gets from Python before each step, it is called step by step, and neither the
  setting nor the reading of the clock counts; ours counts the targets. `ratio` is `run` over `mujoco`, `bar` its bound.
- `advance`: one `sim.advance()` in a Python loop; `loop`: one `mj_step()` in a Python loop. `loop_ratio` is one by the
  other.

Penetration is the deepest seen [mm].
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from functools import cache
from statistics import median
from typing import Any

import mujoco
import numpy as np

import signorini as sg
from common import print_rows, write_json
from mujoco_scenes import Twin, twin
from signorini.scenes import SCENES

BLOCK = 50
"""Steps of one engine before it is the other's turn."""
MECHANISMS = ("pendulum", "four-bar", "slider-crank", "gripper", "walker", "ragdolls", "chain")
PILES = ("card-house", "domino", "brick-wall", "polytope-stack", "balls-64")
BAR = {**dict.fromkeys(MECHANISMS, 10.0), **dict.fromkeys(PILES, 3.0)}
"""Largest ratio that is asked for."""


def balls(count: int = 64) -> sg.Model:
    """Balls that settle in a box, in layers of sixteen."""
    model, random = sg.Model(), np.random.default_rng(0)
    model.add_box_container(size=(0.4, 0.4, 1.0), material=sg.Material(friction=0.4))
    for k in range(count):
        layer, place = divmod(k, 16)
        x, y = divmod(place, 4)
        position = np.array([0.06 + 0.09 * x, 0.06 + 0.09 * y, 0.045 + 0.08 * layer]) + random.uniform(-4e-3, 4e-3, 3)
        model.add_body(sg.Sphere(0.035), density=1000, position=position, material=sg.Material(friction=0.4))
    return model


def scene(name: str) -> tuple[sg.Model, float]:
    """Model and step [s]."""
    if name == "balls-64":
        return balls(), 0.005
    return SCENES[name].build(), SCENES[name].step


def race(name: str, steps: int, settle: int) -> dict[str, Any]:
    """Both engines on one scene."""
    model, h = scene(name)
    sims = [sg.Simulation(model, step=h, threads=1) for _ in range(2)]
    other = twin(model, h)
    seconds: dict[str, list[float]] = {"advance": [], "run": [], "mujoco": [], "loop": []}
    worst, deep, contacts = 0.0, [0.0, 0.0], []
    for sim in sims:
        sim.run(settle * h)
    _mujoco_block(other, settle)
    for _ in range(steps // BLOCK):
        taken, spent = _timed(lambda: [sims[0].advance() for _ in range(BLOCK)])
        seconds["advance"].append(spent)
        worst, deep[0] = max(worst, *(s.residual for s in taken)), max(deep[0], *(s.penetration for s in taken))
        contacts.append(taken[-1].contacts.count)
        seconds["run"].append(_timed(lambda: sims[1].run(BLOCK * h))[1])
        seconds["mujoco"].append(_mujoco_block(other, BLOCK))
        seconds["loop"].append(_mujoco_loop(other, BLOCK))
        deep[1] = max(deep[1], other.penetration)
    ms = {key: 1e3 * median(values) / BLOCK for key, values in seconds.items()}
    return {
        "scene": name, "contacts": int(median(contacts)), **ms, "ratio": ms["run"] / ms["mujoco"], "bar": BAR[name],
        "loop_ratio": ms["advance"] / ms["loop"], "residual": worst, "penetration": 1e3 * deep[0],
        "mujoco_penetration": 1e3 * deep[1],
    }  # fmt: skip


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    begin = time.process_time()
    answer = work()
    return answer, time.process_time() - begin


def _mujoco_block(other: Twin, steps: int) -> float:
    """CPU seconds of so many steps in one call; step by step where motors are set."""
    if other.drives:
        return _mujoco_loop(other, steps)
    return _timed(lambda: mujoco.mj_step(other.model, other.data, nstep=steps))[1]


def _mujoco_loop(other: Twin, steps: int) -> float:
    """CPU seconds of so many steps in a Python loop, the setting of motors and the clock left out."""
    if not other.drives:
        return _timed(lambda: [mujoco.mj_step(other.model, other.data) for _ in range(steps)])[1]
    total, clock = 0.0, _clock()
    for _ in range(steps):
        other.drive()
        begin = time.process_time()
        mujoco.mj_step(other.model, other.data)
        total += time.process_time() - begin - clock
    return total


@cache
def _clock() -> float:
    """What the clock shows of reading it twice [s]."""
    pairs = [(time.process_time(), time.process_time()) for _ in range(2000)]
    return median(end - begin for begin, end in pairs)


FORMATS: dict[str, Callable[[Any], str]] = {
    "scene": str,
    "contacts": str,
    "advance": lambda v: f"{v:.3f}",
    "run": lambda v: f"{v:.3f}",
    "mujoco": lambda v: f"{v:.4f}",
    "loop": lambda v: f"{v:.4f}",
    "ratio": lambda v: f"{v:.1f}",
    "bar": lambda v: f"{v:.0f}",
    "loop_ratio": lambda v: f"{v:.1f}",
    "residual": lambda v: f"{v:.1e}",
    "penetration": lambda v: f"{v:.2g}",
    "mujoco_penetration": lambda v: f"{v:.2g}",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", default=list(BAR), choices=list(BAR))
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--settle", type=int, default=30)
    parser.add_argument("--json")
    options = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)
    rows = [race(name, options.steps, options.settle) for name in options.only]
    print_rows(rows, FORMATS)
    if options.json:
        write_json(options.json, {"rows": rows})


if __name__ == "__main__":
    main()
