"""A cached property without a lock."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from functools import cached_property as cached_property
else:

    class cached_property(functools.cached_property):  # noqa: N801, it stands in for that of functools
        """That of `functools`, as it is from Python 3.12 on.

        Python 3.11 takes a lock around the function, one for all objects of a class: it costs more than many of the
        quantities here, and threads that work on different objects block one another. Two threads that access one
        object at once may both compute; they get equal results.
        """

        def __get__(self, instance: Any, owner: Any = None) -> Any:
            if instance is None:
                return self
            value = instance.__dict__[self.attrname] = self.func(instance)
            return value
