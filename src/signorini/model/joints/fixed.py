"""Two bodies move as one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from signorini.model.coordinate import OFFSET, TURN, X, Y, Z
from signorini.model.joints.framed import FramedJoint, Row


@dataclass(frozen=True, eq=False)
class Fixed(FramedJoint):
    """Frame b stays on frame a: no freedom, 6 rows."""

    KIND: ClassVar[str] = "fixed joint"
    ROWS: ClassVar[tuple[Row, ...]] = (
        (OFFSET, X, 0),
        (OFFSET, Y, 0),
        (OFFSET, Z, 0),
        (TURN, X, 0),
        (TURN, Y, 0),
        (TURN, Z, 0),
    )
