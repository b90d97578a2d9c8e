"""The light of a picture, and what it does not reach."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.kernels.picture.shadow import TILE, mark_tiles, shadow_balls, shadow_triangles
from signorini.math.sparse import Array
from signorini.view.render.geometry import Flags, Surfaces

CELLS = 1200
"""Of the shadow map, each way."""
TILES = CELLS // TILE
DIRECTION = np.array([-0.5, 0.75, 0.75])
"""Towards the light: right, up and to the viewer; it is then turned so that it comes from above."""
LOWEST = 0.45
"""Sine of the least height of the light above the horizon."""
ROOM = 1.1


@dataclass(frozen=True, eq=False)
class Lamp:
    """Parallel light."""

    towards: Array
    """Unit vector to the light, world."""
    to_map: Array
    """World points to columns, rows and heights of the shadow map [cells], shape (3, 4)."""
    _local: Any = field(default_factory=threading.local)

    @classmethod
    def over(cls, points: Array, directions: Array) -> Lamp:
        """Light from behind the viewer's left shoulder, with a shadow map around `points`."""
        towards = DIRECTION @ directions
        towards[2] = max(towards[2], LOWEST * float(np.linalg.norm(towards)))
        towards /= np.linalg.norm(towards)
        right = np.cross([0.0, 1.0, 0.0] if abs(towards[1]) < 0.9 else [1.0, 0.0, 0.0], towards)
        right /= np.linalg.norm(right)
        axes = np.array([right, np.cross(towards, right), towards])
        flat = points @ axes[:2].T
        low, high = flat.min(axis=0), flat.max(axis=0)
        scale = CELLS / (ROOM * float((high - low).max()) + 1e-12)
        offset = 0.5 * CELLS - scale * 0.5 * (low + high)
        return cls(towards, np.column_stack((scale * axes, np.append(offset, 0.0))))

    def shadows(self, found: Surfaces, solid: tuple[Flags, Flags], by: Array) -> tuple[Array, NDArray[np.uint8], Array]:
        """Heights of what the light meets first [cells], which tiles of the map have any, and the way from the world to
        the map, which is moved `by`."""
        height: Any = getattr(self._local, "height", None)
        if height is None:
            height = self._local.height = np.empty((CELLS, CELLS), dtype=np.float32)
        height.fill(-np.inf)
        turn = self.to_map[:, :3]
        offset = self.to_map[:, 3] - turn @ by
        scale = float(np.linalg.norm(turn[0]))
        balls, faces = found.ball[solid[0]], found.corner[solid[1]]
        mapped, corners = (
            np.column_stack((balls[:, :3] @ turn.T + offset, scale * balls[:, 3])),
            faces @ turn.T + offset,
        )
        shadow_balls(mapped, height)
        shadow_triangles(corners, height)
        busy = np.empty((TILES, TILES), dtype=np.uint8)
        mark_tiles(mapped, corners, busy)
        return height, busy.reshape(-1), np.column_stack((turn, offset))
