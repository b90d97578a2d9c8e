"""A conveyor belt carries a box up to its own speed."""

from __future__ import annotations

import signorini as sg

STEP, DURATION = 0.005, 0.8


def build() -> sg.Model:
    """A surface that runs at 0.8 m/s over a fixed body."""
    model = sg.Model()
    model.add_fixed_body(sg.Box((4, 0.6, 0.2)), position=(1.2, 0, -0.1), surface_velocity=(0.8, 0, 0), name="belt")
    model.add_body(sg.Box((0.3, 0.3, 0.2)), mass=3.0, position=(0, 0, 0.1), name="box")
    return model


def check(run: sg.Run) -> None:
    """The box slipped first and then moved with the belt."""
    assert abs(run.velocity("box")[-1, 0] - 0.8) < 1e-6
    slipping = 0.8 / (0.4 * 9.81)
    assert abs(run.position("box")[-1, 0] - 0.8 * (DURATION - slipping / 2)) < 0.01
