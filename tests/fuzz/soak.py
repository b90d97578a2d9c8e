"""A long run with a record: memory and time per step stay what they are.

python tests/fuzz/soak.py MINUTES
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


def soak(minutes: float) -> dict[str, Any]:
    """Steps, memory and processor time per step of the windows."""
    import signorini as sg

    warnings.simplefilter("ignore")
    sim = sg.Simulation(stirred(), step=0.005, threads=1)
    rows: list[tuple[float, float, float]] = []
    begin = time.monotonic()

    def note(step: Any) -> None:
        rows.append((time.monotonic() - begin, time.process_time(), resident()))

    with tempfile.TemporaryDirectory() as folder:
        sim.run(1e6, record=Path(folder) / "run.h5", callbacks=[note], stop=lambda _: rows[-1][0] > 60.0 * minutes)
        size = (Path(folder) / "run.h5").stat().st_size
    wall, spent, memory = np.array(rows).T
    parts = np.array_split(np.arange(1, len(rows)), WINDOWS)[1:]
    cost = [float(np.median(np.diff(spent)[part - 1])) for part in parts]
    used = [float(np.median(memory[part])) for part in parts]
    return {
        "steps": len(rows), "minutes": float(wall[-1]) / 60.0, "record_bytes": size,
        "memory_MiB": used, "memory_growth": used[-1] / used[0] - 1.0,
        "ms_per_step": [1e3 * c for c in cost], "time_growth": cost[-1] / cost[0] - 1.0,
    }  # fmt: skip


if __name__ == "__main__":
    print(json.dumps(soak(float(sys.argv[1])), indent=1))
