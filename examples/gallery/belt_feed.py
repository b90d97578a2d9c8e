"""A feeder drops boxes on a belt, which carries them over its end, where they are removed."""

from __future__ import annotations

import numpy as np

import signorini as sg

STEP, DURATION = 0.005, 3.0
RATE, SPEED, LENGTH = 4.0, 0.8, 1.6


def build() -> sg.Model:
    """Four boxes per second; the belt runs at 0.8 m/s; what falls off its end comes again."""
    model = sg.Model()
    model.add_fixed_body(
        sg.Box((LENGTH, 0.3, 0.06)), position=(LENGTH / 2 - 0.2, 0, -0.03), surface_velocity=(SPEED, 0, 0), name="belt"
    )
    model.add_emitter(sg.Box((0.1, 0.1, 0.1)), rate=RATE, capacity=12, low=(0, 0, 0.06), density=300, name="box")
    model.remove_outside((-1, -1, -0.4), (3, 1, 1))
    return model


def check(run: sg.Run) -> None:
    """Boxes on the belt are SPEED / RATE apart; as many have come as were due, and most have gone."""
    there = ~run.model().stored(run.position())
    x = np.sort(run.position()[-1, there[-1], 0][1:])
    carried = x[(x > 0.2) & (x < LENGTH - 0.3)]
    assert len(carried) >= 4
    assert np.allclose(np.diff(carried), SPEED / RATE, atol=1e-3)
    came = np.count_nonzero(np.diff(there[:, 1:].astype(int), axis=0) > 0)
    assert came == RATE * DURATION
    assert there[-1, 1:].sum() < came
