"""What a picture shows and from where."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np

from signorini.math.sparse import Array
from signorini.problem.errors import ModelError, suggestion

CAMERAS = {
    "iso": (-55.0, 24.0),
    "front": (-90.0, 6.0),
    "back": (90.0, 6.0),
    "left": (180.0, 6.0),
    "right": (0.0, 6.0),
    "top": (-90.0, 89.9),
}
"""Name -> azimuth and elevation [degrees]."""
Colouring = Literal["body", "speed"]
MOST_PIXELS = 8192


@dataclass(frozen=True)
class PictureSettings:
    """How a picture is painted."""

    size: tuple[int, int] | None = None
    """Width and height [pixels]; None lets the scene decide."""
    camera: str = "iso"
    """One of `CAMERAS`, or azimuth and elevation in degrees: "30,20"."""
    zoom: float = 1.0
    """Above 1 the camera comes nearer."""
    follow: str | None = None
    """Body that stays in the middle."""
    colour: Colouring = "body"
    """By kind of body, or by speed on one scale for the whole run."""
    hide: tuple[str, ...] = ()
    """Names of bodies that are not drawn; `*` stands for any letters."""
    opacity: dict[str, float] = field(default_factory=dict)
    """Name, with `*` for any letters, -> opacity in [0, 1]. Fixed bodies that hide moving ones are clear by default."""
    section: tuple[str, float] | None = None
    """Axis and coordinate [m]: bodies whose centre is beyond are not drawn, so that the inside is seen."""
    joints: bool = False
    """Whether axes of joints and motors are drawn; springs, ropes and rods always are."""
    contacts: bool = False
    """Whether forces of contacts are drawn over faded bodies."""

    def __post_init__(self) -> None:
        self.directions()
        if self.colour not in get_args(Colouring):
            raise ModelError(f"colour is {self.colour!r}, expected one of {', '.join(get_args(Colouring))}")
        if self.size is not None and not all(16 <= n <= MOST_PIXELS for n in self.size):
            raise ModelError(f"size is {self.size[0]}x{self.size[1]}, expected 16 to {MOST_PIXELS} pixels each way")
        if not (math.isfinite(self.zoom) and self.zoom > 0):
            raise ModelError(f"zoom is {self.zoom:g}, expected a number > 0")
        if self.section is not None and self.section[0] not in ("x", "y", "z"):
            raise ModelError(f"section is along {self.section[0]!r}, expected x, y or z")
        for name, value in self.opacity.items():
            if not 0.0 <= value <= 1.0:
                raise ModelError(f"opacity of {name!r} is {value:g}, expected 0 to 1")

    def directions(self) -> Array:
        """Rows: to the right, up, towards the viewer; in the world, shape (3, 3)."""
        azimuth, elevation = (math.radians(angle) for angle in self._angles())
        ca, sa, ce, se = math.cos(azimuth), math.sin(azimuth), math.cos(elevation), math.sin(elevation)
        towards, right = np.array([ca * ce, sa * ce, se]), np.array([-sa, ca, 0.0])
        return np.array([right, np.cross(towards, right), towards])

    def _angles(self) -> tuple[float, float]:
        if self.camera in CAMERAS:
            return CAMERAS[self.camera]
        try:
            azimuth, elevation = (float(part) for part in self.camera.split(","))
        except ValueError:
            hint = suggestion(self.camera, list(CAMERAS), "there are")
            raise ModelError(f"camera is {self.camera!r}{hint}, or azimuth,elevation in degrees: 30,20") from None
        if not (math.isfinite(azimuth) and -90.0 <= elevation <= 90.0):
            raise ModelError(f"camera is {self.camera!r}, expected an elevation from -90 to 90 degrees")
        return azimuth, elevation
