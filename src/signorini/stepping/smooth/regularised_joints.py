"""Limits and dry friction in joints as smooth forces, for the integrators that know no set-valued ones.

With s the coordinate of a limit, `Phi` what is left until it strikes, m the mass that its bodies put against it, and
u the slip of a brake whose largest force is L::

    limit   f = m w^2 (-Phi) - 2 m w dPhi/dt   where Phi < 0, never pulling; w = 2 pi / (20 h)
    brake   f = -L u / sqrt(u^2 + creep^2)

So a limit that is struck at speed v yields by about `v / w` and does not bounce, and a brake that holds F < L creeps at
`creep F / sqrt(L^2 - F^2)` instead of standing still.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from signorini.assembly.coordinate_rows import CoordinateRows
from signorini.assembly.dynamics import Dynamics
from signorini.math.sparse import Array
from signorini.model.component import DryFriction, ForceTerm, Limit
from signorini.model.joints.capstan import refuse_capstans
from signorini.model.state import State
from signorini.problem.cones import Mask

STEPS_PER_PERIOD = 20.0
"""Of the spring that replaces a limit."""
CREEP = 1e-3
"""Slip from which a brake gives most of its force [m/s or rad/s]."""


@dataclass(frozen=True, eq=False)
class RegularisedJoints:
    """Limits and frictions of a model."""

    limits: tuple[Limit, ...]
    stiffness: tuple[Array, ...]
    """m w^2 of each limit [N/m or N m/rad], shape (rows,) each."""
    damping: tuple[Array, ...]
    """2 m w, likewise [N s/m or N m s/rad]."""
    frictions: tuple[DryFriction, ...]

    @classmethod
    def of(cls, dynamics: Dynamics, h: float) -> RegularisedJoints:
        """For steps of h [s]; masses are those at the start."""
        model = dynamics.model
        refuse_capstans(model.dry_frictions, "smooth dynamics")
        limits, state = tuple(model.limits), model.initial_state()
        entries = tuple((limit.name, len(limit.rows(state).error)) for limit in limits)
        start = np.concatenate(([0], np.cumsum([rows for _, rows in entries]))).astype(np.int64)
        C = CoordinateRows(limits, entries, dynamics.masses, state).at(state).matrix
        compliance = dynamics.masses.matrix.congruence_diagonal(C) if len(limits) else np.zeros(0)
        mass = 1.0 / np.where(compliance > 0, compliance, np.inf)
        w = 2.0 * np.pi / (STEPS_PER_PERIOD * h)
        parts = [slice(int(a), int(b)) for a, b in pairwise(start)]
        return cls(
            limits, tuple(mass[part] * w * w for part in parts), tuple(2.0 * mass[part] * w for part in parts),
            tuple(model.dry_frictions),
        )  # fmt: skip

    def __bool__(self) -> bool:
        return bool(self.limits or self.frictions)

    def terms(self, state: State) -> Sequence[ForceTerm]:
        """Forces with derivatives at a state."""
        found = [self._limit_term(k, state) for k in range(len(self.limits))]
        return found + [_friction_term(friction, state) for friction in self.frictions]

    def forces(self, state: State) -> tuple[Array, Array]:
        """Of the rows of all limits and of all frictions [N or N m]."""
        limits = [self._push(k, state)[0] for k in range(len(self.limits))]
        frictions = [_drag(friction, state)[0] for friction in self.frictions]
        none = np.zeros(0)
        return np.concatenate([none, *limits]), np.concatenate([none, *frictions])

    def describe(self, name: str) -> str:
        """The message to the user."""
        said = []
        if self.limits:
            said.append(f"limit {self.limits[0].name!r} is a spring of {self.stiffness[0].max():.2g} N/m or N m/rad")
        if self.frictions:
            said.append(f"friction {self.frictions[0].name!r} creeps at up to some {CREEP:g} m/s or rad/s")
        return f"{name} takes no set-valued forces, and {' and '.join(said)}; integrator='dvi' has hard ones"

    def _push(self, k: int, state: State) -> tuple[Array, Mask]:
        """Forces of the rows of a limit >= 0, and which act."""
        rows = self.limits[k].rows(state)
        speed = rows.jacobian @ state.velocities[rows.columns] + rows.rate
        force = -self.stiffness[k] * rows.error - self.damping[k] * speed
        acts = (rows.error < 0.0) & (force > 0.0)
        return np.where(acts, force, 0.0), acts

    def _limit_term(self, k: int, state: State) -> ForceTerm:
        rows = self.limits[k].rows(state)
        force, acts = self._push(k, state)
        J = rows.jacobian
        dq = -(J.T * (acts * self.stiffness[k])) @ J
        return ForceTerm(rows.columns, J.T @ force, dq, -(J.T * (acts * self.damping[k])) @ J)


def _drag(friction: DryFriction, state: State) -> tuple[Array, Array]:
    """Force of each row, and its derivative by the slip."""
    rows = friction.rows(state)
    slip = rows.jacobian @ state.velocities[rows.columns] + rows.rate
    size = np.sqrt(slip * slip + CREEP * CREEP)
    return -rows.limit * slip / size, -rows.limit * CREEP**2 / size**3


def _friction_term(friction: DryFriction, state: State) -> ForceTerm:
    rows, (force, slope) = friction.rows(state), _drag(friction, state)
    J = rows.jacobian
    return ForceTerm(rows.columns, J.T @ force, np.zeros((J.shape[1], J.shape[1])), (J.T * slope) @ J)
