"""What must hold in a record before its numbers are used: shapes, types, ranges, finite values, references.

Every check raises a `FileError` that says what was found; the reader adds the name of the file.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from signorini.assembly.laws.memory import LawMemory
from signorini.io.diagnostics import ROW, STATUSES, Rows
from signorini.io.hdf5 import member
from signorini.io.record_layout import MEMORIES, Spec
from signorini.math.sparse import Array
from signorini.model.checks import LARGEST
from signorini.model.layout import Layout
from signorini.model.model import Model
from signorini.model.state import State
from signorini.problem.errors import FileError
from signorini.stepping.nonsmooth_alpha.memory import AlphaMemory
from signorini.stepping.smooth.memory import SmoothMemory
from signorini.stepping.warm_start import Memory

LATEST = 1e15
"""Times beyond hold no step: the next one is the same number [s]."""
LARGEST_COUNT = 1 << 40
"""Counts beyond this are damage: nothing so large could have been simulated."""
UNIT = 1e-6
"""How far the length of a quaternion may be from 1."""


def require(holds: bool, message: str) -> None:
    """Raise `FileError` with the message unless it holds."""
    if not holds:
        raise FileError(message)


def count(value: Any) -> int:
    """A number of things."""
    if not (isinstance(value, int | np.integer) and 0 <= value < LARGEST_COUNT):
        raise FileError(f"it has {value!r} where a count stands")
    return int(value)


def double(values: Any) -> Array:
    """The numbers, those of single precision as float64."""
    found = np.asarray(values)
    return found.astype(np.float64) if found.dtype == np.float32 else found


def finite(values: Any, name: str) -> Array:
    """The numbers, if all are finite."""
    found = double(values)
    if not np.isfinite(found).all():
        raise FileError(f"'{name}' has numbers that are not finite")
    return found


def usable(values: Any, name: str) -> Array:
    """The numbers, if a step can compute with them: finite, and so are their squares."""
    found = finite(values, name)
    largest = float(np.max(np.abs(found), initial=0.0))
    require(largest <= LARGEST, f"'{name}' of the checkpoint has {largest:g}, expected at most {LARGEST:g}")
    return found


def plain(values: Any, name: str) -> Any:
    """Rows to be copied: finite where they are numbers of states, contacts and reactions."""
    found = np.asarray(values)
    return finite(found, name) if found.dtype.kind == "f" else found


def rising(values: Array) -> Array:
    """Times: finite, none before the one before it."""
    finite(values, "time")
    require(bool(np.all(np.diff(values) >= 0)), "the times of the frames go backwards")
    return values


def check_texts(texts: dict[str, Any]) -> None:
    """Settings, notes and versions are dictionaries, with a step and a solver."""
    for name, value in texts.items():
        require(isinstance(value, dict), f"'{name}' is {type(value).__name__}, expected a dictionary")
    settings = texts["settings"]
    step, solver = settings.get("step"), settings.get("solver")
    require(isinstance(step, float | int) and 0 < step < np.inf, f"the time step is {step!r}, expected a number > 0")
    require(isinstance(solver, dict) and isinstance(solver.get("name"), str), "the settings name no solver")
    radius = settings.get("smallest_radius")
    require(radius is None or isinstance(radius, float | int), f"the smallest radius is {radius!r}, expected a number")


def flexible_nodes(content: dict[str, Any]) -> dict[str, slice]:
    """Nodes of each flexible body; they follow one another without gaps."""
    found: dict[str, slice] = {}
    end = 0
    for part in content["flexibles"]:
        first, size = count(part["first"]), len(part["position"]["array"])
        require(first == end, f"the nodes of {part['name']!r} begin at {first}, expected {end}")
        end = first + size
        found[str(part["name"])] = slice(first, end)
    return found


def check_schema(file: Any, specs: dict[str, Spec]) -> None:
    """Every data set is there, in the file itself, with its shape and type."""
    for name, spec in specs.items():
        if name == "failure" and name not in file:
            continue  # records of version 3 may lack it
        wrong = spec.problem(member(file, name))
        require(not wrong, f"'{name}' {wrong}")


def lengths(specs: dict[str, Spec], steps: int, frames: int) -> dict[str, int]:
    """Rows that the committed steps and frames have in the data sets of frames and steps."""
    found = {"steps": steps, "contacts/offset": frames + 1}
    return found | {name: frames for name in specs if name.startswith(("frames/", "reactions/"))}


def check_lengths(file: Any, specs: dict[str, Spec], steps: int, frames: int, slot: int) -> None:
    """Sets that end before the committed steps do are damage."""
    count(steps)
    count(frames)
    require(slot in (0, 1), f"the checkpoint is at place {slot}, expected 0 or 1")
    require(frames > 0, "it holds no frame: the run was stopped before its first flush; run it again")
    for name, length in lengths(specs, steps, frames).items():
        rows = member(file, name).shape[0]
        require(rows >= length, f"it has {rows} rows in '{name}', expected {length}")


def diagnostics(rows: Any) -> Rows:
    """Rows in the present order of columns; those that the record does not have are 0."""
    require(rows.dtype.names is not None, f"the diagnostics are {rows.dtype}, expected named columns")
    found = np.zeros(len(rows), dtype=ROW)
    for name in ROW.names or ():
        if name in rows.dtype.names:
            require(rows.dtype[name].kind in "iuf", f"the diagnostics have {rows.dtype[name]} in '{name}'")
            found[name] = rows[name]
    require(bool(np.all((found["status"] >= 0) & (found["status"] < len(STATUSES)))), "a step has no known status")
    rising(found["time"])
    return found


def offsets(file: Any, frame: int) -> tuple[int, int]:
    """Where the contacts of a frame begin and end."""
    begin, end = (int(n) for n in member(file, "contacts/offset")[frame : frame + 2])
    stored = member(file, "contacts/gap").shape[0]
    require(0 <= begin <= end <= stored, f"the contacts of frame {frame} are {begin} to {end} of {stored}")
    return begin, end


def check_contacts(parts: dict[str, Any], bodies: int) -> None:
    """Finite numbers, bodies that exist."""
    for name, values in parts.items():
        if values.dtype.kind == "f":
            finite(values, name)
    for name in ("body_a", "body_b"):
        index = parts[name]
        require(bool(np.all((index >= -1) & (index < bodies))), f"contacts name bodies that do not exist in '{name}'")


def counts(slot: Any) -> list[int]:
    """Step, contacts, joint rows, length of the random state, kind of memory, other rows, friction rows."""
    found = [count(n) for n in member(slot, "count")[()]]
    require(found[4] < len(MEMORIES), f"the checkpoint is of kind {found[4]}, expected 0 to {len(MEMORIES) - 1}")
    return found


def first(group: Any, name: str, length: int) -> Any:
    """The first `length` rows of a data set; numbers must be finite."""
    data = member(group, name)
    require(data.shape[0] >= length, f"it has {data.shape[0]} rows in '{name}' of the checkpoint, expected {length}")
    found = np.asarray(data[:length])
    return usable(found, name) if found.dtype.kind == "f" else found


def sound(state: State) -> State:
    """The state, if its quaternions have length 1."""
    require(abs(state.time) <= LATEST, f"the time of the checkpoint is {state.time:g} s, expected at most {LATEST:g}")
    length = np.linalg.norm(state.orientation, axis=1)
    require(bool(np.all(np.abs(length - 1.0) < UNIT)), "orientations of the checkpoint are no unit quaternions")
    return state


def check_layout(model: Model, layout: Layout) -> None:
    """The model has the joints, limits and brakes whose impulses the record holds."""
    found = Layout.of(model, model.initial_state())
    require(found == layout, "its model has other joints, limits or brakes than its impulses")


def check_memory(memory: Memory | SmoothMemory | None, layout: Layout, state: State) -> None:
    """As many rows as the model has; identities in order."""
    if memory is None:
        return
    require(bool(np.all(np.diff(memory.identity) >= 0)), "identities of contacts are out of order")
    joints, limits, frictions = layout.sizes
    if isinstance(memory, Memory):
        _check_law(memory.law)
        sizes = (len(memory.joint_impulse), len(memory.limit_impulse), len(memory.friction_impulse))
        wanted: tuple[int, ...] = (joints, limits, frictions)
    else:
        # Velocities of bodies and nodes that move freely: no more than all of them.
        most, free = 6 * len(state.position) + 3 * len(state.node_position), len(memory.acceleration)
        sizes = (free, len(memory.effort), len(memory.multipliers))
        wanted = (min(free, most), free, joints)
    require(sizes == wanted, f"the checkpoint has {sizes} rows, expected {wanted}")


def check_unknowns(memory: Memory | SmoothMemory, velocities: int) -> None:
    """What is remembered of each velocity is there for all of them, or for none."""
    change = memory.change if isinstance(memory, Memory) else memory.acceleration
    parts = (change, memory.acceleration, memory.momentum) if isinstance(memory, AlphaMemory) else (change,)
    for part in parts:
        require(len(part) in (0, velocities), f"the checkpoint is of {len(part)} velocities, expected {velocities}")


def _check_law(law: LawMemory | None) -> None:
    if law is not None:
        require(bool(np.all(np.diff(law.identity) >= 0)), "identities of contacts that remember are out of order")
