"""What adds forces to the model or rows to its constraints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from signorini.math.sparse import Array, Csr
from signorini.model.state import State


@dataclass(frozen=True, eq=False)
class JointRows:
    """Linearised bilateral rows over the velocities of *all* bodies, 6 per body (linear world, angular body)."""

    jacobian: Csr
    """d error / d velocity, shape (rows, 6 * bodies)."""
    error: Array
    """Psi, position error [m or rad], shape (rows,)."""
    rate: Array
    """Partial d Psi / d t of rheonomic joints [m/s or rad/s], shape (rows,)."""


class Joint(Protocol):
    """Bilateral constraint."""

    @property
    def name(self) -> str:
        """For messages and records."""

    def rows(self, state: State) -> JointRows:
        """The joint's rows at a state."""

    @property
    def bodies(self) -> tuple[int, ...]:
        """Indices of the bodies it ties; pairs of them do not collide."""


class Force(Protocol):
    """An applied force."""

    def add(self, state: State, force: Array, torque: Array) -> None:
        """Add to `force` (world [N]) and `torque` (world [N m]), both of shape (bodies, 3)."""
