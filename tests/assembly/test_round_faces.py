"""Even pressure under flat round faces, whoever solves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from signorini.assembly.round_faces import SOFTNESS
from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.model.shapes.cone import Cone
from signorini.model.shapes.cylinder import Cylinder
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.triangle_mesh import TriangleMesh
from signorini.simulation.simulation import Simulation
from signorini.solvers.interior_point.solver import InteriorPoint
from signorini.solvers.projected_sor import ProjectedSOR

H, MU, G, R = 2e-3, 0.3, 9.81, 0.1
SQUARE = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0.0]])
GROUNDS: dict[str, tuple[Any, tuple[float, float, float]]] = {
    "half-space": (HalfSpace(), (0, 0, 0)),
    "box": (Box((2, 2, 1)), (0, 0, -0.5)),
    "mesh": (TriangleMesh(SQUARE, np.array([[0, 1, 2], [0, 2, 3]])), (0, 0, 0)),
}


def foot(ground: str, shape: Any, friction: float = MU, gravity: Any = (0, 0, -G), **motion: Any) -> Model:
    model = Model(gravity=gravity)
    support, place = GROUNDS[ground]
    model.add_fixed_body(support, position=place, material=Material(friction), name="ground")
    height = 0.05 if isinstance(shape, Cone | Cylinder) else 0.0
    model.add_body(shape, density=1000, position=(0.03, 0.02, height), material=Material(1e3), name="foot", **motion)
    return model


@pytest.mark.parametrize("shape", [Cylinder(R, 0.1), Cone(R, 0.1)], ids=["cylinder", "cone"])
@pytest.mark.parametrize("ground", GROUNDS)
def test_spin_is_resisted_by_two_thirds_of_the_radius(ground: str, shape: Any) -> None:
    model = foot(ground, shape, angular_velocity=(0, 0, 20.0))
    body = model.bodies[1]
    run = Simulation(model, step=H).run(0.05)
    lost = 20.0 - run.angular_velocity("foot")[-1, 2]
    assert lost == pytest.approx(2 / 3 * MU * body.mass * G * R / body.inertia[2, 2] * 0.05, rel=5e-3)
    assert np.abs(run.position("foot")[-1, :2] - (0.03, 0.02)).max() < 1e-5


@pytest.mark.parametrize("solver", [InteriorPoint(), ProjectedSOR()])
def test_pressure_is_uniform_with_every_solver(solver: Any) -> None:
    step = Simulation(foot("half-space", Cylinder(R, 0.1)), step=H, solver=solver, law="convex").advance()
    load = step.impulses[:, 0]
    assert step.contacts.share is not None
    assert load / load.sum() == pytest.approx(step.contacts.share, rel=0.1)


@pytest.mark.parametrize("ground", GROUNDS)
def test_sliding_is_resisted_by_friction_times_weight_and_does_not_turn(ground: str) -> None:
    run = Simulation(foot(ground, Cylinder(R, 0.1), velocity=(0.6, 0.3, 0.0)), step=H).run(0.05)
    speed = np.hypot(*run.velocity("foot")[-1, :2])
    assert np.hypot(0.6, 0.3) - speed == pytest.approx(MU * G * 0.05, rel=1e-6)
    assert np.abs(run.angular_velocity("foot")[-1]).max() < 1e-5


@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("way", [0.0, 0.2, np.pi / 8])
def test_a_face_holds_until_the_load_leaves_its_circle(ground: str, way: float) -> None:
    """Gravity that leans so that the weight acts at 0.97 of the radius, then at 1.03."""
    turned = {}
    for share in (0.97, 1.03):
        lean = np.arctan(share * 0.05 / 0.05)
        gravity = G * np.array([np.sin(lean) * np.cos(way), np.sin(lean) * np.sin(way), -np.cos(lean)])
        run = Simulation(foot(ground, Cylinder(0.05, 0.1), 2.0, gravity), step=H).run(0.3)
        turned[share] = 2 * float(np.hypot(*run.orientation("foot")[:, 1:3].T).max())
    assert turned[0.97] < 1e-4
    assert turned[1.03] > 1e-2


def test_a_resting_face_sinks_by_no_more_than_its_softness() -> None:
    run = Simulation(foot("half-space", Cylinder(R, 0.1)), step=H).run(0.1)
    assert 0.05 - run.position("foot")[-1, 2] == pytest.approx(SOFTNESS * H * H * G, rel=0.1)
