"""Makes the small record that is kept of each version of the format: run it before the version changes.

python tests/io/make_old_records.py tests/io/data
"""

from __future__ import annotations

import sys
from pathlib import Path

import signorini as sg
from signorini.io.record_layout import VERSION


def model() -> sg.Model:
    """Contact, a joint with a limit and friction, all at work."""
    found = sg.Model()
    found.add_fixed_body(sg.HalfSpace((0, 0, 1)), name="floor")
    found.add_body(sg.Sphere(0.1), mass=1.0, position=(0, 0, 0.11), velocity=(0.5, 0, 0), name="ball")
    found.add_body(sg.Box((1.0, 0.1, 0.1)), mass=2.0, position=(0.5, 2.0, 1.0), mask=0, name="arm")
    found.add_revolute(None, "arm", (0, 2.0, 1.0), (0, 1, 0), limits=(-0.02, 0.02), friction=0.3, name="shoulder")
    return found


if __name__ == "__main__":
    target = Path(sys.argv[1]) / f"record-v{VERSION}.h5"
    simulation = sg.Simulation(model(), step=0.005, seed=3)
    simulation.run(0.1, record=target)
    print(target, target.stat().st_size)
