"""Many worlds of one model, stepped together."""

from __future__ import annotations

import copy
import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from signorini.kernels.bodies.coordinate_rates import coordinate_rates
from signorini.math.cached import cached_property
from signorini.math.sparse import Array
from signorini.model.build_function import check_parameters
from signorini.model.coordinate import Coordinates
from signorini.model.model import Model
from signorini.model.state import State
from signorini.problem.errors import ModelError, SimulationError
from signorini.simulation.control.loop import check_copied
from signorini.simulation.seats import Seats
from signorini.simulation.simulation import Simulation

Build = Callable[..., Model]


@dataclass(frozen=True, eq=False)
class Worlds:
    """All worlds of a batch at one instant; the first index of every array is the world."""

    time: Array
    """[s], shape (n,)."""
    position: Array
    """Centres of mass [m], shape (n, bodies, 3)."""
    orientation: Array
    """Unit quaternions (w, x, y, z), shape (n, bodies, 4)."""
    velocity: Array
    """[m/s], shape (n, bodies, 3)."""
    angular_velocity: Array
    """In the body frames [rad/s], shape (n, bodies, 3)."""
    residual: Array
    """Error of the last step by its certificate [-], 0 before the first, shape (n,)."""
    ok: NDArray[np.bool_]
    """Whether the last step met its tolerance, and the world can go on, shape (n,)."""
    contact_force: Array
    """Of all contacts on each body in the last step [N], shape (n, bodies, 3)."""
    _coordinates: Coordinates

    def __repr__(self) -> str:
        n, bodies = self.position.shape[:2]
        times = sorted({f"{time:g}" for time in self.time}, key=float)
        span = times[0] if len(times) == 1 else f"{times[0]} to {times[-1]}"
        good = f"{np.count_nonzero(self.ok)} solved, error {self.residual.max():.1e} at most"
        return f"Worlds({n} of {bodies} bodies, t = {span} s, {good})"

    @cached_property
    def _joints(self) -> tuple[Array, Array]:
        """Values and rates of all joints of all worlds, as if they were one."""
        one, (n, bodies) = self._coordinates, self.position.shape[:2]
        shift = bodies * np.arange(n)[:, None, None]
        body = np.where(one.body >= 0, one.body + shift, -1).reshape(-1, 2)
        repeated = [np.concatenate([part] * n) for part in (one.kind, one.axis, one.point, one.turn)]
        many = Coordinates(repeated[0], repeated[1], body, repeated[2], repeated[3])
        parts = (self.position, self.orientation, self.velocity, self.angular_velocity)
        state = State(0.0, *(part.reshape(n * bodies, -1) for part in parts))
        value, jacobian = many.evaluate(state)
        rate = coordinate_rates(many.body, jacobian, state.velocity, state.angular_velocity)
        return value.reshape(n, -1), np.asarray(rate).reshape(n, -1)

    @property
    def joint_position(self) -> Array:
        """Angles [rad] and positions [m] of the joints as in `Simulation.joints`, shape (n, joints)."""
        return self._joints[0]

    @property
    def joint_velocity(self) -> Array:
        """[rad/s or m/s], shape (n, joints)."""
        return self._joints[1]


class Batch:
    """Independent worlds of one model, stepped together by threads.

    >>> batch = Batch(model, 64, step=0.002)
    >>> worlds = batch.step(targets)  # (64, motors) -> arrays over the worlds
    >>> batch.reset([3, 7])

    The answer of a world does not depend on the others, nor on the number of threads.

    Parameters
    ----------
    model
        Copied for every world (what cannot be copied, such as closures, says so), or a function of `parameters` that
        builds a model; the models of all worlds must have the same bodies, joints and motors.
    worlds
        How many.
    parameters
        Of the function: an array of `worlds` numbers each.
    threads
        Over worlds; as many as there are cores by default.
    options
        As of `Simulation`; `seed` counts up from world to world.
    """

    def __init__(
        self,
        model: Model | Build,
        worlds: int,
        *,
        parameters: Mapping[str, Sequence[Any] | Array] | None = None,
        threads: int | None = None,
        **options: Any,
    ) -> None:
        count = _checked_count(worlds, "worlds")
        cores = len(os.sched_getaffinity(0)) if threads is None else _checked_count(threads, "threads")
        self.threads = min(count, cores)
        first = options.pop("seed", 0)
        models = _models(model, count, parameters or {})
        self.worlds: tuple[Simulation, ...] = _simulations(models, first, options, alike=isinstance(model, Model))
        """The simulations, one by one; they may be read and set like any other."""
        self._check_alike()
        self._coordinates = Coordinates.of(self.worlds[0].joints.coordinates)
        self._seats = Seats(self.worlds, self.threads)
        self._pool: ThreadPoolExecutor | None = None

    def __len__(self) -> int:
        return len(self.worlds)

    def __repr__(self) -> str:
        return f"Batch({len(self)} worlds of {self.worlds[0].model!r}, {self.threads} threads)"

    @property
    def motors(self) -> tuple[str, ...]:
        """Names of the motors, in the order of targets."""
        return self.worlds[0].motors.names

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints, in the order of `Worlds.joint_position`."""
        return self.worlds[0].joints.names

    @property
    def failed(self) -> NDArray[np.bool_]:
        """Worlds that have ended because a step could not be taken, shape (n,)."""
        return self._seats.failed.copy()

    @property
    def left_to_python(self) -> dict[str, int]:
        """How many steps were not taken in compiled calls over all worlds, by reason."""
        return dict(self._seats.reasons)

    def step(
        self,
        targets: ArrayLike | None = None,
        rates: ArrayLike | None = None,
        steps: int = 1,
        worlds: Iterable[int] | None = None,
    ) -> Worlds:
        """Set targets of the motors, and their rates, shape (n, motors), and take `steps` steps in all or some worlds.

        A world whose step fails for good (see `Simulation.advance`) stands still until it is reset; `Worlds.ok` tells.
        """
        if targets is not None:
            self.set_targets(targets, rates)
        steps = _checked_count(steps, "steps")
        seats = self._seats
        waiting = ~seats.failed
        if worlds is not None:
            waiting &= np.isin(np.arange(len(self)), [self._index(k) for k in worlds])
        left = np.full(len(self), steps)
        while (chosen := np.flatnonzero(waiting & (left > 0))).size:
            rest = seats.advance(chosen, left).items()
            each = map if self.threads == 1 or len(rest) < 2 else self._threads.map
            for _ in each(self._advance, rest):
                pass
            waiting &= ~seats.failed
        return self.read()

    def set_targets(self, targets: ArrayLike, rates: ArrayLike | None = None) -> None:
        """Of all motors of all worlds, shape (n, motors)."""
        goals = self._checked_targets(targets, "targets")
        speeds = np.zeros_like(goals) if rates is None else self._checked_targets(rates, "rates")
        self._seats.set_targets(goals, speeds)

    def reset(self, worlds: Iterable[int] | None = None, states: Sequence[State] | None = None) -> Worlds:
        """Restart some worlds, all by default, each at its own state if given."""
        chosen = range(len(self)) if worlds is None else [self._index(k) for k in worlds]
        if states is not None and len(states) != len(chosen):
            raise SimulationError(f"{len(states)} states were given to reset {len(chosen)} worlds")
        for place, k in enumerate(chosen):
            self.worlds[k].reset(None if states is None else states[place])
        return self.read()

    def read(self) -> Worlds:
        """All worlds now."""
        seats = self._seats
        position, orientation, velocity, spin, force = seats.read()
        return Worlds(
            seats.time, position, orientation, velocity, spin, seats.residual.copy(), seats.ok & ~seats.failed, force,
            self._coordinates,
        )  # fmt: skip

    def close(self) -> None:
        """End the threads."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None

    @property
    def _threads(self) -> ThreadPoolExecutor:
        """For steps in Python."""
        self._pool = self._pool or ThreadPoolExecutor(self.threads, "world")
        return self._pool

    def _advance(self, left: tuple[int, int]) -> None:
        """Steps of one world, one by one."""
        k, steps = left
        sim = self.worlds[k]
        for _ in range(steps):
            if sim.failed:
                self._seats.failed[k] = True
                break
            sim.advance()

    def _index(self, world: int) -> int:
        if isinstance(world, bool) or not isinstance(world, int | np.integer) or not 0 <= world < len(self):
            raise SimulationError(f"there is no world {world!r}: they count from 0 to {len(self) - 1}")
        return int(world)

    def _checked_targets(self, values: ArrayLike, what: str) -> Array:
        expected = (len(self), len(self.motors))
        try:
            array = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError):
            raise SimulationError(f"{what} are no array of numbers, expected (worlds, motors) = {expected}") from None
        if array.shape != expected:
            raise SimulationError(f"{what} have shape {array.shape}, expected (worlds, motors) = {expected}")
        for k, j in np.argwhere(~np.isfinite(array))[:1]:
            where = f"that of {self.motors[j]!r} in world {k}"
            raise ModelError(f"{what} of motors: {where} is {array[k, j]}, expected a finite number")
        return array

    def _check_alike(self) -> None:
        first = self.worlds[0]
        for k, sim in enumerate(self.worlds):
            for what, one, other in (
                ("bodies", list(first.model.bodies.names), list(sim.model.bodies.names)),
                ("joints", first.joints.names, sim.joints.names),
                ("motors", first.motors.names, sim.motors.names),
            ):
                if one != other:
                    raise ModelError(f"world {k} has other {what} than world 0; parameters may change numbers alone")
        if first.model.flexibles:
            raise ModelError("worlds of a batch are of rigid bodies; step those with flexible bodies one by one")


def _checked_count(value: Any, what: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise SimulationError(f"{what} is {value!r}, expected 1 or more")
    return int(value)


def _simulations(models: Sequence[Model], seed: int, options: dict[str, Any], alike: bool) -> tuple[Simulation, ...]:
    """A simulation of each model; copies of one model are checked for overlaps once."""
    found = [Simulation(models[0], seed=seed, **options)]
    if alike and found[0].start is not None:
        speed = found[0].settings()["max_recovery_speed"]
        options = {**options, "max_recovery_speed": math.inf if speed is None else speed}
    found += [Simulation(own, seed=seed + k, **options) for k, own in enumerate(models[1:], start=1)]
    return tuple(found)


def _models(model: Model | Build, count: int, parameters: Mapping[str, Sequence[Any] | Array]) -> list[Model]:
    """One for each world."""
    if isinstance(model, Model):
        if parameters:
            raise SimulationError("parameters are those of a function that builds the model: give that function")
        check_copied(model)
        return [copy.deepcopy(model) for _ in range(count)]
    if not callable(model):
        raise SimulationError(f"model is {model!r}, expected a Model or a function that builds one")
    check_parameters(model, parameters)
    for name, values in parameters.items():
        if len(values) != count:
            raise SimulationError(f"{name!r} has {len(values)} values, expected one for each of {count} worlds")
    return [model(**{name: values[k] for name, values in parameters.items()}) for k in range(count)]
