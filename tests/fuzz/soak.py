"""A long run with a record: memory and time per step stay what they are.

python tests/fuzz/soak.py MINUTES [PAUSE]

With a pause after each step [s] it leaves the machine to others meanwhile.
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

MOST_STEPS = 2_000_000
WINDOWS = 10
"""The run is divided into this many parts, the first of which is left out: loops are loaded, balls settle."""


def resident() -> float:
    """Memory of the process now [MiB]."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def stirred() -> Any:
    """Balls in a box, stirred by a paddle that turns for ever."""
    import signorini as sg

    model = sg.Model()
    model.add_box_container((0.6, 0.6, 0.6))
    model.add_body(sg.Box((0.5, 0.02, 0.1)), mass=1.0, position=(0.3, 0.3, 0.1), name="paddle")
    model.add_revolute(None, "paddle", (0.3, 0.3, 0.1), (0, 0, 1), name="shaft")
    model.add_motor("shaft", speed=3.0)
    for k in range(24):
        place = (0.1 + 0.1 * (k % 5), 0.1 + 0.1 * (k // 5), 0.35)
        model.add_body(sg.Sphere(0.04), density=1000, position=place)
    return model


def reference() -> float:
    """Processor time of something that is always the same [s]: what else the machine does slows it down as well."""
    begin = time.process_time()
    x = np.full((40, 40), 0.01)
    for _ in range(40):
        x = np.tanh(x @ x.T) + 0.01
    return time.process_time() - begin


def soak(minutes: float, pause: float) -> dict[str, Any]:
    """Memory and processor time per step of the windows, the latter also relative to the reference."""
    import signorini as sg

    warnings.simplefilter("ignore")
    sim = sg.Simulation(stirred(), step=0.005, threads=1)
    rows = np.zeros((MOST_STEPS, 3))  # no list: what the process has of memory must not grow by what is written down
    rows.fill(np.nan)
    begin, last = time.monotonic(), [time.process_time()]

    def note(step: Any) -> None:
        rows[step.number] = time.process_time() - last[0], reference(), resident()
        time.sleep(pause)
        last[0] = time.process_time()

    with tempfile.TemporaryDirectory() as folder:
        end = begin + 60.0 * minutes
        stop = lambda _: time.monotonic() > end or sim.number + 2 > MOST_STEPS  # noqa: E731
        sim.run(1e6, record=Path(folder) / "run.h5", callbacks=[note], stop=stop)
        size = (Path(folder) / "run.h5").stat().st_size
    parts = np.array_split(rows[1 : sim.number + 1], WINDOWS)[1:]
    cost, unit, used = (np.array([np.median(part[:, k]) for part in parts]) for k in range(3))
    return {
        "steps": sim.number, "minutes": (time.monotonic() - begin) / 60.0, "record_bytes": size,
        "memory_MiB": used.tolist(), "memory_range": float(np.ptp(used) / used[0]),
        "ms_per_step": (1e3 * cost).tolist(), "reference_ms": (1e3 * unit).tolist(),
        "relative": (cost / unit).tolist(), "time_growth": trend(cost / unit),
    }  # fmt: skip


def trend(values: Any) -> float:
    """Growth from the first to the last window along the straight line through all of them, relative to their mean."""
    slope = np.polyfit(np.arange(len(values)), values, 1)[0]
    return float(slope * (len(values) - 1) / np.mean(values))


if __name__ == "__main__":
    print(json.dumps(soak(float(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else 0.0), indent=1))
