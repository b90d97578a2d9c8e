"""Bodies that enter and leave the scene between steps.

What happens depends on the number of the step and on the state alone: a run that is resumed, or repeated, has the same
bodies at the same places.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field

import numpy as np

from signorini.collision.detector import Detector
from signorini.model.emitter import Emitter
from signorini.model.model import Model
from signorini.model.state import State
from signorini.model.store import Store, stored

ATTEMPTS = 8
"""Places that are tried for a body that comes in."""


@dataclass(frozen=True, eq=False)
class Traffic:
    """Puts bodies of emitters into the scene, and removes those that leave the region."""

    store: Store
    detector: Detector
    h: float
    """Step [s]."""
    _told: set[str] = field(default_factory=set)
    """Emitters that ran out of bodies; warned about once."""

    @classmethod
    def of(cls, model: Model, detector: Detector, h: float) -> Traffic | None:
        """Of a model; None where no body comes or goes."""
        store = model.store
        return None if store is None else cls(store, detector, h)

    def enter(self, number: int, state: State) -> State:
        """The state at the beginning of step `number`, with the bodies that come in it."""
        waiting = [
            (emitter, event)
            for emitter in self.store.emitters
            for event in range(emitter.due((number - 1) * self.h), emitter.due(number * self.h))
        ]
        if not waiting:
            return state
        new, free = state.copy(), {emitter.name: self._free(emitter, state) for emitter in self.store.emitters}
        for attempt in range(ATTEMPTS):
            placed = []
            for emitter, event in waiting:
                if not free[emitter.name]:
                    self._tell(emitter, state.time)
                    continue
                body = free[emitter.name].pop(0)
                new.position[body], new.orientation[body] = emitter.draw(event, attempt)
                new.velocity[body], new.angular_velocity[body] = emitter.velocity, emitter.angular_velocity
                placed.append((body, emitter, event))
            blocked = self._blocked(new, [body for body, _, _ in placed])
            for body, emitter, _ in placed:
                if body in blocked:
                    for name in ("position", "orientation", "velocity", "angular_velocity"):
                        getattr(new, name)[body] = getattr(state, name)[body]
                    free[emitter.name].append(body)
                    free[emitter.name].sort()
            waiting = [(e, event) for body, e, event in placed if body in blocked and (e.low != e.high)]
            if not waiting:
                break
        return new

    def leave(self, state: State) -> State:
        """The state at the end of a step without the bodies that left the region."""
        return self.store.tidied(state)

    def _free(self, emitter: Emitter, state: State) -> list[int]:
        """Stored bodies of an emitter, in order."""
        mine = slice(emitter.first, emitter.first + emitter.capacity)
        return (emitter.first + np.flatnonzero(stored(state.position[mine]))).tolist()

    def _blocked(self, state: State, new: list[int]) -> set[int]:
        """Which of the new bodies overlap others; of two new ones the later."""
        if not new:
            return set()
        found, order = self.detector.detect(state, 0.0), {body: k for k, body in enumerate(new)}
        blocked: set[int] = set()
        for k in np.flatnonzero(found.gap < 0.0).tolist():
            a, b = int(found.body_a[k]), int(found.body_b[k])
            later = max((order.get(a, -1), a), (order.get(b, -1), b))
            if later[0] >= 0:
                blocked.add(later[1])
        return blocked

    def _tell(self, emitter: Emitter, time: float) -> None:
        if emitter.name not in self._told:
            self._told.add(emitter.name)
            warnings.warn(
                f"all {emitter.capacity} bodies of the emitter {emitter.name!r} are in the scene at t = {time:g} s: no "
                "more come until some are removed (remove_outside); raise capacity",
                stacklevel=2,
            )
