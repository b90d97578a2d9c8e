"""Rows of a model's joints, limits and brakes as tables of the compiled step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import reverse_cuthill_mckee

from signorini.assembly.masses import Masses
from signorini.kernels.step.tables import CoordinateTable, RowTable, RowValues
from signorini.math.sparse import Array, Indices
from signorini.model.component import DryFriction, FrictionRows, Joint, Limit
from signorini.model.coordinate import ONE_TURN, Coordinate, Coordinates
from signorini.model.joints.dry_friction import CoordinateFriction
from signorini.model.joints.framed import FramedJoint
from signorini.model.joints.limit import CoordinateLimit
from signorini.model.model import Model
from signorini.model.motors.coordinate_motor import CoordinateMotor
from signorini.model.state import State
from signorini.stepping.work import driving_rows

Part = Joint | Limit | DryFriction
FEW_ROWS = 6
"""Up to this many joint rows, as of one joint, their order hardly matters."""


@dataclass(frozen=True, eq=False)
class Term:
    """One row `sign * coordinate + offset - target(t)`."""

    coordinate: Coordinate
    sign: float = 1.0
    offset: float = 0.0
    middle: float = np.nan
    period: float = 0.0


@dataclass(frozen=True, eq=False)
class GivenRows:
    """Rows of a component that is evaluated at every step."""

    part: Part
    first: int
    """First row."""
    columns: Indices
    """Among the velocities of everything."""
    place: Indices
    """Where derivatives of unknown velocities go in the blocks, flat, shape (rows, unknown)."""
    unknown: Indices
    """Places in `columns` of unknown velocities."""
    known: Indices

    def fill(self, state: State, velocities: Array, values: RowValues) -> bool:
        """Put the rows at a state into the values; False where the component has other columns now."""
        rows = self.part.rows(state)
        if not np.array_equal(rows.columns, self.columns):
            return False
        end = self.first + len(rows.rate)
        values.blocks.reshape(-1)[self.place] = rows.jacobian[:, self.unknown]
        values.known[self.first : end] = rows.jacobian[:, self.known] @ velocities[self.columns[self.known]]
        values.rate[self.first : end] = rows.rate
        if isinstance(rows, FrictionRows):
            values.force[self.first : end] = rows.limit
        else:
            values.error[self.first : end] = rows.error
        return True


@dataclass(frozen=True, eq=False)
class TimedRow:
    """A row with functions of time."""

    row: int
    part: CoordinateMotor | CoordinateFriction

    def at(self, time: float) -> tuple[float, float, float]:
        """Target, rate and largest force at a time [s]."""
        if isinstance(self.part, CoordinateMotor):
            return self.part.target.value(time), -self.part.target.derivative(time), 0.0
        return 0.0, -self.part.speed.value(time), self.part.limit_at(time)

    def samples(self, times: list[float]) -> list[tuple[float, float, float]]:
        """`at` many times."""
        if isinstance(self.part, CoordinateMotor):
            target = self.part.target
            pairs = zip(target.values_at(times), target.derivatives_at(times), strict=True)
            return [(value, -derivative, 0.0) for value, derivative in pairs]
        return [self.at(time) for time in times]

    def fill(self, time: float, values: RowValues) -> None:
        """Put targets and rates at a time [s] into the values."""
        values.target[self.row], values.rate[self.row], values.force[self.row] = self.at(time)

    @property
    def runs_no_code(self) -> bool:
        """As `Function.runs_no_code`: a user's function may depend on anything."""
        if isinstance(self.part, CoordinateMotor):
            return self.part.target.runs_no_code
        return self.part.speed.runs_no_code and self.part.limit.runs_no_code

    @property
    def stands_still(self) -> bool:
        """As `Function.stands_still`."""
        if isinstance(self.part, CoordinateMotor):
            return self.part.target.stands_still
        return self.part.speed.stands_still and self.part.limit.stands_still


@dataclass(frozen=True, eq=False)
class RowTables:
    """Tables, and what has to be filled in at every step."""

    coordinates: CoordinateTable
    rows: RowTable
    values: RowValues
    timed: tuple[TimedRow, ...]
    given: tuple[GivenRows, ...]

    @classmethod
    def of(cls, model: Model, masses: Masses, state: State) -> RowTables:
        """Of a model of rigid bodies; `state` is any state of it."""
        builder = _Builder(masses)
        sizes = [builder.add(parts, state) for parts in (model.joints, model.limits, model.dry_frictions)]
        return builder.tables(sizes, driving_rows(model, sizes[0], state))

    def fill(self, state: State) -> bool:
        """Fill in everything that is evaluated in Python; False if a component has changed its columns."""
        for row in self.timed:
            row.fill(state.time, self.values)
        return self.fill_given(state, self.values)

    def fill_given(self, state: State, values: RowValues) -> bool:
        """Fill in rows that are no coordinates; False if a component has changed its columns."""
        if not self.given:
            return True
        velocities = state.velocities
        return all(part.fill(state, velocities, values) for part in self.given)

    def empty_values(self) -> RowValues:
        """Values of the same rows, for another state."""
        return RowValues(*(np.zeros_like(part) for part in self.values))


class _Builder:
    def __init__(self, masses: Masses) -> None:
        self.masses, self.rows, self.blocks = masses, 0, 0
        self.terms: list[tuple[int, Term]] = []
        self.timed: list[TimedRow] = []
        self.given: list[GivenRows] = []
        self.start: list[int] = [0]
        self.body: list[int] = []

    def add(self, parts: Sequence[Part], state: State) -> int:
        """Append the rows of components; how many there are."""
        before = self.rows
        for part in parts:
            terms = _terms(part)
            if terms is None:
                self._add_given(part, state)
                continue
            if isinstance(part, CoordinateMotor | CoordinateFriction):
                self.timed.append(TimedRow(self.rows, part))
            for term in terms:
                self.terms.append((self.rows, term))
                places = (self.masses.place[body] for body in term.coordinate.bodies)
                self._add_row([int(place) for place in places if place >= 0])
        return self.rows - before

    def _add_row(self, places: Sequence[int]) -> None:
        self.body.extend(sorted(places))
        self.start.append(len(self.body))
        self.rows += 1

    def _add_given(self, part: Part, state: State) -> None:
        rows = part.rows(state)
        column = self.masses.column[rows.columns]
        unknown, known = np.flatnonzero(column >= 0), np.flatnonzero(column < 0)
        bodies = np.unique(column[unknown] // 6)
        within = np.searchsorted(bodies, column[unknown] // 6)
        first, place = self.rows, []
        for _ in range(len(rows.rate)):
            place.append(6 * (len(self.body) + within) + column[unknown] % 6)
            self._add_row(bodies.tolist())
        where = np.array(place, dtype=np.int64).reshape(len(rows.rate), len(unknown))
        self.given.append(GivenRows(part, first, np.array(rows.columns), where, unknown, known))

    def tables(self, sizes: Sequence[int], driving: NDArray[np.bool_]) -> RowTables:
        """Of all that was added."""
        start, body = np.array(self.start, dtype=np.int64), np.array(self.body, dtype=np.int64)
        terms = [term for _, term in self.terms]
        arrays = Coordinates.of([term.coordinate for term in terms])
        numbers = np.array([(t.sign, t.offset, t.middle, t.period) for t in terms]).reshape(-1, 4).T
        coordinates = CoordinateTable(
            arrays.kind, arrays.axis, arrays.body, arrays.point, arrays.turn,
            np.array([row for row, _ in self.terms], dtype=np.int64), *(np.ascontiguousarray(part) for part in numbers),
        )  # fmt: skip
        order, first = elimination_order(start[: sizes[0] + 1], body)
        values = RowValues(np.zeros((len(body), 6)), *(np.zeros(self.rows) for _ in range(5)))
        joints, limits, frictions = sizes
        rows = RowTable(joints, limits, frictions, start, body, order, first, driving)
        return RowTables(coordinates, rows, values, tuple(self.timed), tuple(self.given))


def _terms(part: Part) -> list[Term] | None:
    """The rows of a component that are coordinates; None for a component of another kind."""
    if isinstance(part, FramedJoint):
        return [Term(c, offset=float(o)) for c, o in zip(part.coordinates, part.offset, strict=True)]
    if isinstance(part, CoordinateMotor):
        return [Term(part.coordinate, period=ONE_TURN if part.coordinate.is_angle else 0.0)]
    if isinstance(part, CoordinateFriction):
        return [Term(part.coordinate)]
    if isinstance(part, CoordinateLimit):
        middle = 0.5 * (part.low + part.high) if part.coordinate.is_angle else np.nan
        return [Term(part.coordinate, float(s), float(o), middle) for s, o in zip(part.signs, part.offset, strict=True)]
    return None


def elimination_order(start: Indices, body: Indices) -> tuple[Indices, Indices]:
    """Rows in an order with a narrow envelope, and the first place to which each is coupled: rows share bodies."""
    m = len(start) - 1
    if m == 0:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    incidence = np.zeros((m, int(body[: start[m]].max(initial=0)) + 1))
    incidence[np.repeat(np.arange(m), np.diff(start)), body[: start[m]]] = 1.0
    coupled = incidence @ incidence.T > 0.0
    orders = [np.arange(m), np.arange(m)[::-1].copy()]
    if m > FEW_ROWS:
        orders.append(reverse_cuthill_mckee(sp.csr_array(coupled), symmetric_mode=True).astype(np.int64))
    return min(((order, _envelope(coupled, order)) for order in orders), key=lambda found: _cost(found[1]))


def _envelope(coupled: NDArray[np.bool_], order: Indices) -> Indices:
    """First place to which the row in each place of an order is coupled."""
    first = np.argmax(coupled[np.ix_(order, order)], axis=1)
    return np.asarray(np.minimum(first, np.arange(len(order))))


def _cost(first: Indices) -> int:
    """Of a factorisation within an envelope."""
    return int(((np.arange(len(first)) - first + 1) ** 2).sum())
