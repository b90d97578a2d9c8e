"""Pieces of one body: they do not touch one another, and their seams are not felt."""

from __future__ import annotations

import numpy as np
import pytest
from tests.model.non_convex import L, prism, torus

from signorini.collision import detect
from signorini.collision.contacts import Contacts
from signorini.math.rotations import about, rotate
from signorini.math.sparse import Array
from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.model.shapes.convex_hull import ConvexHull
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.height_field import HeightField
from signorini.model.shapes.shape import Shape
from signorini.model.shapes.sphere import Sphere
from signorini.model.shapes.triangle_mesh import TriangleMesh

from .scene import check

TILTED = about(np.array([0.3, 1.0, 0.2]), 0.4)


def slab(low: float, high: float) -> ConvexHull:
    """From x = low to high, with its top at z = 0."""
    return ConvexHull([[x, y, z] for x in (low, high) for y in (-1, 1) for z in (-1, 0)])


def on_slabs(shape: Shape, place: tuple[float, float, float], orientation: Array) -> Contacts:
    """Of a shape above two slabs that meet at x = 0; all turned, seen in the frame of the slabs."""
    model = Model(gravity=(0, 0, 0), margin=0.05)
    model.add_body([slab(-2, 0), slab(0, 1)], mass=1.0, inertia=np.eye(3), orientation=orientation)
    shift = model.bodies[0].position
    model.add_body(
        shape, mass=1.0, inertia=np.eye(3), position=rotate(orientation, np.array(place)), orientation=orientation
    )
    assert np.isfinite(shift).all()
    return detect(model, model.initial_state(), 0.0)


@pytest.mark.slow
@pytest.mark.parametrize("orientation", [np.array([1.0, 0, 0, 0]), TILTED], ids=["level", "tilted"])
@pytest.mark.parametrize("shape", [Sphere(0.2), Box((0.2, 0.3, 0.4))], ids=["ball", "box"])
def test_normals_over_a_seam_are_those_of_the_face(shape: Shape, orientation: Array) -> None:
    up = rotate(orientation, np.array([0.0, 0.0, 1.0]))
    for x in np.linspace(-0.15, 0.15, 13):
        found = on_slabs(shape, (x, 0.1, 0.2 - 1e-4), orientation)
        check(found)
        assert found.count >= 1
        # The slabs come first, so normals look down.
        assert np.allclose(found.normal, -up, atol=1e-4)
        assert found.gap.min() == pytest.approx(-1e-4, abs=1e-7)


def test_outer_edges_and_corners_are_felt() -> None:
    """Beyond the end of the slabs a ball rests on the edge, slanted; it is not hidden."""
    found = on_slabs(Sphere(0.2), (1.15, 0.0, 0.15), np.array([1.0, 0, 0, 0]))
    assert found.count == 1
    assert np.allclose(found.normal, -np.array([1, 0, 1]) / np.sqrt(2), atol=1e-6)
    # At the end of the seam, over the edge of both slabs: its normal is that of the edge.
    found = on_slabs(Sphere(0.2), (0.0, 1.15, 0.15), np.array([1.0, 0, 0, 0]))
    assert found.count >= 1
    assert np.allclose(found.normal, -np.array([0, 1, 1]) / np.sqrt(2), atol=1e-4)


def test_box_in_the_inner_corner_of_an_angle_touches_both_legs() -> None:
    model = Model(gravity=(0, 0, 0), margin=0.01)
    model.add_body(TriangleMesh(*prism(L)), density=1.0)
    model.add_body(Box((0.3, 0.3, 0.6)), density=1.0, position=(0.65 - 1e-5, 0.65 - 1e-5, 0.5))
    found = detect(model, model.initial_state(), 0.0)
    check(found)
    sides = {tuple(np.round(-n, 6).tolist()) for n in found.normal}
    assert sides == {(1.0, 0.0, 0.0), (0.0, 1.0, 0.0)}
    for side in sides:
        touching = np.allclose(-found.normal, side, atol=1e-6) | (np.abs(found.normal + side).max(axis=1) < 1e-6)
        assert np.count_nonzero(touching) == 4
    assert found.gap == pytest.approx([-1e-5] * found.count, abs=1e-9)


def test_pieces_of_a_body_do_not_touch_one_another() -> None:
    model = Model(margin=0.1)
    model.add_body(TriangleMesh(*prism(L)), density=1.0, position=(0, 0, 5))
    model.add_fixed_body(HalfSpace())
    assert detect(model, model.initial_state(), 0.0).count == 0


@pytest.mark.slow
def test_seams_of_a_ring_on_a_height_field_are_not_felt() -> None:
    """Lying on flat ground, all normals of a torus are upright, whatever its pieces."""
    model = Model(gravity=(0, 0, 0), margin=1e-3)
    model.add_body(TriangleMesh(*torus(0.5, 0.15, 12, 8)), density=1.0, position=(0, 0, 0.15))
    model.add_fixed_body(HeightField(np.zeros((5, 5)), 0.5))
    found = detect(model, model.initial_state(), 0.0)
    assert found.count >= 12
    assert np.allclose(np.abs(found.normal[:, 2]), 1.0, atol=1e-6)
    assert np.allclose(found.gap, 0.0, atol=1e-9)
