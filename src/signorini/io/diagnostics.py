"""One row of numbers per step, the same in memory and in files."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.problem.solution import Status
from signorini.stepping.step import STAGES, Step, Work

STATUSES = tuple(Status)
"""A status is stored as its place here; new ones go to the end."""
SOLVED = STATUSES.index(Status.SOLVED)
WORKS = tuple(part.name for part in fields(Work))
"""What does work on the bodies."""

ROW = np.dtype(
    [
        ("number", np.int64),
        ("time", np.float64),
        ("contacts", np.int64),
        ("iterations", np.int64),
        ("residual", np.float64),
        ("penetration", np.float64),
        ("kinetic", np.float64),
        ("potential", np.float64),
        ("contact_energy", np.float64),
        *((f"work_{name}", np.float64) for name in WORKS),
        ("status", np.int8),
        ("rank", np.int8),
        ("seconds", np.float64),
        *((stage, np.float64) for stage in STAGES),
    ]
)
"""Units: time after the step [s], penetration before it [m], energies after it and work in it [J], stages of the step
[s]; `record` is the time that recording the step before took, because a row cannot hold the time of its own writing."""

Rows = NDArray[Any]
ALIASES = {"kinetic_energy": "kinetic", "potential_energy": "potential"}
"""Names that users type -> names of columns in files."""


class NamedRows(np.ndarray[Any, Any]):
    """Rows whose columns have the names that summaries and channels have, too."""

    def __getitem__(self, key: Any) -> Any:
        return super().__getitem__(ALIASES.get(key, key) if isinstance(key, str) else key)


def row_of(step: Step) -> tuple[Any, ...]:
    """The row of a step."""
    work = step.work
    stages = [step.seconds.get(stage, 0.0) for stage in STAGES]
    return (
        step.number,
        step.state.time,
        step.contacts.count,
        step.iterations,
        step.residual,
        step.penetration,
        step.kinetic,
        step.potential,
        step.contact_energy,
        *(getattr(work, name) for name in WORKS),
        STATUSES.index(step.status),
        step.rank,
        sum(stages),
        *stages,
    )


def table(rows: list[tuple[Any, ...]]) -> Rows:
    """Rows as one structured array."""
    return np.array(rows, dtype=ROW)
