"""Cylinders, cones, ellipsoids, hulls and surfaces."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings

from signorini.collision import detect
from signorini.math.rotations import about, matrix, rotate
from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.model.shapes.capsule import Capsule
from signorini.model.shapes.cone import Cone
from signorini.model.shapes.convex_hull import ConvexHull
from signorini.model.shapes.cylinder import Cylinder
from signorini.model.shapes.ellipsoid import Ellipsoid
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.height_field import HeightField
from signorini.model.shapes.polyhedron_form import joined_faces
from signorini.model.shapes.shape import Shape
from signorini.model.shapes.sphere import Sphere
from signorini.model.shapes.triangle_mesh import TriangleMesh

from .scene import assert_mirrored, check, contacts_of, quaternions, vectors

GAPS = (0.04, 1e-3, 1e-9, 0.0, -1e-9, -0.02)
LYING = about(np.array([0.0, 1.0, 0.0]), np.pi / 2)


def cube(x: float, y: float, z: float) -> ConvexHull:
    return ConvexHull([[i, j, k] for i in (-x / 2, x / 2) for j in (-y / 2, y / 2) for k in (-z / 2, z / 2)])


CONVEX = [
    Sphere(0.4),
    Box((0.5, 0.6, 0.7)),
    Capsule(0.2, 0.6),
    Cylinder(0.3, 0.8),
    Cone(0.4, 0.8),
    Ellipsoid((0.2, 0.3, 0.5)),
    cube(0.4, 0.5, 0.6),
]


@pytest.mark.parametrize("gap", GAPS)
def test_cylinder_stands_on_the_face_of_a_box(gap: float) -> None:
    found = contacts_of((Cylinder(0.3, 1.0), (0.1, 0, 1.0 + gap)), (Box((2, 2, 1)),), margin=0.1)
    check(found)
    assert found.gap == pytest.approx([gap] * found.count, abs=1e-12)
    assert found.count >= 4
    assert np.allclose(found.normal, (0, 0, 1), atol=1e-12)
    assert found.share is not None
    radius = np.hypot(found.point_a[:, 0] - 0.1, found.point_a[:, 1])
    moments = [float((found.share * radius**power).sum()) for power in (0, 1, 2)]
    assert moments == pytest.approx([1.0, 2 / 3 * 0.3, 0.5 * 0.3**2])
    assert np.allclose(found.share @ found.point_a[:, :2], (0.1, 0.0))


def test_round_face_over_the_edge_of_a_box_stands_on_what_is_below_it() -> None:
    found = contacts_of((Cylinder(0.3, 1.0), (1.0, 0, 1.0)), (Box((2, 2, 1)),), margin=0.1)
    check(found)
    assert (found.point_a[:, 0] < 1.0 + 1e-9).all()
    assert found.share is not None
    assert 0.4 < found.share.sum() < 0.6
    edge = np.isclose(found.point_a[:, 0], 1.0)
    assert np.ptp(found.point_a[edge, 1]) > 0.55


@pytest.mark.parametrize("power", [-8.0, -6.0, -4.5, -3.5, -2.0])
def test_leaning_cylinder_touches_a_box_as_it_touches_a_plane(power: float) -> None:
    turn = about(np.array([0.8, 0.6, 0.0]), 10.0**power)
    lowest = [
        float(contacts_of((Cylinder(0.3, 1.0), (0, 0, 0.5), turn), (flat, place), margin=0.1).gap.min())
        for flat, place in ((HalfSpace(), (0, 0, 0)), (Box((4, 4, 1)), (0, 0, -0.5)))
    ]
    assert lowest[0] == pytest.approx(lowest[1], abs=1e-10)


@pytest.mark.parametrize("gap", GAPS)
def test_cylinder_lies_on_a_box_and_on_another(gap: float) -> None:
    on_box = contacts_of((Cylinder(0.3, 1.0), (0.1, 0, 0.8 + gap), LYING), (Box((4, 2, 1)),), margin=0.1)
    on_cylinder = contacts_of(
        (Cylinder(0.3, 1.0), (0.1, 0, 0.8 + gap), LYING), (Cylinder(0.5, 4.0), (0, 0, 0), LYING), margin=0.1
    )
    for found in (on_box, on_cylinder):
        check(found)
        assert found.gap == pytest.approx([gap] * 2, abs=1e-9)
        assert np.allclose(np.sort(found.point_a[:, 0]), (-0.4, 0.6), atol=1e-6)


@pytest.mark.parametrize("gap", GAPS)
def test_hull_on_hull_and_cone_on_its_base(gap: float) -> None:
    found = contacts_of((cube(1, 1, 1), (0.2, 0.3, 1.0 + gap)), (cube(1, 1, 1),), margin=0.1)
    check(found)
    assert found.gap == pytest.approx([gap] * 4, abs=1e-12)
    assert {tuple(c) for c in found.point_b[:, :2].round(6)} == {(-0.3, -0.2), (0.5, -0.2), (-0.3, 0.5), (0.5, 0.5)}
    cone = contacts_of((Cone(0.3, 1.0), (0, 0, 1.0 + gap)), (cube(1, 1, 1),), margin=0.1)
    assert cone.gap == pytest.approx([gap] * cone.count, abs=1e-12)
    assert cone.count >= 4


@pytest.mark.parametrize("gap", GAPS)
@pytest.mark.parametrize("flat", [HalfSpace(), Box((4.0, 4.0, 2.0)), HeightField(np.zeros((5, 5)), 1.0)])
@pytest.mark.parametrize("shape", CONVEX, ids=lambda shape: type(shape).__name__)
def test_anything_on_anything_flat(shape: Any, flat: Any, gap: float) -> None:
    """The gap along the vertical is that of the lowest point, whatever the pose."""
    turn = about(np.array([1.0, 2.0, 3.0]), 0.7)
    low = shape.convex_form().support(np.array([0.0, 0.0, -1.0]) @ matrix(turn))
    lowest = rotate(turn, low)[2]
    top = 1.0 if isinstance(flat, Box) else 0.0
    place = np.array([0.1, 0.2, top + gap - lowest])
    found = contacts_of((shape, place, turn), (flat,), margin=0.1)
    check(found)
    deepest = int(np.argmin(found.gap))
    assert found.gap[deepest] == pytest.approx(gap, abs=1e-8)
    assert np.allclose(found.normal[deepest], (0, 0, 1), atol=1e-4)
    assert np.allclose(found.point_a[deepest], rotate(turn, low) + place, atol=1e-3)


@given(vectors, quaternions, vectors, quaternions)
@settings(max_examples=40, deadline=None)
def test_general_search_agrees_with_the_kernel_of_sphere_and_box(p: Any, q: Any, r: Any, s: Any) -> None:
    """A ball as an ellipsoid, a box as a hull: the same contact by other means."""
    own = contacts_of((Sphere(0.3), 1.5 * p, q), (Box((0.4, 0.6, 1.0)), r, s))
    general = contacts_of((Ellipsoid((0.3, 0.3, 0.3)), 1.5 * p, q), (cube(0.4, 0.6, 1.0), r, s))
    check(general)
    # Deeper than half way to the middle of the box the general search stops short of the last digits.
    assume(own.gap[0] > -0.1)
    assert general.gap.min() == pytest.approx(own.gap[0], abs=1e-8 if own.gap[0] > 0 else 1e-6)


@given(vectors, quaternions, vectors, quaternions)
@settings(max_examples=30, deadline=None)
def test_order_of_bodies_does_not_matter(p: Any, q: Any, r: Any, s: Any) -> None:
    one, two = (Cylinder(0.3, 0.6), 1.5 * p, q), (Ellipsoid((0.2, 0.3, 0.4)), r, s)
    found = contacts_of(one, two)
    check(found)
    assume(found.gap.min() > -0.05)
    other = contacts_of(two, one)
    assert found.gap.min() == pytest.approx(other.gap.min(), abs=1e-6)


def test_tilted_cylinder_touches_with_its_lowest_point() -> None:
    tilt = about(np.array([np.cos(0.4), np.sin(0.4), 0.0]), 0.05)
    low = rotate(tilt, Cylinder(0.3, 1.0).convex_form().support(np.array([0.0, 0.0, -1.0]) @ matrix(tilt)))[2]
    found = contacts_of((Cylinder(0.3, 1.0), (0, 0, 0.5 - low), tilt), (Box((2, 2, 1)),), margin=0.1)
    check(found)
    assert found.gap.min() == pytest.approx(0.0, abs=1e-9)


def test_faces_of_a_hull_are_joined() -> None:
    hull = cube(1, 2, 3)
    normals, faces = joined_faces(hull.vertices, hull.triangles)
    assert sorted(normals.round(9).tolist()) == sorted(np.vstack((np.eye(3), -np.eye(3))).tolist())
    assert [len(face) for face in faces] == [4] * 6


@pytest.mark.parametrize("gap", GAPS)
def test_sphere_on_a_surface_touches_once_wherever_it_is(gap: float) -> None:
    field = HeightField(np.zeros((5, 5)), 0.5)
    for x, y in ((0.05, 0.03), (0.0, 0.0), (0.25, 0.25), (0.5, 0.1), (0.3, 0.3)):
        found = contacts_of((Sphere(0.3), (x, y, 0.3 + gap)), (field,), margin=0.05)
        check(found)
        assert found.gap == pytest.approx([gap], abs=1e-12)
        assert np.allclose(found.normal, (0, 0, 1))


def test_sphere_in_a_valley_touches_both_slopes() -> None:
    x = np.abs(np.linspace(-1, 1, 5))
    valley = HeightField(np.repeat(x[:, None], 3, axis=1), 0.5)
    found = contacts_of((Sphere(0.2), (0, 0.1, 0.2 * np.sqrt(2.0))), (valley,), margin=0.01)
    check(found)
    assert found.gap == pytest.approx([0.0, 0.0], abs=1e-12)
    assert np.allclose(sorted(found.normal[:, 0]), (-np.sqrt(0.5), np.sqrt(0.5)))


def test_sphere_on_a_ridge_touches_once() -> None:
    x = -np.abs(np.linspace(-1, 1, 5))
    ridge = HeightField(np.repeat(x[:, None], 3, axis=1), 0.5)
    found = contacts_of((Sphere(0.2), (0, 0.1, 0.25)), (ridge,), margin=0.1)
    check(found)
    assert found.gap == pytest.approx([0.05], abs=1e-12)
    assert np.allclose(found.normal, (0, 0, 1))


def test_centre_below_a_height_field_is_pushed_up() -> None:
    found = contacts_of((Sphere(0.2), (0.1, 0.05, -0.05)), (HeightField(np.zeros((5, 5)), 0.5),), margin=0.1)
    check(found)
    assert found.gap == pytest.approx([-0.25])
    assert np.allclose(found.normal, (0, 0, 1))


@pytest.mark.parametrize("flip", [False, True])
def test_open_mesh_has_two_outsides(flip: bool) -> None:
    triangles = np.array([[0, 1, 2], [0, 2, 3]])
    square = TriangleMesh([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], triangles[:, ::-1] if flip else triangles)
    for sign in (1.0, -1.0):
        for shape, count in ((Sphere(0.1), 1), (Box((0.2, 0.2, 0.2)), 4)):
            found = contacts_of((shape, (0.5, -0.4, sign * 0.11)), (square,), margin=0.05)
            check(found)
            assert found.gap == pytest.approx([0.01] * count)
            assert np.allclose(found.normal, (0, 0, sign))


def test_box_slides_over_the_inner_edges_of_a_surface_without_a_bump() -> None:
    field = HeightField(np.zeros((4, 4)), 0.5)
    for x in np.linspace(-0.3, 0.3, 13):
        found = contacts_of((Box((0.2, 0.2, 0.2)), (x, 0.01, 0.1 - 1e-4)), (field,), margin=0.01)
        assert np.allclose(found.normal, (0, 0, 1), atol=1e-9)
        assert found.gap.min() == pytest.approx(-1e-4)


def test_moving_mesh_touches_with_its_convex_pieces() -> None:
    hull = cube(1, 1, 1)
    model = Model(margin=0.01)
    model.add_body(TriangleMesh(hull.vertices, hull.triangles), density=1.0, position=(0, 0, 0.5))
    model.add_fixed_body(HalfSpace())
    found = detect(model, model.initial_state(), 0.0)
    check(found)
    assert found.count == 4


def test_mirrored_hulls() -> None:
    one, two = (cube(1, 1, 1),), (cube(0.5, 0.5, 0.5), (0.1, 0.2, 0.75))
    assert_mirrored(contacts_of(one, two, margin=0.1), contacts_of(two, one, margin=0.1))


@pytest.mark.parametrize(
    "shape",
    [
        Sphere(0.3),
        Capsule(0.2, 0.7),
        Ellipsoid((0.2, 0.5, 0.9)),
        Cylinder(0.4, 0.6),
        Cone(0.4, 0.9),
        Box((0.2, 0.4, 0.8)),
        ConvexHull(np.random.default_rng(0).normal(size=(30, 3))),
    ],
    ids=lambda shape: type(shape).__name__,
)
def test_extents_are_those_of_the_farthest_points(shape: Shape) -> None:
    form = shape.convex_form()
    directions = np.random.default_rng(1).normal(size=(50, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    expected = [float(direction @ form.support(direction)) for direction in directions]
    np.testing.assert_allclose(form.extents(directions), expected, rtol=1e-12)
