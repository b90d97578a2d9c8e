"""A table: one body slides on a plane of the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from signorini.model.coordinate import DOT, OFFSET, X, Y, Z
from signorini.model.joints.framed import FramedJoint, Row


@dataclass(frozen=True, eq=False)
class Planar(FramedJoint):
    """The plane xy of frame b stays in that of frame a: 2 slides and 1 turn are free, 3 rows."""

    KIND: ClassVar[str] = "planar joint"
    ROWS: ClassVar[tuple[Row, ...]] = ((OFFSET, Z, 0), (DOT, X, Z), (DOT, Y, Z))
