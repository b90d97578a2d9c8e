"""What a function of time can tell."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence


class Function(ABC):
    """A number as a function of time, with what motors need to know of it. SI units."""

    @abstractmethod
    def value(self, time: float) -> float:
        """f(t)."""

    @abstractmethod
    def derivative(self, time: float) -> float:
        """f'(t)."""

    def values_at(self, times: Sequence[float]) -> list[float]:
        """f at many times, the same bits as one by one."""
        return [self.value(time) for time in times]

    def derivatives_at(self, times: Sequence[float]) -> list[float]:
        """f' at many times, the same bits as one by one."""
        return [self.derivative(time) for time in times]

    @abstractmethod
    def second_derivative(self, time: float) -> float:
        """f''(t)."""

    @abstractmethod
    def integral(self, time: float) -> float:
        """Of f from 0 to t: the angle of a motor whose speed is f."""

    @property
    def is_data(self) -> bool:
        """Whether a record can hold it; a user's Python function cannot be written to a file."""
        return True

    @property
    def runs_no_code(self) -> bool:
        """Whether no user code is called, so that it depends on time alone between steps."""
        return self.is_data

    @property
    def stands_still(self) -> bool:
        """Whether it is the same at all times, until somebody sets it."""
        return False
