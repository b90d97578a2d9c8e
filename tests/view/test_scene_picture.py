"""Pictures of scenes and plots of runs: what must be seen is seen."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import signorini as sg
from signorini.problem.errors import FileError, ModelError
from signorini.view.planes import Plane, visible_part
from signorini.view.run_plot import draw_run
from signorini.view.scene_picture import draw_scene

SHAPES = [
    sg.Box((0.2, 0.3, 0.4)),
    sg.Cylinder(0.1, 0.3),
    sg.shapes.Cone(0.2, 0.4),
    sg.shapes.Ellipsoid((0.1, 0.2, 0.3)),
    sg.ConvexHull([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]),
]


pytestmark = pytest.mark.slow  # draws pictures


@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: type(s).__name__)
def test_surfaces_enclose_the_volume_of_the_solid(shape: sg.Box) -> None:
    """By the divergence theorem, if all triangles are turned outwards."""
    surface = shape.drawing()
    a, b, c = surface.corners.transpose(1, 0, 2)
    normal = np.cross(b - a, c - a)
    outwards = np.sign(np.einsum("ij,ij->i", normal, surface.normals.mean(axis=1)))
    volume = float((outwards * np.einsum("ij,ij->i", a, normal)).sum()) / 6.0
    assert volume == pytest.approx(shape.mass_properties().volume, rel=0.04)


def test_planes_are_cut_by_the_view_and_by_one_another() -> None:
    floor, wall = Plane(np.array([0.0, 0.0, 1.0]), 0.0), Plane(np.array([1.0, 0.0, 0.0]), 0.25)
    seen = visible_part(floor, [floor, wall], np.array([0.0, 0.0, -1.0]), np.array([1.0, 1.0, 1.0]))
    np.testing.assert_allclose(seen.min(axis=0), [0.25, 0.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(seen.max(axis=0), [1.0, 1.0, 0.0], atol=1e-12)


def every_shape() -> sg.Model:
    model = sg.Model()
    model.add_fixed_body(sg.HalfSpace((0, 0, 1)))
    model.add_fixed_body(sg.shapes.HeightField(np.zeros((3, 3)), 0.5), position=(0, 0, -0.1))
    for k, shape in enumerate([*SHAPES, sg.Sphere(0.2), sg.Capsule(0.1, 0.3)]):
        model.add_body(shape, density=1000, position=(k, 0, 1))
    return model


def test_every_shape_is_drawn(tmp_path: Path) -> None:
    model = every_shape()
    draw_scene(model, model.initial_state(), tmp_path / "all.png", title="all")
    assert (tmp_path / "all.png").stat().st_size > 20_000


def test_forces_and_plot(tmp_path: Path) -> None:
    model = sg.Model()
    model.add_fixed_body(sg.HalfSpace((0, 0, 1)))
    model.add_body(sg.Sphere(0.2), density=1000, position=(0, 0, 0.2))
    run = sg.Simulation(model).run(0.02)
    last = run.contacts()
    plain, forces, plot = (tmp_path / name for name in ("a.png", "b.png", "c.svg"))
    draw_scene(model, run.state(), plain)
    draw_scene(model, run.state(), forces, contacts=last.contacts, impulses=last.impulse[:, 0])
    assert plain.read_bytes() != forces.read_bytes()
    draw_run(run, plot, "one ball")
    for words in ("residual", "iterations per step", "contacts per step", "penetration", "tolerance", "one ball"):
        assert words in plot.read_text()


def test_nothing_to_draw_and_nowhere_to_draw_it(tmp_path: Path) -> None:
    model = sg.Model()
    model.add_fixed_body(sg.HalfSpace((0, 0, 1)))
    with pytest.raises(ModelError, match="nothing to draw"):
        draw_scene(model, model.initial_state(), tmp_path / "a.png")
    with pytest.raises(FileError, match="expected a picture"):
        draw_scene(model, model.initial_state(), tmp_path / "a.doc")
