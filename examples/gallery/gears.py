"""Two gears: 20 and 40 teeth.

The large wheel turns half as fast, the other way.
"""

from __future__ import annotations

import numpy as np

import signorini as sg

STEP, DURATION = 0.01, 2.0


def build() -> sg.Model:
    """Two wheels on shafts; a torque drives the small one."""
    model = sg.Model(gravity=(0, 0, 0))
    for name, x, radius in (("small", 0.0, 0.1), ("large", 0.3, 0.2)):
        model.add_body(sg.Cylinder(radius, 0.04), density=7800, position=(x, 0, 0), name=name)
        model.add_revolute(None, name, position=(x, 0, 0), axis=(0, 0, 1), name=f"{name} shaft")
    model.add_gear("small shaft", "large shaft", (20, 40))
    model.add_motor("small shaft", torque=1.0)
    return model


def check(run: sg.Run) -> None:
    """Teeth that pass are the same."""
    small, large = run.joint_coordinate("small shaft"), run.joint_coordinate("large shaft")
    assert small[-1] > 2 * np.pi
    assert np.abs(20 * small + 40 * large).max() < 1e-2
