"""A shape is one class: what its support points and its mass give without any other change."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import matplotlib.image
import numpy as np
import pytest
from tests.collision.scene import assert_mirrored, check, contacts_of
from tests.model.lens import Lens

import signorini as sg
from signorini.collision.contacts import Contacts
from signorini.collision.detector import Detector
from signorini.fe.materials.elastic import Elastic
from signorini.fe.mesh import Mesh
from signorini.fe.soft_body import SoftBody
from signorini.io.model_text import from_text, to_text
from signorini.math.rotations import about, rotate
from signorini.model.shapes import shape as shapes
from signorini.model.shapes.polyhedron import solid_properties
from signorini.problem.errors import FileError, ModelError
from signorini.view.scene_picture import draw_scene

LENS = Lens(radius=0.5, offset=0.3)
TURNS = [about(np.array(axis) / np.linalg.norm(axis), angle) for axis, angle in (((1, 2, 3), 0.4), ((2, -1, 0), 1.3))]


def resting(height: float = LENS.thickness) -> sg.Model:
    model = sg.Model()
    model.add_fixed_body(sg.HalfSpace())
    model.add_body(LENS, density=1000, position=(0, 0, height), name="lens")
    return model


def test_bounds_and_mass() -> None:
    box = LENS.bounding_box()
    np.testing.assert_allclose(box.half, [0.4, 0.4, 0.2], rtol=1e-12)
    np.testing.assert_allclose(box.centre, 0.0, atol=1e-15)
    mesh, exact = LENS.mesh(), LENS.mass_properties()
    assert exact.volume == pytest.approx(2.0 * math.pi * 0.2**2 * (3 * 0.5 - 0.2) / 3.0)  # two caps
    near = solid_properties(mesh.vertices, mesh.triangles)
    assert near.volume == pytest.approx(exact.volume, rel=0.03)
    np.testing.assert_allclose(near.inertia, exact.inertia, atol=0.05 * exact.inertia.max())


@pytest.mark.parametrize("turn", TURNS)
def test_touches_a_plane_with_its_lowest_point(turn: np.ndarray) -> None:
    contacts = contacts_of((sg.HalfSpace(),), (LENS, (0, 0, 1), turn))
    tilt = rotate(turn, np.array([0.0, 0.0, 1.0]))
    across = math.sqrt(1.0 - tilt[2] ** 2)
    low = 0.5 - 0.3 * abs(tilt[2]) if 0.5 * abs(tilt[2]) > 0.3 else 0.4 * across
    check(contacts)
    assert contacts.gap == pytest.approx([1.0 - low], abs=1e-12)


@pytest.mark.parametrize("gap", [0.5, 0.01, 1e-6, -0.02])
@pytest.mark.parametrize("angle", [0.0, 0.3, 0.9])
def test_touches_a_ball_on_its_cap(gap: float, angle: float) -> None:
    """Seen from the upper cap, the lens is the ball about (0, 0, -offset)."""
    n = np.array([math.sin(angle), 0.0, math.cos(angle)])
    contacts = contacts_of((LENS, (0, 0, 0)), (sg.Sphere(0.1), (0.5 + gap + 0.1) * n - [0, 0, 0.3]))
    check(contacts)
    assert contacts.gap == pytest.approx([gap], abs=1e-9)
    np.testing.assert_allclose(contacts.normal, [-n], atol=2e-6)
    np.testing.assert_allclose(contacts.point_a, [0.5 * n - [0, 0, 0.3]], atol=2e-6)


@pytest.mark.parametrize(
    "other", [sg.Box((0.3, 0.4, 0.5)), sg.Cylinder(0.2, 0.4), LENS], ids=lambda s: type(s).__name__
)
@pytest.mark.parametrize("far", [0.7, 0.4])
def test_order_of_bodies_does_not_matter(other: shapes.Shape, far: float) -> None:
    one = (LENS, (0, 0, 0), TURNS[0])
    two = (other, far * np.array([0.5, 0.3, 0.8]), TURNS[1])
    assert_mirrored(contacts_of(one, two), contacts_of(two, one), tolerance=1e-8, points=1e-4, normals=1e-4)


def test_touches_a_flexible_body_with_its_triangles() -> None:
    model = sg.Model(gravity=(0, 0, 0))
    block = SoftBody(Mesh.box((1.0, 1.0, 0.2), (2, 2, 1)), Elastic(young=1e5, poisson=0.3, density=1000.0))
    model.add_flexible(block, position=(0.1, 0.05, -0.1))
    model.add_body(LENS, density=1000, position=(0, 0, LENS.thickness + 1e-3), margin=0.01)
    contacts: Contacts = Detector(model).detect(model.initial_state(), 0.0)
    assert contacts.count
    assert contacts.gap.min() == pytest.approx(1e-3, rel=1e-6)
    assert np.abs(contacts.normal[contacts.gap.argmin(), 2]) == pytest.approx(1.0, abs=0.01)


@pytest.mark.slow
def test_comes_to_rest_on_a_plane_and_is_resumed_from_its_record(tmp_path: Path) -> None:
    path = tmp_path / "lens.h5"
    whole = sg.Simulation(resting(0.25), step=0.002).run(0.4)
    assert whole.state().position[1, 2] == pytest.approx(LENS.thickness, abs=1e-6)
    assert np.abs(whole.state().velocity[1]).max() < 1e-6
    sg.Simulation(resting(0.25), step=0.002).run(0.1, record=path)
    resumed = sg.Simulation.resume(path)
    assert resumed.model.bodies[1].shapes[0].shape == LENS
    np.testing.assert_array_equal(resumed.run(0.3).state().position, whole.state().position)


@pytest.mark.slow
def test_rolls_on_its_cap_as_a_pendulum() -> None:
    """Small rocking about the pole: omega^2 = m g offset / (I + m thickness^2), for a ball with its centre raised."""
    tilt = 0.02
    model = sg.Model()
    model.add_fixed_body(sg.HalfSpace(), material=sg.Material(friction=1.0))
    height = 0.5 - 0.3 * math.cos(tilt)
    model.add_body(
        LENS, density=1000, position=(0, 0, height), orientation=about(np.array([0.0, 1.0, 0.0]), tilt),
        material=sg.Material(friction=1.0),
    )  # fmt: skip
    mass = LENS.mass_properties()
    omega = math.sqrt(9.81 * 0.3 / (mass.inertia[0, 0] / mass.volume + LENS.thickness**2))
    run = sg.Simulation(model, step=0.0005).run(math.pi / omega)  # half a period
    q = run.state().orientation[1]
    assert 2.0 * math.asin(q[2]) == pytest.approx(-tilt, rel=0.05)


@pytest.mark.slow
def test_is_drawn(tmp_path: Path) -> None:
    model = resting()
    draw_scene(model, model.initial_state(), tmp_path / "lens.png")
    picture = matplotlib.image.imread(tmp_path / "lens.png")[..., :3]
    coloured = np.ptp(picture, axis=2) > 0.1  # the floor and the background are grey
    rows, columns = np.nonzero(coloured)
    assert np.ptp(columns) > 1.5 * np.ptp(rows) > 0  # wider than high


def test_text_of_a_model_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    text = to_text(resting())
    assert from_text(text).bodies[1].shapes[0].shape == LENS
    monkeypatch.delitem(shapes.KNOWN, "tests.model.lens:Lens")
    with pytest.raises(FileError, match=r"tests.model.lens:Lens.*import the module that defines it"):
        from_text(text)


def test_things_that_are_no_shapes_are_refused() -> None:
    @dataclass(frozen=True)
    class Halfway:
        radius: float

        def mass_properties(self) -> None:
            """Not a Shape all the same."""

    with pytest.raises(ModelError, match="expected a shape"):
        sg.Model().add_body(Halfway(1.0), mass=1.0, inertia=np.eye(3))  # type: ignore[arg-type]
