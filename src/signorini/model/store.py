"""Where bodies are that are not in the scene: those that have not come yet, and those that were removed.

A stored body lies at rest in a place of its own, far away along x, and its position tells that it is stored. So states
keep their sizes, and a state alone says what is in the scene.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.math.rotations import IDENTITY
from signorini.math.sparse import Array, Indices
from signorini.model.emitter import Emitter
from signorini.model.periods import Periods
from signorini.model.state import State
from signorini.problem.errors import ModelError

FAR = float(2**20)
"""Stored bodies have an x of this and more [m]."""
ROOM = 4.0
"""Distance of stored bodies, over the largest radius among them."""
BODY_FIELDS = ("a", "b", "body")
"""Fields of joints, coordinates and forces that hold the place of a body."""


@dataclass(frozen=True)
class Region:
    """A box: bodies whose centres leave it are removed."""

    low: tuple[float, float, float]
    """[m]; -inf for no bound."""
    high: tuple[float, float, float]

    def outside(self, position: Array) -> NDArray[np.bool_]:
        """Which positions are not in the box."""
        return np.asarray(((position < np.array(self.low)) | (position > np.array(self.high))).any(axis=1))


@dataclass(frozen=True, eq=False)
class Store:
    """The bodies of a model that may be stored, and their places there."""

    bodies: Indices
    """That come from emitters or can be removed, places in `Model.bodies`."""
    place: Array
    """Where each of them is stored [m], shape (stored bodies, 3)."""
    emitters: tuple[Emitter, ...]
    region: Region | None
    periods: Periods | None

    @classmethod
    def of(cls, model: Any) -> Store | None:
        """Of a model; None where all bodies are there all the time."""
        if not model.emitters and model.region is None:
            return None
        kinds, tied = model.bodies.kinds, _tied(model)
        chosen = np.zeros(len(model.bodies), dtype=np.bool_)
        if model.region is not None:
            chosen |= model.bodies.each(lambda body: body.movable, bool)
            chosen[list(tied)] = False
        for emitter in model.emitters:
            chosen[emitter.first : emitter.first + emitter.capacity] = True
            for body, part in tied.items():
                if body in emitter.bodies:
                    name = model.bodies[body].name
                    raise ModelError(f"{part!r} acts on {name!r}, a body of the emitter {emitter.name!r}: it cannot")
        radius = max(
            (_radius(body) for start, count, body in kinds if chosen[start : start + count].any()), default=1.0
        )
        step = 2.0 ** math.ceil(math.log2(ROOM * radius))
        bodies = np.flatnonzero(chosen)
        place = np.zeros((len(bodies), 3))
        place[:, 0] = FAR + step * np.arange(len(bodies))
        return cls(bodies, place, tuple(model.emitters), model.region, model.periods)

    def begin(self, state: State) -> State:
        """The state before the first step: bodies of emitters are stored."""
        mine = np.concatenate([np.arange(e.first, e.first + e.capacity) for e in self.emitters] or [self.bodies[:0]])
        return self._put(state, np.isin(self.bodies, mine))

    def tidied(self, state: State) -> State:
        """A state at the end of a step: stored bodies are at rest in their places, with those that left the region."""
        away = stored(state.position[self.bodies])
        if self.region is not None:
            position = state.position[self.bodies]
            if self.periods is not None:
                position = position + self.periods.shifts(position)
            away |= self.region.outside(position)
        return self._put(state, away) if away.any() else state

    def _put(self, state: State, away: NDArray[np.bool_]) -> State:
        new, which = state.copy(), self.bodies[away]
        new.position[which], new.orientation[which] = self.place[away], IDENTITY
        new.velocity[which], new.angular_velocity[which] = 0.0, 0.0
        return new


def stored(position: Array) -> NDArray[np.bool_]:
    """Which positions are those of stored bodies, shape (...,)."""
    return np.asarray(position[..., 0] >= FAR)


def _radius(body: Any) -> float:
    """About the centre of mass [m]."""
    return max((float(np.linalg.norm(p.position)) + p.shape.bounding_radius() for p in body.shapes), default=1.0)


def _tied(model: Any) -> dict[int, str]:
    """Bodies that joints, springs or forces act on, each with the name of one of these."""
    found: dict[int, str] = {}
    for part in (*model.joints, *model.limits, *model.dry_frictions, *model.stiff_forces, *model.forces):
        for body in bodies_of(part):
            found[body] = part.name
    return found


def bodies_of(part: Any) -> set[int]:
    """Places in `Model.bodies` that a joint, spring or force names, in itself or in its parts."""
    if isinstance(part, tuple | list):
        return set().union(*map(bodies_of, part)) if part else set()
    if not is_dataclass(part):
        return set()
    values = {field.name: getattr(part, field.name) for field in fields(part)}
    own = {int(values[key]) for key in BODY_FIELDS if isinstance(values.get(key), int | np.integer)}
    return {body for body in own if body >= 0}.union(*map(bodies_of, values.values()))
