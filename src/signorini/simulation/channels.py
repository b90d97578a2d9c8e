"""The numbers of a run by name: `run.channels()` lists them, `run.channel(name)` and `run.table(names)` give them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from signorini.math.sparse import Array
from signorini.model.joints.framed import Framed
from signorini.problem.errors import ModelError, suggestion
from signorini.simulation.control.contact_forces import ContactForces
from signorini.simulation.control.joint_readings import JointReadings

if TYPE_CHECKING:
    from signorini.simulation.run import Run

XYZ = ("x", "y", "z")
TWO_TURNS = 4.0 * np.pi
"""Angles of joints are known modulo this."""


@dataclass(frozen=True, eq=False)
class Channel:
    """One quantity over the frames of a run."""

    name: str
    """Kind of part, part and quantity, such as `body/ball/position`; quantities of the whole run have one word."""
    unit: str
    columns: tuple[str, ...]
    """Names of its components; empty for a number."""
    read: Callable[[], Array]
    """Values over the frames, shape (frames,) or (frames, components)."""

    def __repr__(self) -> str:
        unit = f" [{self.unit}]" if self.unit else ""
        return f"Channel({self.name!r}{unit}{': ' if self.columns else ''}{', '.join(self.columns)})"

    @property
    def quantity(self) -> str:
        """The last part of the name."""
        return self.name.rpartition("/")[2]

    def series(self) -> dict[str, Array]:
        """Each component with its name, shape (frames,)."""
        values = self.read()
        if not self.columns:
            return {self.name: values}
        return {f"{self.name}/{column}": values[:, k] for k, column in enumerate(self.columns)}


def channels_of(run: Run) -> dict[str, Channel]:
    """All quantities of a run, by name."""
    found = [*_of_steps(run), *_of_bodies(run), *_of_parts(run), *_of_joints(run)]
    return {channel.name: channel for channel in found}


def choose(run: Run, wanted: Iterable[str], bodies: Iterable[str] = (), joints: Iterable[str] = ()) -> list[Channel]:
    """Channels by their whole name or their quantity (`*` stands for any letters), of the named bodies and joints.

    Raises `ModelError` for an unknown name.
    """
    every, parts = channels_of(run), {("body", name) for name in bodies} | {("joint", name) for name in joints}
    _check_names(run, parts)
    chosen = [one for one in every.values() if not parts or tuple(one.name.split("/")[:2]) in parts]
    found: list[Channel] = []
    for word in wanted:
        alike = [one for one in chosen if word in (one.name, one.quantity) or fnmatchcase(one.name, word)]
        alike += [one for one in every.values() if one.name == word and one not in alike]
        if not alike:
            known = sorted({one.quantity for one in (chosen or every.values())})
            raise ModelError(f"the run has no channel {word!r}{suggestion(word, known, 'there are')}")
        found += [one for one in alike if one not in found]
    return found if list(wanted) else chosen


def contact_force(run: Run, a: int, b: int | None) -> Array:
    """Mean force on body a, from body b or from all, in the steps that led to the frames [N], shape (frames, 3)."""
    h = float(run.settings["step"])
    out = np.zeros((len(run.times), 3))
    for frame in range(1, len(run.times)):
        found = run.contacts(frame)
        contacts = found.contacts
        forces = ContactForces(
            contacts.body_a, contacts.body_b, contacts.point_a, contacts.normal, found.world_impulse / h
        )
        out[frame] = forces.on(a) if b is None else forces.between(a, b)
    return out


def joint_coordinate(run: Run, name: str) -> tuple[Array, Array]:
    """Angle [rad] or position [m] of a joint, without jumps, and its rate; shape (frames,) each."""
    frame = [0]
    readings = JointReadings(run.model(), lambda: run.state(frame[0]))
    place = readings.index(name)
    position, rate = np.zeros(len(run.times)), np.zeros(len(run.times))
    for k in range(len(position)):
        frame[0] = k
        position[k], rate[k] = readings.position[place], readings.velocity[place]
    joint = run.model().joint(name)
    turns = isinstance(joint, Framed) and joint.TURNS
    return (np.unwrap(position, period=TWO_TURNS) if turns else position), rate


def _check_names(run: Run, parts: Iterable[tuple[str, str]]) -> None:
    for kind, name in parts:
        known = run.names if kind == "body" else [own for own, _ in run.frames.layout.joints]
        if name not in known:
            raise ModelError(f"the run has no {kind} {name!r}{suggestion(name, known[:200], 'there are')}")


def _of_steps(run: Run) -> list[Channel]:
    """Diagnostics at the frames: those of the step that led to each; the first frame has those of the first step."""

    def at_frames(get: Callable[[], Array]) -> Callable[[], Array]:
        def read() -> Array:
            values = np.asarray(get(), dtype=np.float64)
            place = np.searchsorted(run.diagnostics["time"], run.times - 1e-12)
            return values[np.clip(place, 0, len(values) - 1)] if len(values) else np.zeros(len(run.times))

        return read

    def column(name: str) -> Callable[[], Array]:
        return lambda: run.diagnostics[name]

    energies = ("kinetic", "potential", "contact_energy")
    known: dict[str, tuple[str, Callable[[], Array]]] = {
        "kinetic_energy": ("J", column("kinetic")),
        "potential_energy": ("J", column("potential")),
        "contact_energy": ("J", column("contact_energy")),
        "energy": ("J", lambda: np.sum([run.diagnostics[name] for name in energies], axis=0)),
        "contacts": ("", column("contacts")),
        "iterations": ("", column("iterations")),
        "residual": ("", column("residual")),
        "penetration": ("m", column("penetration")),
        "seconds": ("s", column("seconds")),
    }
    return [Channel(name, unit, (), at_frames(get)) for name, (unit, get) in known.items()]


def _of_bodies(run: Run) -> list[Channel]:
    def each(name: str) -> list[Channel]:
        return [
            Channel(f"body/{name}/position", "m", XYZ, lambda: run.position(name)),
            Channel(f"body/{name}/velocity", "m/s", XYZ, lambda: run.velocity(name)),
            Channel(f"body/{name}/speed", "m/s", (), lambda: np.linalg.norm(run.velocity(name), axis=1)),
            Channel(f"body/{name}/orientation", "", ("w", "x", "y", "z"), lambda: run.orientation(name)),
            Channel(f"body/{name}/angular_velocity", "rad/s", XYZ, lambda: run.angular_velocity(name)),
            Channel(f"body/{name}/contact_force", "N", XYZ, lambda: run.contact_force(name)),
        ]

    return [channel for name in run.names for channel in each(name)]


def _of_parts(run: Run) -> list[Channel]:
    """Mean forces of joints, motors, limits and brakes in the steps."""

    def each(kind: str, name: str, rows: int, read: Callable[[], Array]) -> Channel:
        return Channel(f"{kind}/{name}/force", "N or N m", tuple(str(k) for k in range(rows)), read)

    def over(impulse: Callable[[str], Array], name: str) -> Callable[[], Array]:
        return lambda: np.asarray(impulse(name) / float(run.settings["step"]))

    layout = run.frames.layout
    found = [each("joint", name, rows, partial(run.joint_force, name)) for name, rows in layout.joints]
    found += [each("limit", name, rows, over(run.limit_impulse, name)) for name, rows in layout.limits]
    return found + [each("friction", name, rows, over(run.friction_impulse, name)) for name, rows in layout.frictions]


def _of_joints(run: Run) -> list[Channel]:
    """Coordinates of joints that turn or slide; none where the model is not known."""
    try:
        model = run.model()
    except ModelError:
        return []
    found = []
    for joint in model.joints:
        if isinstance(joint, Framed) and (joint.TURNS or joint.SLIDES):
            what, unit = ("angle", "rad") if joint.TURNS else ("position", "m")
            name = joint.name
            found.append(Channel(f"joint/{name}/{what}", unit, (), partial(run.joint_coordinate, name)))
            found.append(Channel(f"joint/{name}/rate", f"{unit}/s", (), partial(run.joint_rate, name)))
    return found
