"""Steps on the GPU: detection, assembly, solution, certificate and advance; the state stays on the device."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from signorini.kernels.cuda import colours, motion, narrow, rolling, rows
from signorini.kernels.cuda.door import (
    BYTES_PER_BODY,
    device_trouble,
    launch,
    launch_together,
    slow_doubles,
    to_host,
    view,
    xp,
)
from signorini.math.sparse import Array
from signorini.model.state import State
from signorini.problem.errors import SimulationError
from signorini.stepping.device.detection import DeviceDetector
from signorini.stepping.device.laws import DeviceLaws, DeviceTerms
from signorini.stepping.device.solvers import DeviceDual, DeviceSolver, solve
from signorini.stepping.device.tables import DeviceTables
from signorini.stepping.warm_start import Memory

STATE = ("position", "orientation", "velocity", "angular_velocity")


def require_gpu(bodies: int) -> None:
    """`SimulationError` with what is missing, unless there is a GPU that can be used with room for so many bodies."""
    trouble = device_trouble(BYTES_PER_BODY * bodies)
    if trouble:
        raise SimulationError(f"device='cuda': {trouble}; device='cpu' (the default) needs no GPU")
    ratio = slow_doubles()
    if ratio:
        warnings.warn(
            f"this GPU is {ratio} times as slow in double precision, which is used here, as in single precision",
            stacklevel=2,
        )


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
    """On the bodies, (3, contacts) [N s]."""
    raw: Any
    """In the variables of the problem, whose cones bonds move."""


@dataclass(frozen=True, eq=False)
class DeviceAnswer:
    """How a step was solved."""

    contacts: DeviceContacts
    error: float
    """`Certificate.scaled`, which decides where there are no joints."""
    iterations: int
    colours: int
    deepest: float
    """Penetration at the beginning of the step [m]."""
    energy: float = 0.0
    """That contacts store [J]."""


class DeviceStepper:
    """Takes steps of a model whose arrays are on the device."""

    def __init__(self, tables: DeviceTables, state: State, h: float, solver: DeviceSolver, recovery: float) -> None:
        self.h, self.solver, self.recovery = h, solver, recovery
        self._exact = getattr(solver, "law", "convex") == "coulomb"
        self.gravity = tables.gravity
        self._fall = view(xp.asarray(h * tables.gravity))
        self.detector = DeviceDetector(tables, h)
        self._body, self._friction = (view(self.detector.shapes[k]) for k in (1, 10))
        self._weight = view(xp.asarray(tables.weight))
        self._inertia = view(xp.asarray(tables.inertia))
        uneven = np.ptp(tables.inertia, axis=1) > 1e-12 * tables.inertia.max(axis=1)
        self._turning = view(xp.asarray(uneven))
        self.laws = None if tables.laws is None else DeviceLaws(tables.laws, h, recovery)
        self.put(state)
        self.known: tuple[Any, Any] | None = None

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
        if self.laws is not None:
            self.laws.recall(None if memory is None else memory.law)

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

    # --- solving -----------------------------------------------------------------------------------------------

    def step(self) -> DeviceAnswer:
        """One step."""
        identity, data, rank = self.detector.detect(self._state_views)
        z_free = xp.empty((len(self.detector.movable), 8))
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
        named = identity, self.detector.part_bits
        launch(narrow.bodies_of, m, self._body, self._friction, *named, rank, bodies, ranks, friction)
        order, start, used = self._coloured(ranks, identity, len(z_free))
        identity, data, bodies, friction = identity[order], data[order], bodies[:, order], friction[order]
        terms = self._terms(identity, bodies, data, friction)
        dual, mobility = self._dual((used, view(start)), bodies, data, friction, rank, terms, z_free)
        factors = xp.stack([dual.scale[0], dual.scale[1], dual.scale[1]])
        x = self._warm(identity) / factors
        if dual.turning.shape[1]:
            x = xp.concatenate([x, xp.zeros_like(x)])
        if not used:
            self.known = None
            if self.laws is not None:
                self.laws.remember(identity, bodies, data, terms, x, x, mobility)
            return z_free, DeviceAnswer(DeviceContacts(identity, bodies, data, friction, x, x), 0.0, 0, 0, 0.0)
        found = solve(self.solver, dual, x)
        impulse = raw = found.x[:3] * factors
        by_identity, energy = xp.argsort(identity), 0.0
        self.known = identity[by_identity], raw[:, by_identity]
        if self.laws is not None:
            impulse, opening = raw.copy(), xp.empty_like(raw)
            impulse[0] -= terms.pull
            dual.openings(found, opening)
            energy = self.laws.remember(identity, bodies, data, terms, impulse, opening / factors, mobility)
        contacts = DeviceContacts(identity, bodies, data, friction, impulse, raw)
        deepest = max(0.0, -float(data[:, 9].min()))
        return found.z, DeviceAnswer(contacts, found.error, found.iterations, used, deepest, energy)

    def _terms(self, identity: Any, bodies: Any, data: Any, friction: Any) -> DeviceTerms:
        """The terms of the laws of materials."""
        if self.laws is None:
            return DeviceTerms.rigid()
        return self.laws.terms(identity, bodies, data, friction, self._state_views)

    def _dual(
        self, cut: tuple[int, Any], bodies: Any, data: Any, friction: Any, rank: Any, terms: DeviceTerms, z_free: Any
    ) -> tuple[DeviceDual, Any]:
        """The problem of the step, and the normal mobilities of its contacts where laws ask for them."""
        m, own = len(friction), len(terms.pull)
        record, scale, diagonal, pair = xp.empty((32, m)), xp.empty((2, m)), xp.empty(m), xp.empty((2, m), xp.int32)
        soft, mobility = xp.empty((3, own)), xp.empty(own)
        out = tuple(view(part) for part in (record, scale, pair, diagonal, soft, mobility))
        now = (self.h, self.recovery)
        launch(
            rows.records, m, bodies, data, friction, self._state_views, self._weight, rank, now, terms.views, out
        )  # fmt: skip
        mean = float(diagonal.sum()) / (3 * m) if m else 1.0
        turning = xp.empty((rolling.TURNING, 0))
        if self.laws is not None and self.laws.has_rolling:
            turning = xp.empty((rolling.TURNING, m))
            launch(
                rolling.turning_rows, m, bodies, data, *self.laws.pairs, self._state_views, self._weight, rank, record,
                scale, soft, turning,
            )  # fmt: skip
        dual = DeviceDual(*cut, out[2], out[0], out[4], view(turning), scale, mean, self._exact, z_free)
        if own:
            pulls = xp.zeros((6 if dual.turning.shape[1] else 3, m))
            pulls[0] = -terms.pull / scale[0]
            dual = replace(dual, z_free=dual.velocities(pulls))
        return dual, mobility

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
