"""Static equilibrium: stiff bodies, buckling, hard contact with friction."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import ellipe, ellipk

import signorini as sg
from signorini.fe.materials.elastic import Elastic
from signorini.fe.mesh import Mesh
from signorini.fe.soft_body import SoftBody

G = 9.81


# --- stiff bodies: round-off ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("offset", [0.0, 100.0])
@pytest.mark.parametrize("young", [2.1e9, 2.1e11])
def test_stiff_beam_ends_at_round_off(young: float, offset: float) -> None:
    """Forces of steel have a round-off far above 1e-10 of the weight: that is no reason to go on."""
    mesh = Mesh.box((2.0, 0.05, 0.05), (20, 1, 1), "hexahedron")
    model = sg.Model()
    model.add_flexible(
        SoftBody(mesh, Elastic(young=young, poisson=0.3, density=7800.0)), position=(offset, 0, 0), name="beam"
    )
    model.hold_nodes("beam", lambda x: x[:, 0] < offset - 1 + 1e-9)
    found = sg.analyses.static_equilibrium(model)
    assert found.status.ok
    assert found.iterations <= 20
    assert found.imbalance <= found.round_off
    assert found.stable


def test_round_off_does_not_hide_a_small_load() -> None:
    """A load below the bound of round-off still bends the beam, as well as round-off lets one see it."""
    model = sg.Model(gravity=(0, 0, 0))
    model.add_flexible(
        sg.flexible.Cable.straight(length=1.0, elements=8, radius=0.01, young=2.1e11, density=7800.0),
        name="beam",
        mask=0,
    )
    model.hold_nodes("beam", [0, 1])
    load = 1e-6
    model.add_node_force("beam", [16], (0, 0, load))
    found = sg.analyses.static_equilibrium(model)
    assert load < found.round_off
    stiffness = 3 * 2.1e11 * math.pi * 0.01**4 / 4
    assert found.state.node_position[16, 2] == pytest.approx(load / stiffness, rel=5e-2)


# --- buckling --------------------------------------------------------------------------------------------------------

ELEMENTS, RADIUS, YOUNG = 16, 0.004, 2.1e11
EULER = math.pi**3 * YOUNG * RADIUS**4 / 16
"""Load at which a cantilever of 1 m buckles [N]."""


def column(share: float, sideways: float = 0.0) -> sg.Model:
    model = sg.Model(gravity=(0, 0, 0))
    cable = sg.flexible.Cable.straight(length=1.0, elements=ELEMENTS, radius=RADIUS, young=YOUNG, density=7800.0)
    model.add_flexible(cable, name="column", mask=0)
    model.hold_nodes("column", [0, 1])
    model.add_node_force("column", [2 * ELEMENTS], (-share * EULER, sideways * EULER, 0))
    return model


def elastica(share: float) -> tuple[float, float]:
    """Height and deflection of the tip after buckling, both of length 1."""
    k = brentq(lambda k: (2 * ellipk(k * k) / math.pi) ** 2 - share, 1e-6, 1 - 1e-9)
    return 2 * ellipe(k * k) / ellipk(k * k) - 1, 2 * k / ellipk(k * k)


@pytest.mark.parametrize("share", [0.5, 0.999])
def test_column_below_the_load_of_euler_stays_straight(share: float) -> None:
    found = sg.analyses.static_equilibrium(column(share))
    assert found.status.ok
    assert found.stable
    assert np.abs(found.state.node_position[:, 1:]).max() < 1e-9


@pytest.mark.parametrize("share", [1.001, 1.063, 1.293, 2.0])
def test_column_above_the_load_of_euler_buckles(share: float) -> None:
    """Perfectly straight and perfectly loaded; the way out is that of the lowest mode."""
    found = sg.analyses.static_equilibrium(column(share))
    assert found.status.ok
    assert found.stable
    x, *across = found.state.node_position[2 * ELEMENTS]
    height, deflection = elastica(share)
    assert x == pytest.approx(height, abs=2e-4)
    assert math.hypot(*across) == pytest.approx(deflection, rel=2e-2 if share < 1.01 else 1e-3)


def test_column_with_an_imperfection_follows_it() -> None:
    for side in (1e-4, -1e-4):
        found = sg.analyses.static_equilibrium(column(1.293, side))
        assert found.status.ok
        tip = found.state.node_position[2 * ELEMENTS]
        assert tip[1] == pytest.approx(math.copysign(elastica(1.293)[1], side), rel=2e-3)
        assert abs(tip[2]) < 1e-6


def test_unstable_equilibrium_is_kept_when_asked_for() -> None:
    model = sg.Model()
    model.add_body(sg.Box((0.02, 0.02, 1)), mass=2.0, position=(0, 0, 0.5), name="rod")
    model.add_revolute(None, "rod", (0, 0, 0), (0, 1, 0))
    upright = sg.analyses.static_equilibrium(model, stable=False)
    assert upright.stable is None
    assert upright.state.position[0] == pytest.approx([0, 0, 0.5])
    hanging = sg.analyses.static_equilibrium(model)
    assert hanging.stable
    assert hanging.state.position[0] == pytest.approx([0, 0, -0.5], abs=1e-8)


# --- hard contact ----------------------------------------------------------------------------------------------------


def block_on_slope(mu: float, angle: float) -> sg.Model:
    model = sg.Model()
    normal = np.array((-math.sin(angle), 0, math.cos(angle)))
    model.add_fixed_body(sg.HalfSpace(normal), material=sg.Material(friction=mu))
    turn = (math.cos(angle / 2), 0, -math.sin(angle / 2), 0)
    model.add_body(
        sg.Box((0.2, 0.2, 0.1)), mass=3.0, position=0.05 * normal, orientation=turn,
        material=sg.Material(friction=mu), name="block",
    )  # fmt: skip
    return model


def test_block_on_a_slope_rests_up_to_the_angle_of_friction() -> None:
    angle = math.radians(20)
    held = sg.analyses.static_equilibrium(block_on_slope(1.001 * math.tan(angle), angle), contact="hard")
    assert held.status.ok
    assert held.iterations == 0
    total = held.contact_force.sum(axis=0)
    assert total[0] == pytest.approx(3 * G * math.cos(angle), rel=1e-8)
    assert math.hypot(*total[1:]) == pytest.approx(3 * G * math.sin(angle), rel=1e-8)
    slides = sg.analyses.static_equilibrium(block_on_slope(0.999 * math.tan(angle), angle), contact="hard")
    assert not slides.status.ok
    assert slides.unbalanced == "block"


LADDER, ROUND, STEEPNESS = 4.0, 0.02, math.radians(60)


def ladder(mu: float) -> sg.Model:
    """On a floor with friction, against a wall without."""
    model = sg.Model()
    model.add_fixed_body(sg.HalfSpace((0, 0, 1)), name="floor")
    model.add_fixed_body(sg.HalfSpace((1, 0, 0)), name="wall")
    tilt = STEEPNESS - math.pi / 2
    middle = (0.5 * LADDER * math.cos(STEEPNESS) + ROUND, 0, 0.5 * LADDER * math.sin(STEEPNESS) + ROUND)
    turn = (math.cos(tilt / 2), 0, math.sin(tilt / 2), 0)
    model.add_body(sg.Capsule(ROUND, LADDER), mass=10.0, position=middle, orientation=turn, name="ladder")
    model.set_pair_material("floor", "ladder", sg.Material(friction=mu))
    model.set_pair_material("wall", "ladder", sg.Material(friction=0.0))
    return model


def wall_force() -> float:
    """Moments about the middle of the lower round end; friction acts a radius below it."""
    return 10 * G * 0.5 * LADDER * math.cos(STEEPNESS) / (LADDER * math.sin(STEEPNESS) + ROUND)


def test_ladder_stands_where_friction_holds_it() -> None:
    critical = wall_force() / (10 * G)
    found = sg.analyses.static_equilibrium(ladder(1.001 * critical), contact="hard")
    assert found.status.ok
    assert found.iterations == 0
    assert sorted(found.contact_force[:, 0]) == pytest.approx([wall_force(), 10 * G], rel=1e-8)


def test_ladder_slides_down_where_it_does_not() -> None:
    """It comes to rest on the floor."""
    critical = wall_force() / (10 * G)
    found = sg.analyses.static_equilibrium(ladder(0.9 * critical), contact="hard")
    assert found.status.ok
    assert found.iterations > 0
    assert found.state.position[2, 2] == pytest.approx(ROUND, abs=1e-6)


def test_boxes_fall_on_one_another_and_rest() -> None:
    model = sg.Model()
    model.add_fixed_body(sg.HalfSpace((0, 0, 1)))
    model.add_body(sg.Box((0.2, 0.2, 0.2)), mass=1.0, position=(0, 0, 0.3))
    model.add_body(sg.Box((0.2, 0.2, 0.2)), mass=1.0, position=(0.05, 0, 0.55))
    found = sg.analyses.static_equilibrium(model, contact="hard")
    assert found.status.ok
    assert found.state.position[1:, 2] == pytest.approx([0.1, 0.3], abs=1e-7)
    assert found.contact_force[:, 0].sum() == pytest.approx(3 * G, rel=1e-6)


def test_soft_block_on_the_floor() -> None:
    """Its top sinks by rho g L^2 / (2 E), about: friction holds the bottom."""
    model = sg.Model()
    model.add_fixed_body(sg.HalfSpace((0, 0, 1)))
    block = SoftBody(
        Mesh.box((0.1, 0.1, 0.1), (2, 2, 2), "hexahedron"), Elastic(young=1e5, poisson=0.0, density=1000.0)
    )
    model.add_flexible(block, position=(0, 0, 0.06))
    found = sg.analyses.static_equilibrium(model, contact="hard")
    assert found.status.ok
    assert found.contact_force[:, 0].sum() == pytest.approx(G, rel=1e-8)
    assert found.state.node_position[:, 2].max() == pytest.approx(0.1 - 1000 * G * 0.01 / 2e5, abs=2e-6)


def test_rod_falls_on_its_limit() -> None:
    model = sg.Model()
    model.add_body(sg.Box((1, 0.05, 0.05)), mass=2.0, position=(0.5, 0, 0), name="rod")
    model.add_revolute(None, "rod", (0, 0, 0), (0, 1, 0), limits=(-1.0, 0.3))
    found = sg.analyses.static_equilibrium(model, contact="hard")
    assert found.status.ok
    assert found.state.position[0] == pytest.approx([0.5 * math.cos(0.3), 0, -0.5 * math.sin(0.3)], abs=1e-9)
    assert found.joint_error < 1e-10


def test_what_moves_by_itself_is_refused() -> None:
    model = sg.Model()
    model.add_body(sg.Box((1, 0.05, 0.05)), mass=2.0, position=(0.5, 0, 0), name="rod")
    model.add_revolute(None, "rod", (0, 0, 0), (0, 1, 0), name="hinge")
    model.add_motor("hinge", speed=1.0, name="motor")
    with pytest.raises(sg.SignoriniError, match="'motor' is driven in time"):
        sg.analyses.static_equilibrium(model, contact="hard")
    with pytest.raises(sg.SignoriniError, match="expected 'hard'"):
        sg.analyses.static_equilibrium(model, contact="soft")  # type: ignore[arg-type]
