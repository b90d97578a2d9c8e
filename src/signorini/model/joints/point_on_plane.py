"""A point of one body stays on a plane of the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from signorini.model.coordinate import OFFSET, Z
from signorini.model.joints.framed import FramedJoint, Row


@dataclass(frozen=True, eq=False)
class PointOnPlane(FramedJoint):
    """The origin of frame b stays on the plane xy of frame a: 5 freedoms, 1 row."""

    KIND: ClassVar[str] = "point on a plane"
    ROWS: ClassVar[tuple[Row, ...]] = ((OFFSET, Z, 0),)
