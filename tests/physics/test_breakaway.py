"""A block pulled by a spring breaks away when static friction is exceeded, at its time as steps shrink."""

from __future__ import annotations

import math

import pytest

import signorini as sg

pytestmark = pytest.mark.slow  # whole simulations

G = 9.81
STATIC, KINETIC, MASS, STIFFNESS, SPEED = 0.5, 0.3, 1.0, 1000.0, 0.1
BREAKAWAY = STATIC * MASS * G / (STIFFNESS * SPEED)


def breakaway(h: float) -> float:
    """Time at which the block has the speed that kinetic friction gives it within 2 ms, less these 2 ms."""
    drop, w = (STATIC - KINETIC) * MASS * G / STIFFNESS, math.sqrt(STIFFNESS / MASS)
    after = 2e-3
    speed = SPEED * (1 - math.cos(w * after)) + drop * w * math.sin(w * after)
    model = sg.Model()
    material = sg.Material(friction=KINETIC, static_friction=STATIC)
    model.add_fixed_body(sg.HalfSpace((0, 0, 1)), material=material)
    model.add_body(sg.Box((0.2, 0.2, 0.1)), mass=MASS, position=(0, 0, 0.05), material=material, name="block")
    motion = lambda t: ((1 + SPEED * t, 0, 0.05), (1, 0, 0, 0))  # noqa: E731
    model.add_body(sg.Sphere(0.01), position=(1, 0, 0.05), motion=motion, mask=0, name="hand")
    model.add_spring("block", "hand", (0, 0, 0.05), (1, 0, 0.05), stiffness=STIFFNESS, length=1.0)
    sim = sg.Simulation(model, step=h)
    before = 0.0
    for step in sim:
        now = float(step.state.velocity[1, 0])
        if now > speed:
            return step.state.time - h * (now - speed) / (now - before) - after
        before = now
        assert step.state.time < 0.1
    raise AssertionError


def test_breakaway_converges_with_the_step() -> None:
    errors = [abs(breakaway(h) - BREAKAWAY) for h in (2e-3, 1e-3, 5e-4, 2.5e-4)]
    assert errors[0] < 4e-3
    assert errors[3] < 6e-4
    assert errors[3] < 0.3 * errors[0]
