"""A ball joint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from signorini.model.coordinate import OFFSET, X, Y, Z
from signorini.model.joints.framed import FramedJoint, Row


@dataclass(frozen=True, eq=False)
class Spherical(FramedJoint):
    """The origin of frame b stays in that of frame a: 3 turns are free, 3 rows."""

    KIND: ClassVar[str] = "spherical joint"
    ROWS: ClassVar[tuple[Row, ...]] = ((OFFSET, X, 0), (OFFSET, Y, 0), (OFFSET, Z, 0))
