"""Steps of close packings of spheres on a GPU: time per stage, bandwidth of the sweeps, memory, agreement with the CPU.

    python benchmarks/gpu.py 20000 200000 1000000 --json benchmarks/results/gpu.json
    python benchmarks/gpu.py 10000000 --packings cubic-shuffled --steps 3 --alone --json benchmarks/results/gpu_10m.json

Wants a GPU and the extra `gpu`. Spheres of 70 mm in a box of walls, friction 0.4, h = 1 ms, 50 warm sweeps of projected
SOR under the exact law. Bodies in the order of the packing and shuffled: the device orders them itself. With `--alone`
there are no further runs for agreement with the CPU and equal bits.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np

import signorini as sg
from common import environment
from packings import DENSITY, FRICTION, RADIUS, packing
from signorini.kernels.cuda.door import cuda, xp
from signorini.kernels.sweeps.compact_records import WIDTH
from signorini.math.sparse import Array
from signorini.model.state import State
from signorini.stepping.device import detection, solvers
from signorini.stepping.device import stepper as device
from signorini.stepping.device.tables import DeviceTables

STEP = 1e-3
SWEEPS = 50
PACKINGS = ("close", "close-shuffled", "cubic-shuffled")
LAUNCHES = ("launch", "launch_together")


def tables(centres: Array) -> tuple[DeviceTables, State]:
    """The packing between walls."""
    model = sg.Model()
    material = sg.Material(friction=FRICTION)
    model.add_box_container(size=tuple(centres.max(axis=0) + 1.001 * RADIUS), material=material)
    model.add_bodies(sg.Sphere(RADIUS), centres, density=DENSITY, material=material)
    return DeviceTables.of(model), model.initial_state()


class Timed:
    """Stands for `launch` and `launch_together` and keeps the time of each kernel, waiting for it."""

    def __init__(self, launch: Callable[..., None], seconds: dict[str, float]) -> None:
        self.launch, self.seconds = launch, seconds

    def __call__(self, kernel: Any, *arguments: Any) -> None:
        """Launch and wait."""
        cuda.synchronize()
        begin = time.perf_counter()
        self.launch(kernel, *arguments)
        cuda.synchronize()
        name = kernel.py_func.__name__
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - begin


def measure(count: int, kind: str, shuffled: bool, steps: int) -> dict[str, Any]:
    """Time of whole steps, then of their kernels one by one."""
    centres, begin = packing(count, kind, shuffled), time.perf_counter()
    made, state = tables(centres)
    building = time.perf_counter() - begin
    sor = sg.ProjectedSOR(max_iterations=SWEEPS, tolerance=1e-12, check_every=SWEEPS, law="coulomb")
    stepper = device.DeviceStepper(made, state, STEP, sor, math.inf)
    seconds = []
    for _ in range(steps + 2):
        cuda.synchronize()
        begin = time.perf_counter()
        answer = stepper.step()
        cuda.synchronize()
        seconds.append(time.perf_counter() - begin)
    kernels: dict[str, float] = {}
    parts: tuple[Any, ...] = (device, detection, solvers)
    doors = [(part, name, vars(part)[name]) for part in parts for name in LAUNCHES if name in vars(part)]
    for part, name, launch in doors:
        setattr(part, name, Timed(launch, kernels))
    for _ in range(steps):
        answer = stepper.step()
    for part, name, launch in doors:
        setattr(part, name, launch)
    contacts = len(answer.contacts.identity)
    sweep = kernels["sweeps"] / steps / SWEEPS
    held = xp.get_default_memory_pool().total_bytes()  # memory is given back to the pool alone: its peak
    return {
        "spheres": len(made.weight) - 1,
        "packing": kind,
        "shuffled": shuffled,
        "contacts": contacts,
        "colours": answer.colours,
        "error": answer.error,
        "building_s": round(building, 2),
        "first_step_s": round(seconds[0], 2),
        "step_ms": round(1e3 * median(seconds[2:]), 2),
        "kernels_ms": {name: round(1e3 * value / steps, 2) for name, value in kernels.items()},
        "ns_per_contact_and_sweep": round(1e9 * sweep / contacts, 4),
        "record_bandwidth_tb_s": round(8 * (WIDTH + 6 + 1) * contacts / sweep / 1e12, 2),
        "device_gib": round(held / 2**30, 2),
        "bytes_per_sphere": round(held / (len(made.weight) - 1)),
        "bytes_per_contact": round(held / contacts),
        "host_peak_gib": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2),
    }


def agreement(spheres: int, steps: int) -> dict[str, Any]:
    """Largest difference of positions between device and CPU after some steps, both solved to 1e-10."""
    from signorini.scenes import SCENES

    model = SCENES["balls-in-box"].builder(spheres=spheres)
    sor = sg.ProjectedSOR(tolerance=1e-10, max_iterations=20000)
    one, two = (sg.Simulation(model, step=STEP, solver=sor, device=where) for where in ("cpu", "cuda"))
    for _ in range(steps):
        here, there = one.advance(), two.advance()
    difference = float(np.abs(here.state.position - there.state.position).max())
    return {"spheres": spheres, "steps": steps, "contacts": there.contacts.count, "difference_m": difference}


def repeats(count: int, steps: int) -> bool:
    """Whether two runs give the same bits."""
    ends = []
    for _ in range(2):
        made, state = tables(packing(count, "close", True))
        sor = sg.ProjectedSOR(max_iterations=SWEEPS, tolerance=1e-12, check_every=SWEEPS, law="coulomb")
        stepper = device.DeviceStepper(made, state, STEP, sor, math.inf)
        for _ in range(steps):
            stepper.step()
        ends.append(stepper.array("position"))
    return bool(np.array_equal(*ends))


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("spheres", nargs="*", type=int, default=[20_000, 200_000, 1_000_000])
    parser.add_argument("--packings", nargs="+", choices=[*PACKINGS, "cubic"], default=PACKINGS)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--alone", action="store_true")
    parser.add_argument("--json", default="-")
    chosen = parser.parse_args()
    found: dict[str, Any] = {"environment": {**environment(), "gpu": str(cuda.get_current_device().name)}}
    found["piles"] = []
    for count in chosen.spheres:
        for name in chosen.packings:
            kind, _, order = name.partition("-")
            found["piles"].append(measure(count, kind, bool(order), chosen.steps))
            print(json.dumps(found["piles"][-1]), flush=True)
            xp.get_default_memory_pool().free_all_blocks()
    if not chosen.alone:
        found["agreement"] = agreement(280, 150)
        found["same_bits"] = repeats(20_000, 20)
        print(json.dumps({key: found[key] for key in ("agreement", "same_bits")}))
    if chosen.json != "-":
        with open(chosen.json, "w") as file:
            json.dump(found, file, indent=1)


if __name__ == "__main__":
    main()
