"""Whole steps of close packings of spheres by 1, 2, 4, ... threads: time per stage, the same bits, memory.

    python benchmarks/threads.py 20000 200000 --threads 1 2 4 8 16 --json benchmarks/results/threads.json

Spheres of 70 mm in a box of walls, numbered at random, friction 0.4, h = 1 ms, 50 warm sweeps of projected SOR under
the exact law. Ratios are those of medians within one run, the numbers of threads in turns. `ceilings` are the ratios
of loops that share nothing: multiplications in registers, and reading a large array; a step cannot gain more.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import json
import resource
import sys
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from statistics import median
from types import ModuleType, SimpleNamespace
from typing import Any

import numba
import numpy as np
from numba.core.registry import CPUDispatcher as Dispatcher

import signorini as sg
from common import environment
from packings import DENSITY, FRICTION, RADIUS, packing

STEP, SWEEPS, WARM_UP = 1e-3, 50, 8
"""Contacts close after four steps."""


@numba.njit(nogil=True)
def multiply(count: int) -> float:
    """Four chains of multiplications and additions."""
    a, b, c, d = 1.0, 1.1, 1.2, 1.3
    for _ in range(count):
        a, b, c, d = a * 0.999 + 0.001, b * 0.998 + 0.002, c * 0.997 + 0.003, d * 0.996 + 0.004
    return a + b + c + d


@numba.njit(nogil=True, fastmath=True)
def read(values: Any) -> float:
    """Sum of an array."""
    total = 0.0
    for k in range(len(values)):
        total += values[k]
    return total


def ceilings(teams: list[int]) -> dict[str, dict[int, float]]:
    """Throughput by 1, 2, ... threads over that of one."""
    numbers = np.ones(1 << 24)
    multiply(10), read(numbers[:10])
    loops: dict[str, Callable[[], float]] = {
        "registers": functools.partial(multiply, 40_000_000),
        "memory": lambda: sum(read(numbers) for _ in range(4)),
    }
    found: dict[str, dict[int, float]] = {}
    for name, loop in loops.items():
        rates = {}
        for threads in teams:
            with ThreadPoolExecutor(threads) as pool:
                begin = time.perf_counter()
                list(pool.map(lambda _, loop=loop: loop(), range(threads)))
                rates[threads] = threads / (time.perf_counter() - begin)
        found[name] = {threads: round(rate / rates[teams[0]], 2) for threads, rate in rates.items()}
    return found


class Stopwatch:
    """Adds up the seconds of every kernel that Python calls; made when all modules are loaded."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        for name, module in list(sys.modules.items()):
            # Kernels find one another in their own modules, which stay as they are.
            if name.startswith("signorini.") and not name.startswith("signorini.kernels"):
                for attribute, found in list(vars(module).items()):
                    setattr(module, attribute, self._seen(found))

    def _seen(self, found: Any) -> Any:
        """A kernel that is timed, a module of kernels with such; all else as it is."""
        if isinstance(found, Dispatcher):
            return self._timed(found)
        if isinstance(found, ModuleType) and found.__name__.startswith("signorini.kernels."):
            return SimpleNamespace(**{name: self._seen(value) for name, value in vars(found).items()})
        return found

    def _timed(self, kernel: Any) -> Callable[..., Any]:
        name = f"{kernel.py_func.__module__.removeprefix('signorini.kernels.')}.{kernel.py_func.__name__}"

        def timed(*arguments: Any) -> Any:
            begin = time.perf_counter()
            found = kernel(*arguments)
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - begin
            return found

        return timed


def page_faults() -> int:
    """Of this process, so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt


def simulation(count: int, threads: int) -> sg.Simulation:
    """A packing between walls."""
    centres, model, material = packing(count, "close", True), sg.Model(), sg.Material(friction=FRICTION)
    model.add_box_container(size=tuple(centres.max(axis=0) + 1.001 * RADIUS), material=material)
    model.add_bodies(sg.Sphere(RADIUS), centres, density=DENSITY, material=material)
    sor = sg.ProjectedSOR(max_iterations=SWEEPS, tolerance=1e-12, check_every=SWEEPS)
    return sg.Simulation(model, step=STEP, solver=sor, threads=threads)


def measure(count: int, teams: list[int], steps: int, watch: Stopwatch) -> dict[str, Any]:
    """Steps of the same packing with each number of threads in turns."""
    begin = time.perf_counter()
    sims = [simulation(count, threads) for threads in teams]
    creation = (time.perf_counter() - begin) / len(teams)
    seconds: dict[int, list[float]] = {threads: [] for threads in teams}
    stages: dict[int, list[dict[str, float]]] = {threads: [] for threads in teams}
    for number in range(WARM_UP + steps):
        for threads, sim in zip(teams, sims, strict=True):
            watch.seconds.clear()
            faults, begin = page_faults(), time.perf_counter()
            step = sim.advance()
            if number >= WARM_UP:
                seconds[threads].append(time.perf_counter() - begin)
                stages[threads].append(step.seconds | watch.seconds | {"page faults": 1e-3 * (page_faults() - faults)})
    digests = [hashlib.sha256(sim.state.position.tobytes()).hexdigest() for sim in sims]
    whole = {threads: median(values) for threads, values in seconds.items()}
    return {
        "spheres": len(sims[0].model.bodies) - 1,
        "contacts": step.contacts.count,
        "creation_s": round(creation, 2),
        "step_ms": {threads: round(1e3 * value, 2) for threads, value in whole.items()},
        "ratio": {threads: round(whole[teams[0]] / value, 2) for threads, value in whole.items()},
        "stages_ms": {
            threads: {
                name: round(1e3 * median(s.get(name, 0.0) for s in found), 2) for name in sorted(set().union(*found))
            }
            for threads, found in stages.items()
        },
        "same_bits": len(set(digests)) == 1,
        "peak_memory_gib": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2),
    }


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("spheres", nargs="*", type=int, default=[20_000, 200_000])
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--json", default="-")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    found: dict[str, Any] = {"environment": environment(), "ceilings": ceilings(chosen.threads), "piles": []}
    print(json.dumps(found["ceilings"]), flush=True)
    for threads in chosen.threads:
        small = simulation(4096, threads)
        for _ in range(WARM_UP):
            small.advance()
    watch = Stopwatch()
    for count in chosen.spheres:
        found["piles"].append(measure(count, chosen.threads, chosen.steps, watch))
        print(json.dumps(found["piles"][-1]), flush=True)
    if chosen.json != "-":
        with open(chosen.json, "w") as file:
            json.dump(found, file, indent=1)


if __name__ == "__main__":
    main()
