"""Natural frequencies and mode shapes against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest

import signorini as sg
from signorini.simulation.analyses.linearised import Linearised

G = 9.81
Y = (0, 1, 0)
LENGTH, RADIUS, YOUNG, DENSITY = 2.0, 0.01, 2.1e11, 7800.0
BENDING_SPEED = math.sqrt(YOUNG * RADIUS**2 / (4.0 * DENSITY))  # sqrt(E I / (rho A))
CLAMPED_FREE = (1.875104068711961, 4.694091132974175, 7.854757438237613)
FREE_FREE = (4.730040744862704, 7.853204624095838, 10.995607838001671)
CLAMPED_CLAMPED = FREE_FREE


def beam() -> sg.Model:
    model = sg.Model(gravity=(0, 0, 0))
    cable = sg.flexible.Cable.straight(length=LENGTH, elements=20, radius=RADIUS, young=YOUNG, density=DENSITY)
    model.add_flexible(cable, name="beam", mask=0)
    return model


def bending(roots: tuple[float, ...]) -> list[float]:
    """Frequencies [Hz] of a beam with these beta L, each twice: in two planes."""
    return [(root / LENGTH) ** 2 * BENDING_SPEED / (2 * math.pi) for root in roots for _ in range(2)]


def rod(model: sg.Model, name: str, top: float, upside: float = -1.0) -> None:
    model.add_body(sg.Box((0.02, 0.02, 1)), mass=2.0, position=(0, 0, top + 0.5 * upside), mask=0, name=name)


# --- beams -------------------------------------------------------------------------------------------------------


def test_cantilever() -> None:
    model = beam()
    model.hold_nodes("beam", [0, 1])
    found = sg.analyses.modes(model, 6)
    assert found.frequency == pytest.approx(bending(CLAMPED_FREE), rel=2e-5)
    # Share of the mass in the first two pairs of modes: 0.6131 and 0.1883 of a cantilever, of all of its mass.
    mass = DENSITY * math.pi * RADIUS**2 * LENGTH
    across = found.effective_mass[:, 1] + found.effective_mass[:, 2]
    assert across[:2].sum() / 2 == pytest.approx(0.6131 * mass, rel=1e-3)
    assert across[2:4].sum() / 2 == pytest.approx(0.1883 * mass, rel=1e-3)


def test_simply_supported_beam_by_a_joint_and_a_held_node() -> None:
    model = beam()
    model.hold_nodes("beam", [0])
    model.attach_point("beam", (LENGTH, 0, 0))
    found = sg.analyses.modes(model, 6)
    assert found.frequency == pytest.approx(bending((math.pi, 2 * math.pi, 3 * math.pi)), rel=5e-5)


def test_clamped_clamped_beam() -> None:
    model = beam()
    model.hold_nodes("beam", [0, 1, 40, 41])
    assert sg.analyses.modes(model, 4).frequency == pytest.approx(bending(CLAMPED_CLAMPED[:2]), rel=5e-5)


def test_free_beam_has_rigid_modes_of_frequency_zero() -> None:
    """A cable has no twist: five rigid motions."""
    found = sg.analyses.modes(beam(), 11)
    assert found.rigid == 5
    assert found.frequency[:5].tolist() == [0.0] * 5
    assert found.frequency[5:] == pytest.approx(bending(FREE_FREE), rel=1e-4)
    assert found.stable


def test_tension_raises_and_compression_lowers_the_frequency() -> None:
    """Pinned beam under a force P along it: f = f0 sqrt(1 + P / P_cr)."""
    critical = math.pi**3 * YOUNG * RADIUS**4 / (4 * LENGTH**2)
    plain = bending((math.pi,))[0]
    for share in (1.0, -0.5):
        model = beam()
        model.hold_nodes("beam", [0])
        model.add_body(sg.Sphere(0.01), mass=1e-6, position=(LENGTH, 0, 0), mask=0, name="slider")
        model.add_prismatic(None, "slider", (1, 0, 0))
        model.attach_point("beam", (LENGTH, 0, 0), "slider")
        model.add_force("slider", lambda t, state, push=share * critical: (push, 0, 0))
        rest = sg.analyses.static_equilibrium(model)
        assert rest.status.ok
        found = sg.analyses.modes(model, 2, rest.state)
        assert found.frequency == pytest.approx([plain * math.sqrt(1 + share)] * 2, rel=1e-3)


def test_solid_free_block_by_the_sparse_method_has_six_rigid_modes() -> None:
    from signorini.fe.materials.elastic import Elastic
    from signorini.fe.mesh import Mesh
    from signorini.fe.soft_body import SoftBody

    material = Elastic(young=2e11, poisson=0.0, density=7800.0)
    mesh = Mesh.box((1.0, 0.1, 0.1), (20, 1, 1), "tetra").quadratic()
    model = sg.Model(gravity=(0, 0, 0))
    model.add_flexible(SoftBody(mesh, material, mass_matrix="consistent"), name="bar")
    found = sg.analyses.modes(model, 10)
    assert len(found.vectors) > 900
    assert found.rigid == 6
    # Timoshenko's shear and rotary inertia take 3 % of Euler's frequency at this slenderness.
    euler = FREE_FREE[0] ** 2 * math.sqrt(2e11 * 0.1**2 / 12 / 7800.0) / (2 * math.pi)
    assert found.frequency[6:8] == pytest.approx([euler] * 2, rel=4e-2)
    assert np.abs(found.vectors.T @ (model.flexibles[0].flexible.mass @ found.vectors) - np.eye(10)).max() < 1e-8
    assert found.effective_mass[:6].sum(axis=0) == pytest.approx([78.0] * 3, rel=1e-9)


def test_dense_and_sparse_methods_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    model = beam()
    model.hold_nodes("beam", [0])
    model.attach_point("beam", (LENGTH, 0, 0))
    dense = sg.analyses.modes(model, 6)
    monkeypatch.setattr(Linearised, "_dense", Linearised._sparse)
    sparse = sg.analyses.modes(model, 6)
    assert sparse.frequency == pytest.approx(dense.frequency, rel=1e-7)


# --- mechanisms --------------------------------------------------------------------------------------------------


def test_chain_of_springs_and_masses() -> None:
    """n equal masses between two walls: w_k = 2 sqrt(k/m) sin(k pi / (2 (n + 1)))."""
    n, k, m = 5, 800.0, 2.0
    model = sg.Model(gravity=(0, 0, 0))
    for i in range(n):
        model.add_body(sg.Sphere(0.1), mass=m, position=(i + 1.0, 0, 0), mask=0, name=f"ball-{i}")
        model.add_prismatic(None, f"ball-{i}", (1, 0, 0))
    for i in range(n + 1):
        a, b = f"ball-{i - 1}" if i else None, f"ball-{i}" if i < n else None
        model.add_spring(a, b, (float(i), 0, 0), (i + 1.0, 0, 0), stiffness=k, length=1.0)
    found = sg.analyses.modes(model, 10)
    expected = 2 * math.sqrt(k / m) * np.sin(np.arange(1, n + 1) * math.pi / (2 * (n + 1)))
    assert found.angular_frequency == pytest.approx(expected, rel=1e-9)
    first = found.shape(0).position[:, 0]
    wave = np.sin(np.arange(1, n + 1) * math.pi / (n + 1))
    assert first / first[0] == pytest.approx(wave / wave[0], rel=1e-9)


def test_physical_pendulum_hanging_and_upright() -> None:
    inertia = 2.0 * (1 + 0.02**2) / 12 + 2.0 * 0.25
    expected = math.sqrt(2.0 * G * 0.5 / inertia) / (2 * math.pi)
    for upside in (-1.0, 1.0):
        model = sg.Model()
        rod(model, "rod", 0.0, upside)
        model.add_revolute(None, "rod", (0, 0, 0), Y)
        found = sg.analyses.modes(model, 3)
        assert found.frequency == pytest.approx([-upside * expected], rel=1e-7)
        assert found.stable == (upside < 0)
        shape = found.shape(0)
        assert shape.position[0, 0] / shape.rotation[0, 1] == pytest.approx(0.5 * upside, rel=1e-9)


def test_double_pendulum() -> None:
    """Two rods on hinges: eigenvalues of the 2 x 2 pencil of their angles."""
    model = sg.Model()
    rod(model, "upper", 0.0)
    rod(model, "lower", -1.0)
    model.add_revolute(None, "upper", (0, 0, 0), Y)
    model.add_revolute("upper", "lower", (0, 0, -1), Y)
    m, inertia = 2.0, 2.0 * (1 + 0.02**2) / 12
    M = np.array([[inertia + m / 4 + m, m / 2], [m / 2, inertia + m / 4]])
    K = np.diag([m * G / 2 + m * G, m * G / 2])
    expected = np.sqrt(np.sort(np.linalg.eigvals(np.linalg.solve(M, K)).real))
    assert sg.analyses.modes(model).angular_frequency == pytest.approx(expected, rel=1e-7)


def test_force_that_follows_the_position_is_a_spring() -> None:
    model = sg.Model(gravity=(0, 0, 0))
    model.add_body(sg.Sphere(0.1), mass=2.0, name="ball")
    model.add_force("ball", lambda t, state: (-50.0 * state.position[0], (0, 0, 0)))
    found = sg.analyses.modes(model, 6)
    assert found.rigid == 3
    assert found.angular_frequency[3:] == pytest.approx([5.0] * 3, rel=1e-7)


def test_redundant_joints_do_no_harm() -> None:
    plain, double = sg.Model(), sg.Model()
    for model, times in ((plain, 1), (double, 2)):
        rod(model, "rod", 0.0)
        for _ in range(times):
            model.add_revolute(None, "rod", (0, 0, 0), Y)
    assert sg.analyses.modes(double).frequency == pytest.approx(sg.analyses.modes(plain).frequency, rel=1e-9)


def test_a_mode_vibrates_at_its_frequency() -> None:
    """Released in its second mode, the double pendulum is back after one period."""
    model = sg.Model()
    rod(model, "upper", 0.0)
    rod(model, "lower", -1.0)
    model.add_revolute(None, "upper", (0, 0, 0), Y)
    model.add_revolute("upper", "lower", (0, 0, -1), Y)
    found = sg.analyses.modes(model)
    start = sg.analyses.assemble_positions(model, found.displaced(1, 1e-3)).state
    period = 1.0 / found.frequency[1]
    run = sg.Simulation(model, step=period / 200, integrator=sg.integrators.HHT(alpha=-0.02), state=start).run(period)
    moved = run.frames.state(-1).position - model.initial_state().position
    assert moved[:, 0] == pytest.approx((start.position - model.initial_state().position)[:, 0], abs=5e-6)


# --- what is refused ---------------------------------------------------------------------------------------------


def test_bad_input_is_refused() -> None:
    with pytest.raises(sg.SignoriniError, match="number of modes"):
        sg.analyses.modes(beam(), 0)
    with pytest.raises(sg.SignoriniError, match="nothing in the model can move"):
        sg.analyses.modes(sg.Model())
    model = sg.Model()
    rod(model, "rod", 0.0)
    model.add_revolute(None, "rod", (0, 0, 0), Y, name="hinge")
    state = model.initial_state()
    state.position[0, 0] += 0.1
    with pytest.raises(sg.SignoriniError, match="hinge"):
        sg.analyses.modes(model, 1, state)


def test_a_state_that_is_not_at_rest_tells_so() -> None:
    model = sg.Model()
    model.add_body(sg.Sphere(0.1), mass=1.0)
    assert sg.analyses.modes(model).acceleration == pytest.approx(G)
