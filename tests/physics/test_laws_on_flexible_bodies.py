"""Contact laws on flexible bodies: what springs, bonds and static friction carry, against statics."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import signorini as sg
from signorini.assembly.laws.patches import Patches
from signorini.assembly.masses import Masses
from signorini.collision.detector import Detector
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


@pytest.mark.parametrize(
    ("law", "told"),
    [
        ({"rolling_friction": 1e-3}, "'rope' is a cable.*no twist"),
        ({"spinning_friction": 1e-3}, "'rope' is a cable.*no twist"),
        ({"cross_friction": 0.1, "direction": (0, 1, 0)}, "'rope' is a cable.*runs across it"),
    ],
)
def test_what_a_cable_cannot_have_is_told(law: dict[str, Any], told: str) -> None:
    model = sg.Model()
    cable = sg.flexible.Cable.straight(1.0, 2, radius=0.01, young=1e7, density=1000.0)
    model.add_flexible(cable, position=(0, 0, 1), name="rope", material=sg.Material(**law))
    with pytest.raises(sg.SignoriniError, match=told):
        sg.Simulation(model, step=1e-3)


@pytest.mark.parametrize(("slope", "rolls"), [(0.08, False), (0.12, True)])
def test_rolling_friction_holds_a_ball_on_a_soft_slope(slope: float, rolls: bool) -> None:
    """It stays where tan(slope) < r / R, and rolls at 5/7 g (sin(slope) - r / R cos(slope)) beyond."""
    radius, length, angle = 0.05, 0.005, math.atan(slope)
    model = sg.Model(gravity=(G * math.sin(angle), 0.0, -G * math.cos(angle)))
    material = sg.Material(friction=0.8, rolling_friction=length)
    slab = SoftBody(Mesh.box((0.6, 0.2, 0.05), (6, 2, 1)), Elastic(young=1e8, poisson=0.3, density=1000.0))
    model.add_flexible(slab, position=(0, 0, -0.025), material=material, name="slab")
    model.hold_nodes("slab", lambda x: x[:, 2] < -0.049)
    model.add_body(sg.Sphere(radius), mass=0.5, position=(-0.05, 0.013, radius), material=material)
    sim = sg.Simulation(model, step=2e-3)
    sim.run(0.4)
    a = 5.0 / 7.0 * G * (math.sin(angle) - length / radius * math.cos(angle)) if rolls else 0.0
    assert sim.state.velocity[0, 0] == pytest.approx(0.4 * a, rel=0.02, abs=1e-3)


def test_spinning_friction_hands_a_spin_to_a_soft_body() -> None:
    """A ball that spins on a cube on ice: both turn alike in the end, with the angular momentum of the beginning."""
    model, material = sg.Model(), sg.Material(friction=0.8, spinning_friction=0.05)
    model.add_fixed_body(sg.HalfSpace(), material=sg.Material(friction=0.0))
    solid = Elastic(young=1e8, poisson=0.3, density=1000.0)
    soft = model.add_flexible(SoftBody(Mesh.box((SIZE,) * 3, (2, 2, 2)), solid), position=(0, 0, 0.5 * SIZE),
                              material=material)  # fmt: skip
    model.add_body(sg.Sphere(0.05), mass=2.0, position=(0, 0, SIZE + 0.05), angular_velocity=(0, 0, 2.0),
                   material=material)  # fmt: skip
    sim = sg.Simulation(model, step=1e-3)
    sim.run(0.15)
    mass = soft.flexible.mass.diagonal()[::3]
    x, v = sim.state.node_position, sim.state.node_velocity
    spin, own = (mass @ np.cross(x, y)[:, 2] for y in (v, np.cross((0, 0, 1.0), x)))
    ball = 0.4 * 2.0 * 0.05**2
    w = sim.state.angular_velocity[1, 2]
    assert spin + ball * w == pytest.approx(2.0 * ball, rel=1e-6)
    assert w == pytest.approx(2.0 * ball / (ball + own), rel=0.01)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("along", [False, True])
def test_a_grain_turns_with_a_soft_body(turned: bool, along: bool) -> None:
    """A cube slides over a floor: its own grain, drawn along x of its mesh, decides which coefficient brakes it."""
    mu, across = 0.4, 0.1
    q = (math.sqrt(0.5), 0, 0, math.sqrt(0.5)) if turned else (1, 0, 0, 0)
    speed = np.array([1.0, 0, 0] if along != turned else [0, 1.0, 0])
    model = sg.Model()
    model.add_fixed_body(sg.HalfSpace(), material=sg.Material(friction=1.0))
    material = sg.Material(friction=mu, cross_friction=across, direction=(1, 0, 0))
    soft = model.add_flexible(cube(), position=(0, 0, 0.5 * SIZE), orientation=q, velocity=speed, material=material)
    sim = sg.Simulation(model, step=1e-3)
    sim.run(0.1)
    left = soft.centre(sim.state.node_velocity)
    np.testing.assert_allclose(left, speed * (1.0 - 0.1 * G * (mu if along else across)), atol=5e-3)


@pytest.mark.parametrize(("direction", "mu"), [((1, 0, 0), 0.4), ((0, 1, 0), 0.1)])
def test_a_floor_with_a_grain_brakes_soft_bodies(direction: tuple[float, float, float], mu: float) -> None:
    model = sg.Model()
    floor = sg.Material(friction=0.4, cross_friction=0.1, direction=direction)
    model.add_fixed_body(sg.HalfSpace(), material=floor)
    soft = model.add_flexible(cube(), position=(0, 0, 0.5 * SIZE), velocity=(1, 0, 0),
                              material=sg.Material(friction=1.0))  # fmt: skip
    sim = sg.Simulation(model, step=1e-3)
    sim.run(0.1)
    assert soft.centre(sim.state.node_velocity)[0] == pytest.approx(1.0 - 0.1 * G * mu, abs=5e-3)


def test_a_cable_has_its_grain_along_itself() -> None:
    """One that lies across its way slides with the coefficient across, whatever part of it touches."""
    model = sg.Model()
    model.add_fixed_body(sg.HalfSpace(), material=sg.Material(friction=1.0))
    material = sg.Material(friction=0.1, cross_friction=0.4, direction=(1, 0.2, 0))
    cable = sg.flexible.Cable.straight(0.5, 3, radius=0.01, young=1e8, density=1000.0)
    soft = model.add_flexible(cable, position=(0, 0, 0.01), velocity=(0, 1, 0), material=material)
    sim = sg.Simulation(model, step=1e-3)
    sim.run(0.1)
    assert soft.centre(sim.state.node_velocity)[1] == pytest.approx(1.0 - 0.1 * G * 0.4, abs=5e-3)


def test_patches_turn_and_carry_directions_as_rigid_bodies_do() -> None:
    """Rigid motion of the nodes gives its own angular velocity; forces of a torque have no sum, and its moment."""
    model, law = sg.Model(), sg.Material(rolling_friction=1e-3, cross_friction=0.1, direction=(1, 2, 3))
    model.add_fixed_body(sg.HalfSpace(), material=law)
    model.add_flexible(cube(), position=(0, 0, 0.5 * SIZE), material=law)
    state = model.initial_state()
    R = Rotation.from_rotvec([0.3, 0.2, -0.5]).as_matrix()
    contacts = Detector(model).detect(state, 1e-3)
    state.node_position[:] = state.node_position @ R.T
    patches = Patches.of(model, Masses.of(model))
    assert patches is not None
    spin, torque = np.array([1.0, -2.0, 0.5]), np.array([0.3, 0.1, -0.7])
    for k in range(contacts.count):
        nodes, B = patches.spin(state, contacts, k, 0)
        x = state.node_position[nodes]
        forces = np.einsum("nij,i->nj", B, torque)
        np.testing.assert_allclose(np.einsum("nij,nj->i", B, np.cross(spin, x)), spin, atol=1e-12)
        np.testing.assert_allclose(forces.sum(axis=0), 0.0, atol=1e-10)
        np.testing.assert_allclose(np.cross(x, forces).sum(axis=0), torque, atol=1e-12)
        drawn = R @ np.array([1, 2, 0])
        way = patches.direction(state, contacts, k, 0, np.array([1.0, 2.0, 0.0]))
        assert way @ drawn > 0
        if len(nodes) and contacts.sides.nodes[k, 0, 1] < 0 and np.abs(x @ R[:, 2] - x[0] @ R[:, 2]).max() < 1e-12:
            np.testing.assert_allclose(way, drawn, atol=1e-12)


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
