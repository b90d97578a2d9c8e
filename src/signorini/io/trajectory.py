"""What writers ask of a run: states over time, and contacts where they are known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Protocol, runtime_checkable

from signorini.collision.contacts import Contacts
from signorini.math.sparse import Array
from signorini.model.state import State


class ContactsOfFrame(Protocol):
    """Contacts of the step that led to a frame."""

    @property
    def contacts(self) -> Contacts:
        """At the beginning of the step."""

    @property
    def world_impulse(self) -> Array:
        """On body a [N s], shape (contacts, 3)."""


@runtime_checkable
class Trajectory(Protocol):
    """A run, recorded or in memory."""

    @property
    def times(self) -> Array:
        """Of the frames [s]."""

    @property
    def settings(self) -> dict[str, Any]:
        """Of the simulation; `step` is the time step [s]."""

    def state(self, frame: int = -1) -> State:
        """Of a frame."""

    def contacts(self, frame: int = -1) -> ContactsOfFrame:
        """Of the step that led to a frame."""


States = Trajectory | Iterable[State]
"""A run, or states one after another."""


def frames_of(states: States, every: int = 1) -> Iterator[State]:
    """Every n-th state."""
    if isinstance(states, Trajectory):
        return (states.state(frame) for frame in range(0, len(states.times), every))
    return (state for number, state in enumerate(states) if number % every == 0)
