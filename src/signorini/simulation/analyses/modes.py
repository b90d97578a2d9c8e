"""Natural frequencies and mode shapes of mechanisms and flexible bodies."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from signorini.assembly.displace import Displacer
from signorini.assembly.dynamics import Dynamics, nothing
from signorini.math.sparse import Array
from signorini.model.model import Model
from signorini.model.state import State
from signorini.problem.errors import ModelError
from signorini.simulation.analyses.linearised import Linearised
from signorini.solvers.saddle.direct import Direct
from signorini.stepping.smooth.initial import accelerations, check_closed


@dataclass(frozen=True, eq=False)
class ModeShape:
    """Displacements of one mode, of modal mass 1 kg; bodies and nodes that cannot move have zeros."""

    position: Array
    """Of the centres of mass, world [m], shape (bodies, 3)."""
    rotation: Array
    """Rotation vectors in body axes [rad], shape (bodies, 3)."""
    node_position: Array
    """Of the nodes of flexible bodies, world [m], shape (nodes, 3)."""


@dataclass(frozen=True, eq=False)
class Modes:
    """Free undamped vibrations about a state of rest, lowest first."""

    state: State
    """What the bodies vibrate about, at rest."""
    frequency: Array
    """[Hz], shape (modes,): 0 for rigid motions, negative where the state is unstable (displacements then grow as
    exp(2 pi |f| t))."""
    vectors: Array
    """Shapes over the unknown displacements in columns, `x' M x = 1`, shape (n, modes)."""
    effective_mass: Array
    """Mass that each mode moves along x, y, z of the world when the ground shakes [kg], shape (modes, 3); over all
    modes it adds up to the mass that the joints leave free to move."""
    total_mass: float
    """Of the bodies and free nodes that can move [kg]."""
    acceleration: float
    """Largest acceleration at that state [m/s2, rad/s2]: 0 where it is an equilibrium."""
    displacer: Displacer
    """Applies displacements to the state."""

    @property
    def angular_frequency(self) -> Array:
        """[rad/s], shape (modes,), signs as in `frequency`."""
        return np.asarray(2.0 * np.pi * self.frequency)

    @property
    def rigid(self) -> int:
        """Number of modes of frequency 0."""
        return int((self.frequency == 0.0).sum())

    @property
    def stable(self) -> bool:
        """Whether no mode grows."""
        return bool((self.frequency >= 0.0).all())

    def shape(self, mode: int) -> ModeShape:
        """Displacements of bodies and nodes in a mode, counted from 0."""
        moved = self._moved(self.vectors[:, mode])
        return ModeShape(moved.velocity, moved.angular_velocity, moved.node_velocity)

    def displaced(self, mode: int, amplitude: float) -> State:
        """The state displaced along a mode, by `amplitude` [m, rad] at most; to look at or to start from."""
        x = self.vectors[:, mode]
        x = x * (amplitude / float(np.abs(x).max()))
        return self.displacer.move(self.state, x, np.zeros_like(x), self.state.time)

    def document(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {
            "frequency": self.frequency.tolist(),
            "effective_mass": self.effective_mass.tolist(),
            "total_mass": self.total_mass,
            "rigid_modes": self.rigid,
            "stable": self.stable,
            "acceleration": self.acceleration,
        }

    def _moved(self, x: Array) -> State:
        """A state whose velocities are the displacements x: everything that is not an unknown has none."""
        still = replace(
            self.state,
            velocity=np.zeros_like(self.state.velocity),
            angular_velocity=np.zeros_like(self.state.angular_velocity),
            node_velocity=np.zeros_like(self.state.node_velocity),
        )
        return replace(self.displacer, motions=(), held=()).move(still, np.zeros_like(x), x, self.state.time)


def modes(model: Model, n: int = 10, state: State | None = None) -> Modes:
    """The n lowest natural frequencies and mode shapes about a state, by default that at t = 0, taken at rest.

    Solves `K x = w^2 M x + C' mu`, `C x = 0`: joints and motors hold, K has the stiffness of springs, elements and
    users' forces and that of gravity through the joint forces that act at the state. Damping, limits, dry friction and
    contacts have no part in it. Take `static_equilibrium(model).state` where loads bend the model; `acceleration` tells
    how far a state is from rest. Raises `ModelError` naming a joint that is open.
    """
    if not n >= 1:
        raise ModelError(f"n is {n}, expected the number of modes, 1 or more")
    start = model.initial_state() if state is None else state
    dynamics = Dynamics(model, start)
    if not dynamics.size:
        raise ModelError("nothing in the model can move; add bodies or flexible bodies before asking for modes")
    still = np.zeros(dynamics.size)
    rest = dynamics.displacer.move(start, still, still, start.time)
    check_closed(dynamics, rest)
    rate, forces, _ = accelerations(dynamics, rest, Direct().session(), nothing)
    linearised = Linearised.of(dynamics, rest, forces)
    values, vectors = linearised.lowest(n)
    values = np.where(np.abs(values) <= linearised.negligible, 0.0, values)
    translation = _translations(dynamics)
    return Modes(
        state=rest,
        frequency=np.sign(values) * np.sqrt(np.abs(values)) / (2.0 * np.pi),
        vectors=vectors,
        effective_mass=(vectors.T @ (dynamics.M @ translation)) ** 2,
        total_mass=float(translation[:, 0] @ (dynamics.M @ translation[:, 0])),
        acceleration=float(np.abs(rate).max(initial=0.0)),
        displacer=dynamics.displacer,
    )


def _translations(dynamics: Dynamics) -> Array:
    """Displacements of all unknowns when everything moves by 1 m along x, y, z, shape (n, 3)."""
    masses = dynamics.masses
    bodies = np.tile(np.vstack((np.eye(3), np.zeros((3, 3)))), (len(masses.movable), 1))
    parts = [body.flexible.translation for body in dynamics.model.flexibles]
    weight = np.concatenate(parts)[masses.free] if parts else np.zeros(0)
    return np.vstack((bodies, np.kron(weight[:, None], np.eye(3))))
