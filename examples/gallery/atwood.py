"""Atwood's machine: a rope over a pulley.

The heavy weight falls at `g (m1 - m2) / (m1 + m2)`.
"""

from __future__ import annotations

import signorini as sg

STEP, DURATION = 0.005, 0.4


def build() -> sg.Model:
    """Two weights and a rope that cannot stretch."""
    model = sg.Model()
    model.add_fixed_body(
        sg.Cylinder(0.1, 0.05), position=(0, 0, 1.5), orientation=(0.5**0.5, 0.5**0.5, 0, 0), name="pulley"
    )
    model.add_body(sg.Box((0.1, 0.1, 0.15)), mass=2.0, position=(-0.15, 0, 1.0), name="heavy")
    model.add_body(sg.Box((0.1, 0.1, 0.1)), mass=1.0, position=(0.15, 0, 0.5), name="light")
    stops = [("heavy", (-0.15, 0, 1.075)), (None, (-0.15, 0, 1.6)), (None, (0.15, 0, 1.6)), ("light", (0.15, 0, 0.55))]
    model.add_pulley_rope(stops, name="rope")
    return model


def check(run: sg.Run) -> None:
    """Both have the speed of the closed form."""
    assert abs(run.velocity("heavy")[-1, 2] + 9.81 / 3 * 0.4) < 1e-3
    assert abs(run.velocity("heavy")[-1, 2] + run.velocity("light")[-1, 2]) < 1e-6
