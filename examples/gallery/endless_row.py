"""A push runs round a row of balls that has no end."""

from __future__ import annotations

import numpy as np

import signorini as sg

STEP, DURATION = 0.001, 2.0
BALLS, RADIUS, SPEED = 8, 0.05, 0.5
GAP = 1.0 / BALLS - 2 * RADIUS


def build() -> sg.Model:
    """Space repeats itself every metre along x: the last ball hits the first one."""
    model = sg.Model(gravity=(0, 0, 0))
    model.set_periodic(x=(0.0, 1.0))
    steel = sg.Material(friction=0.0, restitution=1.0)
    for k in range(BALLS):
        speed = SPEED if k == 0 else 0.0
        place = ((k + 0.5) / BALLS, 0, 0)
        model.add_body(sg.Sphere(RADIUS), mass=1.0, position=place, velocity=(speed, 0, 0), material=steel)
    return model


def check(run: sg.Run) -> None:
    """Each ball moves on by a gap in its turn: five rounds in two seconds."""
    rounds = SPEED * DURATION / (BALLS * GAP)
    moved = run.position()[-1, :, 0] - run.position()[0, :, 0]
    assert np.allclose(moved, rounds * GAP, atol=0.01)
    assert np.allclose(np.sort(run.velocity()[-1, :, 0]), [0.0] * (BALLS - 1) + [SPEED], atol=1e-9)
