"""A point of one body stays on a line of the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from signorini.model.coordinate import OFFSET, X, Y
from signorini.model.joints.framed import FramedJoint, Row


@dataclass(frozen=True, eq=False)
class PointOnLine(FramedJoint):
    """The origin of frame b stays on the axis z of frame a: 1 slide and 3 turns are free, 2 rows."""

    KIND: ClassVar[str] = "point on a line"
    SLIDES: ClassVar[bool] = True
    ROWS: ClassVar[tuple[Row, ...]] = ((OFFSET, X, 0), (OFFSET, Y, 0))
