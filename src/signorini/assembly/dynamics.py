"""The equations of motion of a model: `M a = f(q, v, t) + C(q, t)' lambda`, `Psi(q, t) = 0`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from signorini.assembly.constraints import ConstraintRows, Constraints
from signorini.assembly.displace import Displacer
from signorini.assembly.effort import Effort, Efforts, StiffnessPattern, Weights
from signorini.assembly.masses import Masses
from signorini.assembly.mechanics import mechanical_energy
from signorini.math.sparse import Array, Csr
from signorini.model.component import ForceTerm
from signorini.model.model import Model
from signorini.model.state import State
from signorini.problem.errors import ModelError

Extra = Callable[[State], Sequence[ForceTerm]]
"""Forces that the step adds at a state, such as those of contacts."""


def nothing(_: State) -> Sequence[ForceTerm]:
    """No forces besides those of the model."""
    return ()


class Dynamics:
    """The equations of one model over its unknown velocities; constant parts are made once.

    Unknowns are the velocities of the movable bodies, 6 each (linear in the world, angular in body axes), in the order
    of `Masses`; M is constant in them, and gyroscopic torque is part of f.
    """

    def __init__(self, model: Model, state: State | None = None) -> None:
        self.model = model
        self.masses = Masses.of(model)
        self.displacer = Displacer.of(model, self.masses)
        self.joints = ConstraintRows(model.joints, self.masses, model.initial_state() if state is None else state)
        self._efforts = Efforts(model, self.masses)
        self._pattern: StiffnessPattern | None = None

    @property
    def size(self) -> int:
        """Number of unknown velocities."""
        return self.masses.velocities

    @property
    def M(self) -> Csr:
        """Mass matrix [kg, kg m2]."""
        return self.masses.H

    def check(self) -> None:
        """Raise `ModelError` if the model has grown since this was made."""
        if len(self.model.bodies) != len(self.masses.place) or len(self.model.joints) != len(self.joints.joints):
            raise ModelError("bodies or joints were added after the simulation was made; make a new Simulation(model)")

    def effort(self, state: State, extra: Extra = nothing) -> Effort:
        """Applied forces and their derivatives."""
        return self._efforts.at(state, extra(state))

    def constraints(self, state: State) -> Constraints:
        """Joints."""
        return self.joints.at(state)

    def jacobian(self, state: State, effort: Effort, s: Array, weights: Weights) -> Csr:
        """`mass M T^-1 - velocity dF/dv T^-1 - position dF/dq` after a displacement s; see `Weights`."""
        pattern = self._pattern
        if pattern is None or not pattern.fits(effort.terms):
            pattern = self._pattern = StiffnessPattern(self.masses, [term.columns for term in effort.terms])
        turns, flexible = self.displacer.inverse_tangents(s), self._efforts.flexible
        nodes = None if flexible is None else flexible.tangents(state)
        return pattern.matrix(effort, self._efforts.gyroscopic(state), nodes, turns, weights)

    def energy(self, state: State) -> tuple[float, float]:
        """Kinetic energy, and that in the field of gravity and in springs, of movable and flexible bodies [J]."""
        return mechanical_energy(self.model, self.masses, self._efforts.flexible, state)
