"""The part of a model that is about what comes into the scene, what leaves it, and space that repeats itself."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from signorini.math.rotations import IDENTITY
from signorini.math.sparse import Array
from signorini.model import build
from signorini.model.body import Body
from signorini.model.body_list import BodyGroup
from signorini.model.checks import finite, numbers, positive, quaternion, vector
from signorini.model.emitter import Emitter
from signorini.model.mass import Mass
from signorini.model.material import Material
from signorini.model.parts import Parts
from signorini.model.periods import Periods
from signorini.model.store import Region, Store, stored
from signorini.problem.errors import ModelError

ORIGIN = (0.0, 0.0, 0.0)
NO_ROTATION = (1.0, 0.0, 0.0, 0.0)


class Regions(Parts):
    """Adds emitters, the region outside of which bodies are removed, and periodic boundaries."""

    emitters: list[Emitter]
    """Sources of bodies during a run."""
    region: Region | None
    """Bodies that leave it are removed; None keeps all."""
    periods: Periods | None
    """How space repeats itself; None: not at all."""

    def __init__(self) -> None:
        super().__init__()
        self.emitters, self.region, self.periods = [], None, None

    def add_emitter(
        self,
        shape: build.ShapeLike,
        *,
        rate: float,
        capacity: int,
        low: ArrayLike,
        high: ArrayLike | None = None,
        density: float | None = None,
        mass: float | None = None,
        inertia: ArrayLike | None = None,
        velocity: ArrayLike = ORIGIN,
        angular_velocity: ArrayLike = ORIGIN,
        orientation: ArrayLike | str = NO_ROTATION,
        material: Material | None = None,
        start: float = 0.0,
        stop: float = math.inf,
        seed: int = 0,
        name: str = "emitter",
        group: int = 1,
        mask: int = -1,
        margin: float | None = None,
    ) -> Emitter:
        """Add a source of bodies that are alike: `rate` of them per second [1/s], from `start` to `stop` [s].

        Their centres of mass come in at random places between the corners `low` and `high` [m], or at `low`, with
        `velocity` [m/s, world] and `angular_velocity` [rad/s, body frame], turned by `orientation`, a quaternion or
        "random". A body for which no free place is found is left out. At most `capacity` bodies are in the scene at a
        time: they are bodies `name-0`, `name-1`, ... of the model from the start, kept in a store; those that
        `remove_outside` removes can come again. The rest is as in `add_body`. The same `seed` gives the same places.
        """
        what = f"of the emitter {name!r}"
        corner = vector(low, f"low {what}")
        other = corner if high is None else vector(high, f"high {what}")
        begin, end = finite(start, f"start {what}"), float(stop)
        _check_source(what, capacity, seed, (corner, other), (begin, end), orientation)
        contact = build.Contact(material, group, mask, margin)
        alike = build.movable_body(f"{name}-0", shape, Mass(density, mass, inertia), build.Start(), contact)
        turn = None if isinstance(orientation, str) else quaternion(orientation, f"orientation {what}")
        emitter = Emitter(
            name, len(self.bodies), int(capacity), _three(corner), _three(other), positive(rate, f"rate {what}"), begin,
            end, _three(vector(velocity, f"velocity {what}")),
            _three(vector(angular_velocity, f"angular velocity {what}")),
            None if turn is None else (*_three(turn[:3]), float(turn[3])), int(seed),
        )  # fmt: skip
        self._append_pool(alike, name, int(capacity))
        self.emitters.append(emitter)
        return emitter

    def remove_outside(self, low: ArrayLike, high: ArrayLike) -> None:
        """Remove bodies whose centres leave the box between the corners `low` and `high` [m]; infinite ones are open.

        Bodies that joints, springs or forces act on stay. Removed bodies are kept in a store, from which those of an
        emitter come again.
        """
        corners = [np.atleast_1d(numbers(corner, "a corner of the region")) for corner in (low, high)]
        if any(corner.shape != (3,) or np.isnan(corner).any() for corner in corners):
            raise ModelError(f"the region is from {low!r} to {high!r}, expected two corners of three numbers [m]")
        if not np.all(corners[1] > corners[0]):
            raise ModelError(f"the region is from {low!r} to {high!r}, expected the lower corner first")
        self.region = Region(_three(corners[0]), _three(corners[1]))

    def set_periodic(
        self, x: Sequence[float] | None = None, y: Sequence[float] | None = None, z: Sequence[float] | None = None
    ) -> None:
        """Let space repeat itself from `low` to `high` [m] along the axes that are given, as `x=(0.0, 1.0)`.

        Bodies touch those at the other end. Positions go on across the ends and are never put back: pictures show them
        modulo the period. Bodies are to be smaller than half of it; fixed ones may also be endless (`HalfSpace`) or
        reach across all of it.
        """
        self.periods = Periods.checked((x, y, z))

    @property
    def keeps_all(self) -> bool:
        """Whether all bodies are in the scene all the time."""
        return not self.emitters and self.region is None

    def stored(self, position: Array) -> Any:
        """Which bodies are not in the scene, by their positions, shape (bodies,)."""
        if self.keeps_all:
            return np.zeros(position.shape[:-1], dtype=np.bool_)
        return stored(position)

    def seen_at(self, position: Array) -> Array:
        """Positions as pictures show them [m]: modulo the period; nan for bodies that are not in the scene."""
        shown = position if self.periods is None else position + self.periods.shifts(position)
        away = self.stored(position)
        return np.where(away[..., None], np.nan, shown) if away.any() else shown

    @property
    def store(self) -> Store | None:
        """The bodies that may not be in the scene, as the model is now; None where all are there all the time."""
        return Store.of(self)

    def _append_pool(self, alike: Body, name: str, count: int) -> None:
        if not isinstance(name, str) or not name:
            raise ModelError(f"name is {name!r}, expected a text that is not empty")
        zero = np.zeros((count, 3))
        group = BodyGroup(alike, 0, zero, np.tile(IDENTITY, (count, 1)), zero, zero, name)
        if any(self.bodies.find(group.name(k)) >= 0 for k in (0, count - 1)):
            raise ModelError(f"there are bodies named {name!r} and a number already: pass another name=...")
        self.bodies.append(group)


def _check_source(
    what: str, capacity: Any, seed: Any, corners: tuple[Array, Array], times: tuple[float, float], orientation: Any
) -> None:
    """Raise `ModelError` for an emitter that makes no sense."""
    if isinstance(capacity, bool) or not isinstance(capacity, int | np.integer) or capacity < 1:
        raise ModelError(f"capacity {what} is {capacity!r}, expected a number of bodies of 1 or more")
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise ModelError(f"seed {what} is {seed!r}, expected an integer >= 0")
    if np.any(corners[1] < corners[0]):
        raise ModelError(f"high {what} is {corners[1].tolist()}, below its low {corners[0].tolist()}")
    if not times[1] > times[0]:
        raise ModelError(f"stop {what} is {times[1]!r}, expected a time after its start, {times[0]:g} s")
    if isinstance(orientation, str) and orientation != "random":
        raise ModelError(f"orientation {what} is {orientation!r}, expected a quaternion or 'random'")


def _three(values: Array) -> tuple[float, float, float]:
    x, y, z = values.tolist()
    return x, y, z
