"""Every scene builds, runs a few steps in a tiny setting, and refuses parameters that make no sense."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from signorini.problem.errors import FileError, ModelError, SignoriniError
from signorini.scenes import SCENES, Scene, find_scene, scene_of_file
from signorini.scenes.arrange import close_packing, lattice
from signorini.simulation.simulation import Simulation

TINY: dict[str, dict[str, Any]] = {
    "balls-in-box": {"spheres": 8},
    "single-ball": {},
    "single-brick": {"drop": 0.001, "tilt": 0.0},
    "sphere-stack": {"count": 4, "ratio": 10.0},
    "brick-wall": {"courses": 2, "bricks": 2},
    "polytope-stack": {"towers": 1, "levels": 2},
    "shaker": {"spheres": 12},
    "pebble-bed": {"pebbles": 10},
    "heavy-block": {"across": 2, "layers": 2, "clearance": 0.0},
    "domino": {"dominoes": 3},
    "card-house": {"storeys": 2},
    "non-convex": {"bodies": 4},
    "inclined-plane": {},
    "pendulum": {},
    "double-pendulum": {},
    "slider-crank": {},
    "four-bar": {},
    "flywheel": {},
    "chain": {"links": 4},
    "gripper": {},
    "packaging": {"parcels": 2},
    "ragdolls": {"dolls": 1, "stairs": 2},
    "walker": {},
    "simple-pendulum": {},
    "n-four-bar": {"loops": 1},
    "andrews": {},
    "bricard": {},
    "governor": {},
    "cantilever": {"cells": 3},
    "three-point-bending": {"cells_x": 26, "cells_y": 2, "cells_z": 1},
    "soft-gripper": {"cells": 2},
    "soft-ball-stairs": {"across": 1, "steps": 1},
    "soft-pile": {"soft": 2, "rigid": 2},
}
SEEDED = ("balls-in-box", "polytope-stack", "shaker", "pebble-bed", "non-convex", "ragdolls")
PARAMETERS = [(name, key) for name, scene in SCENES.items() for key in scene.parameters]


def test_all_scenes_are_listed() -> None:
    assert set(SCENES) == set(TINY)
    assert all(name == scene.name for name, scene in SCENES.items())


@pytest.mark.parametrize("name", SCENES)
def test_takes_three_steps_without_penetration(name: str) -> None:
    scene = SCENES[name]
    model = scene.build(**TINY[name])
    run = Simulation(model, step=scene.step, integrator=scene.integrator).run(3 * scene.step)
    summary = run.summary()
    assert summary["steps"] == 3
    assert summary["failures"] == 0
    assert summary["residual_max"] <= 1e-8
    # Nothing starts inside something else: a thousandth of the smallest body at most.
    sizes = [part.shape.bounding_radius() for b in model.bodies if b.movable for part in b.shapes]
    sizes += [np.linalg.norm(b.position - b.position.mean(axis=0), axis=1).max() for b in model.flexibles]
    smallest = min(sizes, default=0.0)
    assert run.diagnostics["penetration"][0] <= 1e-3 * smallest
    assert np.isfinite(run.state().position).all()


@pytest.mark.parametrize("name", ["sphere-stack", "brick-wall", "heavy-block", "card-house", "inclined-plane"])
def test_what_is_built_at_rest_stays_at_rest(name: str) -> None:
    scene = SCENES[name]
    model = scene.build(**TINY[name])
    run = Simulation(model, step=scene.step).run(10 * scene.step)
    moved = np.linalg.norm(run.position()[-1] - run.position()[0], axis=1).max()
    assert moved < 1e-6 * max(body.shapes[0].shape.bounding_radius() for body in model.bodies if body.movable)


@pytest.mark.parametrize("name", SEEDED)
def test_seed_decides(name: str) -> None:
    def corners(seed: int) -> np.ndarray:
        model = SCENES[name].build(**{**TINY[name], "seed": seed})
        return np.array([[*b.position, *b.orientation, b.mass if b.movable else 0.0] for b in model.bodies])

    assert np.array_equal(corners(3), corners(3))
    assert not np.array_equal(corners(3), corners(4))


@pytest.mark.parametrize(("name", "key"), PARAMETERS)
def test_parameters_are_described_and_checked(name: str, key: str) -> None:
    parameter = SCENES[name].parameters[key]
    assert parameter.about.help
    assert type(parameter.default) is parameter.type
    assert parameter.parse(str(parameter.default)) == parameter.default
    with pytest.raises(ModelError, match=key):
        SCENES[name].build(**{key: None})  # type: ignore[arg-type]
    if parameter.type is not str:
        with pytest.raises(ModelError, match=key):
            SCENES[name].build(**{key: math.nan})
        with pytest.raises(ModelError, match=f"{key} is 'many'"):
            parameter.parse("many")
    bound = parameter.about.least if parameter.about.least is not None else parameter.about.above
    if bound is not None:
        with pytest.raises(ModelError, match=f"{key} is {bound - 1:g}, expected"):
            SCENES[name].build(**{key: parameter.type(bound - 1)})


def test_wrong_names_and_settings_get_advice() -> None:
    with pytest.raises(ModelError, match="did you mean 'balls-in-box'"):
        find_scene("ball-in-box")
    with pytest.raises(ModelError, match="did you mean 'spheres'"):
        SCENES["balls-in-box"].build(sphere=3)
    with pytest.raises(ModelError, match="expected name=value such as spheres=280"):
        SCENES["balls-in-box"].parse(["spheres"])
    with pytest.raises(ModelError, match="kind is 'square', expected one of dumbbell, ring, both"):
        SCENES["non-convex"].build(kind="square")


def test_staples_are_meshes_cut_in_three() -> None:
    """A bar of 15 % of the size, bent to a U: its mass is that of three bars."""
    model = SCENES["non-convex"].build(kind="staple", bodies=2, size=0.2)
    for body in model.bodies[1:]:
        assert len(body.shapes) == 3
        assert body.mass == pytest.approx(1000 * 0.03**2 * (0.2 + 2 * 0.17))


def test_fractions_are_no_counts() -> None:
    with pytest.raises(ModelError, match="spheres"):
        SCENES["balls-in-box"].build(spheres=2.5)


def test_impossible_boxes_are_refused() -> None:
    with pytest.raises(ModelError, match="no room"):
        SCENES["balls-in-box"].build(diameter=2.0)
    with pytest.raises(ModelError, match="lower count or ratio"):
        SCENES["sphere-stack"].build(count=100, ratio=10.0)


def test_masses_of_the_stack() -> None:
    bodies = [b for b in SCENES["sphere-stack"].build(count=5, mass=100.0, ratio=10.0).bodies if b.movable]
    np.testing.assert_allclose([b.mass for b in bodies], 100.0 * 10.0 ** np.arange(5))
    radii = np.array([b.shapes[0].shape.radius for b in bodies])  # type: ignore[attr-defined]
    np.testing.assert_allclose(radii[1:] / radii[:-1], 10 ** (1 / 3))


def test_lattice_keeps_its_distance() -> None:
    centres = lattice(500, 0.07, (1.0, 0.8), seed=1)
    distance = np.linalg.norm(centres[:, None] - centres[None], axis=2) + 9.0 * np.eye(500)
    assert distance.min() > 0.07
    assert (centres[:, :2] > 0.035).all()
    assert (centres[:, :2] < np.array([0.965, 0.765])).all()
    assert centres[:, 2].min() > 0.035


def test_close_packing_touches() -> None:
    centres = close_packing(3, 3, 0.1)
    assert len(centres) == 9 + 4 + 9
    distance = np.linalg.norm(centres[:, None] - centres[None], axis=2) + 9.0 * np.eye(len(centres))
    np.testing.assert_allclose(distance.min(axis=1), 0.1, rtol=1e-12)


# --- files of users ------------------------------------------------------------

GOOD = '''"""Two balls."""
import signorini as sg

STEP = 0.002

def build(radius: float = 0.1, count=2):
    model = sg.Model()
    for k in range(count):
        model.add_body(sg.Sphere(radius), density=1000, position=(0, 0, 3 * radius * k))
    return model
'''


def write(folder: Path, text: str) -> Path:
    path = folder / "mine.py"
    path.write_text(text)
    return path


def test_user_file(tmp_path: Path) -> None:
    scene = scene_of_file(write(tmp_path, GOOD))
    assert isinstance(scene, Scene)
    assert (scene.name, scene.description, scene.step, scene.duration) == ("mine", "Two balls.", 0.002, 1.0)
    assert {n: p.type for n, p in scene.parameters.items()} == {"radius": float, "count": int}
    assert len(scene.build(count=3).bodies) == 3


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x = 1", "has no function build"),
        ("def build(): return 3", "returned int, expected a signorini.Model"),
        ("import nothing_at_all", "cannot be imported: ModuleNotFoundError"),
        ("def build(:", "cannot be imported: SyntaxError"),
        ("def build(): return 1 / 0", r"build\(\) of .* failed: ZeroDivisionError: division by zero \(.*line 1.*\)"),
        ("def build(n): return n", "parameter 'n' of build.. needs a default"),
    ],
)
def test_wrong_user_file(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(SignoriniError, match=words):
        scene_of_file(write(tmp_path, text)).build()


def test_absent_user_file(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no such file"):
        find_scene(str(tmp_path / "absent.py"))
