"""A slide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from signorini.model.coordinate import OFFSET, TURN, X, Y, Z
from signorini.model.joints.framed import FramedJoint, Row


@dataclass(frozen=True, eq=False)
class Prismatic(FramedJoint):
    """Frame b slides along the axis z of frame a and does not turn: 1 freedom, 5 rows."""

    KIND: ClassVar[str] = "prismatic joint"
    SLIDES: ClassVar[bool] = True
    ROWS: ClassVar[tuple[Row, ...]] = ((OFFSET, X, 0), (OFFSET, Y, 0), (TURN, X, 0), (TURN, Y, 0), (TURN, Z, 0))
