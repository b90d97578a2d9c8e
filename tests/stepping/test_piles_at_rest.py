"""Piles come to rest: penetrations of the size of solver tolerances ask for no speed."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini.kernels.bodies.contact_jacobian import at_rest, bent_offset

DIAMETER = 0.07


def test_penetrations_at_rest_ask_for_no_speed() -> None:
    rest = 1e-3
    assert at_rest(-2.0, rest) == -2.0, "a gap closes"
    assert at_rest(0.9 * rest, rest) == 0.0
    assert at_rest(1.5 * rest, rest) == pytest.approx(0.5 * rest), "what goes beyond is pushed back"
    assert at_rest(2.5 * rest, rest) == 0.0, "deeper ones are left to the correction of positions"


def test_bent_paths_and_contacts_on_the_way_ask_for_all() -> None:
    gap, h, shallow, rest = -1e-8, 0.01, 1e-9, 1e-7
    assert bent_offset(gap, 0.0, 0.0, h, np.inf, shallow, rest) == 0.0
    assert bent_offset(gap, 0.0, 0.0, h, np.inf, np.inf, rest) == -gap / h
    bend = -1e-6
    assert bent_offset(gap, bend, 0.0, h, np.inf, shallow, rest) == pytest.approx((-bend + shallow) / h)


def pile(layers: int, seed: int) -> sg.Model:
    """Balls in close layers in a box, each with an overlap or gap of its own of about 1e-8 m with its neighbours."""
    model = sg.Model()
    side = layers * DIAMETER
    model.add_box_container(size=(side, side, 1.0), material=sg.Material(friction=0.4))
    noise = np.random.default_rng(seed).normal(scale=1e-8, size=(layers**3, 3))
    for k, jitter in enumerate(noise):
        place = np.array([k % layers, k // layers % layers, k // layers**2])
        model.add_body(sg.Sphere(0.5 * DIAMETER), density=1000, position=(place + 0.5) * DIAMETER + jitter)
    return model


@pytest.mark.parametrize("layers", [3, 6])
def test_a_pile_with_inconsistent_gaps_comes_to_rest(layers: int) -> None:
    """Small ones are stepped by the compiled way, large ones by the general one."""
    simulation = sg.Simulation(pile(layers, seed=3), step=5e-3)
    for _ in range(40):
        step = simulation.advance()
        assert step.status.ok
    assert ("compiled" in step.way) == (layers == 3)
    assert np.abs(step.state.velocity).max() < 1e-6
    assert step.contacts.gap.min() > -1.01e-6 * DIAMETER
