"""Models with more than two million shapes have other identities of contacts, and are otherwise stepped like any."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import signorini as sg
from signorini.collision import shape_table
from signorini.kernels.collision.identity import MOST_PART_BITS, PART_BITS
from signorini.stepping.step import DviStep


def pile() -> sg.Model:
    """Spheres in a box, with a box that turns and a triangle mesh below."""
    model, rng = sg.Model(), np.random.default_rng(3)
    model.add_fixed_body(sg.shapes.HeightField(0.01 * rng.normal(size=(6, 6)), 0.1), material=sg.Material(friction=0.5))
    for k in range(12):
        at = (0.08 * (k % 2) - 0.04, 0.08 * (k // 2 % 2) - 0.04, 0.06 + 0.09 * (k // 4))
        model.add_body(sg.Sphere(0.035), density=1000, position=at, velocity=0.3 * rng.normal(size=3))
    model.add_body(
        sg.Box((0.2, 0.05, 0.05)), density=800, position=(0, 0, 0.36), velocity=(0, 0, -1), angular_velocity=(3, 9, 1)
    )
    return model


def tumbling() -> sg.Model:
    """Sticks that turn far in a step: contacts are met along their way."""
    model, rng = sg.Model(), np.random.default_rng(3)
    model.add_fixed_body(sg.HalfSpace((0, 0, 1)))
    for k in range(3):
        model.add_body(
            sg.Box((0.4, 0.06, 0.03)), density=800, position=(0.15 * k, 0, 0.2 + 0.1 * k),
            angular_velocity=25.0 * rng.normal(size=3),
        )  # fmt: skip
    return model


def periodic() -> sg.Model:
    """Spheres that touch across the ends of a period."""
    model = sg.Model(gravity=(1.0, 0.0, -9.81))
    model.set_periodic(x=(-0.2, 0.2))
    model.add_fixed_body(sg.HalfSpace((0, 0, 1)), material=sg.Material(friction=0.1))
    for k in range(5):
        model.add_body(sg.Sphere(0.04), density=1000, position=(-0.19 + 0.08 * k, 0, 0.04), velocity=(0.5 * k, 0, 0))
    return model


def run(model: sg.Model, steps: int = 50) -> list[DviStep]:
    """By the general way, whose contacts come from a detector."""
    solver = sg.ProjectedSOR(tolerance=1e-9, max_iterations=2000)
    sim = sg.Simulation(model, step=0.005, solver=solver, on_failure="warn")
    found = [sim.advance() for _ in range(steps)]
    assert all(step.way.startswith("general") for step in found)
    return found


@pytest.mark.filterwarnings("ignore:.*iteration limit")
@pytest.mark.parametrize(("make", "bits"), [(pile, 23), (tumbling, 23), (periodic, MOST_PART_BITS)])
def test_steps_are_the_same_bits(make: Callable[[], sg.Model], bits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = run(make())
    monkeypatch.setattr(shape_table, "part_bits", lambda shapes: bits)
    wide = run(make())
    for one, other in zip(usual, wide, strict=True):
        assert one.state.position.tobytes() == other.state.position.tobytes()
        assert one.iterations == other.iterations, "warm starts found other impulses"
        assert np.array_equal(one.contacts.swept, other.contacts.swept)
        pairs = [(c.pair >> c.part_bits, c.pair & ((1 << c.part_bits) - 1)) for c in (one.contacts, other.contacts)]
        assert np.array_equal(*pairs)
    assert {step.contacts.part_bits for step in usual if step.contacts.count} == {PART_BITS}
    assert {step.contacts.part_bits for step in wide if step.contacts.count} == {bits}
    assert make is not tumbling or any(step.contacts.swept.any() for step in wide)
