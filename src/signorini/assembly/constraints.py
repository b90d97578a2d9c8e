"""The joints of a model as position-level constraints over the unknowns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from signorini.assembly.coordinate_rows import CoordinateRows
from signorini.assembly.masses import Masses
from signorini.math.sparse import Array, Csr, with_data
from signorini.model.component import Joint
from signorini.model.state import State
from signorini.problem.errors import ModelError
from signorini.problem.products import add_transposed_product


@dataclass(frozen=True, eq=False)
class Constraints:
    """All joints at one state."""

    C: Csr
    """d Psi / d displacement over the unknowns, of the same pattern at every state, shape (rows, n)."""
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
    """Turns states into `Constraints`."""

    def __init__(self, joints: Sequence[Joint], masses: Masses, state: State) -> None:
        self.joints = tuple(joints)
        entries = tuple((joint.name, len(joint.rows(state).error)) for joint in self.joints)
        self.start = np.concatenate(([0], np.cumsum([rows for _, rows in entries]))).astype(np.int64)
        """First row of each joint, then their number."""
        self._rows = CoordinateRows(self.joints, entries, masses, state)

    @property
    def rows(self) -> int:
        """Number of scalar constraints."""
        return int(self.start[-1])

    def joint_of(self, row: int) -> str:
        """Name of the joint that a row belongs to."""
        return self.joints[int(np.searchsorted(self.start, row, side="right")) - 1].name

    def at(self, state: State) -> Constraints:
        """The constraints at a state; raises `ModelError` naming a joint whose rows are not finite."""
        found = self._rows.at(state)
        rate = found.rate + found.known
        if not np.isfinite(found.error.sum() + rate.sum() + found.matrix.data.sum()):
            self._refuse(found.error, rate, state.time)
        return Constraints(found.matrix, found.error, rate)

    def _refuse(self, error: Array, rate: Array, time: float) -> None:
        bad = np.flatnonzero(~np.isfinite(error) | ~np.isfinite(rate))
        name = self.joint_of(int(bad[0])) if len(bad) else "a joint"
        raise ModelError(f"joint {name!r} is not finite at t = {time:g} s; check its function of time and its bodies")
