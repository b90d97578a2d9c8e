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

The file is written in HDF5's single-writer-multiple-readers mode, which keeps it whole at any moment (a killed
program leaves a mark in it, see `unclosed_hdf5`); `committed` is
written after everything else has reached the file. Whoever kills the program loses the steps since the last flush.
"""

from __future__ import annotations

from typing import Any

import h5py
import numpy as np

from signorini.io.diagnostics import ROW
from signorini.stepping.smooth_memory import SmoothMemory
from signorini.stepping.warm_start import Memory

FORMAT, VERSION = "signorini-run", 3
"""Version 2 brought the reactions, version 3 contact laws, flexible bodies and smooth dynamics."""
CHUNK_BYTES = 1 << 18
LONGEST_CHUNK = 1024
PACKED: dict[str, Any] = {"compression": "gzip", "compression_opts": 1, "shuffle": True}

MEMORIES: tuple[type, ...] = (type(None), Memory, SmoothMemory)
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


def growing(group: h5py.Group, name: str, entry: tuple[int, ...], kind: Any) -> h5py.Dataset:
    """An empty data set of entries of one shape that grows along its first axis."""
    size = max(1, int(np.prod(entry)) * np.dtype(kind).itemsize)
    rows = int(np.clip(CHUNK_BYTES // size, 1, LONGEST_CHUNK))
    chunks = (rows, *(max(1, n) for n in entry))
    # A side of length 0 (no rigid bodies) has no room for chunks, so it must be free to grow.
    most = (None, *(n or None for n in entry))
    return group.create_dataset(name, (0, *entry), maxshape=most, dtype=kind, chunks=chunks, **PACKED)


def make_layout(file: h5py.File, bodies: int, nodes: int, rows: dict[str, int]) -> None:
    """All data sets, empty: none can be added once the file is in its safe mode."""
    growing(file, "steps", (), ROW)
    frames = file.create_group("frames")
    growing(frames, "time", (), np.float64)
    growing(frames, "number", (), np.int64)
    for name, width in STATE.items():
        growing(frames, name, (bodies, width), np.float64)
    for name, width in NODES.items() if nodes else ():
        growing(frames, name, (nodes, width), np.float64)
    contacts = file.create_group("contacts")
    growing(contacts, "offset", (), np.int64)
    for name, (entry, kind) in CONTACT.items():
        growing(contacts, name, entry, kind)
    reactions = file.create_group("reactions")
    for name, count in rows.items():
        if count:
            growing(reactions, name, (count,), np.float64)
    for place in ("0", "1"):
        slot = file.create_group(f"checkpoint/{place}")
        slot.create_dataset("count", data=np.zeros(7, dtype=np.int64))
        slot.create_dataset("time", data=np.zeros(1))
        for name, width in STATE.items():
            slot.create_dataset(name, data=np.zeros((bodies, width)))
        for name, width in NODES.items() if nodes else ():
            slot.create_dataset(name, data=np.zeros((nodes, width)))
        for name, entry, kind in (
            ("identity", (), np.int64), ("impulse", (3,), np.float64), ("joint_impulse", (), np.float64),
            ("limit_impulse", (), np.float64), ("friction_impulse", (), np.float64), ("acceleration", (), np.float64),
            ("effort", (), np.float64), ("substep", (), np.float64), ("random", (), np.uint8),
        ):  # fmt: skip
            growing(slot, name, entry, kind)
        laws = slot.create_group("law")
        laws.create_dataset("count", data=np.zeros(2, dtype=np.int64))
        for name in ("identity", *LAW):
            growing(laws, name, *CONTACT[name])
    growing(file, "failure", (), np.uint8)
    file.create_dataset("committed", data=np.zeros(3, dtype=np.int64))


def arrays_in(group: h5py.Group) -> list[str]:
    """The arrays of a state that a record holds: those of nodes are absent without flexible bodies."""
    return [*STATE, *(name for name in NODES if name in group)]


def append(dataset: h5py.Dataset, values: Any) -> None:
    """Add rows at the end."""
    old = dataset.shape[0]
    if len(values):
        dataset.resize(old + len(values), axis=0)
        dataset[old:] = values


def overwrite(dataset: h5py.Dataset, values: Any) -> None:
    """Put rows at the beginning; the data set grows where needed and never shrinks."""
    if dataset.shape[0] < len(values):
        dataset.resize(len(values), axis=0)
    if len(values):
        dataset[: len(values)] = values
