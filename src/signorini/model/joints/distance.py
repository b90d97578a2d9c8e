"""A massless rod."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from signorini.math.cached import cached_property
from signorini.math.sparse import Array
from signorini.model.coordinate import DISTANCE
from signorini.model.joints.framed import FramedJoint, Row


@dataclass(frozen=True, eq=False)
class Distance(FramedJoint):
    """The origins of the frames keep their distance: 5 freedoms, 1 row, `Psi = |p_b - p_a| - length`."""

    KIND: ClassVar[str] = "distance joint"
    ROWS: ClassVar[tuple[Row, ...]] = ((DISTANCE, 0, 0),)

    length: float
    """[m], > 0: at 0 a distance has no direction."""

    @cached_property
    def offset(self) -> Array:
        """-length."""
        return np.array([-self.length])
