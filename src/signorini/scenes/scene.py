"""What a ready-made scene is: a function that builds a model, with its parameters described, typed and checked."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast, get_type_hints

from signorini.math.cached import cached_property
from signorini.model.model import Model
from signorini.problem.errors import ModelError, suggestion

Value = int | float | bool | str
YES, NO = ("true", "yes", "on", "1"), ("false", "no", "off", "0")


@dataclass(frozen=True)
class About:
    """What the signature of a build function does not tell about one of its parameters."""

    help: str
    """Meaning, with the unit in brackets."""
    least: float | None = None
    """Smallest value allowed."""
    above: float | None = None
    """The value must be larger than this."""
    most: float | None = None
    """Largest value allowed."""
    choices: tuple[str, ...] = ()
    """The texts allowed."""


@dataclass(frozen=True)
class Parameter:
    """One parameter of a scene."""

    name: str
    type: type
    default: Value
    about: About

    def parse(self, text: str) -> Value:
        """The value that `text` means on the command line."""
        try:
            return self._converted(text)
        except ValueError:
            expected = {int: "an integer", float: "a number", bool: "true or false"}[self.type]
            raise ModelError(
                f"{self.name} is {text!r}, expected {expected} such as {self.name}={self.default}"
            ) from None

    def _converted(self, text: str) -> Value:
        if self.type is bool:
            if text.lower() not in YES + NO:
                raise ValueError(text)
            return text.lower() in YES
        value: Value = self.type(text)
        return value

    def check(self, value: Any) -> Value:
        """`value` in the parameter's type; raises `ModelError` if it is of another type or out of bounds."""
        if self.type is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if not isinstance(value, self.type) or (isinstance(value, bool) and self.type is not bool):
            raise ModelError(f"{self.name} is {value!r}, expected {self.type.__name__} such as {self.default!r}")
        about = self.about
        if about.choices and value not in about.choices:
            raise ModelError(f"{self.name} is {value!r}, expected one of {', '.join(about.choices)}")
        if isinstance(value, int | float):
            self._check_bounds(float(value))
        return cast(Value, value)

    def _check_bounds(self, value: float) -> None:
        about = self.about
        inside = (
            math.isfinite(value)
            and (about.least is None or value >= about.least)
            and (about.above is None or value > about.above)
            and (about.most is None or value <= about.most)
        )
        if not inside:
            raise ModelError(f"{self.name} is {value:g}, expected {self.bounds() or 'a finite number'}")

    def bounds(self) -> str:
        """The bounds in words, empty without any."""
        about = self.about
        parts = [f">= {about.least:g}"] if about.least is not None else []
        parts += [f"> {about.above:g}"] if about.above is not None else []
        parts += [f"<= {about.most:g}"] if about.most is not None else []
        return " and ".join(parts) if parts else " | ".join(about.choices)


@dataclass(frozen=True)
class Scene:
    """A model that is built from a few parameters, with the step and the duration that suit it."""

    name: str
    description: str
    """One line."""
    builder: Callable[..., Model]
    about: Mapping[str, About]
    """Of each parameter of `builder`."""
    step: float
    """Default time step [s]."""
    duration: float
    """Default duration [s]."""
    integrator: str = "dvi"
    """Default integrator."""
    source: str = ""
    """The document that the scene is taken from."""

    @cached_property
    def parameters(self) -> dict[str, Parameter]:
        """By name, in the order of the build function."""
        types = get_type_hints(self.builder)
        signature = inspect.signature(self.builder).parameters
        return {n: Parameter(n, types[n], p.default, self.about[n]) for n, p in signature.items()}

    def build(self, **values: Value) -> Model:
        """The model with these parameters, defaults for the rest."""
        known = self.parameters
        for name in values:
            if name not in known:
                raise ModelError(f"scene {self.name} has no parameter {name!r}{suggestion(name, known, 'it has')}")
        return self.builder(**{name: known[name].check(value) for name, value in values.items()})

    def parse(self, settings: Iterable[str]) -> dict[str, Value]:
        """The values of settings written `name=value`."""
        known, values = self.parameters, {}
        for setting in settings:
            name, equals, text = (part.strip() for part in setting.partition("="))
            if not equals or not text:
                raise ModelError(f"--set got {setting!r}, expected name=value such as {_example(known)}")
            if name not in known:
                raise ModelError(f"scene {self.name} has no parameter {name!r}{suggestion(name, known, 'it has')}")
            values[name] = known[name].parse(text)
        return values


def _example(known: Mapping[str, Parameter]) -> str:
    first = next(iter(known.values()))
    return f"{first.name}={first.default}"
