"""A force on nodes of a flexible body."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from signorini.math.sparse import Array, Indices
from signorini.model.checks import numbers
from signorini.model.state import State
from signorini.model.user_code import called
from signorini.problem.errors import ModelError

LoadFunction = Callable[[float, State], Any]
"""(time [s], state) -> force [N], world, on each node, shape (3,) or (nodes, 3)."""


@dataclass(frozen=True, eq=False)
class NodeLoad:
    """A force on each of some nodes, constant or a function of time and state."""

    nodes: Indices
    """Among those of a state, shape (k,)."""
    constant: Array
    """[N], world, shape (k, 3); counts unless there is a function."""
    function: LoadFunction | None
    name: str
    """Of the body, for messages."""

    def add(self, state: State, force: Array) -> None:
        """Add to the rows of the nodes."""
        value = self.constant
        if self.function is not None:
            what = f"force on nodes of {self.name!r} at t = {state.time:g}"
            value = numbers(called(self.function, what, state.time, state), what)
            if value.shape not in ((3,), (len(self.nodes), 3)):
                raise ModelError(f"{what} has shape {value.shape}, expected (3,) or ({len(self.nodes)}, 3)")
        np.add.at(force, self.nodes, value)
