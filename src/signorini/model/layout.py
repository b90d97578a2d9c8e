"""Which rows belong to which joint, limit and brake."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from signorini.model.component import DryFriction, Joint, Limit
from signorini.model.joints.framed import FramedJoint
from signorini.model.parts import Parts
from signorini.model.state import State
from signorini.problem.errors import ModelError, suggestion

Entries = tuple[tuple[str, int], ...]
"""Names and numbers of rows, in the order of the rows."""


@dataclass(frozen=True)
class Layout:
    """Rows of joints (and motors), limits and dry friction, in the order of the model's lists."""

    joints: Entries = ()
    limits: Entries = ()
    frictions: Entries = ()

    @classmethod
    def of(cls, model: Parts, state: State) -> Layout:
        """Of a model; the numbers of rows are the same at every state."""

        def entries(parts: Sequence[Joint | Limit | DryFriction]) -> Entries:
            return tuple((part.name, _row_count(part, state)) for part in parts)

        return cls(entries(model.joints), entries(model.limits), entries(model.dry_frictions))

    @property
    def sizes(self) -> tuple[int, int, int]:
        """Numbers of rows of joints, of limits and of friction."""
        joints, limits, frictions = (
            sum(rows for _, rows in part) for part in (self.joints, self.limits, self.frictions)
        )
        return joints, limits, frictions


def _row_count(part: Joint | Limit | DryFriction, state: State) -> int:
    return len(part.ROWS) if isinstance(part, FramedJoint) else len(part.rows(state).rate)


def find(entries: Entries, name: str, what: str) -> slice:
    """The rows of the component of that name; raises `ModelError` if there is none."""
    begin = 0
    for own, rows in entries:
        if own == name:
            return slice(begin, begin + rows)
        begin += rows
    known = [own for own, _ in entries]
    raise ModelError(f"there is no {what} named {name!r}{suggestion(name, known[:12], 'there are')}")


def name_of(entries: Entries, row: int) -> str:
    """The component that a row belongs to."""
    for own, rows in entries:
        if row < rows:
            return own
        row -= rows
    raise IndexError(row)
