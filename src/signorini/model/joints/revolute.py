"""A hinge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from signorini.model.coordinate import DOT, OFFSET, X, Y, Z
from signorini.model.joints.framed import FramedJoint, Row


@dataclass(frozen=True, eq=False)
class Revolute(FramedJoint):
    """Origins and axes z stay together: the turn about z is free, 5 rows."""

    KIND: ClassVar[str] = "revolute joint"
    TURNS: ClassVar[bool] = True
    ROWS: ClassVar[tuple[Row, ...]] = ((OFFSET, X, 0), (OFFSET, Y, 0), (OFFSET, Z, 0), (DOT, X, Z), (DOT, Y, Z))
