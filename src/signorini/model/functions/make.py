"""From what a user types to a `Function`."""

from __future__ import annotations

from typing import Any

from signorini.model.checks import finite
from signorini.model.functions.constant import Constant
from signorini.model.functions.function import Function
from signorini.model.functions.user import UserFunction
from signorini.problem.errors import ModelError


def function_of(value: Any, what: str) -> Function:
    """A number is a constant, a Python function is called with the time [s]."""
    if isinstance(value, Function):
        return value
    if isinstance(value, bool) or value is None or isinstance(value, str | type):
        raise ModelError(f"{what} is {value!r}, expected a number, a function such as Sine(1, 2), or time -> number")
    if callable(value):
        return UserFunction(value, what)
    return Constant(finite(value, what))
