"""Functions of time for motors, motions and loads."""

from __future__ import annotations

from signorini.model.functions.ramp import Ramp as Ramp
from signorini.model.functions.setpoint import Setpoint as Setpoint
from signorini.model.functions.sine import Sine as Sine
from signorini.model.functions.smooth_step import SmoothStep as SmoothStep
from signorini.model.functions.table import Table as Table

__all__ = ["Ramp", "Setpoint", "Sine", "SmoothStep", "Table"]
