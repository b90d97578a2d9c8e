"""Quantities that an object computes once and caches, each with the parts that it depends on."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

from signorini.math.cached import cached_property

T = TypeVar("T")


class Derived(cached_property[T]):
    """A cached property that names the parts it depends on, directly or through other derived quantities."""

    parts: frozenset[str]


def derived(*parts: str) -> Callable[[Callable[[Any], T]], Derived[T]]:
    """A property that is computed on first access, from the named parts of the object alone."""

    def wrapped(function: Callable[[Any], T]) -> Derived[T]:
        found = Derived(function)
        found.parts = frozenset(parts)
        return found

    return wrapped


@cache
def derived_from(owner: type[Any]) -> dict[str, frozenset[str]]:
    """Name of each derived quantity of a class -> the parts that it depends on."""
    return {
        name: item.parts for base in reversed(owner.__mro__) for name, item in vars(base).items()
        if isinstance(item, Derived)
    }  # fmt: skip
