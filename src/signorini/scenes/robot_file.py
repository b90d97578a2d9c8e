"""Scenes from files of robots: URDF and MJCF."""

from __future__ import annotations

from pathlib import Path

from signorini.io.mjcf.reader import load_mjcf
from signorini.io.robots.urdf import load_urdf
from signorini.model.model import Model
from signorini.problem.errors import FileError
from signorini.scenes.scene import About, Scene

URDF, MJCF = ".urdf", (".xml", ".mjcf")
STEP, DURATION = 0.005, 2.0
GROUND = About("Whether a plane is put below the lowest point.")
SELF_COLLISION = About("Parts of the robot that collide with one another.", choices=("apart", "all", "none"))
FOLDER = About("Only files below this folder are read; empty: that of the file.")


def is_robot_file(name: str) -> bool:
    """Whether the ending is that of a robot."""
    return name.lower().endswith((URDF, *MJCF))


def scene_of_robot(path: Path) -> Scene:
    """The scene of a robot."""
    if not path.is_file():
        raise FileError(f"{path}: no such file; expected a URDF or MJCF file")
    return _urdf_scene(path) if path.suffix.lower() == URDF else _mjcf_scene(path)


def _urdf_scene(path: Path) -> Scene:
    def build(
        ground: bool = False, base: str = "auto", self_collision: str = "apart", packages: str = "", folder: str = ""
    ) -> Model:
        return load_urdf(
            path,
            fixed_base={"auto": None, "fixed": True, "free": False}[base],
            ground=ground,
            packages=[part for part in packages.split(":") if part],
            folder=folder or None,
            self_collision=self_collision,  # type: ignore[arg-type]
        )

    about = {
        "ground": GROUND,
        "base": About(
            "Whether the root link stands still; auto: where it has no mass.", choices=("auto", "fixed", "free")
        ),
        "self_collision": SELF_COLLISION,
        "packages": About("Folders of package://..., with colons between them."),
        "folder": FOLDER,
    }
    return Scene(path.stem, f"Robot of {path}", build, about, STEP, DURATION, source=str(path))


def _mjcf_scene(path: Path) -> Scene:
    def build(ground: bool = False, keyframe: str = "", self_collision: str = "apart", folder: str = "") -> Model:
        return load_mjcf(
            path,
            ground=ground,
            keyframe=keyframe or None,
            folder=folder or None,
            self_collision=self_collision,  # type: ignore[arg-type]
        )

    about = {
        "ground": GROUND,
        "keyframe": About("Name of the key pose to start from."),
        "self_collision": SELF_COLLISION,
        "folder": FOLDER,
    }
    return Scene(path.stem, f"Model of {path}", build, about, STEP, DURATION, source=str(path))
