"""The joints of a model as position-level constraints over the unknowns, in a pattern that never changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from signorini.assembly.masses import Masses
from signorini.math.sparse import Array, Csr, Indices, with_data
from signorini.model.component import Joint, JointRows
from signorini.model.state import State
from signorini.problem.errors import ModelError
from signorini.problem.products import add_transposed_product


@dataclass(frozen=True, eq=False)
class Constraints:
    """All joints at one state."""

    C: Csr
    """d Psi / d displacement over the unknowns, zeros stored where a joint may have entries, shape (rows, n)."""
    error: Array
    """Psi [m or rad], shape (rows,)."""
    rate: Array
    """Change of Psi at zero unknown velocities: `dPsi/dt` and bodies with a motion [m/s or rad/s], shape (rows,)."""

    def push(self, multipliers: Array, entries: Array | None = None) -> Array:
        """`C' lambda` [N, N m], shape (n,); with other entries of C if given."""
        out = np.zeros(self.C.shape[1])
        C = self.C if entries is None else with_data(self.C, entries)
        return add_transposed_product(C, multipliers, out)


class ConstraintRows:
    """Turns states into `Constraints`; the places of the entries are worked out once."""

    def __init__(self, joints: Sequence[Joint], masses: Masses, state: State) -> None:
        self.joints = tuple(joints)
        parts = self._parts(state)
        self.counts = np.array([len(part.error) for part in parts], dtype=np.int64)
        self.start = np.concatenate(([0], np.cumsum(self.counts)))
        """First row of each joint, then their number."""
        self._columns = [part.columns for part in parts]
        self._plan(parts, masses)

    @property
    def rows(self) -> int:
        """Number of scalar constraints."""
        return int(self.start[-1])

    def joint_of(self, row: int) -> str:
        """Name of the joint that a row belongs to."""
        return self.joints[int(np.searchsorted(self.start, row, side="right")) - 1].name

    def at(self, state: State) -> Constraints:
        """The constraints at a state; raises `ModelError` naming a joint whose rows are not finite."""
        if not self.joints:
            return Constraints(self._matrix(np.zeros(0)), np.zeros(0), np.zeros(0))
        parts = self._parts(state)
        error = np.concatenate([part.error for part in parts])
        rate = np.concatenate([part.rate for part in parts])
        data = np.concatenate([part.jacobian.reshape(-1) for part in parts])
        self._check(error, rate, data, state.time)
        if len(self._known):
            known = data[self._known] * state.velocities[self._known_column]
            rate = rate + np.bincount(self._known_row, weights=known, minlength=self.rows)
        return Constraints(self._matrix(data[self._take]), error, rate)

    def _parts(self, state: State) -> list[JointRows]:
        return [joint.rows(state) for joint in self.joints]

    def _plan(self, parts: list[JointRows], masses: Masses) -> None:
        count, n = self.rows, masses.velocities
        widths = np.repeat([len(part.columns) for part in parts], self.counts).astype(np.int64)
        row = np.repeat(np.arange(count), widths)
        pieces = [np.tile(part.columns, len(part.error)) for part in parts]
        column = np.concatenate(pieces) if pieces else np.zeros(0, dtype=np.int64)
        place = masses.column[column]
        self._known = np.flatnonzero(place < 0)
        self._known_row, self._known_column = row[self._known], column[self._known]
        free = np.flatnonzero(place >= 0)
        self._take: Indices = free[np.lexsort((place[free], row[free]))]
        indptr = np.concatenate(([0], np.cumsum(np.bincount(row[self._take], minlength=count))))
        indices = place[self._take].astype(np.int32)
        self._template = Csr((np.zeros(len(indices)), indices, indptr.astype(np.int32)), shape=(count, n))

    def _matrix(self, data: Array) -> Csr:
        return with_data(self._template, data)

    def _check(self, error: Array, rate: Array, data: Array, time: float) -> None:
        if np.isfinite(error.sum() + rate.sum() + data.sum()):
            return
        bad = ~np.isfinite(error) | ~np.isfinite(rate)
        row = int(np.flatnonzero(bad)[0]) if bad.any() else -1
        name = self.joint_of(row) if row >= 0 else "a joint"
        raise ModelError(f"joint {name!r} is not finite at t = {time:g} s; check its function of time and its bodies")
