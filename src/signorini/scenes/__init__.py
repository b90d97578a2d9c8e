"""Ready-made models, one file each. A new scene is one file and one line here."""

from __future__ import annotations

from pathlib import Path

from signorini.problem.errors import ModelError, suggestion
from signorini.scenes import (
    andrews,
    balls_in_box,
    bricard,
    brick_wall,
    cantilever,
    card_house,
    chain,
    domino,
    double_pendulum,
    flywheel,
    four_bar,
    governor,
    gripper,
    heavy_block,
    inclined_plane,
    n_four_bar,
    non_convex,
    packaging,
    pebble_bed,
    pendulum,
    polytope_stack,
    ragdolls,
    shaker,
    simple_pendulum,
    single_ball,
    single_brick,
    slider_crank,
    soft_ball_stairs,
    soft_gripper,
    soft_pile,
    sphere_stack,
    three_point_bending,
    walker,
)
from signorini.scenes.robot_file import is_robot_file, scene_of_robot
from signorini.scenes.scene import About, Parameter, Scene
from signorini.scenes.user_file import scene_of_file

MODULES = (
    balls_in_box,
    single_ball,
    single_brick,
    sphere_stack,
    brick_wall,
    polytope_stack,
    shaker,
    pebble_bed,
    heavy_block,
    domino,
    card_house,
    non_convex,
    inclined_plane,
    pendulum,
    double_pendulum,
    slider_crank,
    four_bar,
    flywheel,
    chain,
    gripper,
    packaging,
    ragdolls,
    walker,
    simple_pendulum,
    n_four_bar,
    andrews,
    bricard,
    governor,
    cantilever,
    three_point_bending,
    soft_gripper,
    soft_ball_stairs,
    soft_pile,
)


class Scenes(dict[str, Scene]):
    """Scenes by name; the error of an unknown name suggests the nearest known one."""

    def __missing__(self, name: str) -> Scene:
        raise ModelError(f"there is no scene called {name!r}{suggestion(str(name), self, 'choose one of')}")


SCENES: dict[str, Scene] = Scenes({module.SCENE.name: module.SCENE for module in MODULES})


def find_scene(name: str) -> Scene:
    """The scene called `name`, or the one in the Python, URDF or MJCF file of that name."""
    if name in SCENES:
        return SCENES[name]
    if is_robot_file(name):
        return scene_of_robot(Path(name))
    if name.endswith(".py") or "/" in name:
        return scene_of_file(Path(name))
    advice = suggestion(name, SCENES, "choose one of")
    raise ModelError(f"there is no scene called {name!r}{advice}, or give the path of a Python, URDF or MJCF file")


__all__ = ["About", "Parameter", "SCENES", "Scene", "find_scene", "scene_of_file"]
