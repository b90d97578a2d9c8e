"""Two directions stay parallel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from signorini.model.coordinate import DOT, X, Y, Z
from signorini.model.joints.framed import FramedJoint, Row


@dataclass(frozen=True, eq=False)
class ParallelAxes(FramedJoint):
    """Axes z stay parallel: 3 slides and 1 turn are free, 2 rows."""

    KIND: ClassVar[str] = "joint of parallel axes"
    TURNS: ClassVar[bool] = True
    ROWS: ClassVar[tuple[Row, ...]] = ((DOT, X, Z), (DOT, Y, Z))
