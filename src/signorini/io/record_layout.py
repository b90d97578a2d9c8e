"""The layout of a record: which data sets there are and how they are stored.

::

    /                attributes: format, format_version, settings, notes, versions (the last three are JSON)
    /model           JSON text (bytes)
    /steps           one row of `diagnostics.ROW` per step
    /frames/...      time, number, position, orientation, velocity, angular_velocity of recorded states; row 0: start;
                     node_position and node_velocity where there are flexible bodies
    /contacts/...    contacts and impulses of all recorded frames, one after another; those of frame k are
                     offset[k] to offset[k + 1]; they acted in the step that led to the frame
    /layout          JSON text (bytes): names and numbers of rows of joints, limits and friction
    /reactions/...   impulses of joints, limits and frictions, one row per frame; those that the model has
    /checkpoint/0,1  two places for what the next step depends on, written in turn
    /committed       (steps, frames, place of the checkpoint) that are surely whole

States, contacts and reactions may have single precision (`Recorder(single=True)`); a run goes on from its checkpoint,
which never has. Every data set carries Fletcher-32 checksums. A flush reaches the disk as a whole or not at all (see
`journal`): a killed program loses the steps since the last flush, a power failure those since the last `fsync`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from signorini.io.diagnostics import ROW
from signorini.stepping.nonsmooth_alpha.memory import AlphaMemory
from signorini.stepping.smooth.memory import SmoothMemory
from signorini.stepping.warm_start import Memory

FORMAT, VERSION, OLDEST = "signorini-run", 4, 3
"""Version 2 brought the reactions, version 3 contact laws, flexible bodies and smooth dynamics, version 4 checksums and
the journal; those from `OLDEST` on are read."""
CHUNK_BYTES = 1 << 18
LONGEST_CHUNK = 1024
PACKED: dict[str, Any] = {"compression": "gzip", "compression_opts": 1, "shuffle": True, "fletcher32": True}

MEMORIES: tuple[type, ...] = (type(None), Memory, SmoothMemory, AlphaMemory)
"""What a checkpoint may keep between steps, by the number that it is stored with."""
STATE = {"position": 3, "orientation": 4, "velocity": 3, "angular_velocity": 3}
"""Arrays of a state and their widths."""
NODES = {"node_position": 3, "node_velocity": 3}
"""Arrays of the nodes of flexible bodies; in records of models that have some."""
REACTIONS = ("joints", "limits", "frictions")
"""Arrays of impulses, as in `stepping.step.Reactions`."""
CONTACT: dict[str, tuple[tuple[int, ...], type]] = {
    "body_a": ((), np.int32),
    "body_b": ((), np.int32),
    "point_a": ((3,), np.float64),
    "point_b": ((3,), np.float64),
    "normal": ((3,), np.float64),
    "gap": ((), np.float64),
    "friction": ((), np.float64),
    "identity": ((), np.int64),
    "impulse": ((3,), np.float64),
    "shear": ((2,), np.float64),
    "plastic": ((), np.float64),
    "stretch": ((), np.float64),
    "mode": ((), np.int64),
}
"""Arrays of contacts: shape of one entry and type; from `shear` on what contact laws remember (`LawMemory`)."""
LAW = ("shear", "plastic", "stretch", "mode")
MEMORY: dict[str, tuple[tuple[int, ...], type]] = {
    "identity": ((), np.int64),
    "impulse": ((3,), np.float64),
    "joint_impulse": ((), np.float64),
    "limit_impulse": ((), np.float64),
    "friction_impulse": ((), np.float64),
    "acceleration": ((), np.float64),
    "effort": ((), np.float64),
    "substep": ((), np.float64),
    "random": ((), np.uint8),
}
"""Arrays of a checkpoint besides the state."""


@dataclass(frozen=True)
class Spec:
    """What a data set must look like."""

    entry: tuple[int, ...]
    """Shape of one entry."""
    kind: Any
    """Type of its numbers."""
    rows: int | None = None
    """Number of entries; None: it grows."""
    may_be_single: bool = False
    """Whether its numbers may have single precision: those that are looked at, not those that a run goes on from."""

    def problem(self, data: Any) -> str:
        """What is wrong with a data set, empty if nothing is."""
        shape = (data.shape[0] if self.rows is None and data.ndim else self.rows, *self.entry)
        if data.shape != shape:
            return f"has shape {data.shape}, expected {('any' if self.rows is None else self.rows, *self.entry)}"
        if self.may_be_single and data.dtype == np.float32:
            return ""
        if np.dtype(self.kind).names is None and data.dtype != np.dtype(self.kind):
            return f"holds {data.dtype}, expected {np.dtype(self.kind)}"
        return ""


def schema(bodies: int, nodes: int, rows: dict[str, int]) -> dict[str, Spec]:
    """All data sets of a record of that many bodies, nodes and rows of joints, limits and frictions."""
    states = {name: (bodies, width) for name, width in STATE.items()}
    states |= {name: (nodes, width) for name, width in NODES.items() if nodes}
    found = {"steps": Spec((), ROW), "frames/time": Spec((), np.float64), "frames/number": Spec((), np.int64)}
    found |= {f"frames/{name}": Spec(shape, np.float64, None, True) for name, shape in states.items()}
    found["contacts/offset"] = Spec((), np.int64)
    found |= {f"contacts/{name}": Spec(*known, None, known[1] is np.float64) for name, known in CONTACT.items()}
    found |= {f"reactions/{name}": Spec((count,), np.float64, None, True) for name, count in rows.items() if count}
    for slot in ("checkpoint/0", "checkpoint/1"):
        found[f"{slot}/count"] = Spec((), np.int64, 7)
        found[f"{slot}/time"] = Spec((), np.float64, 1)
        found |= {f"{slot}/{name}": Spec(shape[1:], np.float64, shape[0]) for name, shape in states.items()}
        found |= {f"{slot}/{name}": Spec(*known) for name, known in MEMORY.items()}
        found[f"{slot}/law/count"] = Spec((), np.int64, 2)
        found |= {f"{slot}/law/{name}": Spec(*CONTACT[name]) for name in ("identity", *LAW)}
    found["failure"] = Spec((), np.uint8)
    found["committed"] = Spec((), np.int64, 3)
    return found


def make_layout(file: Any, specs: dict[str, Spec], single: bool) -> None:
    """All data sets: those that grow are empty, the others hold zeros. `single`: states and contacts as float32."""
    for group in ("frames", "contacts", "reactions"):
        file.create_group(group)
    for name, spec in specs.items():
        kind = np.float32 if single and spec.may_be_single else spec.kind
        size = max(1, int(np.prod(spec.entry)) * np.dtype(kind).itemsize)
        rows = int(np.clip(CHUNK_BYTES // size, 1, LONGEST_CHUNK)) if spec.rows is None else max(1, spec.rows)
        # A side of length 0 (no rigid bodies) has no room for chunks, so it must be free to grow.
        file.create_dataset(
            name,
            (spec.rows or 0, *spec.entry),
            maxshape=(spec.rows or None, *(n or None for n in spec.entry)),
            dtype=kind,
            chunks=(rows, *(max(1, n) for n in spec.entry)),
            **(PACKED if spec.rows is None else {"fletcher32": True}),
        )


def arrays_in(group: Any) -> list[str]:
    """The arrays of a state that a record holds: those of nodes are absent without flexible bodies."""
    return [*STATE, *(name for name in NODES if name in group)]


def append(dataset: Any, values: Any) -> None:
    """Add rows at the end."""
    old = dataset.shape[0]
    if len(values):
        dataset.resize(old + len(values), axis=0)
        dataset[old:] = values


def overwrite(dataset: Any, values: Any) -> None:
    """Put rows at the beginning; the data set grows where needed and never shrinks."""
    if dataset.shape[0] < len(values):
        dataset.resize(len(values), axis=0)
    if len(values):
        dataset[: len(values)] = values
