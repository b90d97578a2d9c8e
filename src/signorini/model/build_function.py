"""Functions of parameters that build models."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from signorini.problem.errors import ModelError, suggestion


def parameters_of(build: Callable[..., Any]) -> Mapping[str, inspect.Parameter] | None:
    """The parameters of a function by name; None where Python cannot tell."""
    try:
        return inspect.signature(build).parameters
    except (TypeError, ValueError):
        return None


def check_parameters(build: Callable[..., Any], given: Iterable[str]) -> None:
    """Raise `ModelError` unless the function takes the parameters `given`, and needs no others."""
    known, given = parameters_of(build), tuple(given)
    if known is None or any(p.kind is p.VAR_KEYWORD for p in known.values()):
        return
    name = getattr(build, "__qualname__", type(build).__name__)
    for wanted in given:
        if wanted not in known:
            raise ModelError(f"{name}() has no parameter {wanted!r}{suggestion(wanted, known, 'it has')}")
    needed = [n for n, p in known.items() if p.default is p.empty and p.kind is not p.VAR_POSITIONAL]
    missing = [n for n in needed if n not in given]
    if missing:
        raise ModelError(f"{name}() needs {', '.join(missing)}; vary it, or give it a default")
