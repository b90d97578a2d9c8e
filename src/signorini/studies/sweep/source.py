"""Where the simulations of a sweep come from: a scene, or a function of the user."""

from __future__ import annotations

import hashlib
import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from signorini.model.build_function import check_parameters, parameters_of
from signorini.model.model import Model
from signorini.problem.errors import ModelError, StudyError, suggestion
from signorini.scenes import Scene, find_scene
from signorini.simulation.argument_checks import is_number
from signorini.simulation.run import Run
from signorini.simulation.simulation import Simulation
from signorini.studies.scene_run import Order, prepare
from signorini.studies.sweep.parameters import Value, plain_value

ORDER_SETTINGS = ("step", "time", "integrator", "solver", "tolerance", "max_iterations", "law", "on_failure")
"""Of a run of a scene, beside the scene's own parameters."""
DIGEST = 16
"""Hexadecimal digits that tell one version of a source from another."""


class Source(Protocol):
    """Makes and runs the simulation of one row."""

    @property
    def name(self) -> str:
        """For tables and messages."""

    def digest(self) -> str:
        """Changes when the code of the source changes."""

    def settings_text(self) -> str:
        """What all runs share, in words: identifies a sweep."""

    def check(self, parameters: Mapping[str, Value]) -> dict[str, Value]:
        """The parameters in their types; raises if one is unknown or out of bounds."""

    def run(self, parameters: Mapping[str, Value], seed: int, record: Path | None) -> Run:
        """Run it to its end."""


@dataclass(frozen=True)
class SceneSource:
    """A scene by name or file, with settings that all runs share."""

    scene: str
    fixed: tuple[tuple[str, Value], ...] = ()
    """Parameters and settings that do not vary."""

    @classmethod
    def of(cls, scene: str, fixed: Mapping[str, Value]) -> SceneSource:
        """With `fixed` in their types; a path is kept whole, for workers that run elsewhere."""
        found = scene_called(scene)
        place = scene if found.name == scene else str(Path(scene).resolve())
        return cls(place, tuple(cls(place).check(fixed).items()))

    @property
    def name(self) -> str:
        """Of the scene."""
        return Path(self.scene).stem

    def digest(self) -> str:
        """Of the file that describes the scene."""
        scene = scene_called(self.scene)
        path = Path(self.scene) if scene.name != self.scene else Path(inspect.getfile(scene.builder))
        return _digest(path.read_bytes())

    def settings_text(self) -> str:
        """What does not vary."""
        return ", ".join(f"{name}={value!r}" for name, value in sorted(self.fixed))

    def parse(self, name: str, text: str) -> Value:
        """The value that `text` means for this parameter or setting."""
        known = scene_called(self.scene).parameters
        return known[name].parse(text) if name in known else plain_value(text)

    def check(self, parameters: Mapping[str, Value]) -> dict[str, Value]:
        """Parameters of the scene are checked by it, settings when the simulation is made."""
        scene = scene_called(self.scene)
        known = scene.parameters
        for name in parameters:
            if name not in known and name not in ORDER_SETTINGS:
                advice = suggestion(name, (*known, *ORDER_SETTINGS), "it has")
                raise ModelError(f"scene {scene.name} has no parameter {name!r}{advice}")
        return {name: _checked(scene, name, value) for name, value in parameters.items()}

    def run(self, parameters: Mapping[str, Value], seed: int, record: Path | None) -> Run:
        """As `signorini run` does, on one thread."""
        values = {**dict(self.fixed), **parameters}
        known = scene_called(self.scene).parameters
        settings: dict[str, Any] = {name: value for name, value in values.items() if name not in known}
        settings["end"] = settings.pop("time", None)
        # Numbers as Python writes them are read back to the same bits.
        texts = tuple(f"{name}={value}" for name, value in values.items() if name in known and name != "seed")
        order = Order(self.scene, texts, seed=seed, threads=1, record=record, force=True, **settings)
        prepared = prepare(order)
        return prepared.simulation.run(prepared.duration, record=prepared.recorder)


def _checked(scene: Scene, name: str, value: Value) -> Value:
    if name not in scene.parameters:
        return value
    parameter = scene.parameters[name]
    if parameter.type is int and isinstance(value, float) and value.is_integer():
        value = int(value)  # tables of numbers know no integers
    return parameter.check(value)


@dataclass(frozen=True)
class FunctionSource:
    """A function of the parameters that returns a `Model`, or a `Simulation` for settings of its own."""

    build: Callable[..., Model | Simulation]
    duration: float
    """[s]."""
    settings: tuple[tuple[str, Any], ...] = ()
    """Arguments of `Simulation` for models."""

    @property
    def name(self) -> str:
        """Of the function."""
        return str(getattr(self.build, "__qualname__", None) or type(self.build).__name__)

    def digest(self) -> str:
        """Of the function's text, where there is one."""
        try:
            return _digest(inspect.getsource(self.build).encode())
        except (OSError, TypeError):
            return _digest(self.name.encode())

    def settings_text(self) -> str:
        """Duration and arguments of `Simulation`."""
        return ", ".join(f"{name}={value!r}" for name, value in (("duration", self.duration), *self.settings))

    def check(self, parameters: Mapping[str, Value]) -> dict[str, Value]:
        """Whether the function takes these names."""
        seed = ("seed",) if "seed" in (parameters_of(self.build) or ()) else ()
        check_parameters(self.build, (*parameters, *seed))
        return dict(parameters)

    def run(self, parameters: Mapping[str, Value], seed: int, record: Path | None) -> Run:
        """Call the function, with the seed if it takes one, and simulate what it returns."""
        known = parameters_of(self.build) or ()
        wanted = {"seed": seed} if "seed" in known and "seed" not in parameters else {}
        built = self.build(**parameters, **wanted)
        if isinstance(built, Model):
            built = Simulation(built, **{"seed": seed, "threads": 1, **dict(self.settings)})
        if not isinstance(built, Simulation):
            raise ModelError(f"{self.name}() returned {type(built).__name__}, expected a Model or a Simulation")
        return built.run(self.duration, record=record)


def scene_called(name: str) -> Scene:
    """`find_scene`, with files read again only when they have changed."""
    path = Path(name)
    return _read_scene(name, path.stat().st_mtime_ns if path.is_file() else 0)


@lru_cache(maxsize=16)
def _read_scene(name: str, _: int) -> Scene:
    return find_scene(name)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:DIGEST]


def source_of(
    build: str | Path | Callable[..., Any], duration: float | None, step: float | None, settings: Mapping[str, Any]
) -> Source:
    """The source of what a user passed as `build`."""
    for name, value in (("duration", duration), ("step", step)):
        if value is not None and (not is_number(value) or not 0 < value < math.inf):
            raise StudyError(f"{name} is {value!r}, expected a number of seconds > 0 such as 0.5")
    fixed = {**({} if step is None else {"step": step}), **settings}
    if isinstance(build, str | Path):
        return SceneSource.of(str(build), {**({} if duration is None else {"time": duration}), **fixed})
    if not callable(build):
        raise StudyError(f"build is {type(build).__name__}, expected a function that returns a Model, or a scene")
    if duration is None:
        raise StudyError("a function says nothing of the end of its runs; pass duration=, in simulated seconds")
    return FunctionSource(build, float(duration), tuple(fixed.items()))
