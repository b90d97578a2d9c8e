"""Contact laws on flexible bodies: what springs, bonds and static friction carry, against statics."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import signorini as sg
from signorini.flexible import Mesh, SoftBody
from signorini.materials import Elastic

G, SIZE = 9.81, 0.1
WEIGHT = 1000.0 * SIZE**3 * G


def cube() -> SoftBody:
    """1 kg, stiff, two elements along each edge: nine nodes on a face."""
    solid = Elastic(young=1e6, poisson=0.3, density=1000.0)
    return SoftBody(Mesh.box((SIZE,) * 3, (2, 2, 2)), solid, stiffness_damping=0.01)


def run(material: sg.Material, height: float, ceiling: bool = False, duration: float = 0.5, **more: Any) -> Any:
    """The cube on a floor at z = 0 or under a ceiling there."""
    model = sg.Model(**more)
    normal = (0, 0, -1) if ceiling else (0, 0, 1)
    model.add_fixed_body(sg.HalfSpace(normal), material=material, name="wall")
    model.add_flexible(cube(), position=(0, 0, height), material=material, name="cube")
    sim = sg.Simulation(model, step=2e-3)
    sim.run(duration)
    return sim.advance()


def test_a_compliant_contact_gives_way_by_its_share_of_the_weight() -> None:
    """Springs at nine nodes, of e on either side: W = sum of penetrations / 2e."""
    e = 1e-4
    step = run(sg.Material(friction=0.5, compliance=e, damping=200.0), 0.5 * SIZE)
    assert step.status.ok
    depth = -step.contacts.gap
    assert depth.min() > 0
    assert depth.sum() / (2 * e) == pytest.approx(WEIGHT, rel=2e-3)
    assert step.impulses[:, 0].sum() / 2e-3 == pytest.approx(WEIGHT, rel=2e-3)


@pytest.mark.parametrize(("share", "holds"), [(1.3, True), (0.5, False)])
def test_bonds_hold_up_to_their_strength(share: float, holds: bool) -> None:
    """Under a ceiling: nine bonds that together carry more or less than the weight, with room for uneven shares."""
    strength = share * WEIGHT / 9.0 * (2.0 if holds else 1.0)
    step = run(sg.Material(friction=0.5, cohesion=strength), -0.5 * SIZE, ceiling=True)
    z = step.state.node_position[:, 2].max()
    if holds:
        assert z == pytest.approx(0.0, abs=1e-4)
        assert -step.impulses[:, 0].sum() / 2e-3 == pytest.approx(WEIGHT, rel=1e-2)
    else:
        assert z < -0.3


@pytest.mark.parametrize(("slope", "sticks"), [(0.4, True), (1.0, False)])
def test_static_friction_holds_a_slope_that_kinetic_friction_does_not(slope: float, sticks: bool) -> None:
    """Nodes that carry little slip at once, so that static friction needs a reserve over the whole face."""
    angle = math.atan(slope)
    gravity = (G * math.sin(angle), 0.0, -G * math.cos(angle))
    material = sg.Material(friction=0.3, static_friction=0.9)
    step = run(material, 0.5 * SIZE, gravity=gravity)
    moved = float(step.state.node_position[:, 0].mean())
    if sticks:
        assert moved < 2e-3
    else:
        a = G * (math.sin(angle) - 0.3 * math.cos(angle))
        assert moved == pytest.approx(0.5 * a * 0.5**2, rel=0.1)


@pytest.mark.parametrize("law", [{"restitution": 0.5}, {"rolling_friction": 1e-3}])
def test_laws_of_rigid_bodies_are_named(law: dict[str, float]) -> None:
    model = sg.Model()
    model.add_fixed_body(sg.HalfSpace((0, 0, 1)), material=sg.Material(**law))
    model.add_flexible(cube(), position=(0, 0, 1), name="cube")
    with pytest.raises(sg.SignoriniError, match=rf"'cube'.*{next(iter(law))}"):
        sg.Simulation(model, step=1e-3)


def test_plain_materials_beside_springs_keep_their_answer() -> None:
    """A spring between two rigid bodies far away changes nothing for the cube."""
    heights = []
    for compliance in (0.0, 1e-5):
        model = sg.Model()
        model.add_fixed_body(sg.HalfSpace((0, 0, 1)), name="floor")
        model.add_flexible(cube(), position=(0, 0, 0.5 * SIZE), name="cube")
        model.add_body(sg.Sphere(0.05), mass=1.0, position=(1, 0, 0.05), name="ball",
                       material=sg.Material(compliance=compliance))  # fmt: skip
        sim = sg.Simulation(model, step=2e-3)
        sim.run(0.2)
        heights.append(np.sort(sim.state.node_position[:, 2]))
    np.testing.assert_allclose(heights[0], heights[1], atol=1e-8)
