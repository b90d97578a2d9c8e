"""A camera."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from signorini.math.sparse import Array

ANGLE = math.radians(28.0)
"""Of view, over the height of the picture."""
ROOM = 1.06
"""Space around what is seen."""


@dataclass(frozen=True, eq=False)
class Camera:
    """Central projection."""

    place: Array
    """Of the eye, world [m], shape (3,)."""
    axes: Array
    """Rows: to the right, up, away from the viewer; in the world, shape (3, 3)."""
    size: tuple[int, int]
    """Width and height of the picture [pixels]."""

    @property
    def slope(self) -> float:
        """Of rays through neighbouring pixels."""
        return 2.0 * math.tan(0.5 * ANGLE) / self.size[1]

    def to_camera(self, points: Array) -> Array:
        """World points in camera axes [m]."""
        return np.asarray((points - self.place) @ self.axes.T)

    def project(self, points: Array) -> Array:
        """World points as columns and rows of the picture [pixels]; NaN behind the eye."""
        seen = self.to_camera(points)
        ahead = np.where(seen[..., 2:] > 0, seen[..., 2:], np.nan)
        flat = seen[..., :2] / ahead / self.slope
        return np.asarray(flat * [1.0, -1.0] + [0.5 * self.size[0], 0.5 * self.size[1]])

    def moved(self, by: Array) -> Camera:
        """The same view from elsewhere."""
        return replace(self, place=self.place + by)


def shape_of(points: Array, directions: Array, longest: int) -> tuple[int, int]:
    """Width and height that suit what is seen, even numbers of pixels."""
    width, height = np.ptp(points @ directions[:2].T, axis=0) + 1e-12
    ratio = float(np.clip(width / height, 0.75, 1.9))
    sizes = (longest, longest / ratio) if ratio > 1 else (longest * ratio, longest)
    return 2 * round(sizes[0] / 2), 2 * round(sizes[1] / 2)


def fitted(points: Array, directions: Array, size: tuple[int, int], zoom: float = 1.0) -> Camera:
    """The nearest camera that sees all points; `directions` are those of `PictureSettings`."""
    seen = points @ directions.T
    tangent_y = math.tan(0.5 * ANGLE) / ROOM
    tangent_x = tangent_y * size[0] / size[1]
    # A point is seen if |x - eye_x| <= tangent (eye_z - z): two lower bounds each for eye_z + and - eye_x / tangent.
    centre, away = np.zeros(2), 0.0
    for n, tangent in enumerate((tangent_x, tangent_y)):
        right = float(np.max(seen[:, n] + tangent * seen[:, 2]))
        left = float(np.max(-seen[:, n] + tangent * seen[:, 2]))
        centre[n] = 0.5 * (right - left)
        away = max(away, 0.5 * (right + left) / tangent) if n else 0.5 * (right + left) / tangent
    middle = 0.5 * float(seen[:, 2].min() + seen[:, 2].max())
    eye = np.array([*centre, middle + (away - middle) / zoom])
    axes = directions * np.array([[1.0], [1.0], [-1.0]])
    return Camera(eye @ directions, axes, size)
