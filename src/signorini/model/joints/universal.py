"""A Cardan joint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from signorini.model.coordinate import DOT, OFFSET, X, Y, Z
from signorini.model.joints.framed import FramedJoint, Row


@dataclass(frozen=True, eq=False)
class Universal(FramedJoint):
    """Origins stay together, x of frame a and y of frame b stay perpendicular: 2 freedoms, 4 rows."""

    KIND: ClassVar[str] = "universal joint"
    ROWS: ClassVar[tuple[Row, ...]] = ((OFFSET, X, 0), (OFFSET, Y, 0), (OFFSET, Z, 0), (DOT, X, Y))
