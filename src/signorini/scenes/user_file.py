"""Scenes that users write: a Python file with a function `build() -> Model`."""

from __future__ import annotations

import importlib.util
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, get_type_hints

from signorini.model.model import Model
from signorini.model.user_code import place_of
from signorini.problem.errors import FileError, ModelError
from signorini.scenes.scene import About, Scene

STEP, DURATION, DVI = 0.005, 1.0, "dvi"
"""Of a file that does not define them [s]."""
EXAMPLE = "def build(): model = sg.Model(); ...; return model"


def scene_of_file(path: Path) -> Scene:
    """The scene in a Python file: `build`; `STEP` and `DURATION` [s] and the name `INTEGRATOR` where it has them.

    Parameters of `build` with a default of type int, float, bool or str can be set from the command line.
    """
    module = _load(path)
    builder = getattr(module, "build", None)
    if not callable(builder):
        raise ModelError(f"{path} has no function build() that returns a Model; write: {EXAMPLE}")
    return Scene(
        name=path.stem,
        description=(inspect.getdoc(module) or f"Scene of {path}").splitlines()[0],
        builder=_typed(builder, path),
        about={name: About("") for name in inspect.signature(builder).parameters},
        step=float(getattr(module, "STEP", STEP)),
        duration=float(getattr(module, "DURATION", DURATION)),
        integrator=str(getattr(module, "INTEGRATOR", DVI)),
        source=str(path),
    )


def _load(path: Path) -> ModuleType:
    if not path.is_file():
        raise FileError(f"{path}: no such file; expected a Python file with a function build() -> Model")
    spec = importlib.util.spec_from_file_location(f"signorini_scene_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise FileError(f"{path} is not a Python file; expected a name that ends in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise ModelError(f"{path} cannot be imported: {place_of(error)}") from error
    return module


def _typed(builder: Callable[..., Any], path: Path) -> Callable[..., Model]:
    """`builder` with types for all its parameters and a check of what it returns."""
    hints = get_type_hints(builder)
    types: dict[str, Any] = {}
    for name, parameter in inspect.signature(builder).parameters.items():
        kind = hints.get(name, type(parameter.default))
        if parameter.default is inspect.Parameter.empty or kind not in (int, float, bool, str):
            raise ModelError(f"{path}: parameter {name!r} of build() needs a default of type int, float, bool or str")
        types[name] = kind

    def build(**values: Any) -> Model:
        try:
            model = builder(**values)
        except ModelError:
            raise
        except Exception as error:
            raise ModelError(f"build() of {path} failed: {place_of(error)}") from error
        if not isinstance(model, Model):
            raise ModelError(f"build() of {path} returned {type(model).__name__}, expected a signorini.Model")
        return model

    build.__signature__ = inspect.signature(builder)  # type: ignore[attr-defined]
    build.__annotations__ = types
    return build
