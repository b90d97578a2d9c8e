"""A slide that turns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from signorini.model.coordinate import DOT, OFFSET, X, Y, Z
from signorini.model.joints.framed import FramedJoint, Row


@dataclass(frozen=True, eq=False)
class Cylindrical(FramedJoint):
    """Axes z stay on one line: frame b slides along it and turns about it, 2 freedoms, 4 rows."""

    KIND: ClassVar[str] = "cylindrical joint"
    TURNS: ClassVar[bool] = True
    SLIDES: ClassVar[bool] = True
    ROWS: ClassVar[tuple[Row, ...]] = ((OFFSET, X, 0), (OFFSET, Y, 0), (DOT, X, Z), (DOT, Y, Z))
