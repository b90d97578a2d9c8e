"""Applied forces and the energy of bodies, shared by all integrators."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from signorini.assembly.flexible import FlexibleTerms
from signorini.assembly.masses import Masses
from signorini.kernels.bodies import momentum
from signorini.kernels.threads.team import team
from signorini.math.sparse import Array
from signorini.model.component import Force
from signorini.model.model import Model
from signorini.model.state import State
from signorini.problem.errors import ModelError


def applied_forces(model: Model, forces: Sequence[Force], state: State) -> tuple[Array, Array]:
    """Sum of these forces [N] and torques [N m] on all bodies, world, without gravity, shape (bodies, 3) each."""
    force, torque = np.zeros_like(state.position), np.zeros_like(state.position)
    for item in forces:
        item.add(state, force, torque)
    if forces and not np.isfinite((force + torque).sum()):
        wrong = np.flatnonzero(~np.isfinite(force + torque).all(axis=1))
        if len(wrong):
            name = model.bodies[int(wrong[0])].name
            raise ModelError(f"the forces on body {name!r} are not finite at t = {state.time} s; check its add_force")
    return force, torque


def weight_energies(model: Model, masses: Masses, state: State) -> tuple[float, float, float]:
    """Kinetic energy of the movable bodies, that of their weight [J], and how fast weight does work [W]."""
    gravity = np.asarray(model.gravity, dtype=np.float64)
    position = state.position
    if not model.keeps_all:  # stored bodies have no weight
        position = np.where(model.stored(position)[:, None], 0.0, position)
    poses = (position, state.velocity, state.angular_velocity)
    many = team(len(masses.movable))
    found = momentum.energies(many, masses.movable, masses.mass, masses.inertia, gravity, *poses)
    return float(found[0]), float(found[1]), float(found[2])


def mechanical_energy(
    model: Model, masses: Masses, flexible: FlexibleTerms | None, state: State, h: float = 0.0
) -> tuple[float, float]:
    """Kinetic energy of the movable and flexible bodies, and that of weight, springs and strain [J].

    After a first-order step, h [s] gives flexible bodies the time of its velocities (see `FlexibleTerms.energy`).
    """
    kinetic, weight, _ = weight_energies(model, masses, state)
    potential = weight + sum(force.energy(state) for force in model.stiff_forces)
    if flexible is None:
        return kinetic, potential
    more = flexible.energy(state, h)
    return kinetic + more[0], potential + more[1]
