"""Cached detection: the end of a step is the beginning of the next."""

from __future__ import annotations

from signorini.collision.contacts import Contacts
from signorini.collision.detector import Detector
from signorini.model.state import State


class Detections:
    """A detector that caches the contacts of its last state."""

    def __init__(self, detector: Detector) -> None:
        self.detector = detector
        self._last: tuple[State, float, Contacts] | None = None

    def at(self, state: State, h: float) -> Contacts:
        """Contacts for a step of h [s] from a state; states are not changed once they are made."""
        if self._last is None or self._last[0] is not state or self._last[1] != h:
            self._last = (state, h, self.detector.detect(state, h))
        return self._last[2]
