"""Functions of time: values, derivatives and integrals against one another and against quadrature."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad

import signorini as sg
from signorini.model.functions.constant import Constant
from signorini.model.functions.function import Function
from signorini.model.functions.integral import Integral
from signorini.model.functions.make import function_of
from signorini.model.functions.ramp import Ramp
from signorini.model.functions.sine import Sine
from signorini.model.functions.smooth_step import SmoothStep
from signorini.model.functions.table import Table
from signorini.problem.errors import ModelError

TIMES = np.array([0.0, 0.3, 0.7, 1.6, 2.0])
FUNCTIONS: dict[str, Function] = {
    "constant": Constant(2.5),
    "ramp": Ramp(slope=-1.5, start=0.4),
    "sine": Sine(amplitude=0.7, frequency=1.3, phase=0.4, mean=0.2),
    "smooth step": SmoothStep(high=2.0, duration=0.8, low=-0.5, begin=0.3),
    "table": Table(TIMES, np.array([0.1, 0.5, -0.2, 0.3, 0.9])),
    "user": function_of(lambda t: math.exp(-t) * math.sin(3 * t), "what"),
    "integral": Integral(Sine(0.7, 1.3)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives(name: str) -> None:
    f = FUNCTIONS[name]
    h = 1e-4
    for t in (0.05, 0.31, 0.55, 0.9, 1.05, 1.7, 2.6):
        slope = (f.value(t + h) - f.value(t - h)) / (2 * h)
        assert f.derivative(t) == pytest.approx(slope, abs=3e-6)
        bend = (f.derivative(t + h) - f.derivative(t - h)) / (2 * h)
        assert f.second_derivative(t) == pytest.approx(bend, abs=2e-4)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_many_times_at_once_give_the_same_bits(name: str) -> None:
    function, times = FUNCTIONS[name], np.linspace(0.0, 2.0, 333).tolist()
    assert function.values_at(times) == [function.value(time) for time in times]
    assert function.derivatives_at(times) == [function.derivative(time) for time in times]


@pytest.mark.parametrize("name", [n for n in FUNCTIONS if n != "integral"])
def test_integrals(name: str) -> None:
    f = FUNCTIONS[name]
    for t in (0.0, 0.2, 1.0, 2.7):
        kinks = [k for k in (0.3, 0.7, 1.1, 1.6, 2.0) if k < t]
        expected = quad(f.value, 0.0, t, points=kinks or None, epsabs=1e-12)[0]
        assert f.integral(t) == pytest.approx(expected, abs=1e-9)


def test_user_functions_never_look_before_zero() -> None:
    f = function_of(lambda t: math.sqrt(t), "root")
    assert f.value(0.0) == 0.0
    assert math.isfinite(f.derivative(0.0))
    assert math.isfinite(f.second_derivative(0.0))
    assert f.integral(0.0) == 0.0
    g = function_of(lambda t: t**3 - 2 * t, "cubic")
    assert g.derivative(0.0) == pytest.approx(-2.0, abs=1e-8)
    assert g.second_derivative(0.0) == pytest.approx(0.0, abs=1e-4)


def test_integral_does_not_depend_on_what_was_asked_before() -> None:
    one, other = (function_of(lambda t: math.cos(7 * t), "speed") for _ in range(2))
    asked = [one.integral(t) for t in np.linspace(0, 3, 40)]
    assert other.integral(3.0) == asked[-1]


def test_smooth_step_ends_are_flat() -> None:
    f = SmoothStep(high=3.0, duration=2.0, low=1.0, begin=1.0)
    assert [f.value(t) for t in (0.0, 1.0, 2.0, 3.0, 9.0)] == [1.0, 1.0, 2.0, 3.0, 3.0]
    for t in (0.5, 1.0, 3.0, 4.0):
        assert f.derivative(t) == pytest.approx(0, abs=1e-12)
        assert f.second_derivative(t) == pytest.approx(0, abs=1e-12)


def test_table_goes_through_its_points_and_straight_on() -> None:
    f: Any = FUNCTIONS["table"]
    assert [f.value(t) for t in TIMES] == pytest.approx([0.1, 0.5, -0.2, 0.3, 0.9])
    assert f.value(3.0) == pytest.approx(0.9 + 1.0 * f.derivative(2.0))
    assert f.second_derivative(5.0) == 0.0


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Constant(math.nan), "level of a constant is nan"),
        (lambda: Ramp(math.inf), "slope of a ramp is inf"),
        (lambda: Sine(1.0, 0.0), "frequency of a sine is 0.0, expected a finite number > 0"),
        (lambda: Sine(1.0, 1.0, math.nan), "phase of a sine is nan"),
        (lambda: SmoothStep(1.0, -1.0), "duration of a smooth step is -1.0"),
        (lambda: Table([0, 1], [1]), "2 times and 1 values"),
        (lambda: Table([0, 1, 1], [1, 2, 3]), "fall from 1 to 1 s, expected rising"),
        (lambda: Table([0, math.nan], [1, 2]), "times of a table: number 1 is nan"),
        (lambda: Table([[0, 1]], [1, 2]), "expected a row of numbers"),
        (lambda: function_of("fast", "speed of the motor 'm'"), "speed of the motor 'm' is 'fast', expected a number"),
        (lambda: function_of(math.nan, "speed"), "speed is nan"),
        (lambda: function_of(lambda t: "x", "speed of 'm'").value(0.5), r"speed of 'm' gave 'x' at t = 0.5 s"),
        (lambda: function_of(lambda t: math.nan, "speed of 'm'").value(0.5), "gave nan at t = 0.5 s"),
        (lambda: Integral(Constant(1.0)).integral(1.0), "not integrated again"),
    ],
)
def test_wrong_functions(make: Any, words: str) -> None:
    with pytest.raises(ModelError, match=words):
        make()


def test_public_names() -> None:
    assert sg.functions.Sine is Sine
    assert sg.functions.SmoothStep is SmoothStep
    assert sg.functions.Table is Table
    assert sg.functions.Ramp is Ramp
