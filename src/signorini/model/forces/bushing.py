"""An elastic sleeve: stiff, but not rigid, in all six directions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from signorini.math.cached import cached_property
from signorini.math.sparse import Array
from signorini.model.component import ForceTerm
from signorini.model.coordinate import OFFSET, TURN, Coordinate, Coordinates, Frame, columns_in
from signorini.model.forces.coordinate_force import force_term, rates
from signorini.model.state import State

DIRECTIONS = ((OFFSET, 0), (OFFSET, 1), (OFFSET, 2), (TURN, 0), (TURN, 1), (TURN, 2))


@dataclass(frozen=True, eq=False)
class Bushing:
    """`F = -J' (K s + R ds/dt)` with s the offset of frame b in the axes of frame a and its turn (see `Coordinate`)."""

    name: str
    a: int
    """Index in `Model.bodies`, or WORLD."""
    b: int
    frame_a: Frame
    frame_b: Frame
    stiffness: Array
    """K, symmetric positive semidefinite [N/m, N/rad, N m/rad], shape (6, 6)."""
    damping: Array
    """R, the same [N s/m, ...], shape (6, 6)."""

    @cached_property
    def coordinates(self) -> tuple[Coordinate, ...]:
        """s."""
        frames = (self.a, self.b, self.frame_a, self.frame_b)
        return tuple(Coordinate(kind, (i, 0), *frames) for kind, i in DIRECTIONS)

    @cached_property
    def _table(self) -> Coordinates:
        return Coordinates.of(self.coordinates)

    def term(self, state: State) -> ForceTerm:
        """Force and derivatives."""
        s, jacobian = self._table.evaluate(state)
        J = jacobian[:, columns_in(self.a, self.b)]
        effort = -(self.stiffness @ s + self.damping @ rates(self.coordinates[0], J, state))
        return force_term(self._table, J, state, np.asarray(effort), self.stiffness, self.damping)

    def energy(self, state: State) -> float:
        """1/2 s'Ks [J]."""
        s, _ = self._table.evaluate(state)
        return 0.5 * float(s @ self.stiffness @ s)
