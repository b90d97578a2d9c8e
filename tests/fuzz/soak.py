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
SETTLED, PROBED = 300, 60
"""Steps before probes, and of each."""
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


class Probe:
    """The same steps again and again beside the soak, since balls that are stirred give no two equal ones."""

    def __init__(self, folder: Path) -> None:
        import signorini as sg

        self._path = folder / "probe.h5"
        sg.Simulation(stirred(), step=0.005, threads=1).run(SETTLED * 0.005, record=self._path)
        self()

    def __call__(self) -> float:
        """Processor time of a step over that of the reference, medians of `PROBED` steps from the same state."""
        import signorini as sg

        sim, rows = sg.Simulation.resume(self._path), []
        for _ in range(PROBED):
            begin = time.process_time()
            sim.advance()
            rows.append((time.process_time() - begin, reference()))
        step, unit = np.median(rows, axis=0)
        return float(step / unit)


def soak(minutes: float, pause: float) -> dict[str, Any]:
    """Memory of the windows, and time of probes between them."""
    import signorini as sg

    warnings.simplefilter("ignore")
    sim = sg.Simulation(stirred(), step=0.005, threads=1)
    memory = np.full(
        MOST_STEPS, np.nan
    )  # no list: what the process has of memory must not grow by what is written down
    probes: list[float] = []
    begin = time.monotonic()

    def note(step: Any) -> None:
        memory[step.number] = resident()
        if time.monotonic() - begin >= 60.0 * minutes / WINDOWS * (len(probes) + 1):
            probes.append(probe())
        time.sleep(pause)

    def ended(_: Any) -> bool:
        return len(probes) == WINDOWS or sim.number + 2 > MOST_STEPS

    with tempfile.TemporaryDirectory() as name:
        probe = Probe(Path(name))
        sim.run(1e6, record=Path(name) / "run.h5", callbacks=[note], stop=ended)
        size = (Path(name) / "run.h5").stat().st_size
    parts = np.array_split(memory[1 : sim.number + 1], WINDOWS)[1:]
    used = np.array([np.median(part) for part in parts])
    return {
        "steps": sim.number, "minutes": (time.monotonic() - begin) / 60.0, "record_bytes": size,
        "memory_MiB": used.tolist(), "memory_range": float(np.ptp(used) / used[0]),
        "probes": probes, "time_growth": trend(np.array(probes)),
    }  # fmt: skip


def trend(values: Any) -> float:
    """Growth from the first to the last window along the straight line through all of them, relative to their mean."""
    slope = np.polyfit(np.arange(len(values)), values, 1)[0]
    return float(slope * (len(values) - 1) / np.mean(values))


if __name__ == "__main__":
    print(json.dumps(soak(float(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else 0.0), indent=1))
