"""Bodies, compounds, containers, names and the initial state."""

from __future__ import annotations

import math

import numpy as np
import pytest

import signorini as sg
from signorini.math.rotations import about, matrix, rotate
from signorini.math.sparse import Array
from signorini.model.motion import velocity_between
from signorini.model.pair_material import combined
from signorini.model.shapes.shape import Placed
from signorini.problem.errors import ModelError

from .solids import boxes_mesh
from .test_shapes import l_shape

TURNED = about(np.array([1.0, 2.0, 3.0]), 0.7)


def test_density_gives_mass_and_inertia() -> None:
    body = sg.Model().add_body(sg.Box((1, 2, 3)), density=500, position=(1, 2, 3))
    assert body.mass == pytest.approx(3000)
    np.testing.assert_allclose(body.inertia, 3000 * np.diag([13, 10, 5]) / 12)
    assert body.position.tolist() == [1, 2, 3]
    assert body.movable


def test_mass_scales_the_inertia_of_the_shape() -> None:
    body = sg.Model().add_body(sg.Sphere(0.5), mass=7)
    assert body.mass == 7
    np.testing.assert_allclose(body.inertia, 0.4 * 7 * 0.25 * np.eye(3))


def test_given_inertia_is_taken() -> None:
    tensor = matrix(TURNED) @ np.diag([1.0, 2.0, 2.5]) @ matrix(TURNED).T
    body = sg.Model().add_body(sg.Sphere(0.5), mass=7, inertia=tensor)
    np.testing.assert_allclose(body.inertia, tensor, rtol=1e-14)
    point = sg.Model().add_body(None, mass=2, inertia=(1, 1, 1))
    assert point.shapes == ()


def test_frame_of_a_body_is_moved_to_its_centre_of_mass() -> None:
    """The cone stays where the user put it; position and shapes are shifted against one another."""
    body = sg.Model().add_body(sg.shapes.Cone(1, 2), density=1, position=(1, 2, 3), orientation=TURNED)
    np.testing.assert_allclose(body.position, np.array([1, 2, 3]) + rotate(TURNED, np.array([0, 0, -0.5])), rtol=1e-14)
    [placed] = body.shapes
    np.testing.assert_allclose(body.position + rotate(TURNED, placed.position), [1, 2, 3], rtol=1e-14)


def test_compound_obeys_the_parallel_axis_theorem() -> None:
    """Two halves of a box, one turned by a right angle about x, are the box."""
    quarter = about(np.array([1.0, 0, 0]), math.pi / 2)
    whole = sg.Model().add_body(sg.Box((2, 1, 0.5)), density=3)
    halves = sg.Model().add_body(
        [(sg.Box((1, 1, 0.5)), (10, 0, 0)), Placed(sg.Box((1, 0.5, 1)), np.array([11.0, 0, 0]), quarter)], density=3
    )
    assert halves.mass == pytest.approx(whole.mass)
    np.testing.assert_allclose(halves.inertia, whole.inertia, atol=1e-14)
    np.testing.assert_allclose(halves.position, [10.5, 0, 0])
    np.testing.assert_allclose([placed.position for placed in halves.shapes], [[-0.5, 0, 0], [0.5, 0, 0]], atol=1e-14)


def test_dumbbell_by_hand() -> None:
    """Unequal balls on an axis: reduced mass times distance squared."""
    body = sg.Model().add_body([(sg.Sphere(1), (0, 0, 0)), (sg.Sphere(2), (5, 0, 0))], density=1)
    a, b = 4 / 3 * math.pi, 32 / 3 * math.pi
    own = 0.4 * (a + 4 * b)
    np.testing.assert_allclose(body.inertia, np.diag([own] + 2 * [own + a * b / (a + b) * 25]), rtol=1e-13)


def test_mesh_that_moves_becomes_convex_pieces() -> None:
    mesh = sg.TriangleMesh(*boxes_mesh([([0, 0, 0], [1, 1, 1]), ([2, 0, 0], [3, 1, 1])]))
    model = sg.Model()
    body = model.add_body(mesh, density=1)
    assert [type(placed.shape) for placed in body.shapes] == [sg.ConvexHull] * 2
    assert body.mass == pytest.approx(2)
    np.testing.assert_allclose(body.position, [1.5, 0.5, 0.5])
    assert [type(placed.shape) for placed in model.add_fixed_body(mesh).shapes] == [sg.TriangleMesh]
    assert len(model.add_body(l_shape(), density=1).shapes) == 2


def test_fixed_bodies_keep_the_frame_of_their_shapes() -> None:
    body = sg.Model().add_fixed_body(sg.shapes.Cone(1, 2), position=(1, 2, 3))
    assert body.position.tolist() == [1, 2, 3]
    assert body.fixed
    assert not body.movable
    assert body.mass == math.inf


@pytest.mark.parametrize("lid", [False, True])
def test_container_holds_its_inside(lid: bool) -> None:
    body = sg.Model().add_box_container((1, 2, 3), origin=(10, 20, 30), lid=lid)

    def gaps(x: Array) -> Array:
        return np.array([np.dot(p.shape.normal, x - body.position - p.position) for p in body.shapes])  # type: ignore[attr-defined]

    inside = np.sort(gaps(np.array([10.1, 20.2, 30.3])))
    np.testing.assert_allclose(inside, [0.1, 0.2, 0.3, 0.9, 1.8] + [2.7] * lid, rtol=1e-12)
    for outside in ([9.9, 21, 31], [11.1, 21, 31], [10.5, 19.9, 31], [10.5, 22.1, 31], [10.5, 21, 29.9]):
        assert gaps(np.array(outside)).min() < 0
    assert (gaps(np.array([10.5, 21, 34])).min() < 0) == lid


def test_names() -> None:
    model = sg.Model()
    assert model.add_body(sg.Sphere(1), mass=1, name="ball").name == "ball"
    assert model.add_body(sg.Sphere(1), mass=1).name == "sphere-1"
    assert model.add_body(sg.Sphere(1), mass=1, name="sphere-3").name == "sphere-3"
    assert model.add_body(sg.Sphere(1), mass=1).name == "sphere-4"
    assert model.add_fixed_body(sg.HalfSpace()).name == "half-space-4"
    assert model.add_fixed_body(None).name == "body-5"
    assert [model.body_index(body) for body in model.bodies] == list(range(6))
    assert model.body_index("sphere-3") == 2
    assert model.body_index(5) == 5


def test_initial_state_is_a_copy_in_the_order_of_the_bodies() -> None:
    model = sg.Model()
    model.add_fixed_body(sg.HalfSpace())
    model.add_body(sg.Sphere(1), mass=1, position=(1, 2, 3), velocity=(4, 5, 6), angular_velocity=(7, 8, 9))
    model.add_body(sg.Sphere(1), mass=1, orientation=(0, 0, 2, 0))
    state = model.initial_state()
    assert state.time == 0
    assert state.position.tolist() == [[0, 0, 0], [1, 2, 3], [0, 0, 0]]
    assert state.velocity.tolist() == [[0, 0, 0], [4, 5, 6], [0, 0, 0]]
    assert state.angular_velocity.tolist() == [[0, 0, 0], [7, 8, 9], [0, 0, 0]]
    assert state.orientation.tolist() == [[1, 0, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0]]
    state.position[:] = 9
    assert model.initial_state().position[1].tolist() == [1, 2, 3]


def test_initial_state_of_nothing() -> None:
    state = sg.Model().initial_state()
    assert state.position.shape == state.velocity.shape == (0, 3)
    assert state.orientation.shape == (0, 4)


def test_kinematic_body_starts_as_its_motion_says() -> None:
    def motion(time: float) -> tuple[tuple[float, float, float], Array]:
        return (1.0 + math.sin(2 * time), time**2, -3 * time), 5 * about(np.array([0, 0, 1.0]), 0.5 + 4 * time)

    model = sg.Model()
    body = model.add_body(sg.Box((1, 1, 1)), motion=motion)
    assert not body.movable
    assert not body.fixed
    state = model.initial_state()
    np.testing.assert_allclose(state.position[0], [1, 0, 0])
    np.testing.assert_allclose(state.orientation[0], about(np.array([0, 0, 1.0]), 0.5))
    np.testing.assert_allclose(state.velocity[0], [2, 0, -3], atol=1e-8)
    np.testing.assert_allclose(state.angular_velocity[0], [0, 0, 4], atol=1e-8)
    assert body.motion is not None
    v, w = velocity_between(body.motion, 1.0, 1.1)
    np.testing.assert_allclose(v, [10 * (math.sin(2.2) - math.sin(2)), 2.1, -3], rtol=1e-12)
    np.testing.assert_allclose(w, [0, 0, 4], atol=1e-12)


def test_angular_velocity_of_a_motion_is_in_the_body_frame() -> None:
    """Spin about the body's x axis, which lies along the world's y."""
    turned = about(np.array([0, 0, 1.0]), math.pi / 2)

    def motion(time: float) -> tuple[Array, Array]:
        from signorini.math.rotations import multiply

        return np.zeros(3), multiply(turned, about(np.array([1.0, 0, 0]), 3 * time))

    model = sg.Model()
    model.add_fixed_body(None)
    model.add_body(None, motion=motion)
    np.testing.assert_allclose(model.initial_state().angular_velocity[1], [3, 0, 0], atol=1e-8)


def test_material_of_a_pair_is_the_smaller() -> None:
    assert combined(sg.Material(0.2), sg.Material(0.7)).material.friction == 0.2
    with pytest.raises(ModelError, match="friction is -1"):
        sg.Material(-1)
