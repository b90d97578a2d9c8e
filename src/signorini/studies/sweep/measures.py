"""Measures: functions of a run to numbers, by name, as an expression, or as Python functions."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from signorini.problem.errors import StudyError
from signorini.simulation.run import Run
from signorini.studies.sweep.expressions import Expression

Number = float | int | None
MeasureFunction = Callable[[Run], float | Mapping[str, float]]
MeasureChoice = str | MeasureFunction | Iterable[str | MeasureFunction] | Mapping[str, str | MeasureFunction] | None
SUMMARY = (
    *("steps", "time", "contacts_mean", "contacts_max", "iterations_mean", "penetration_max"),
    *("energy", "kinetic_energy", "seconds_per_step", "real_time_factor", "failures", "fallbacks"),
)
"""Numbers of `run.summary()` that are measures by their name; the certificate's worst is in every row."""
DEFAULT = ("energy", "kinetic_energy", "penetration_max", "contacts_mean")
"""What is measured when nothing is asked for."""
POSE = ("x", "y", "z", "qw", "qx", "qy", "qz")


def _peak_contact_force(run: Run) -> float:
    """Largest contact force in any contact and frame [N]."""
    h = float(run.settings["step"])
    sizes = (np.linalg.norm(run.contacts(frame).impulse, axis=1) for frame in range(len(run.times)))
    return max((float(s.max(initial=0.0)) for s in sizes), default=0.0) / h


def _settling_time(run: Run) -> float:
    """When the kinetic energy comes within 1 % of its last value for good [s]."""
    return Expression("settling_time(kinetic)")(run)


NAMED: dict[str, Callable[[Run], float]] = {
    "peak_contact_force": _peak_contact_force,
    "settling_time": _settling_time,
}


@dataclass(frozen=True)
class Summary:
    """A number of `run.summary()`."""

    key: str

    @property
    def text(self) -> str:
        """As it is typed."""
        return self.key

    def __call__(self, run: Run) -> Number:
        value: Number = run.summary()[self.key]
        return value


@dataclass(frozen=True)
class Pose:
    """Final pose of a body: seven numbers."""

    body: str

    @property
    def text(self) -> str:
        """As it is typed."""
        return f"pose({self.body})"

    def __call__(self, run: Run) -> dict[str, float]:
        state = (*run.position(self.body)[-1], *run.orientation(self.body)[-1])
        return {f"{self.body}_{part}": float(value) for part, value in zip(POSE, state, strict=True)}


@dataclass(frozen=True)
class Measure:
    """One measure and the name of its column."""

    name: str
    function: Callable[[Run], Any]

    def numbers(self, run: Run) -> dict[str, Number]:
        """The columns that this measure fills."""
        value = self.function(run)
        if isinstance(value, Mapping):
            return {str(key): _number(item, str(key)) for key, item in value.items()}
        return {self.name: _number(value, self.name)}

    @property
    def text(self) -> str:
        """Tells this measure from another of the same name."""
        function = self.function
        if isinstance(function, Expression | Summary | Pose):
            return function.text
        named = next((name for name, known in NAMED.items() if known is function), None)
        if named is not None:
            return named
        try:
            return hashlib.sha256(inspect.getsource(function).encode()).hexdigest()[:16]
        except (OSError, TypeError):
            return repr(function)


def _number(value: Any, name: str) -> Number:
    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0):
        value = value.item()
    if value is not None and not isinstance(value, int | float):
        raise StudyError(f"the measure {name} gave {type(value).__name__}, expected a number or a dict of numbers")
    return value


def measures_of(choice: MeasureChoice) -> tuple[Measure, ...]:
    """The measures that a user asked for: names, expressions `column=expression`, functions, or a dict of them."""
    if choice is None:
        choice = DEFAULT
    if isinstance(choice, str) or callable(choice):
        choice = (choice,)
    if not isinstance(choice, Iterable):
        raise StudyError(f"measure is {choice!r}, expected names, expressions or functions of a run")
    if isinstance(choice, Mapping):
        found = [Measure(name, _function(item)) for name, item in choice.items()]
    else:
        found = [_measure(item) for item in choice]
    names = [measure.name for measure in found]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise StudyError(f"two measures are called {twice!r}; name them apart, as in other={twice}")
    return tuple(found)


def _measure(item: str | MeasureFunction) -> Measure:
    if not isinstance(item, str):
        name = getattr(item, "__name__", type(item).__name__)
        return Measure("measure" if name == "<lambda>" else name, _function(item))
    name, equals, text = item.partition("=")
    return Measure(name.strip(), _function(text)) if equals else Measure(item.strip(), _function(item))


def _function(item: str | MeasureFunction) -> Callable[[Run], Any]:
    if not isinstance(item, str):
        if not callable(item):
            raise StudyError(
                f"a measure is {type(item).__name__}, expected a name, an expression or a function of a run"
            )
        return item
    text = item.strip()
    if text in SUMMARY:
        return Summary(text)
    if text in NAMED:
        return NAMED[text]
    if text.startswith("pose(") and text.endswith(")"):
        return Pose(text[5:-1].strip(" '\""))
    if text.isidentifier():
        known = ", ".join((*SUMMARY, *NAMED))
        raise StudyError(
            f"there is no measure {text!r}; there are {known}, pose(BODY), and expressions such as max(speed(BODY))"
        )
    return Expression(text)
