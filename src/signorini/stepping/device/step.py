"""The result of a step on the GPU: read from the device on access, as long as the device holds it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar

import numpy as np

from signorini.assembly.laws.memory import LawMemory
from signorini.collision.contacts import NO_SIDES, Contacts
from signorini.kernels.cuda.door import to_host
from signorini.model.state import State
from signorini.problem.errors import SimulationError
from signorini.stepping.device.stepper import STATE, DeviceContacts, DeviceStepper
from signorini.stepping.step import Step, StepOutcome
from signorini.stepping.warm_start import Memory


class Lazy:
    """Attributes that are computed on first access."""

    _make: Mapping[str, Callable[[], Any]]

    def read(self) -> None:
        """Make all of them."""
        for name in self._make:
            getattr(self, name)

    def __getattr__(self, name: str) -> Any:
        make = vars(self).get("_make", {}).get(name)
        if make is None:
            raise AttributeError(f"{type(self).__name__} has no {name}")
        value = make()
        object.__setattr__(self, name, value)
        return value


L = TypeVar("L", bound=Lazy)


class DeviceState(Lazy, State):
    """A state on the device."""


class DeviceStepContacts(Lazy, Contacts):
    """Contacts on the device, in the order of their identities once they are read."""

    @property
    def count(self) -> int:
        """Number of contacts."""
        return int(vars(self)["_count"])

    @property
    def deepest(self) -> float:
        """Largest penetration [m]."""
        return float(vars(self)["_deepest"])


class DeviceMemory(Lazy, Memory):
    """Impulses on the device."""

    @property
    def law(self) -> LawMemory | None:
        """What contact laws remember, read from the device."""
        found: LawMemory | None = vars(self)["_law"]()
        return found

    def plain(self) -> Memory:
        """Read from there."""
        return Memory(self.identity, self.impulse, self.joint_impulse, law=self.law)


class DeviceStepOutcome(Lazy, StepOutcome):
    """How a step was solved; the impulses are on the device."""

    @property
    def law(self) -> LawMemory | None:
        """What contacts remember after the step, read from the device."""
        found: LawMemory | None = vars(self)["_law"]()
        return found


class DeviceStep(Step):
    """A step that was taken on the device."""

    def hold(self) -> None:
        """Read all of it."""
        for part in (self.state, self.contacts, self.outcome):
            if isinstance(part, Lazy):
                part.read()


def made(kind: type[L], lazily: Mapping[str, Callable[[], Any]], **known: Any) -> L:
    """An object of a lazy kind, without its constructor."""
    new = object.__new__(kind)
    for name, value in {"_make": lazily, **known}.items():
        object.__setattr__(new, name, value)
    return new


class Readings:
    """Reads what is on the device after a step, once each, until the next step is taken."""

    def __init__(self, stepper: DeviceStepper, contacts: DeviceContacts) -> None:
        self._stepper, self._contacts = stepper, contacts
        self.is_over = False
        self._order: Any = None
        self._law: LawMemory | None = None

    def state(self, time: float) -> DeviceState:
        """After the step."""
        lazily = {name: partial(self._read, partial(self._stepper.array, name)) for name in STATE}
        nothing = np.zeros((0, 3))
        return made(DeviceState, lazily, time=time, node_position=nothing, node_velocity=nothing)

    def contacts(self, count: int, deepest: float) -> DeviceStepContacts:
        """Of the step."""
        parts: dict[str, Callable[[Any], Any]] = {
            "body_a": lambda c: c.bodies[0], "body_b": lambda c: c.bodies[1], "point_a": lambda c: c.data[:, :3],
            "point_b": lambda c: c.data[:, 3:6], "normal": lambda c: c.data[:, 6:9], "gap": lambda c: c.data[:, 9],
            "friction": lambda c: c.friction, "identity": lambda c: c.identity,
        }  # fmt: skip
        lazily = {name: partial(self._sorted, part) for name, part in parts.items()}
        return made(DeviceStepContacts, lazily, _count=count, _deepest=deepest, sides=NO_SIDES)

    def impulses(self) -> Any:
        """(normal, t1, t2) of the contacts [N s], shape (contacts, 3)."""
        return self._sorted(lambda c: c.impulse.T)

    def memory(self) -> DeviceMemory:
        """What the next step starts from."""
        lazily: dict[str, Callable[[], Any]] = {
            "identity": partial(self._sorted, lambda c: c.identity),
            "impulse": partial(self._sorted, lambda c: c.raw.T),
        }
        nothing = np.zeros(0)
        return made(
            DeviceMemory, lazily, joint_impulse=nothing, limit_impulse=nothing, friction_impulse=nothing, _law=self.law
        )

    def law(self) -> LawMemory | None:
        """What contacts remember; None where they have friction alone."""
        laws = self._stepper.laws
        if self._law is None and laws is not None:
            self._law = self._read(laws.on_host)
        return self._law

    def _sorted(self, part: Callable[[DeviceContacts], Any]) -> Any:
        if self._order is None:
            self._order = np.argsort(self._read(lambda: to_host(self._contacts.identity)), kind="stable")
        values = self._read(lambda: to_host(part(self._contacts)))[self._order]
        return values.astype(np.int64) if values.dtype.kind == "i" else np.ascontiguousarray(values)

    def _read(self, read: Callable[[], Any]) -> Any:
        if self.is_over:
            raise SimulationError(
                "the device has gone on: what a step left there is read before the next one is taken; "
                "copy what you need in a callback, or record the run"
            )
        return read()
