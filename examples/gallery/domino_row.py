"""A row of dominoes falls, pushed at the first."""

from __future__ import annotations

import signorini as sg

STEP, DURATION = 0.004, 1.4
SHOWN = 0.7


def build() -> sg.Model:
    """Eight dominoes, 9 cm apart."""
    model = sg.Model()
    model.add_fixed_body(sg.HalfSpace((0, 0, 1)), name="floor")
    for k in range(8):
        push = (0, 2.5, 0) if k == 0 else (0, 0, 0)
        model.add_body(
            sg.Box((0.015, 0.1, 0.2)),
            density=800,
            position=(0.09 * k, 0, 0.1),
            angular_velocity=push,
            velocity=(0.25 if k == 0 else 0, 0, 0),
            name=f"domino-{k}",
        )
    return model


def check(run: sg.Run) -> None:
    """The last one has fallen."""
    assert run.position("domino-7")[-1, 2] < 0.07
