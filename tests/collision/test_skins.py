"""Contacts of flexible bodies where their skins are dented, flat, or pinned to one another."""

from __future__ import annotations

import math

import numpy as np
import pytest

from signorini.collision.contacts import Contacts
from signorini.collision.detector import Detector
from signorini.fe.cable import Cable
from signorini.fe.materials.elastic import Elastic
from signorini.fe.mesh import Mesh
from signorini.fe.soft_body import SoftBody
from signorini.math.rotations import about, rotate
from signorini.model.model import Model

JELLY = Elastic(young=1e5, poisson=0.3, density=1000.0)
DENT = 0.2


def corner_in_a_dent(depth: float, dent: float = DENT, beside: float = 0.0) -> Contacts:
    """The corner of a cube reaches `depth` below the bottom of a dent along y in the top of a block."""
    box = Mesh.box((2.0, 1.0, 1.0), (2, 1, 1))
    points = box.points.copy()
    points[(np.abs(points[:, 0]) < 1e-9) & (points[:, 2] > 0.49), 2] -= dent
    model = Model(gravity=(0, 0, 0))
    model.add_flexible(SoftBody(Mesh(points, box.cells), JELLY), name="block")
    turn = about(np.array([1.0, -1.0, 0.0]) / math.sqrt(2.0), math.atan(math.sqrt(2.0)))
    cube = Mesh.box((0.2, 0.2, 0.2), (1, 1, 1))
    corners = rotate(turn, cube.points)
    lowest = corners[np.argmin(corners[:, 2])]
    place = np.array([beside, 0.1, 0.5 - dent - depth]) - lowest
    model.add_flexible(SoftBody(cube, JELLY), position=place, orientation=turn, name="cube")
    return Detector(model).detect(model.initial_state(), 1e-3)


def test_above_a_dent_both_faces_are_touched() -> None:
    contacts = corner_in_a_dent(-1e-3)
    across = math.cos(math.atan(DENT))
    np.testing.assert_allclose(contacts.gap, [1e-3 * across] * 2, rtol=1e-9)
    np.testing.assert_allclose(np.sort(contacts.normal[:, 0]), [-DENT * across, DENT * across], rtol=1e-9)


@pytest.mark.parametrize("beside", [0.0, 1e-4])
def test_below_a_dent_its_edge_is_touched(beside: float) -> None:
    """There the nearest point of either face is on their common edge, and the way out leads to it."""
    contacts = corner_in_a_dent(1e-3, beside=beside)
    away = math.hypot(1e-3, beside)
    np.testing.assert_allclose(contacts.gap, [-away], rtol=1e-9)
    np.testing.assert_allclose(contacts.normal[0], np.array([-beside, 0.0, 1e-3]) / away, atol=1e-9)


@pytest.mark.parametrize("depth", [0.0, 1e-17, -1e-17, 3e-16, 1e-12, 1e-9, 1e-4])
@pytest.mark.parametrize("beside", [0.013, -0.3])
def test_a_point_on_a_face_touches_it_whatever_round_off_says(depth: float, beside: float) -> None:
    contacts = corner_in_a_dent(depth, dent=0.0, beside=beside)
    np.testing.assert_allclose(contacts.gap, [-depth], atol=1e-15)
    np.testing.assert_allclose(contacts.normal[0], [0.0, 0.0, 1.0], atol=1e-12)


@pytest.mark.parametrize("pinned", [True, False])
def test_bodies_do_not_collide_where_they_are_pinned_together(pinned: bool) -> None:
    """The round end of a rope sticks in the cube that it holds."""
    model = Model(gravity=(0, 0, 0))
    down = about(np.array([0.0, 1.0, 0.0]), 0.5 * math.pi)
    model.add_flexible(Cable.straight(0.4, 4, radius=0.005, young=1e8, density=1000.0), orientation=down, name="rope")
    model.add_flexible(SoftBody(Mesh.box((0.1,) * 3, (2, 2, 2)), JELLY), position=(0, 0, -0.45), name="cube")
    if pinned:
        model.attach_point("rope", (0, 0, -0.4), to="cube")
    contacts = Detector(model).detect(model.initial_state(), 1e-3)
    assert contacts.count == 0 if pinned else contacts.deepest == pytest.approx(0.005)
