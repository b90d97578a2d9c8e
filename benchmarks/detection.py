"""Collision detection alone: milliseconds for dense packings of spheres in a box.

    python benchmarks/detection.py [--repeat 30] [--json FILE]

Levels to hold on one quiet core: 2 ms for 5000 equal spheres, 8 to 10 ms for 20,000, broad and narrow phase together.
The polydisperse packing (radii 1:10) takes the sweep.
"""

from __future__ import annotations

import argparse
import time
from statistics import median
from typing import Any

import numpy as np

from common import print_rows, write_json
from signorini.collision.detector import Detector
from signorini.model.model import Model
from signorini.model.shapes.sphere import Sphere

STEP = 0.005


def packing(count: int, largest: float, smallest: float) -> Model:
    """Spheres on a jittered lattice in a container, in random order, touching their neighbours."""
    rng = np.random.default_rng(count)
    side = round(count ** (1 / 3)) + 1
    pitch = 1.98 * largest
    places = rng.permutation(np.stack(np.unravel_index(np.arange(side**3), (side,) * 3), axis=1))[:count]
    model = Model()
    model.add_box_container(size=(side * pitch,) * 3)
    for place in places:
        radius = float(smallest * (largest / smallest) ** rng.random())
        position = (place + 0.5) * pitch + 0.02 * largest * rng.normal(size=3)
        model.add_body(Sphere(radius), density=1000.0, position=position)
    return model


def measure(name: str, model: Model, repeat: int) -> dict[str, Any]:
    """Median and least time of one detection, after a first that compiles."""
    detector, state = Detector(model), model.initial_state()
    contacts = detector.detect(state, STEP).count
    seconds = []
    for _ in range(repeat):
        start = time.perf_counter()
        detector.detect(state, STEP)
        seconds.append(time.perf_counter() - start)
    return {
        "packing": name,
        "bodies": len(model.bodies),
        "contacts": contacts,
        "median ms": round(1e3 * median(seconds), 2),
        "least ms": round(1e3 * min(seconds), 2),
        "ns per contact": round(1e9 * min(seconds) / max(contacts, 1)),
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=30)
    parser.add_argument("--json")
    options = parser.parse_args()
    rows = [measure(f"equal {n}", packing(n, 0.035, 0.035), options.repeat) for n in (1000, 5000, 20_000)]
    rows += [measure(f"1:10 {n}", packing(n, 0.035, 0.0035), options.repeat) for n in (1000, 5000)]
    print_rows(rows, dict.fromkeys(rows[0], str))
    if options.json:
        write_json(options.json, {"detection": rows})


if __name__ == "__main__":
    main()
