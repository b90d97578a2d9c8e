"""Rows of joints, limits and brakes, all at once where they are coordinates between frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from signorini.assembly.joint_rows import joined, stacked
from signorini.assembly.masses import Masses
from signorini.kernels.bodies.coordinates import DISTANCE, OFFSET
from signorini.math.sparse import Array, Csr, Indices, assembled, canonical, stacked_rows
from signorini.model.component import DryFriction, FrictionRows, Joint, JointRows, Limit
from signorini.model.coordinate import TWO_TURNS, Coordinate, Coordinates
from signorini.model.joints.framed import FramedJoint
from signorini.model.joints.limit import CoordinateLimit
from signorini.model.layout import Entries
from signorini.model.state import State


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows over the unknown velocities, in the order of their components."""

    matrix: Csr
    """d error / d displacement, or slip over velocities."""
    known: Array
    """What the known velocities of fixed and driven bodies add to each row [m/s or rad/s]."""
    error: Array
    """Position error or what is left of the travel [m or rad]; 0 for friction."""
    rate: Array
    """[m/s or rad/s]."""
    limit: Array
    """Largest force of friction rows [N or N m]; 0 for others."""

    @property
    def count(self) -> int:
        """Number of rows."""
        return len(self.rate)


class CoordinateRows:
    """Evaluates the rows of a list of components at a state.

    Rows that are plain coordinates (those of joints with frames, of limits) are computed in one compiled loop, and
    their matrix has the same pattern at every state. Other components are asked one by one.
    """

    def __init__(self, parts: Sequence[Joint | Limit | DryFriction], entries: Entries, masses: Masses) -> None:
        self._masses = masses
        first = np.concatenate(([0], np.cumsum([rows for _, rows in entries]))).astype(np.int64)
        plain, self._others, place = [], [], []
        for part, begin, end in zip(parts, first[:-1], first[1:], strict=True):
            if isinstance(part, FramedJoint | CoordinateLimit):
                plain.append(part)
                place.append(np.arange(begin, end))
            else:
                self._others.append(part)
        rest = np.setdiff1d(np.arange(first[-1]), np.concatenate([*place, np.zeros(0, dtype=np.int64)]))
        order = np.concatenate([*place, rest]).astype(np.int64)
        self._order = np.argsort(order) if len(rest) else None
        self._batch = _Batch.of(plain, masses)
        nothing = canonical(sp.csr_array((0, masses.velocities)))
        self._nothing = None if first[-1] else Rows(nothing, *np.zeros((4, 0)))

    def at(self, state: State) -> Rows:
        """The rows at a state."""
        if self._nothing is not None:
            return self._nothing
        batch = self._batch.at(state, self._masses)
        if self._order is None:
            return batch
        parts = [part.rows(state) for part in self._others]
        matrix, known = stacked(parts, self._masses, state)
        whole = canonical(stacked_rows((batch.matrix, matrix))[self._order])
        columns = [
            (batch.known, known),
            (batch.error, joined([_error(part) for part in parts])),
            (batch.rate, joined([part.rate for part in parts])),
            (batch.limit, joined([_limit(part) for part in parts])),
        ]
        return Rows(whole, *(np.concatenate(pair)[self._order] for pair in columns))


@dataclass(frozen=True, eq=False)
class _Batch:
    """Rows `sign * coordinate + offset` and where their entries go."""

    table: Coordinates
    sign: Array
    offset: Array
    middle: Array
    """Of the window of two turns in which an angle lies [rad]; not a number for other coordinates."""
    indptr: NDArray[np.int32]
    indices: NDArray[np.int32]
    """Of the matrix over the unknown velocities."""
    taken: Indices
    """Entries of the derivatives that go there, counted row by row of 12."""
    known: tuple[Indices, Indices, Indices]
    """Row, entry and column of the derivatives over known velocities."""

    @classmethod
    def of(cls, parts: Sequence[FramedJoint | CoordinateLimit], masses: Masses) -> _Batch:
        coordinates: list[Coordinate] = []
        sign, offset, middle = [], [], []
        for part in parts:
            own = part.coordinates if isinstance(part, FramedJoint) else (part.coordinate,) * len(part.signs)
            coordinates.extend(own)
            offset.append(part.offset)
            sign.append(part.signs if isinstance(part, CoordinateLimit) else np.ones(len(own)))
            angular = isinstance(part, CoordinateLimit) and part.coordinate.is_angle
            middle.append(np.full(len(own), 0.5 * (part.low + part.high) if angular else np.nan))  # type: ignore[union-attr]
        table = Coordinates.of(coordinates)
        return cls(table, joined(sign), joined(offset), joined(middle), *_pattern(table, masses))

    def at(self, state: State, masses: Masses) -> Rows:
        value, jacobian = self.table.evaluate(state)
        angles = np.isfinite(self.middle)
        if angles.any():
            away = value[angles] - self.middle[angles]
            value[angles] = self.middle[angles] + away - TWO_TURNS * np.round(away / TWO_TURNS)
        jacobian *= self.sign[:, None]
        data, count = jacobian.reshape(-1), len(value)
        row, entry, column = self.known
        slip = np.bincount(row, data[entry] * state.velocities[column], minlength=count).astype(np.float64)
        matrix = assembled(data[self.taken], self.indices, self.indptr, (count, masses.velocities))
        return Rows(matrix, slip, self.sign * value + self.offset, np.zeros(count), np.zeros(count))


def _pattern(table: Coordinates, masses: Masses) -> tuple[Any, Any, Indices, tuple[Indices, Indices, Indices]]:
    """Structure of the rows: coordinates of turns have no entries for linear velocities."""
    count = len(table.kind)
    body = np.repeat(table.body, 6, axis=1)
    column = np.where(body < 0, -1, 6 * body + np.tile(np.arange(6), 2))
    linear = np.isin(table.kind, (OFFSET, DISTANCE))[:, None] | (np.tile(np.arange(6), 2) >= 3)
    row, entry = (part.astype(np.int64) for part in np.nonzero((column >= 0) & linear))
    column, entry = column[row, entry], 12 * row + entry
    place = masses.column[column]
    unknown = place >= 0
    order = np.lexsort((place[unknown], row[unknown]))
    counts = np.bincount(row[unknown], minlength=count)
    indptr = np.concatenate(([0], np.cumsum(counts))).astype(np.int32)
    indices = place[unknown][order].astype(np.int32)
    return indptr, indices, entry[unknown][order], (row[~unknown], entry[~unknown], column[~unknown])


def _error(part: JointRows | FrictionRows) -> Array:
    return part.error if isinstance(part, JointRows) else np.zeros(len(part.rate))


def _limit(part: JointRows | FrictionRows) -> Array:
    return part.limit if isinstance(part, FrictionRows) else np.zeros(len(part.rate))
