"""Compiled contacts of convex pairs against coal and against the search over support points."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import coal
import numpy as np
import pytest

from signorini.collision.manifold import Posed, contacts_between
from signorini.kernels.collision.convex import core_support
from signorini.kernels.collision.convex_pair import (
    best_face,
    face_contacts,
    manifold,
    nearest,
    separation,
)
from signorini.math.rotations import about, matrix
from signorini.model.shapes.box import Box
from signorini.model.shapes.capsule import Capsule
from signorini.model.shapes.cone import Cone
from signorini.model.shapes.convex_hull import ConvexHull
from signorini.model.shapes.cylinder import Cylinder
from signorini.model.shapes.ellipsoid import Ellipsoid
from signorini.model.shapes.sphere import Sphere

KINDS = ["sphere", "box", "capsule", "cylinder", "cone", "ellipsoid", "hull"]


def random_shape(kind: str, rng: np.random.Generator) -> tuple[Any, Any]:
    """A shape, and the same for coal."""
    x, y, z = rng.uniform(0.1, 0.4, 3)
    if kind == "hull":
        hull = ConvexHull(rng.normal(size=(int(rng.integers(4, 20)), 3)) * 0.3)
        points, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
        for corner in hull.vertices:
            points.append(np.ascontiguousarray(corner))
        for a, b, c in np.asarray(hull.triangles).tolist():
            triangles.append(coal.Triangle(a, b, c))
        return hull, coal.Convex(points, triangles)
    pairs = {
        "sphere": (Sphere(x), coal.Sphere(x)),
        "box": (Box((x, y, z)), coal.Box(x, y, z)),
        "capsule": (Capsule(x, y), coal.Capsule(x, y)),
        "cylinder": (Cylinder(x, y), coal.Cylinder(x, y)),
        "cone": (Cone(x, y), coal.Cone(x, y)),
        "ellipsoid": (Ellipsoid((x, y, z)), coal.Ellipsoid(x, y, z)),
    }
    return pairs[kind]


def posed(shape: Any, rng: np.random.Generator, tilt: float = 3.0) -> Posed:
    turn = about(rng.normal(size=3), tilt * rng.normal())
    return Posed.of(shape.convex_form(), np.zeros(3), matrix(turn))


def at_gap(a: Posed, b: Posed, direction: np.ndarray, gap: float) -> Posed:
    """`a` moved along a direction to where the separation along it is `gap`."""
    reach = float(direction @ b.support(direction) - direction @ a.support(-direction))
    return replace(a, position=a.position + (reach + gap) * direction)


def gap_of(a: Posed, b: Posed) -> float:
    assert a.convex is not None
    assert b.convex is not None
    return float(nearest(a.convex, b.convex, np.empty((100, 3)), np.empty(3), np.empty(3)))


@pytest.mark.parametrize("two", KINDS)
@pytest.mark.parametrize("one", KINDS)
def test_distances_are_those_of_coal(one: str, two: str) -> None:
    rng = np.random.default_rng([KINDS.index(one), KINDS.index(two)])
    request, result = coal.DistanceRequest(True, 0.0, 0.0), coal.DistanceResult()
    request.gjk_tolerance, request.gjk_max_iterations = 1e-12, 1000
    for _ in range(20):
        (shape_a, solid_a), (shape_b, solid_b) = random_shape(one, rng), random_shape(two, rng)
        a, b = posed(shape_a, rng), posed(shape_b, rng)
        direction = rng.normal(size=3)
        a = at_gap(a, b, direction / np.linalg.norm(direction), float(rng.uniform(0.05, 0.5)))
        result.clear()
        places = (coal.Transform3s(shape.rotation, shape.position) for shape in (a, b))
        exact = coal.distance(solid_a, next(places), solid_b, next(places), request, result)
        assert gap_of(a, b) == pytest.approx(exact, abs=2e-7)  # of coal on curved shapes


@pytest.mark.parametrize("two", KINDS)
@pytest.mark.parametrize("one", KINDS)
def test_gap_is_the_largest_separation_near_by(one: str, two: str) -> None:
    """Apart, touching and overlapping a little: no direction near the normal separates more."""
    rng = np.random.default_rng([1, KINDS.index(one), KINDS.index(two)])
    for gap in (0.01, 1e-6, 0.0, -1e-6, -0.01):
        a, b = posed(random_shape(one, rng)[0], rng), posed(random_shape(two, rng)[0], rng)
        direction = rng.normal(size=3)
        a = at_gap(a, b, direction / np.linalg.norm(direction), gap)
        assert a.convex is not None
        assert b.convex is not None
        n, point = np.empty(3), np.empty(3)
        found = nearest(a.convex, b.convex, np.empty((100, 3)), n, point)
        assert found >= gap - 1e-12
        assert found == pytest.approx(separation(a.convex, b.convex, n), abs=1e-15)
        for near in n + rng.normal(size=(50, 3)) * 10.0 ** rng.uniform(-5, -2, (50, 1)):
            other = near / np.linalg.norm(near)
            assert separation(a.convex, b.convex, other) <= found + 1e-9


@pytest.mark.parametrize("tilt", [0.0, 1e-6, 0.02, 1.0])
@pytest.mark.parametrize("round_kinds", [False, True])
def test_compiled_contacts_are_those_of_the_search_over_support_points(tilt: float, round_kinds: bool) -> None:
    rng = np.random.default_rng(0)
    kinds = ["cylinder", "cone", "box", "capsule"] if round_kinds else ["box", "hull"]
    counts = []
    for _ in range(40):
        a, b = (posed(random_shape(str(rng.choice(kinds)), rng)[0], rng, tilt) for _ in range(2))
        direction = rng.normal(size=3) if tilt == 1.0 else np.array([0.05 * rng.normal(), 0.05 * rng.normal(), 1.0])
        a = at_gap(a, b, direction / np.linalg.norm(direction), float(rng.choice([-0.004, 1e-9, 0.01])))
        mine, gap = contacts_between(a, b, 1.0)
        others, other_gap = contacts_between(replace(a, core=None), b, 1.0)
        counts.append(len(mine))
        assert gap == pytest.approx(other_gap, abs=1e-8)
        assert min(t.gap for t in mine) == pytest.approx(min(t.gap for t in others), abs=1e-8)
        if len(mine) > 2 and tilt < 0.02:
            assert sorted(t.feature for t in mine) == sorted(t.feature for t in others)
            np.testing.assert_allclose(sorted(t.gap for t in mine), sorted(t.gap for t in others), atol=1e-9)
            assert sum(t.share for t in mine) == pytest.approx(sum(t.share for t in others))
    assert max(counts) > 2 or tilt == 1.0


def frustum(rng: np.random.Generator) -> ConvexHull:
    """A stone with flat beds."""
    angle = 2.0 * np.pi * (np.arange(6) + rng.uniform(-0.2, 0.2, 6)) / 6
    rings = [
        np.column_stack([r * np.cos(angle), r * np.sin(angle), np.full(6, z)]) for r, z in ((1.0, -0.3), (0.9, 0.3))
    ]
    return ConvexHull(np.concatenate(rings))


def raw_contacts(a: Posed, b: Posed, search: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(point, gap, share), names and normal of all contacts, by the search for nearest points or by faces alone."""
    one, two = a.convex, b.convex
    assert one is not None
    assert two is not None
    n, point, rooms = np.empty(3), np.empty(3), np.empty((2, 64, 3))
    found, names = np.empty((64, 5)), np.empty(64, dtype=np.int64)
    if search:
        gap = nearest(one, two, rooms[0], n, point)
        count = manifold(one, two, gap, 1.0, n, point, rooms, found, names)
    else:
        count, _ = face_contacts(one, two, 1.0, n, rooms, found, names)
    return found[: max(count, 0)], names[: max(count, 0)], n


@pytest.mark.parametrize("gap", [-0.02, -1e-9, 0.0, 1e-6, 0.03])
@pytest.mark.parametrize("tilt", [0.0, 1e-7, 0.01])
def test_faces_on_one_another_are_found_without_a_search(gap: float, tilt: float) -> None:
    rng, by_faces = np.random.default_rng(5), 0
    for _ in range(30):
        turns = (
            about(np.array([rng.normal(), rng.normal(), 0.0]), tilt),
            about(np.array([0.0, 0.0, 1.0]), rng.normal()),
        )
        a, b = (Posed.of(frustum(rng).convex_form(), np.zeros(3), matrix(turn)) for turn in turns)
        a = replace(a, position=np.array([*rng.uniform(-0.8, 0.8, 2), 0.0]))
        a = at_gap(a, b, np.array([0.0, 0.0, 1.0]), gap)
        mine, names, normal = raw_contacts(a, b, search=False)
        if not len(mine):
            continue
        by_faces += 1
        others, other_names, other_normal = raw_contacts(a, b, search=True)
        np.testing.assert_array_equal(names, other_names)
        np.testing.assert_allclose(mine, others, atol=1e-12)
        np.testing.assert_allclose(normal, other_normal, atol=1e-12)
    assert by_faces > (15 if tilt < 0.01 else 0)


def test_turned_stones_are_left_to_the_search_or_agree_with_it() -> None:
    rng, by_faces, left = np.random.default_rng(6), 0, 0
    for _ in range(60):
        a, b = (posed(frustum(rng), rng) for _ in range(2))
        direction = rng.normal(size=3)
        a = at_gap(a, b, direction / np.linalg.norm(direction), 0.01)
        mine, names, normal = raw_contacts(a, b, search=False)
        by_faces, left = by_faces + bool(len(mine)), left + (not len(mine))
        if len(mine):
            others, other_names, other_normal = raw_contacts(a, b, search=True)
            np.testing.assert_array_equal(names, other_names)
            np.testing.assert_allclose(mine, others, atol=1e-9)
            np.testing.assert_allclose(normal, other_normal, atol=1e-9)
    assert left > by_faces


def test_first_guess_is_the_best_of_faces_and_the_line_of_centres() -> None:
    rng = np.random.default_rng(1)
    for _ in range(40):
        a, b = (posed(ConvexHull(rng.normal(size=(12, 3))), rng) for _ in range(2))
        a = replace(a, position=rng.normal(size=3))
        assert a.convex is not None
        assert b.convex is not None
        line = a.position / np.linalg.norm(a.position)
        every = [float(n @ (a.support(-n) - b.support(n))) for n in (*-a.normals, *b.normals, line)]
        assert best_face(a.convex, b.convex, np.empty(3)) == pytest.approx(max(every), rel=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_support_points_are_those_of_the_shapes(kind: str) -> None:
    rng = np.random.default_rng(2)
    shape = posed(random_shape(kind, rng)[0], rng)
    assert shape.convex is not None
    for direction in rng.normal(size=(50, 3)):
        core = np.array(core_support(shape.convex, *direction))
        whole = core + shape.convex.rounding * direction / np.linalg.norm(direction)
        np.testing.assert_allclose(whole, shape.support(direction), atol=1e-14)
