"""The loop of a controller in Python: a walker at 1 kHz against real time, and what reading and setting cost.

python benchmarks/control_loop.py [--seconds 2] [--json FILE]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import signorini as sg
from common import write_json
from signorini.functions import Setpoint
from signorini.scenes.walker import legs, robot

STEP, FREQUENCY, SWING, LIFT = 1e-3, 1.0, np.radians(20.0), 0.02
KINDS = ("position motors", "servos")


def walker(kind: str) -> sg.Model:
    """Twelve motors that a controller sets: ideal position motors, or servos with gains and limits."""
    model = robot(LIFT)
    for name, _, _ in legs():
        if kind == "servos":
            model.add_servo(f"{name} hip", stiffness=200.0, damping=5.0, limit=20.0, name=f"{name} swing")
            model.add_servo(f"{name} slide", stiffness=2e4, damping=200.0, limit=200.0, name=f"{name} lift")
        else:
            model.add_motor(f"{name} hip", angle=Setpoint(), name=f"{name} swing")
            model.add_motor(f"{name} slide", position=Setpoint(), name=f"{name} lift")
    return model


def gait(time: float, phase: np.ndarray, sign: np.ndarray) -> np.ndarray:
    """Angles of the hips and positions of the slides, leg by leg."""
    turn = 2.0 * np.pi * FREQUENCY * time + phase
    return np.column_stack((-sign * SWING * np.sin(turn), LIFT * (np.cos(turn) - np.cos(phase)))).reshape(-1)


def walk(kind: str, seconds: float) -> dict[str, Any]:
    """Steps of 1 ms, in each: read joints, compute targets, set them, step."""
    sim = sg.Simulation(walker(kind), step=STEP)
    sign, phase = np.array([(sign, phase) for _, sign, phase in legs()]).T
    order = [sim.motors.index(f"{name} {what}") for name, _, _ in legs() for what in ("swing", "lift")]
    targets, seen = np.zeros(len(order)), 0.0
    sim.advance()
    begin, cpu = time.perf_counter(), time.process_time()
    while sim.time < seconds:
        seen += float(np.abs(sim.joints.position).sum() + np.abs(sim.joints.velocity).sum())
        targets[order] = gait(sim.time, phase, sign)
        sim.motors.target = targets
        sim.advance()
    spent, busy = time.perf_counter() - begin, time.process_time() - cpu
    return {
        "motors": kind,
        "times_real_time": seconds / spent,
        "times_real_time_cpu": seconds / busy,
        "cpu_ms_per_step": 1e3 * busy * STEP / seconds,
        "walked": float(sim.state.position[1, 0]),
        "microseconds": costs(sim),
    }


def costs(sim: sg.Simulation) -> dict[str, float]:
    """Of what a controller calls [us], the least of several."""
    targets = sim.motors.target
    calls: dict[str, Callable[[], Any]] = {
        "read 12 positions": lambda: sim.joints.position,
        "read 12 velocities": lambda: sim.joints.velocity,
        "set 12 targets": lambda: sim.motors.set(targets),
        "contact force of a body": lambda: sim.contact_force("trunk"),
        "jacobian": lambda: sim.jacobian("trunk"),
        "mass matrix": sim.mass_matrix,
        "bias forces": sim.bias_forces,
        "snapshot": sim.snapshot,
    }
    return {name: _least(call) for name, call in calls.items()}


def _least(call: Callable[[], Any], rounds: int = 5, each: int = 200) -> float:
    call()
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        for _ in range(each):
            call()
        times.append((time.perf_counter() - begin) / each)
    return 1e6 * min(times)


def main() -> None:
    """All of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--json")
    options = parser.parse_args()
    results = [walk(kind, options.seconds) for kind in KINDS]
    for row in results:
        print(f"{row['motors']}: {row['times_real_time']:.2f} times real time on the wall, "
              f"{row['times_real_time_cpu']:.2f} by CPU time, {row['cpu_ms_per_step']:.3f} ms per step")  # fmt: skip
        for name, cost in row["microseconds"].items():
            print(f"    {name:<28}{cost:8.1f} us")
    if options.json:
        write_json(options.json, {"control_loop": results})


if __name__ == "__main__":
    main()
