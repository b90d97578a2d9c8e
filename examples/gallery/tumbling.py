"""A handle in free flight turns over again and again (Dzhanibekov).

Rotation about the middle axis of inertia is not stable; energy stays.
"""

from __future__ import annotations

import signorini as sg

STEP, DURATION = 0.004, 2.2


def build() -> sg.Model:
    """A T made of two boxes."""
    model = sg.Model(gravity=(0, 0, 0))
    parts = [
        (sg.Box((0.3, 0.04, 0.04)), (0, 0, 0), (1, 0, 0, 0)),
        (sg.Box((0.04, 0.16, 0.04)), (0, 0.1, 0), (1, 0, 0, 0)),
    ]
    model.add_body(parts, density=2700, angular_velocity=(0.02, 12, 0), name="handle")
    return model


def check(run: sg.Run) -> None:
    """Energy is kept."""
    energy = run.channel("kinetic_energy")
    assert abs(energy[-1] / energy[1] - 1) < 5e-3
    spin = run.angular_velocity("handle")[:, 1]
    assert spin.min() < -8, "it has turned over"
