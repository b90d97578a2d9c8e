"""The result of a run: numbers per step, states, contacts, in memory or in a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from signorini.assembly.frames import world_impulses
from signorini.assembly.laws.memory import LawMemory
from signorini.collision.contacts import Contacts
from signorini.io.diagnostics import SOLVED, STATUSES, WORKS, NamedRows, Rows
from signorini.io.record_reader import RecordReader
from signorini.math.cached import cached_property
from signorini.math.sparse import Array
from signorini.model.layout import Layout, find
from signorini.model.model import Model
from signorini.model.state import State
from signorini.problem.errors import ModelError
from signorini.problem.solution import Status
from signorini.simulation.channels import Channel, channels_of, choose, contact_force, joint_coordinate
from signorini.simulation.start_energy import start_energy
from signorini.simulation.summary import Summary
from signorini.stepping.step import STAGES, Failure, ReactionKind

Columns = dict[str, Array]
"""Names and values of equal length."""


class Frames(Protocol):
    """Where the data of a run are."""

    settings: dict[str, Any]
    names: list[str]
    flexibles: dict[str, slice]
    layout: Layout

    @property
    def failure(self) -> Failure | None:
        """Why the run ended early, if it did."""

    @property
    def rows(self) -> Rows:
        """Diagnostics, one row per step."""

    @property
    def times(self) -> Array:
        """Of the frames [s]."""

    def array(self, name: str, body: int | slice | None = None) -> Array:
        """An array of the states in all frames."""

    def state(self, frame: int) -> State:
        """State of a frame."""

    def contacts(self, frame: int) -> tuple[Contacts, Array, LawMemory]:
        """Contacts of the step that led to a frame, their impulses and memory."""

    def reactions(self, kind: ReactionKind) -> Array:
        """Impulses of all joints, limits or brakes in the steps that led to the frames."""


@dataclass(frozen=True, eq=False)
class FrameContacts:
    """Contacts of one step and the impulses that acted in it."""

    contacts: Contacts
    """At the beginning of the step."""
    impulse: Array
    """(normal, t1, t2) [N s], shape (contacts, 3)."""
    memory: LawMemory
    """What the contacts remembered after the step; nothing where their laws need no memory."""

    @property
    def world_impulse(self) -> Array:
        """On body a, world [N s], shape (contacts, 3)."""
        return world_impulses(self.contacts.normal, self.impulse)


@dataclass(frozen=True, eq=False)
class Run:
    """A simulated motion. Frame 0 is the start; arrays are over the frames that were kept."""

    frames: Frames
    known_model: Model | None = None
    """The model, where the run was computed by this program."""

    def __repr__(self) -> str:
        frames, end = len(self.times), float(self.times[-1])
        return f"Run({len(self.names)} bodies, {len(self.diagnostics)} steps, {frames} frames, 0 to {end:g} s)"

    @classmethod
    def load(cls, path: str | Path, model: Model | None = None) -> Run:
        """The run recorded in a file, up to the last flush if it was killed; raises `FileError` if unreadable.

        `model` is needed only if the model holds functions, and only by methods that use the model.
        """
        return cls(RecordReader(path), model)

    def model(self) -> Model:
        """The model; `ModelError` where it has functions, which a record cannot hold, and was not passed to `load`."""
        if self.known_model is not None:
            return self.known_model
        if not isinstance(self.frames, RecordReader):
            raise ModelError("this run does not know its model: pass the model")
        return self.frames.model()

    @property
    def names(self) -> list[str]:
        """Of the bodies, in the order of the model."""
        return self.frames.names

    @property
    def settings(self) -> dict[str, Any]:
        """Of the simulation: step, solver, ..."""
        return self.frames.settings

    @property
    def times(self) -> Array:
        """Of the frames [s], shape (frames,)."""
        return self.frames.times

    @property
    def diagnostics(self) -> Rows:
        """One row per step, fields as in `signorini.io.diagnostics.ROW`, such as `run.diagnostics["residual"]`."""
        return self.frames.rows.view(NamedRows)

    @property
    def statuses(self) -> list[Status]:
        """How each step's solve ended."""
        return [STATUSES[code] for code in self.diagnostics["status"]]

    @property
    def status(self) -> Status:
        """SOLVED if the run reached its end; else that of the step that could not be taken (see `message`)."""
        failure = self.frames.failure
        return Status.SOLVED if failure is None else failure.status

    @property
    def message(self) -> str:
        """Why the run ended early and what to do about it; empty when it did not. Its last state is a good one."""
        failure = self.frames.failure
        return "" if failure is None else failure.message

    def position(self, body: str | int | None = None) -> Array:
        """Of the centre of mass [m], shape (frames, 3); without a body (frames, bodies, 3)."""
        return self.frames.array("position", self._index(body))

    def orientation(self, body: str | int | None = None) -> Array:
        """Unit quaternions (w, x, y, z), shape (frames, 4); without a body (frames, bodies, 4)."""
        return self.frames.array("orientation", self._index(body))

    def velocity(self, body: str | int | None = None) -> Array:
        """Of the centre of mass, world [m/s], shape (frames, 3); without a body (frames, bodies, 3)."""
        return self.frames.array("velocity", self._index(body))

    def angular_velocity(self, body: str | int | None = None) -> Array:
        """Body frame [rad/s], shape (frames, 3); without a body (frames, bodies, 3)."""
        return self.frames.array("angular_velocity", self._index(body))

    def node_position(self, body: str) -> Array:
        """Of the nodes of a flexible body [m], shape (frames, nodes, 3)."""
        return self.frames.array("node_position", self._nodes(body))

    def node_velocity(self, body: str) -> Array:
        """Of the nodes of a flexible body [m/s], shape (frames, nodes, 3)."""
        return self.frames.array("node_velocity", self._nodes(body))

    def state(self, frame: int = -1) -> State:
        """State of a frame, by default the last one."""
        return self.frames.state(self._frame(frame))

    def contacts(self, frame: int = -1) -> FrameContacts:
        """Contacts and impulses of the step that led to a frame, by default the last one."""
        return FrameContacts(*self.frames.contacts(self._frame(frame)))

    def joint_impulse(self, name: str) -> Array:
        """Of a joint or motor in the steps that led to the frames [N s or N m s], shape (frames, rows); 0 at the start.

        Over the time step it is the mean force in the step. The rows are those of the joint's kind (see the manual).
        """
        return self.frames.reactions("joints")[:, find(self.frames.layout.joints, name, "joint")]

    def joint_force(self, name: str) -> Array:
        """Mean force or torque of a joint or motor in the steps that led to the frames [N, N m], as `joint_impulse`."""
        return np.asarray(self.joint_impulse(name) / float(self.settings["step"]))

    def joint_coordinate(self, name: str) -> Array:
        """Angle of a joint that turns [rad], without jumps over many turns, or position of a slide [m]; (frames,)."""
        return joint_coordinate(self, name)[0]

    def joint_rate(self, name: str) -> Array:
        """Rate of the joint's coordinate [rad/s or m/s], shape (frames,)."""
        return joint_coordinate(self, name)[1]

    def contact_force(self, a: str | int, b: str | int | None = None) -> Array:
        """Mean force of contacts on body a in the steps that led to the frames, world [N], shape (frames, 3).

        From all bodies that touch it, or from body b alone. Names of flexible bodies are accepted, too.
        """
        return contact_force(self, self._contact_index(a), None if b is None else self._contact_index(b))

    def channels(self) -> dict[str, Channel]:
        """Everything that can be plotted or written as a table, by name, such as `body/ball/position`."""
        return channels_of(self)

    def channel(self, name: str) -> Array:
        """Values of a channel over the frames, shape (frames,) or (frames, components)."""
        return choose(self, [name])[0].read()

    def table(self, quantities: Sequence[str] = (), *, body: str | None = None, joint: str | None = None) -> Columns:
        """Columns over the frames, the first is the time: `pandas.DataFrame(run.table(["position"], body="ball"))`.

        `quantities` are names of channels or their last words; by default all of the body, the joint or the run.
        """
        found = choose(self, quantities, [body] if body else (), [joint] if joint else ())
        columns: Columns = {"time": np.asarray(self.times)}
        for channel in found:
            columns |= channel.series()
        return columns

    def limit_impulse(self, name: str) -> Array:
        """Of a limit, rope or strut [N s or N m s], >= 0, shape (frames, finite ends)."""
        return self.frames.reactions("limits")[:, find(self.frames.layout.limits, name, "limit")]

    def friction_impulse(self, name: str) -> Array:
        """Of a brake, a clutch or friction in a joint [N s or N m s], shape (frames, 1)."""
        return self.frames.reactions("frictions")[:, find(self.frames.layout.frictions, name, "friction or brake")]

    def seconds(self) -> dict[str, float]:
        """Wall time of all steps, per stage [s]."""
        return {stage: float(self.diagnostics[stage].sum()) for stage in STAGES}

    def summary(self) -> Summary:
        """The run in a few numbers (SI units), ready for JSON; `print` shows them in words.

        `energy` is `Step.energy` of the last step: kinetic, potential and that of compliant contacts. `way` says
        whether steps are compiled, and if not why; some may differ (`Step.way`), as those with too many contacts do.
        """
        return Summary(self._numbers)

    @cached_property
    def _numbers(self) -> dict[str, Any]:
        rows, settings = self.diagnostics, self.settings
        steps = len(rows)
        seconds = float(rows["seconds"].sum())
        deepest = float(rows["penetration"].max(initial=0.0))
        radius = settings.get("smallest_radius")
        last = rows[-1] if steps else np.zeros((), dtype=rows.dtype)
        return {
            "steps": steps,
            "time": float(self.times[-1]) if not steps else float(last["time"]),
            "contacts_mean": _mean(rows["contacts"]),
            "contacts_max": int(rows["contacts"].max(initial=0)),
            "iterations_mean": _mean(rows["iterations"]),
            "residual_max": float(rows["residual"].max(initial=0.0)),
            "residual_median": float(np.median(rows["residual"])) if steps else 0.0,
            "penetration_max": deepest,
            "penetration_max_relative": deepest / radius if radius else None,
            "smallest_radius": radius,
            "energy": float(last["kinetic"] + last["potential"] + last["contact_energy"]),
            "kinetic_energy": float(last["kinetic"]),
            **self._balance(),
            "seconds_per_step": seconds / steps if steps else 0.0,
            "real_time_factor": steps * float(settings["step"]) / seconds if seconds > 0 else None,
            "failures": int(np.sum(rows["status"] != SOLVED)) + bool(self.message),
            "iteration_limits": int(np.sum(rows["status"] == STATUSES.index(Status.ITERATION_LIMIT))),
            "stopped": self.message or None,
            "fallbacks": int(np.sum(rows["rank"] > 0)),
            "solver": settings["solver"]["name"],
            "solver_choice": settings.get("solver_choice"),
            "step": settings["step"],
            "way": settings.get("way"),
        }

    def _balance(self) -> dict[str, float | None]:
        """Work on the bodies by source, and the remainder of the change of energy; None where unknown [J]."""
        rows = self.diagnostics
        work: dict[str, float | None] = {f"work_{name}": float(rows[f"work_{name}"].sum()) for name in WORKS}
        start = start_energy(self.known_model, self.settings, self.state(0)) if len(rows) else None
        total = sum(part for part in work.values() if part is not None)
        if not np.isfinite(total):
            return {**dict.fromkeys(work), "energy_start": start, "work_remainder": None}
        last = rows[-1] if len(rows) else np.zeros((), dtype=rows.dtype)
        # Energy in springs of contacts is not lost.
        work["work_contacts"] = float(work["work_contacts"] or 0.0) + float(last["contact_energy"])
        end = float(last["kinetic"] + last["potential"])
        remainder = None if start is None else end - start - total
        return {**work, "energy_start": start, "work_remainder": remainder}

    def _index(self, body: str | int | None) -> int | None:
        if body is None or (isinstance(body, int) and 0 <= body < len(self.names)):
            return body
        if body not in self.names:
            some = ", ".join(self.names[:8])
            raise ModelError(f"the run has no body {body!r}; it has {len(self.names)}, among them {some}")
        return self.names.index(str(body))

    def _contact_index(self, body: str | int) -> int:
        """Number of a body among the rigid ones, then the flexible ones."""
        if isinstance(body, str) and body in self.frames.flexibles:
            return len(self.names) + list(self.frames.flexibles).index(body)
        return int(self._index(body) or 0)

    def _nodes(self, body: str) -> slice:
        if body not in self.frames.flexibles:
            some = ", ".join(list(self.frames.flexibles)[:8]) or "none"
            raise ModelError(f"the run has no flexible body {body!r}; it has {some}")
        return self.frames.flexibles[body]

    def _frame(self, frame: int) -> int:
        count = len(self.times)
        if not -count <= frame < count:
            raise ModelError(f"the run has no frame {frame}; it has {count}, from 0 to {count - 1}")
        return frame % count


def _mean(column: Array) -> float:
    return float(column.mean()) if len(column) else 0.0
