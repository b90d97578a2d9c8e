"""Restitution on flexible bodies: stiff ones bounce as rigid ones do, none gains energy, and impulses are shared."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import signorini as sg
from signorini.flexible import Cable, Mesh, SoftBody
from signorini.materials import Elastic

G, SIZE, STIFF = 9.81, 0.1, 1e9
Z = (0.0, 0.0, 1.0)


def cube(young: float = STIFF, **more: Any) -> SoftBody:
    """1 kg, two elements along each edge: nine nodes on a face."""
    solid = Elastic(young=young, poisson=0.3, density=1000.0)
    return SoftBody(Mesh.box((SIZE,) * 3, (2, 2, 2)), solid, **more)


def rod(young: float = 1e11) -> SoftBody:
    """1 m along x, four elements."""
    return SoftBody(Mesh.box((1.0, 0.1, 0.1), (4, 1, 1)), Elastic(young=young, poisson=0.3, density=1000.0))


def drop(body: SoftBody, material: sg.Material, height: float, duration: float, **more: Any) -> tuple[Any, Any]:
    """Heights of the centre above its place at rest, and energies, of a cube that falls on a floor."""
    model = sg.Model(**more)
    model.add_fixed_body(sg.HalfSpace(), material=material)
    soft = model.add_flexible(body, position=(0, 0, 0.5 * SIZE + height), material=material)
    sim = sg.Simulation(model, step=1e-3)
    steps = [sim.advance() for _ in range(round(duration / 1e-3))]
    assert np.mean([step.status.ok for step in steps]) > 0.99
    heights = [soft.centre(step.state.node_position)[2] - 0.5 * SIZE for step in steps]
    return np.array(heights), np.array([step.energy for step in steps])


@pytest.mark.parametrize("impact", ["newton", "poisson"])
@pytest.mark.parametrize(("elastic", "error"), [("euler", 0.03), ("trapezoidal", 0.06)])
@pytest.mark.parametrize("e", [0.5, 0.8])
def test_a_stiff_block_bounces_to_e_squared_of_its_height(elastic: Any, error: float, e: float, impact: Any) -> None:
    """Times of impacts are right to first order: 2 h u in height."""
    height = 0.1
    z, energy = drop(cube(elastic_step=elastic), sg.Material(friction=0.3, restitution=e), height, 0.24, impact=impact)
    assert z[150:].max() / height == pytest.approx(e * e, rel=error)
    assert energy.max() <= energy[0] * (1 + 1e-9)


@pytest.mark.parametrize(
    ("elastic", "young"),
    [("euler", 1e5), ("euler", 1e7), ("trapezoidal", 1e7), ("explicit", 1e5)],
)
def test_soft_blocks_gain_no_energy(elastic: Any, young: float) -> None:
    _, energy = drop(cube(young, elastic_step=elastic), sg.Material(friction=0.5, restitution=0.9), 0.02, 0.3)
    assert energy.max() <= energy[0] * (1 + 1e-9)


def strike(young: float, e: float, turn: Any = None, scale: float = 1.0) -> tuple[Any, Any, sg.Model]:
    """A rod that flies at 1 m/s and meets a fixed ball under the middle of an edge at its end.

    Returns node velocities after it, node positions before it and the model; `turn` rotates everything, `scale` is the
    unit of length.
    """
    solid = Elastic(young=young / scale, poisson=0.3, density=1000.0 / scale**3)
    body = SoftBody(Mesh.box(tuple(scale * x for x in (1.0, 0.1, 0.1)), (4, 1, 1)), solid)
    model = sg.Model(gravity=(0, 0, 0))
    material, R = sg.Material(friction=0.0, restitution=e, rest_speed=0.01 * scale), np.eye(3) if turn is None else turn
    q = quaternion(R)
    under = R @ (scale * np.array([-0.5, 0.0, -0.1005]))
    model.add_fixed_body(sg.Sphere(0.05 * scale), position=under, material=material)
    soft = model.add_flexible(body, orientation=q, velocity=R @ (scale * np.array([0, 0, -1.0])), material=material)
    sim = sg.Simulation(model, step=1e-3)
    place = sim.state.node_position.copy()
    assert sim.advance().status.ok
    return sim.state.node_velocity[soft.nodes], place, model


def quaternion(R: Any) -> Any:
    """Of a rotation matrix (from scipy: an independent way)."""
    from scipy.spatial.transform import Rotation

    x, y, z, w = Rotation.from_matrix(R).as_quat()
    return np.array([w, x, y, z])


def test_a_free_rod_hit_at_its_end_turns_as_a_rigid_one() -> None:
    """1 / m_eff = 1/m + (r x n) . I^-1 (r x n), impulse (1 + e) u m_eff; the mesh of tetrahedra makes I lopsided."""
    e = 0.6
    after, place, model = strike(1e12, e)
    mass = model.flexibles[0].flexible.mass.diagonal()[::3]
    m, arms = mass.sum(), place - mass @ place / mass.sum()
    inertia = np.einsum("k,ki,kj->ij", mass, arms, arms)
    inertia = np.trace(inertia) * np.eye(3) - inertia
    lever = np.cross([-0.5, 0.0, -0.05] - mass @ place / m, Z)
    impulse = (1 + e) / (1 / m + lever @ np.linalg.solve(inertia, lever))
    np.testing.assert_allclose(mass @ after, [0, 0, -m + impulse], atol=1e-3 * impulse)
    np.testing.assert_allclose(mass @ np.cross(arms, after), impulse * lever, atol=1e-3 * impulse)
    struck = np.isclose(place[:, 0], -0.5) & (place[:, 2] < 0)
    assert after[struck, 2].mean() == pytest.approx(e, rel=2e-3)


@pytest.mark.parametrize("young", [1e6, 1e11])
def test_a_blow_does_not_depend_on_axes_and_units(young: float) -> None:
    from scipy.spatial.transform import Rotation

    plain = strike(young, 0.6)[0]
    R = Rotation.from_rotvec([0.3, -1.1, 0.7]).as_matrix()
    turned = strike(young, 0.6, turn=R)[0]
    np.testing.assert_allclose(turned, plain @ R.T, atol=1e-6)
    in_mm = strike(young, 0.6, scale=1e3)[0]
    np.testing.assert_allclose(in_mm / 1e3, plain, atol=1e-6)


@pytest.mark.parametrize("elastic", ["euler", "trapezoidal", "explicit"])
def test_contact_points_reverse_their_speed(elastic: Any) -> None:
    """Of a soft body too, whatever its inside does: u+ = -e u- at every node that strikes."""
    e, material = 0.7, sg.Material(friction=0.0, restitution=0.7)
    model = sg.Model(gravity=(0, 0, 0))
    model.add_fixed_body(sg.HalfSpace(), material=material)
    soft = model.add_flexible(cube(1e5, elastic_step=elastic), position=(0, 0, 0.5 * SIZE + 1e-4), velocity=(0, 0, -1),
                              material=material)  # fmt: skip
    sim = sg.Simulation(model, step=1e-3)
    step = sim.advance()
    below = soft.position[:, 2] < 1e-3
    np.testing.assert_allclose(step.state.node_velocity[below, 2], e, atol=1e-6)
    momentum = soft.mass * (soft.centre(step.state.node_velocity)[2] + 1.0)
    assert step.impulses[:, 0].sum() == pytest.approx(momentum, rel=1e-9)


def test_a_ball_and_a_stiff_block_part_as_two_balls_do() -> None:
    """Central impact of 0.5 and 1 kg: momentum is kept, and the difference of speeds is e times that before."""
    e, material = 0.6, sg.Material(friction=0.0, restitution=0.6)
    model = sg.Model(gravity=(0, 0, 0))
    model.add_body(sg.Sphere(0.03), mass=0.5, position=(0, 0, 0.5 * SIZE + 0.0301), velocity=(0, 0, -1),
                   material=material)  # fmt: skip
    soft = model.add_flexible(cube(1e10), material=material)
    sim = sg.Simulation(model, step=1e-3)
    for _ in range(3):
        assert sim.advance().status.ok
    v, u = sim.state.velocity[0, 2], soft.centre(sim.state.node_velocity)[2]
    assert 0.5 * v + soft.mass * u == pytest.approx(-0.5, rel=1e-9)
    assert v - u == pytest.approx(e, rel=0.01)


def test_friction_in_a_blow_is_that_of_coulomb() -> None:
    """A stiff cube that strikes while it slides: the tangential impulse is mu times the normal one."""
    mu, e, material = 0.2, 0.5, sg.Material(friction=0.2, restitution=0.5)
    model = sg.Model(gravity=(0, 0, 0))
    model.add_fixed_body(sg.HalfSpace(), material=material)
    soft = model.add_flexible(cube(), position=(0, 0, 0.5 * SIZE + 1e-4), velocity=(3, 0, -1), material=material)
    sim = sg.Simulation(model, step=1e-3)
    step = sim.advance()
    normal, tangent = step.impulses[:, 0].sum(), np.linalg.norm(step.impulses[:, 1:], axis=1).sum()
    assert tangent == pytest.approx(mu * normal, rel=1e-6)
    assert normal <= (1 + e) * soft.mass * (1 + 1e-6)


def test_two_cubes_keep_their_momentum() -> None:
    material = sg.Material(friction=0.3, restitution=0.8)
    model = sg.Model(gravity=(0, 0, 0))
    a = model.add_flexible(cube(1e6), position=(0, 0, 0), velocity=(0.1, 0, 1), material=material)
    b = model.add_flexible(cube(1e6), position=(0.03, 0.02, SIZE + 2e-3), velocity=(0, 0, -1), material=material)
    sim = sg.Simulation(model, step=1e-3)
    energy = []
    for _ in range(60):
        step = sim.advance()
        assert step.status.ok
        energy.append(step.energy)
    p = sum(body.mass * body.centre(step.state.node_velocity) for body in (a, b))
    np.testing.assert_allclose(p, [0.1, 0, 0], atol=1e-9)
    assert max(energy) <= energy[0] * (1 + 1e-9)
    assert b.centre(step.state.node_velocity)[2] > 0.05


def test_a_cable_bounces() -> None:
    """A stiff short cable that falls flat leaves a floor at e times its speed."""
    e, material = 0.5, sg.Material(friction=0.2, restitution=0.5)
    model = sg.Model(gravity=(0, 0, 0))
    model.add_fixed_body(sg.HalfSpace(), material=material)
    cable = Cable.straight(0.2, 2, radius=0.01, young=1e11, density=1000.0)
    soft = model.add_flexible(cable, position=(0, 0, 0.0101), velocity=(0, 0, -1), material=material)
    sim = sg.Simulation(model, step=1e-3)
    for _ in range(3):
        assert sim.advance().status.ok
    assert soft.centre(sim.state.node_velocity)[2] == pytest.approx(e, rel=0.02)


def test_rigid_bodies_beside_flexible_ones_bounce_as_they_do_alone() -> None:
    heights = []
    for beside in (False, True):
        model, material = sg.Model(), sg.Material(friction=0.3, restitution=0.8)
        model.add_fixed_body(sg.HalfSpace(), material=material)
        model.add_body(sg.Sphere(0.05), mass=1.0, position=(0, 0, 0.15), material=material)
        if beside:
            model.add_flexible(cube(1e6), position=(1, 0, 0.5 * SIZE))
        sim = sg.Simulation(model, step=1e-3)
        heights.append([sim.advance().state.position[1, 2] for _ in range(300)])
    np.testing.assert_allclose(heights[0], heights[1], atol=1e-6)


def test_second_order_steps_let_flexible_bodies_bounce() -> None:
    e, material = 0.5, sg.Material(friction=0.0, restitution=0.5)
    model = sg.Model(gravity=(0, 0, 0))
    model.add_fixed_body(sg.HalfSpace(), material=material)
    soft = model.add_flexible(cube(), position=(0, 0, 0.5 * SIZE + 1e-3), velocity=(0, 0, -1), material=material)
    sim = sg.Simulation(model, step=1e-3, integrator=sg.integrators.NonsmoothAlpha())
    for _ in range(4):
        sim.advance()
    assert soft.centre(sim.state.node_velocity)[2] == pytest.approx(e, rel=0.05)
