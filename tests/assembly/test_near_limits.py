"""Limits of joints in the problem of a step."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini.assembly.assemble import Assembler
from signorini.model.state import State


def swing(angle: float) -> tuple[Assembler, State]:
    """A door turned by `angle`, with limits at 0 and 1 rad."""
    model = sg.Model(gravity=(0, 0, 0))
    model.add_body(sg.Box((1, 0.1, 1)), mass=1.0, position=(0.5, 0, 0), name="door")
    model.add_revolute(None, "door", (0, 0, 0), (0, 0, 1), limits=(0.0, 1.0), name="hinge")
    state = model.initial_state()
    turned = np.array([np.cos(0.5 * angle), 0.0, 0.0, np.sin(0.5 * angle)])
    state.orientation[0] = turned
    state.position[0] = 0.5 * np.array([np.cos(angle), np.sin(angle), 0.0])
    state.angular_velocity[0] = (0.0, 0.0, -1.0)
    return Assembler(model), state


@pytest.mark.parametrize(("angle", "asked"), [(1e-15, 0.0), (-1e-15, 0.0), (1e-6, -1e-3), (-1e-6, 1e-3)])
def test_distances_that_are_round_off_ask_for_no_velocity(angle: float, asked: float) -> None:
    assembler, state = swing(angle)
    limits = assembler.near_limits(state, 1e-3)
    offsets = limits.offsets(1e-3, np.inf)
    assert len(offsets) == 1, "the other end is far away"
    assert offsets[0] == pytest.approx(asked, rel=1e-6, abs=0.0)
