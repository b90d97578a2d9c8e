"""Volume, centroid and inertia of every shape against sampling, closed forms and fine meshes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats.qmc import Sobol

import signorini as sg
from signorini.math.rotations import about, matrix
from signorini.math.sparse import Array
from signorini.model.shapes.descriptor import MassProperties
from signorini.model.shapes.shape import Placed, Shape
from signorini.problem.errors import ModelError

from .solids import SOLIDS, TETRAHEDRON, Contains, boxes_mesh, corners

SAMPLES = 2**18


def sampled(contains: Contains, reach: float) -> MassProperties:
    """By quasi-random points in the cube about the bounding ball."""
    x = reach * (2 * Sobol(3, seed=5).random(SAMPLES) - 1)
    x = x[contains(x)]
    volume = (2 * reach) ** 3 * len(x) / SAMPLES
    centre = x.mean(axis=0)
    spread = volume * np.cov(x.T, bias=True)
    return MassProperties(volume, centre, np.trace(spread) * np.eye(3) - spread)


def assert_same(a: MassProperties, b: MassProperties, tolerance: float) -> None:
    assert a.volume == pytest.approx(b.volume, rel=tolerance)
    size = math.cbrt(b.volume)
    np.testing.assert_allclose(a.centre, b.centre, atol=tolerance * size, rtol=0)
    np.testing.assert_allclose(a.inertia, b.inertia, atol=tolerance * np.abs(b.inertia).max(), rtol=0)


@pytest.mark.parametrize("name", SOLIDS)
def test_mass_properties_agree_with_sampling(name: str) -> None:
    shape, contains = SOLIDS[name]
    assert_same(shape.mass_properties(), sampled(contains, shape.bounding_radius()), 0.02)


@pytest.mark.parametrize("name", SOLIDS)
def test_bounding_radius_is_the_smallest(name: str) -> None:
    """Samples come near it and none passes it."""
    shape, contains = SOLIDS[name]
    reach = shape.bounding_radius()
    x = np.random.default_rng(6).uniform(-1.2 * reach, 1.2 * reach, size=(SAMPLES, 3))
    farthest = np.linalg.norm(x[contains(x)], axis=1).max()
    assert 0.9 * reach < farthest <= reach


@pytest.mark.parametrize(
    ("shape", "volume", "centre", "moments"),
    [
        (sg.Sphere(2), 32 / 3 * math.pi, 0, [1.6, 1.6, 1.6]),
        (sg.Box((1, 2, 3)), 6, 0, [13 / 12, 10 / 12, 5 / 12]),
        (sg.Cylinder(2, 3), 12 * math.pi, 0, [1.75, 1.75, 2]),
        (sg.shapes.Cone(2, 4), 16 / 3 * math.pi, -1, [1.2, 1.2, 1.2]),
        (sg.shapes.Ellipsoid((1, 2, 3)), 8 * math.pi, 0, [2.6, 2, 1]),
        (sg.Capsule(1, 2), 10 / 3 * math.pi, 0, [1.21, 1.21, 0.46]),
    ],
    ids=lambda value: type(value).__name__ if hasattr(value, "mass_properties") else "",
)
def test_closed_forms(shape: Shape, volume: float, centre: float, moments: list[float]) -> None:
    """Moments per unit of mass, from tables."""
    solid = shape.mass_properties()
    assert solid.volume == pytest.approx(volume, rel=1e-14)
    np.testing.assert_allclose(solid.centre, [0, 0, centre], atol=1e-14)
    np.testing.assert_allclose(solid.inertia, volume * np.diag(moments), rtol=1e-13, atol=1e-13)


def fine_hull(name: str) -> sg.ConvexHull:
    """Of many surface points of a round shape."""
    k = np.arange(6000)
    z, turn = 1 - (2 * k + 1) / 6000, k * math.pi * (3 - math.sqrt(5))
    ball = np.stack((np.sqrt(1 - z * z) * np.cos(turn), np.sqrt(1 - z * z) * np.sin(turn), z), axis=1)
    angle = np.linspace(0, 2 * math.pi, 1000, endpoint=False)
    ring = np.stack((np.cos(angle), np.sin(angle), 0 * angle), axis=1)
    if name == "capsule":
        return sg.ConvexHull(np.vstack((0.4 * ball + [0, 0, 0.6], 0.4 * ball - [0, 0, 0.6])))
    if name == "cone":
        return sg.ConvexHull(np.vstack((0.7 * ring - [0, 0, 0.75], [[0, 0, 0.75]])))
    if name == "cylinder":
        return sg.ConvexHull(np.vstack((0.5 * ring + [0, 0, 0.65], 0.5 * ring - [0, 0, 0.65])))
    return sg.ConvexHull(ball * (0.8 if name == "sphere" else [0.3, 0.6, 0.9]))


@pytest.mark.parametrize("name", ["sphere", "capsule", "cone", "cylinder", "ellipsoid"])
def test_round_shapes_agree_with_fine_hulls(name: str) -> None:
    assert_same(fine_hull(name).mass_properties(), SOLIDS[name][0].mass_properties(), 3e-3)


def test_hull_of_corners_is_the_box() -> None:
    hull = sg.ConvexHull(corners(np.array([-0.25, -0.5, -0.75]), np.array([0.25, 0.5, 0.75])))
    assert_same(hull.mass_properties(), sg.Box((0.5, 1.0, 1.5)).mass_properties(), 1e-14)


def test_hull_drops_inner_points_and_turns_outwards() -> None:
    inner = np.vstack((corners(np.zeros(3), np.ones(3)), np.random.default_rng(0).uniform(0.1, 0.9, (50, 3))))
    hull = sg.ConvexHull(inner)
    assert hull.vertices.shape == (8, 3)
    assert hull.triangles.shape == (12, 3)
    a, b, c = (hull.vertices[hull.triangles[:, k]] for k in range(3))
    assert (np.einsum("ti,ti->t", np.cross(b - a, c - a), a - 0.5) > 0).all()


def test_hull_far_from_its_origin_loses_no_digits() -> None:
    near, far = sg.ConvexHull(TETRAHEDRON).mass_properties(), sg.ConvexHull(TETRAHEDRON + 1e4).mass_properties()
    assert_same(MassProperties(far.volume, far.centre - 1e4, far.inertia), near, 1e-10)


@settings(max_examples=30, deadline=None)
@given(st.floats(-3, 3), st.floats(-1, 1), st.floats(-1, 1), st.floats(-5, 5))
def test_placing_is_moving_the_points(angle: float, x: float, y: float, away: float) -> None:
    """The inertia of a placed hull is that of the hull of its moved points."""
    q, shift = about(np.array([x, y, 1.0]), angle), np.array([away, -away, 2.0])
    placed = Placed(sg.ConvexHull(TETRAHEDRON), shift, q).mass_properties()
    moved = sg.ConvexHull(TETRAHEDRON @ matrix(q).T + shift).mass_properties()
    assert_same(placed, moved, 1e-12)


def loose(mesh: sg.TriangleMesh) -> sg.TriangleMesh:
    """The same with three vertices per triangle, as in STL files."""
    vertices = mesh.vertices[mesh.triangles].reshape(-1, 3)
    return sg.TriangleMesh(vertices, np.arange(len(vertices)).reshape(-1, 3))


SHIFTS: dict[str, list[float]] = {
    "apart": [3, 0, 0],
    "edge": [1, 1, 0],
    "corner": [1, 1, 1],
    "overlap": [0.5, 0.2, 0.1],
}


@pytest.mark.parametrize("shift", SHIFTS.values(), ids=SHIFTS)
@pytest.mark.parametrize("form", [lambda mesh: mesh, loose], ids=["shared", "loose"])
def test_convex_pieces_of_two_cubes(form: Any, shift: list[float]) -> None:
    there = np.array(shift)
    mesh = form(sg.TriangleMesh(*boxes_mesh([([0, 0, 0], [1, 1, 1]), (shift, (there + 1).tolist())])))
    pieces = mesh.convex_pieces()
    assert [piece.mass_properties().volume for piece in pieces] == pytest.approx([1, 1])
    np.testing.assert_allclose(sum(piece.mass_properties().centre for piece in pieces), 1 + there, atol=1e-14)
    assert mesh.mass_properties().volume == pytest.approx(2)


def l_shape() -> sg.TriangleMesh:
    """A closed prism over an L, 3/4 of the unit square."""
    flat = np.array([[0, 0], [1, 0], [1, 0.5], [0.5, 0.5], [0.5, 1], [0, 1]])
    vertices = np.vstack((np.c_[flat, np.zeros(6)], np.c_[flat, np.ones(6)]))
    top = np.array([[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]])
    sides = [t for i in range(6) for j in [(i + 1) % 6] for t in ([i, j, j + 6], [i, j + 6, i + 6])]
    return sg.TriangleMesh(vertices, np.vstack((top + 6, top[:, ::-1], sides)))


def test_mesh_that_is_not_convex_is_never_convexified_silently() -> None:
    mesh = l_shape()
    assert mesh.mass_properties().volume == pytest.approx(0.75)
    assert sum(piece.mass_properties().volume for piece in mesh.convex_pieces()) == pytest.approx(0.75)
    with pytest.raises(ModelError, match=r"fills 85\.7 % .* convexify=True"):
        sg.TriangleMesh(mesh.vertices, mesh.triangles, max_pieces=1).convex_pieces()
    [hull] = sg.TriangleMesh(mesh.vertices, mesh.triangles, convexify=True).convex_pieces()
    assert hull.mass_properties().volume == pytest.approx(0.875)


def test_open_and_inside_out_meshes_have_no_mass() -> None:
    mesh = l_shape()
    with pytest.raises(ModelError, match=r"open.*add_fixed_body"):
        sg.TriangleMesh(mesh.vertices, mesh.triangles[1:]).mass_properties()
    with pytest.raises(ModelError, match=r"inside out.*::-1"):
        sg.TriangleMesh(mesh.vertices, mesh.triangles[:, ::-1]).mass_properties()
    one_turned = np.vstack((mesh.triangles[:1, ::-1], mesh.triangles[1:]))
    assert not sg.TriangleMesh(mesh.vertices, one_turned).is_watertight()


def test_height_field_is_a_surface_over_a_centred_grid() -> None:
    heights = np.arange(12.0).reshape(3, 4)
    field = sg.shapes.HeightField(heights, 0.5)
    vertices, triangles = field.vertices(), field.triangles()
    np.testing.assert_allclose(vertices[:, :2].mean(axis=0), 0, atol=1e-15)
    assert vertices[1 * 4 + 2].tolist() == [0.0, 0.25, heights[1, 2]]
    assert vertices[-1].tolist() == [0.5, 0.75, heights[2, 3]]
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    assert (normals[:, 2] > 0).all()
    assert normals[:, 2].sum() / 2 == pytest.approx(1.0 * 1.5)
    assert field.bounding_radius() == pytest.approx(np.linalg.norm([0.5, 0.75, 11.0]))


def test_shapes_hold_plain_numbers() -> None:
    assert sg.Box(np.array([1, 2, 3])) == sg.Box((1.0, 2.0, 3.0))  # type: ignore[arg-type]
    assert sg.HalfSpace((0, 3, 4)).normal == (0.0, 0.6, 0.8)
    assert sg.HalfSpace().bounding_radius() == math.inf


FLAT = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]
BAD: list[tuple[Any, str]] = [
    (lambda: sg.Sphere(0), "radius of a Sphere is 0.0"),
    (lambda: sg.Sphere(-1), "> 0"),
    (lambda: sg.Sphere(math.nan), "nan"),
    (lambda: sg.Sphere(math.inf), "inf"),
    (lambda: sg.Sphere("wide"), "'wide', expected a number"),  # type: ignore[arg-type]
    (lambda: sg.Box((1, 0, 1)), "size of a Box"),
    (lambda: sg.Box((1, 1)), r"shape \(2,\), expected \(3,\)"),  # type: ignore[arg-type]
    (lambda: sg.Capsule(1, 0), "length of a Capsule"),
    (lambda: sg.Cylinder(0, 1), "radius of a Cylinder"),
    (lambda: sg.shapes.Cone(1, -1), "height of a Cone"),
    (lambda: sg.shapes.Ellipsoid((1, 1, -2)), "radii of an Ellipsoid"),
    (lambda: sg.HalfSpace((0, 0, 0)), "zero vector"),
    (lambda: sg.HalfSpace().mass_properties(), "add_fixed_body"),
    (lambda: sg.ConvexHull(FLAT), "one plane"),
    (lambda: sg.ConvexHull(FLAT[:3]), "3 points"),
    (lambda: sg.ConvexHull([*FLAT, [0, 0, 1e-11]]), "flat|one plane"),
    (lambda: sg.ConvexHull([*FLAT, [0, 0, math.nan]]), "point 4"),
    (lambda: sg.ConvexHull([1, 2, 3]), r"\(points, 3\)"),
    (lambda: sg.TriangleMesh(FLAT, [[0, 1, 4]]), "0 to 3"),
    (lambda: sg.TriangleMesh(FLAT, [[0, 1, -1]]), "0 to 3"),
    (lambda: sg.TriangleMesh(FLAT, [[0.0, 1.0, 2.0]]), "integers"),
    (lambda: sg.TriangleMesh(FLAT, np.zeros((0, 3), dtype=int)), r"\(triangles, 3\)"),
    (lambda: sg.shapes.HeightField([[1, 2]], 1), "at least 2"),
    (lambda: sg.shapes.HeightField([[1, 2], [3, math.nan]], 1), r"\[1, 1\] is nan"),
    (lambda: sg.shapes.HeightField([[1, 2], [3, 4]], 0), "spacing"),
    (lambda: sg.shapes.HeightField([[1, 2], [3, 4]], 1).mass_properties(), "no finite volume"),
]


@pytest.mark.parametrize(("make", "message"), BAD, ids=[message for _, message in BAD])
def test_bad_shapes_are_refused(make: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        make()


def test_arrays_of_shapes_cannot_be_changed() -> None:
    points: Array = TETRAHEDRON.copy()
    hull = sg.ConvexHull(points)
    points[0] = 100.0
    assert hull.bounding_radius() < 2
    with pytest.raises(ValueError, match="read-only"):
        hull.vertices[0] = 0.0
