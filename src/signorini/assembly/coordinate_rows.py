"""Rows of joints, limits and brakes over the unknown velocities, in a pattern that never changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from signorini.assembly.masses import Masses
from signorini.kernels.bodies.coordinates import DISTANCE, OFFSET
from signorini.math.cached import cached_property
from signorini.math.sparse import Array, Csr, Indices, assembled
from signorini.model.component import DryFriction, FrictionRows, Joint, JointRows, Limit
from signorini.model.coordinate import TWO_TURNS, Coordinate, Coordinates
from signorini.model.joints.framed import FramedJoint
from signorini.model.joints.limit import CoordinateLimit
from signorini.model.layout import Entries
from signorini.model.state import State
from signorini.problem.errors import ModelError

NO_ROWS = np.zeros(0, dtype=np.int64)


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

    Rows that are plain coordinates (joints with frames, limits) are computed in one compiled loop; other components are
    evaluated one by one. The matrix has the same pattern at every state.
    """

    def __init__(
        self, parts: Sequence[Joint | Limit | DryFriction], entries: Entries, masses: Masses, state: State
    ) -> None:
        """`state` is any state of the model; it shows which columns the components have."""
        first = np.concatenate(([0], np.cumsum([rows for _, rows in entries]))).astype(np.int64)
        plain, self._others, place, rest = [], [], [NO_ROWS], [NO_ROWS]
        for part, begin, end in zip(parts, first[:-1], first[1:], strict=True):
            if isinstance(part, FramedJoint | CoordinateLimit):
                plain.append(part)
                place.append(np.arange(begin, end))
            else:
                self._others.append(part)
                rest.append(np.arange(begin, end))
        order = np.concatenate([*place, *rest])
        self._order = np.argsort(order) if self._others else None
        self._batch = _Batch.of(plain)
        self._pattern = _Pattern.of(self._batch.table, self._others, order, masses, state)
        nothing = assembled(np.zeros(0), *self._pattern.structure, (0, masses.velocities)) if not first[-1] else None
        self._nothing = None if nothing is None else Rows(nothing, *np.zeros((4, 0)))

    def at(self, state: State) -> Rows:
        """The rows at a state."""
        if self._nothing is not None:
            return self._nothing
        error, jacobian = self._batch.at(state)
        data, none = jacobian.reshape(-1), np.zeros(len(error))
        if self._order is None:
            return Rows(*self._pattern.fill(data, state), error, none, none)
        parts = [part.rows(state) for part in self._others]
        data = np.concatenate((data, *(part.jacobian.reshape(-1) for part in parts)))
        if self._pattern.misses(data):
            self._pattern = self._pattern.full()
        columns = (
            (error, *(_error(part) for part in parts)),
            (none, *(part.rate for part in parts)),
            (none, *(_limit(part) for part in parts)),
        )
        return Rows(*self._pattern.fill(data, state), *(np.concatenate(column)[self._order] for column in columns))


@dataclass(frozen=True, eq=False)
class _Batch:
    """Rows `sign * coordinate + offset`."""

    table: Coordinates
    sign: Array
    offset: Array
    middle: Array
    """Of the window of two turns in which an angle lies [rad]; not a number for other coordinates."""

    @classmethod
    def of(cls, parts: Sequence[FramedJoint | CoordinateLimit]) -> _Batch:
        coordinates: list[Coordinate] = []
        sign, offset, middle = [np.zeros(0)], [np.zeros(0)], [np.zeros(0)]
        for part in parts:
            own = part.coordinates if isinstance(part, FramedJoint) else (part.coordinate,) * len(part.signs)
            coordinates.extend(own)
            offset.append(part.offset)
            sign.append(part.signs if isinstance(part, CoordinateLimit) else np.ones(len(own)))
            angular = isinstance(part, CoordinateLimit) and part.coordinate.is_angle
            middle.append(np.full(len(own), 0.5 * (part.low + part.high) if angular else np.nan))  # type: ignore[union-attr]
        return cls(Coordinates.of(coordinates), *(np.concatenate(column) for column in (sign, offset, middle)))

    def at(self, state: State) -> tuple[Array, Array]:
        """Errors, shape (rows,), and their derivatives, shape (rows, 12)."""
        value, jacobian = self.table.evaluate(state)
        angles = np.isfinite(self.middle)
        if angles.any():
            away = value[angles] - self.middle[angles]
            value[angles] = self.middle[angles] + away - TWO_TURNS * np.round(away / TWO_TURNS)
        jacobian *= self.sign[:, None]
        return self.sign * value + self.offset, jacobian


@dataclass(frozen=True, eq=False)
class _Pattern:
    """Where the derivatives of all rows are stored: 12 of each row of the batch, then those of the other components."""

    masses: Masses
    rows: int
    row: Indices
    """Row of each derivative, shape (derivatives,)."""
    column: Indices
    """Its column among the velocities of everything, -1 for the world, shape (derivatives,)."""
    used: NDArray[np.bool_]
    """Which derivatives are ever other than 0, shape (derivatives,)."""

    @classmethod
    def of(
        cls, table: Coordinates, others: Sequence[Joint | Limit | DryFriction], order: Indices, masses: Masses,
        state: State,
    ) -> _Pattern:  # fmt: skip
        """From states in general position: derivatives that are 0 there are 0 everywhere."""
        body = np.repeat(table.body, 6, axis=1)
        columns = [np.where(body < 0, -1, 6 * body + np.tile(np.arange(6), 2)).reshape(-1)]
        # Coordinates of turns have no derivatives by linear displacements.
        linear = np.isin(table.kind, (OFFSET, DISTANCE))[:, None] | (np.tile(np.arange(6), 2) >= 3)
        widths, used = [np.full(len(table.kind), 12)], [linear.reshape(-1)]
        probe = _general_position(state)
        for part in others:
            here = part.rows(state)
            widths.append(np.full(len(here.jacobian), len(here.columns)))
            columns.append(np.tile(here.columns, len(here.jacobian)))
            used.append(((here.jacobian != 0.0) | _may_differ(part, probe)).reshape(-1))
        row = np.repeat(order, np.concatenate(widths))
        return cls(masses, len(order), row, np.concatenate(columns).astype(np.int64), np.concatenate(used))

    @cached_property
    def taken(self) -> Indices:
        """Derivatives by unknown velocities, in the order of the matrix."""
        wanted = np.flatnonzero(self._present & (self._place >= 0))
        return np.asarray(wanted[np.lexsort((self._place[wanted], self.row[wanted]))])

    @cached_property
    def known(self) -> Indices:
        """Derivatives by known velocities."""
        return np.flatnonzero(self._present & (self._place < 0))

    @cached_property
    def unused(self) -> Indices:
        """Derivatives that are left out."""
        return np.flatnonzero(~self.used)

    @cached_property
    def structure(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """`indices` and `indptr` of the matrix."""
        counts = np.bincount(self.row[self.taken], minlength=self.rows)
        indptr = np.concatenate(([0], np.cumsum(counts))).astype(np.int32)
        return self._place[self.taken].astype(np.int32), indptr

    def fill(self, data: Array, state: State) -> tuple[Csr, Array]:
        """The matrix over the unknown velocities, and what known velocities add to each row."""
        known, slip = self.known, np.zeros(self.rows)
        if len(known):
            np.add.at(slip, self.row[known], data[known] * state.velocities[self.column[known]])
        return assembled(data[self.taken], *self.structure, (self.rows, self.masses.velocities)), slip

    def misses(self, data: Array) -> bool:
        """Whether a derivative that was assumed to be 0 is not."""
        return bool(data[self.unused].any())

    def full(self) -> _Pattern:
        """The pattern with all derivatives."""
        return replace(self, used=np.ones_like(self.used))

    @cached_property
    def _present(self) -> NDArray[np.bool_]:
        return np.asarray(self.used & (self.column >= 0))

    @cached_property
    def _place(self) -> Indices:
        return np.asarray(np.where(self.column < 0, -1, self.masses.column[self.column]))


def _may_differ(part: Joint | Limit | DryFriction, probe: State) -> NDArray[np.bool_]:
    """Which derivatives of a component are other than 0 in general position; all where it refuses such a state."""
    try:
        return np.asarray(part.rows(probe).jacobian != 0.0)
    except (ModelError, ArithmeticError, ValueError):
        return np.ones(1, dtype=np.bool_)


def _general_position(state: State) -> State:
    """The state with everything moved at random, from a fixed seed."""
    random, new = np.random.default_rng(0), state.copy()
    new.position[:] += random.normal(size=new.position.shape)
    new.orientation[:] = random.normal(size=new.orientation.shape)
    new.orientation[:] /= np.linalg.norm(new.orientation, axis=1, keepdims=True)
    new.node_position[:] += random.normal(size=new.node_position.shape)
    return new


def _error(part: JointRows | FrictionRows) -> Array:
    return np.zeros(len(part.rate)) if part.error is None else part.error


def _limit(part: JointRows | FrictionRows) -> Array:
    return part.limit if isinstance(part, FrictionRows) else np.zeros(len(part.rate))
