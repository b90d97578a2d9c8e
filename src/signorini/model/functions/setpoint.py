"""A number that a controller sets between steps."""

from __future__ import annotations

import numpy as np

from signorini.math.sparse import Array
from signorini.model.checks import finite
from signorini.model.functions.function import Function
from signorini.problem.errors import ModelError


class Setpoint(Function):
    """f(t) is the value last given to `set`, at any time: the target of a motor, a torque, the limit of a brake.

    >>> knee = Setpoint()
    >>> model.add_motor("knee", torque=knee)
    >>> knee.set(0.4)  # between two steps; nothing is built anew
    """

    def __init__(self, level: float = 0.0, slope: float = 0.0) -> None:
        """`slope` is f', for targets that move."""
        self._numbers: Array = np.zeros(2)
        self.set(level, slope)

    def __repr__(self) -> str:
        return f"Setpoint(level={self.level!r}, slope={self.slope!r})"

    @property
    def level(self) -> float:
        """f."""
        return self._numbers.item(0)

    @level.setter
    def level(self, value: float) -> None:
        self._numbers[0] = value

    @property
    def slope(self) -> float:
        """f', for targets that move."""
        return self._numbers.item(1)

    @slope.setter
    def slope(self, value: float) -> None:
        self._numbers[1] = value

    def keep_in(self, numbers: Array) -> None:
        """Have level and slope in an array of somebody who sets many of them at once, shape (2,)."""
        numbers[:] = self._numbers
        self._numbers = numbers

    @property
    def is_data(self) -> bool:
        """What sets it is code."""
        return False

    @property
    def runs_no_code(self) -> bool:
        """Setting it is code, asking it is not."""
        return True

    @property
    def stands_still(self) -> bool:
        """That is its nature."""
        return True

    def set(self, level: float, slope: float = 0.0) -> None:
        """From the next step on; a motor that follows a target moves on by `slope` [per second] in a step."""
        self.level, self.slope = finite(level, "level of a setpoint"), finite(slope, "slope of a setpoint")

    def value(self, time: float) -> float:
        return self.level

    def derivative(self, time: float) -> float:
        return self.slope

    def second_derivative(self, time: float) -> float:
        return 0.0

    def integral(self, time: float) -> float:
        raise ModelError("a setpoint has no integral over time: set the angle or position of a motor, not its speed")
