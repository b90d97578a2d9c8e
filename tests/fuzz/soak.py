"""A long run with a record: memory and time per step stay what they are.

python tests/fuzz/soak.py MINUTES [PAUSE]

With a pause after each step [s] it leaves the machine to others meanwhile.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import socket
import struct
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

MOST_STEPS = 2_000_000
SETTLED, PROBED, ROUNDS = 300, 60, 5
"""Steps before probes, and of each, and how often they are repeated: of each step the shortest time counts."""
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


class Young:
    """A process that takes the same steps as this one, and was forked a moment ago from one that has waited all along.

    What else the machine does slows it down as well, for it does the same with the same memory; age alone differs.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._requests, requests = socket.socketpair()
        self._nursery = os.fork()
        if not self._nursery:
            self._requests.close()
            self._wait(requests)
        requests.close()

    def _wait(self, requests: socket.socket) -> None:
        """In the nursery: fork a process for each request, which serves it; never returns."""
        code = 1
        try:
            gc.freeze()
            while requests.recv(1) == b"n":
                if not os.fork():
                    self._serve(requests)
                    os._exit(0)
                os.wait()
            code = 0
        finally:
            os._exit(code)

    def _serve(self, requests: socket.socket) -> None:
        """One byte starts the steps anew, another asks for a step, whose time is answered."""
        steps = Steps(self._path)
        while (asked := requests.recv(1)) != b"e":
            if asked == b"b":
                steps.begin()
            requests.sendall(struct.pack("d", steps() if asked == b"s" else 0.0))

    def born(self) -> None:
        """A new process, from now on."""
        self._requests.sendall(b"n")

    def ask(self, what: bytes) -> float:
        """`b`: begin, `s`: a step; its processor time [s]."""
        self._requests.sendall(what)
        answer: float = struct.unpack("d", self._requests.recv(8))[0]
        return answer

    def dies(self) -> None:
        """The end of the process."""
        self._requests.sendall(b"e")

    def close(self) -> None:
        """The end of the nursery."""
        self._requests.close()
        os.waitpid(self._nursery, 0)


class Steps:
    """The same steps again and again."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.begin()

    def begin(self) -> None:
        """From the same state."""
        import signorini as sg

        self._sim = sg.Simulation.resume(self._path)

    def __call__(self) -> float:
        """Processor time of the next step [s]."""
        begin = time.thread_time()
        self._sim.advance()
        return time.thread_time() - begin


class Probe:
    """Time per step of this process over that of a young one, step by step in turn."""

    def __init__(self, folder: Path) -> None:
        import signorini as sg

        path = folder / "probe.h5"
        sg.Simulation(stirred(), step=0.005, threads=1).run(SETTLED * 0.005, record=path)
        self._own = Steps(path)
        for _ in range(PROBED):
            self._own()
        self.young = Young(path)

    def __call__(self) -> float:
        """Of the least times of each step; the first round is left out."""
        times = np.zeros((ROUNDS + 1, PROBED, 2))
        self.young.born()
        for part in times:
            self._own.begin()
            self.young.ask(b"b")
            for k, pair in enumerate(part):
                if k % 2:
                    pair[:] = self._own(), self.young.ask(b"s")
                else:
                    pair[::-1] = self.young.ask(b"s"), self._own()
        self.young.dies()
        own, young = times[1:].min(axis=0).sum(axis=0)
        return float(own / young)


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
        probe.young.close()
        size = (Path(name) / "run.h5").stat().st_size
    parts = np.array_split(memory[1 : sim.number + 1], WINDOWS)[1:]
    used = np.array([np.median(part) for part in parts])
    return {
        "steps": sim.number, "minutes": (time.monotonic() - begin) / 60.0, "record_bytes": size,
        "memory_MiB": used.tolist(), "memory_range": float(np.ptp(used) / used[0]),
        "probes": probes, "time_range": float(np.ptp(probes) / np.mean(probes)),
        "time_growth": trend(np.array(probes)),
    }  # fmt: skip


def trend(values: Any) -> float:
    """Growth from the first to the last window along the straight line through all of them, relative to their mean."""
    slope = np.polyfit(np.arange(len(values)), values, 1)[0]
    return float(slope * (len(values) - 1) / np.mean(values))


if __name__ == "__main__":
    print(json.dumps(soak(float(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else 0.0), indent=1))
