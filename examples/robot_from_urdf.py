"""Load a robot from a URDF file, let it crouch on the ground, and write an animation of it.

python examples/robot_from_urdf.py [--robot my.urdf] [--time 1.0] [--out out/robot.glb]
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import signorini as sg

QUADRUPED = Path(__file__).resolve().parent / "robots" / "quadruped.urdf"
LEGS = ("front_left", "front_right", "back_left", "back_right")
CROUCHING = {f"{leg}_hip": 0.5 for leg in LEGS} | {f"{leg}_knee": -1.0 for leg in LEGS}
"""Where its joints start [rad]."""


def main(arguments: list[str] | None = None) -> tuple[sg.Model, sg.Run]:
    """The model and its run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--robot", type=Path, default=QUADRUPED)
    parser.add_argument("--time", type=float, default=1.0)
    parser.add_argument("--out", type=Path, default=Path("out/robot.glb"))
    options = parser.parse_args(arguments)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the report is printed instead
        pose = CROUCHING if options.robot == QUADRUPED else {}
        model = sg.load_urdf(options.robot, ground=True, joint_values=pose)
    print(model)
    print(model.report)

    run = sg.Simulation(model, step=0.005).run(options.time)
    print({key: run.summary()[key] for key in ("contacts_mean", "penetration_max", "residual_max", "real_time_factor")})
    root = next(iter(model.links))
    print(f"{root} is at {model.link_pose(root, run.state())[0].round(4)} m")

    options.out.parent.mkdir(parents=True, exist_ok=True)
    print("written:", sg.save_gltf(options.out, model, run, every=4))
    return model, run


if __name__ == "__main__":
    main()
