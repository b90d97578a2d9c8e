"""Drive an arm from an MJCF file: reach for a box, grip it, lift it.

python examples/gripper_from_mjcf.py [--out out/gripper.glb]
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

import numpy as np

import signorini as sg

ARM = Path(__file__).resolve().parent / "robots" / "arm.xml"
WAY = {1.0: (0.45, 0.6), 1.5: (0.45, 0.44), 2.0: (0.6, 0.44), 2.3: (0.6, 0.44), 3.0: (0.6, 0.7)}
"""Where the fingers go: time [s] -> distance from the shoulder's axis and height [m]."""
LENGTH, HEIGHT, HAND = 0.4, 0.9, 0.08
"""Of both links, of the shoulder, from the wrist to the middle of the fingers [m]."""


def angles(place: tuple[float, float]) -> tuple[float, float, float]:
    """Shoulder, elbow and wrist that put level fingers there [rad]; hinges turn downwards."""
    x, z = place[0] - HAND, place[1] - HEIGHT
    reach = math.hypot(x, z)
    bend = 2.0 * math.acos(min(1.0, reach / (2.0 * LENGTH)))
    shoulder = -math.atan2(z, x) - bend / 2.0
    return shoulder, bend, -shoulder - bend


def main(arguments: list[str] | None = None) -> tuple[sg.Model, sg.Run]:
    """The model and its run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("out/gripper.glb"))
    options = parser.parse_args(arguments)

    times, poses = [0.0, *WAY], np.array([(0.0, 0.0, 0.0), *map(angles, WAY.values())])
    hinges = ("shoulder", "elbow", "wrist")
    control = {name: sg.functions.Table(times, poses[:, k]) for k, name in enumerate(hinges)}
    grip = sg.functions.Table([0.0, 2.0, 2.1, 4.0], [-2.0, -2.0, 15.0, 15.0])
    model = sg.load_mjcf(ARM, control={**control, "grip": grip})
    run = sg.Simulation(model, step=0.005).run(3.3)
    print("the box rose by", np.round(run.position("box")[-1, 2] - run.position("box")[0, 2], 4), "m")
    options.out.parent.mkdir(parents=True, exist_ok=True)
    print("written:", sg.save_gltf(options.out, model, run, every=4))
    return model, run


if __name__ == "__main__":
    main()
