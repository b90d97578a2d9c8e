"""Steps on the GPU: detection, assembly, projected SOR, certificate and advance; the state stays on the device."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from signorini.kernels.collision.conventions import HALF_SPACE, SPHERE
from signorini.kernels.collision.table import COLUMNS
from signorini.kernels.cuda import broad, colours, judge, motion, narrow, rows, sweeps
from signorini.kernels.cuda.door import device_trouble, launch, launch_together, to_host, view, xp
from signorini.math.sparse import Array
from signorini.model.state import State
from signorini.problem.errors import SimulationError
from signorini.solvers.projected_sor import ProjectedSOR
from signorini.stepping.device_tables import DeviceTables
from signorini.stepping.warm_start import Memory

LARGE = 4.0
"""Fixed shapes that are this many times as large as the median are held against all others, not put into the grid."""
CELLS_PER_SHAPE = 4
"""Cells of the grid at most."""
STATE = ("position", "orientation", "velocity", "angular_velocity")


def require_gpu() -> None:
    """`SimulationError` with what is missing, unless there is a GPU that can be used."""
    trouble = device_trouble()
    if trouble:
        raise SimulationError(f"device='cuda': {trouble}")


@dataclass(frozen=True, eq=False)
class DeviceContacts:
    """Contacts of one step, on the device, in the order in which they are swept."""

    identity: Any
    bodies: Any
    """(2, contacts)."""
    data: Any
    """Raw contacts, see `kernels.collision.table.Found`."""
    friction: Any
    impulse: Any
    """(3, contacts) [N s]."""


@dataclass(frozen=True, eq=False)
class DeviceAnswer:
    """How a step was solved."""

    contacts: DeviceContacts
    error: float
    """`Certificate.scaled`, which decides where there are no joints."""
    sweeps: int
    colours: int
    deepest: float
    """Penetration at the beginning of the step [m]."""


class DeviceStepper:
    """Takes steps of a model whose arrays are on the device."""

    def __init__(self, tables: DeviceTables, state: State, h: float, sor: ProjectedSOR, recovery: float) -> None:
        self.h, self.sor, self.recovery = h, sor, recovery
        self.gravity = tables.gravity
        self._fall = view(xp.asarray(h * tables.gravity))
        self._shapes = tuple(xp.asarray(part) for part in tables.shapes)
        self._shape_views = tuple(view(part) for part in self._shapes)
        self._centred, self._weight = view(xp.asarray(tables.centred)), view(xp.asarray(tables.weight))
        self._inertia = view(xp.asarray(tables.inertia))
        uneven = np.ptp(tables.inertia, axis=1) > 1e-12 * tables.inertia.max(axis=1)
        self._turning = view(xp.asarray(uneven))
        self._placed = tuple(xp.zeros((len(tables.centred), *more)) for more in ((3,), (9,), (11,), ()))
        self._placed_views = tuple(view(part) for part in self._placed)
        self._sort_shapes(tables)
        self.put(state)
        self.known: tuple[Any, Any] | None = None

    def _sort_shapes(self, tables: DeviceTables) -> None:
        """Half-spaces and large fixed shapes are held against all others; the rest go into the grid."""
        kind, body = np.asarray(tables.shapes[0]), np.asarray(tables.shapes[1])
        planes, movable = kind == HALF_SPACE, tables.weight[:, 0] > 0
        size = np.linalg.norm(tables.shapes[6], axis=1) + tables.shapes[7]
        usual = np.median(size[movable[body] & ~planes]) if np.any(movable[body]) else math.inf
        large = ~planes & ~movable[body] & (size > LARGE * usual)
        self._members = xp.asarray(np.flatnonzero(~planes & ~large))
        self._large, self._planes = view(xp.asarray(np.flatnonzero(large))), view(xp.asarray(np.flatnonzero(planes)))
        first = np.full(len(movable), -1)
        first[body[::-1]] = np.arange(len(body))[::-1]
        self._movable = xp.asarray(np.flatnonzero(movable))
        self._first_shape = xp.asarray(first[movable])
        self._round = bool(np.all((kind == SPHERE) | planes))

    # --- state -------------------------------------------------------------------------------------------------

    def put(self, state: State) -> None:
        """Go on from a state of the host."""
        self._state = tuple(xp.array(getattr(state, name)) for name in STATE)
        self._state_views = tuple(view(part) for part in self._state)

    def set_rows(self, body: int, **rows: Array) -> None:
        """Set rows of the state of one body, by name."""
        for name, values in rows.items():
            self._state[STATE.index(name)][body] = xp.asarray(values)

    def recall(self, memory: Memory | None) -> None:
        """Take the impulses of an earlier step as those of the last one."""
        self.known = None
        if memory is not None:
            self.known = xp.asarray(memory.identity), xp.ascontiguousarray(xp.asarray(memory.impulse).T)

    def array(self, name: str) -> Array:
        """One of the arrays of the state, on the host."""
        return np.asarray(to_host(self._state[STATE.index(name)]))

    def is_sound(self) -> bool:
        """Whether all numbers of the state are finite."""
        return all(bool(xp.isfinite(part.sum())) for part in self._state)

    def energy(self) -> tuple[float, float]:
        """Kinetic and potential energy of the movable bodies [J]."""
        count = len(self._state[0])
        kinetic, potential = xp.empty(count), xp.empty(count)
        position, _, velocity, spin = self._state_views
        gravity = tuple(float(g) for g in self.gravity)
        launch(motion.energies, count, self._weight, gravity, position, velocity, spin, kinetic, potential)
        return float(kinetic.sum()), float(potential.sum())

    # --- detection ---------------------------------------------------------------------------------------------

    def detect(self) -> tuple[Any, Any, Any]:
        """Identities and data of the contacts, and the rank of each body in space."""
        launch(
            broad.place, len(self._shapes[0]), self._shape_views, self._centred, *self._state_views, self._placed_views
        )
        members, margin = self._members, self._shapes[8]
        fall = self.h * self.h * float(np.linalg.norm(self.gravity))
        ball = self._placed[2][members]
        own = xp.where(margin[members, 0] >= 0, margin[members, 0], 0.5 * margin[members, 1])
        apart = ball[:, 6:9] - ball[:, 6:9].mean(axis=0)
        size = ball[:, 9] + own + self.h * (xp.sqrt((apart * apart).sum(axis=1)) + ball[:, 10]) + 0.5 * fall
        grid, cells = _grid(ball, size)
        keys = xp.empty(len(members), dtype=xp.int32)
        launch(broad.cell_keys, len(members), self._placed_views[2], members, grid, cells, keys)
        sorting = xp.argsort(keys, kind="stable")
        every = xp.arange(cells[0] * cells[1] * cells[2] + 1, dtype=xp.int32)
        start = xp.searchsorted(keys[sorting], every).astype(xp.int32)
        ball = xp.concatenate([ball[sorting], size[sorting][:, None]], axis=1)
        pairs = self._pairs(members[sorting], ball, grid, cells, start, (self.h, fall))
        return *self._contacts(pairs), self._ranks(sorting)

    def _pairs(self, order: Any, ball: Any, *rest: Any) -> tuple[Any, Any, Any]:
        """Pairs of shapes within their envelopes: (first, second, envelope)."""
        grid, cells, start, now = rest
        fixed = [self._shape_views, self._placed_views, *map(view, (order, ball)), grid, cells, view(start)]
        fixed += [self._large, self._planes, now]
        counts = xp.empty(len(order), dtype=xp.int32)
        none = (xp.empty(0, xp.int64), xp.empty(0, xp.int64), xp.empty(0))
        launch(broad.near_pairs, len(order), *fixed, False, counts, none)
        ends = xp.cumsum(counts)
        total = int(ends[-1])
        pairs = (xp.empty(total, xp.int64), xp.empty(total, xp.int64), xp.empty(total))
        launch(broad.near_pairs, len(order), *fixed, True, ends - counts, pairs)
        return pairs

    def _ranks(self, sorting: Any) -> Any:
        """Rank of each movable body: by the place of its first shape in the grid; -1 for the others."""
        place = xp.full(len(self._shapes[0]), -1, dtype=xp.int64)
        place[self._members[sorting]] = xp.arange(len(sorting))
        order = xp.argsort(place[self._first_shape], kind="stable")
        rank = xp.full(len(self._state[0]), -1, dtype=xp.int32)
        rank[self._movable[order]] = xp.arange(len(order), dtype=xp.int32)
        return rank

    def _contacts(self, pairs: tuple[Any, Any, Any]) -> tuple[Any, Any]:
        """Identities and data of the contacts of near pairs."""
        total = len(pairs[0])
        if self._round:
            places, room = xp.arange(total), total
        else:
            rooms = xp.empty(total, dtype=xp.int32)
            launch(narrow.room, total, self._shape_views[0], pairs[0], pairs[1], rooms)
            ends = xp.cumsum(rooms)
            places, room = ends - rooms, int(ends[-1]) if total else 0
        identity, data = xp.full(room, -1, dtype=xp.int64), xp.empty((room, COLUMNS))
        launch(narrow.pair_contacts, total, self._shape_views, self._placed_views, pairs, places, identity, data)
        found = xp.flatnonzero(identity >= 0)
        return (identity, data) if len(found) == room else (identity[found], data[found])

    # --- solving -----------------------------------------------------------------------------------------------

    def step(self) -> DeviceAnswer:
        """One step."""
        identity, data, rank = self.detect()
        z_free = xp.empty((len(self._movable), 8))
        _, _, velocity, spin = self._state_views
        launch(
            motion.free_velocities, len(rank), rank, self._weight, self._inertia, self._turning, velocity, spin,
            self._fall, self.h, z_free,
        )  # fmt: skip
        z, answer = self._solve(identity, data, rank, z_free)
        launch(motion.advance, len(rank), rank, self._weight, z, self.h, *self._state_views)
        return answer

    def _solve(self, identity: Any, data: Any, rank: Any, z_free: Any) -> tuple[Any, DeviceAnswer]:
        """New velocities of the movable bodies by rank, whitened."""
        m = len(identity)
        bodies, ranks, friction = xp.empty((2, m), xp.int32), xp.empty((2, m), xp.int32), xp.empty(m)
        launch(
            narrow.bodies_of, m, self._shape_views[1], self._shape_views[10], identity, rank, bodies, ranks, friction
        )
        order, start, used = self._coloured(ranks, identity, len(z_free))
        identity, data, bodies, friction = identity[order], data[order], bodies[:, order], friction[order]
        record, scale, diagonal = xp.empty((32, m)), xp.empty((2, m)), xp.empty(m)
        pair = xp.empty((2, m), xp.int32)
        now = (self.h, self.recovery)
        out = (view(record), view(scale), view(pair), view(diagonal))
        launch(rows.records, m, bodies, data, friction, self._state_views, self._weight, rank, now, out)
        factors = xp.stack([scale[0], scale[1], scale[1]])
        x = self._warm(identity) / factors
        swept = _Swept(used, view(start), out[2], out[0], scale, view(x), self.sor)
        z, done, error = swept.solve(z_free, diagonal)
        impulse = x * factors
        by_identity = xp.argsort(identity)
        self.known = identity[by_identity], impulse[:, by_identity]
        contacts = DeviceContacts(identity, bodies, data, friction, impulse)
        deepest = max(0.0, -float(data[:, 9].min())) if m else 0.0
        return z, DeviceAnswer(contacts, error, done, used, deepest)

    def _coloured(self, ranks: Any, identity: Any, bodies: int) -> tuple[Any, Any, int]:
        """The contacts colour by colour, where each colour begins, and how many there are."""
        claims, mask = xp.zeros((bodies, colours.MOST), xp.int64), xp.zeros(bodies, xp.int64)
        colour = xp.full(len(identity), -1, dtype=xp.int32)
        if len(identity):
            launch_together(colours.colour, ranks, identity, claims, mask, xp.zeros(2, xp.int64), colour)
        order = xp.argsort(colour, kind="stable")
        start = xp.searchsorted(colour[order], xp.arange(colours.MOST + 2)).astype(xp.int32)
        return order, start, int(colour.max()) + 1 if len(colour) else 0

    def _warm(self, identity: Any) -> Any:
        """Impulses of contacts that the last step had, 0 for the others; (3, contacts)."""
        if self.known is None or not len(self.known[0]):
            return xp.zeros((3, len(identity)))
        known, impulse = self.known
        at = xp.minimum(xp.searchsorted(known, identity), len(known) - 1)
        return xp.where(known[at] == identity, impulse[:, at], 0.0)


@dataclass(frozen=True, eq=False)
class _Swept:
    """The contacts of one step in the form that is swept."""

    colours: int
    start: Any
    pair: Any
    record: Any
    scale: Any
    x: Any
    sor: ProjectedSOR

    def solve(self, z_free: Any, diagonal: Any) -> tuple[Any, int, float]:
        """Velocities, sweeps done and the error; as `ProjectedSOR.solve`, but the last iterate counts."""
        if not self.colours:
            return z_free, 0, 0.0
        weight = float(diagonal.sum()) / (3 * len(diagonal))
        exact, done, error = self.sor.law == "coulomb", 0, math.inf
        settings = (self.sor.relaxation, self.sor.mixing)
        z = self._velocities(z_free)
        while done < self.sor.max_iterations and not error <= self.sor.tolerance:
            count = min(self.sor.check_every, self.sor.max_iterations - done)
            launch_together(
                sweeps.sweeps, done, count, self.sor.symmetric, self.colours, self.start, self.pair, self.record, exact,
                *settings, self.x, z,
            )  # fmt: skip
            done += count
            if done >= self.sor.max_iterations or self.sor.tolerance > 0:
                error = self._error(z, z_free, weight, exact)
        z = self._velocities(z_free)
        return z, done, self._error(z, z_free, weight, exact)

    def _velocities(self, z_free: Any) -> Any:
        """Those that the impulses cause."""
        z = z_free.copy()
        launch_together(sweeps.scatter, self.colours, self.start, self.pair, self.record, self.x, z)
        return z

    def _error(self, z: Any, z_free: Any, weight: float, exact: bool) -> float:
        """`Certificate.scaled` of the impulses."""
        count = self.scale.shape[1]
        squares, free = xp.empty(count), xp.empty(count)
        launch(
            judge.natural_squares, count, self.pair, self.record, self.scale, self.x, z, z_free, exact, 1.0 / weight,
            squares, free,
        )  # fmt: skip
        size = math.sqrt(float(free.sum()))
        return weight * math.sqrt(float(squares.sum())) / (size if size > 0 else 1.0)


def _grid(ball: Any, size: Any) -> tuple[tuple[float, ...], tuple[int, ...]]:
    """(lowest x, y, z, width of a cell) and the number of cells along each axis."""
    low, high = ball[:, :3].min(axis=0), ball[:, :3].max(axis=0)
    facts = to_host(xp.concatenate([low, high, size.max()[None]]))
    cell, extent = 2.0 * facts[6], facts[3:6] - facts[:3]
    while np.prod(np.floor(extent / cell) + 1.0) > CELLS_PER_SHAPE * len(ball) + 64:
        cell *= 1.26
    return (*map(float, facts[:3]), float(cell)), tuple(int(c) for c in np.floor(extent / cell) + 1)
