"""Bodies by the array: the same model as one by one, and few objects."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini.collision.shape_table import ShapeTable


def one_by_one(positions: np.ndarray, velocities: np.ndarray) -> sg.Model:
    model = sg.Model()
    model.add_box_container(size=(1, 1, 1))
    for position, velocity in zip(positions, velocities, strict=True):
        model.add_body(sg.Sphere(0.05), density=1000, position=position, velocity=velocity)
    model.add_body(sg.Box((0.1, 0.1, 0.1)), density=500, position=(0.5, 0.5, 0.9), name="last")
    return model


def at_once(positions: np.ndarray, velocities: np.ndarray) -> sg.Model:
    model = sg.Model()
    model.add_box_container(size=(1, 1, 1))
    places = model.add_bodies(sg.Sphere(0.05), positions, density=1000, velocities=velocities)
    assert places == range(1, 1 + len(positions))
    model.add_body(sg.Box((0.1, 0.1, 0.1)), density=500, position=(0.5, 0.5, 0.9), name="last")
    return model


@pytest.fixture
def both() -> tuple[sg.Model, sg.Model]:
    rng = np.random.default_rng(0)
    grid = np.stack(np.meshgrid(*[np.arange(0.1, 1.0, 0.2)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    velocities = rng.normal(size=grid.shape)
    return one_by_one(grid, velocities), at_once(grid, velocities)


def test_the_same_tables_names_and_motion(both: tuple[sg.Model, sg.Model]) -> None:
    one, two = both
    assert two.bodies.names == one.bodies.names == [body.name for body in two.bodies]
    for a, b in zip(ShapeTable.of(one).arrays, ShapeTable.of(two).arrays, strict=True):
        np.testing.assert_array_equal(a, b)
    for name in ("position", "orientation", "velocity", "angular_velocity"):
        np.testing.assert_array_equal(getattr(one.initial_state(), name), getattr(two.initial_state(), name))
    ends = [sg.Simulation(model, step=0.005).run(0.05).state() for model in both]
    np.testing.assert_array_equal(ends[0].position, ends[1].position)


def test_bodies_of_a_group_are_found(both: tuple[sg.Model, sg.Model]) -> None:
    model = both[1]
    body = model.bodies[7]
    assert body.name == "sphere-7"
    assert model.bodies[7] is body
    assert model.body_index(body) == model.body_index("sphere-7") == 7
    assert model.bodies[-1].name == "last"
    assert [b.name for b in model.bodies[5:7]] == ["sphere-5", "sphere-6"]
    for wrong in ("sphere-07", "sphere-0", "sphere-999", "sphere-", "box-3"):
        with pytest.raises(sg.SignoriniError, match="no body is named"):
            model.body_index(wrong)
    model.add_spherical(body, None, body.position)
    assert len(model.joints) == 1


def test_records_keep_them(both: tuple[sg.Model, sg.Model], tmp_path: object) -> None:
    path = f"{tmp_path}/run.h5"
    sg.Simulation(both[1], step=0.005).run(0.02, record=path)
    rest = sg.Simulation.resume(path).run(0.02)
    whole = sg.Simulation(both[1], step=0.005).run(0.04)
    np.testing.assert_array_equal(rest.state().position, whole.state().position)


def test_a_hundred_thousand_make_no_objects() -> None:
    model = sg.Model()
    positions = np.random.default_rng(1).random((100_000, 3)) * 50.0
    model.add_bodies(sg.Sphere(0.01), positions, density=1000, name="grain")
    ShapeTable.of(model)
    model.initial_state()
    group = model.bodies._parts[0]
    assert not group._made  # type: ignore[union-attr]
    assert len(model.bodies) == 100_000
    assert model.bodies[99_999].name == "grain-99999"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"positions": [1, 2, 3]}, "shape"),
        ({"positions": np.zeros((0, 3))}, "shape"),
        ({"positions": [[0, 0, np.nan]]}, "not finite"),
        ({"positions": [["a", 0, 0]]}, "no array of numbers"),
        ({"positions": [[0, 0, 0]], "velocities": [[0, 0, 0], [0, 0, 0]]}, "velocities"),
        ({"positions": [[0, 0, 0]], "orientations": [[0, 0, 0, 0]]}, "length 0"),
        ({"positions": [[0, 0, 0]], "name": "ball"}, "already"),
    ],
)
def test_wrong_arrays_are_refused(arguments: dict[str, object], message: str) -> None:
    model = sg.Model()
    model.add_body(sg.Sphere(1), density=1, name="ball-0")
    with pytest.raises(sg.SignoriniError, match=message):
        model.add_bodies(sg.Sphere(0.1), density=1000, **arguments)  # type: ignore[arg-type]
