"""Springs, ropes, rods and joints in pictures and in the viewer."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini.view.links import links_of
from signorini.view.render import PictureSettings, Renderer
from signorini.view.render.overlay import zigzag
from signorini.view.web.scene import scene_of


@pytest.fixture
def model() -> sg.Model:
    model = sg.Model()
    for k, name in enumerate("abc"):
        model.add_body(sg.Box((0.1, 0.1, 0.1)), mass=1.0, position=(k, 0, 0), name=name)
    model.add_spring("a", "b", (0, 0, 0), (0.9, 0, 0), stiffness=10.0, name="coil")
    model.add_rope("b", "c", (1, 0, 0), (2, 0, 0), name="string")
    model.add_distance(None, "c", (2, 0, 1), (2, 0, 0), name="bar")
    hinge = model.add_revolute(None, "a", position=(0, 0, 0), axis=(0, 1, 0), name="hinge")
    model.add_motor(hinge, speed=1.0, name="drive")
    model.add_spherical("b", "c", position=(1.5, 0, 0), name="ball")
    stops = [("a", (0, 0, 0)), (None, (0.5, 0, 1)), ("c", (2, 0, 0))]
    model.add_pulley_rope(stops, name="tackle")
    return model


def test_links_are_where_their_ends_are(model: sg.Model) -> None:
    state = model.initial_state()
    links = {link.name: link for link in links_of(model, 2.0)}
    kinds = {name: link.kind for name, link in links.items()}
    assert kinds == {
        "coil": "spring", "string": "rope", "bar": "rod", "hinge": "motor", "ball": "joint", "tackle": "rope",
    }  # fmt: skip
    assert np.allclose(links["coil"].places(state), [[0, 0, 0], [0.9, 0, 0]])
    assert np.allclose(links["tackle"].places(state), [[0, 0, 0], [0.5, 0, 1], [2, 0, 0]])
    axis = np.diff(links["hinge"].places(state), axis=0)[0]
    assert np.allclose(np.abs(axis) / np.linalg.norm(axis), [0, 1, 0])
    state.position[0] += [0, 0, 3]
    assert np.allclose(links["coil"].places(state)[0], [0, 0, 3])


def test_page_knows_the_links(model: sg.Model) -> None:
    links = scene_of(model, [model.initial_state()])["links"]
    assert {link["kind"] for link in links} == {"spring", "rope", "rod", "joint", "motor"}
    assert all(len(point) == 4 for link in links for point in link["points"])


@pytest.mark.slow
def test_links_are_painted_and_joints_on_request(model: sg.Model) -> None:
    state = model.initial_state()
    green = np.array([0.0, 0.55, 0.42]) * 255
    plain = Renderer(model, [state], PictureSettings(size=(400, 300))).image(state)
    assert np.count_nonzero(np.abs(plain - green).max(axis=2) < 40) > 20
    joints = Renderer(model, [state], PictureSettings(size=(400, 300), joints=True)).image(state)
    assert not np.array_equal(plain, joints)


def test_springs_zigzag_between_their_ends() -> None:
    path = zigzag(np.array([10.0, 10.0]), np.array([110.0, 10.0]), 5.0)
    assert np.allclose(path[[0, -1]], [[10, 10], [110, 10]])
    assert np.ptp(path[:, 1]) == pytest.approx(10.0)
    assert (np.diff(path[:, 0]) > 0).all()
