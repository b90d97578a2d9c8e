"""Force over distance of a contact that is pressed together and pulled apart: what its law looks like."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from signorini.math.sparse import Array
from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.sphere import Sphere
from signorini.model.state import State
from signorini.simulation.simulation import Simulation
from signorini.solvers.base import Solver

DRAWN = {
    "rigid": Material(friction=0.0),
    "compliant": Material(friction=0.0, compliance=1e-5),
    "compliant, cohesion": Material(friction=0.0, compliance=1e-5, cohesion=40.0),
    "rigid, plastic cohesion": Material(friction=0.0, cohesion=40.0, cohesion_range=2e-3),
    "compliant, plastic cohesion": Material(friction=0.0, compliance=1e-5, cohesion=40.0, cohesion_range=2e-3),
    "compliant, plastic cohesion, yield": Material(
        friction=0.0, compliance=1e-5, cohesion=40.0, cohesion_range=2e-3, yield_force=80.0
    ),
}
"""Rigid contact, and the five laws that [ChronoSlides003] draws."""
RADIUS = 0.1
MASS = 1.0
DAMPING = 0.7
"""Of the probe on its spring, relative to the critical one."""


@dataclass(frozen=True)
class Drive:
    """A probe on a spring whose other end moves once down to `-deepest`, up to `farthest` and back."""

    deepest: float = 8e-3
    """[m]."""
    farthest: float = 8e-3
    """[m]."""
    stiffness: float = 2e4
    """Of the spring [N/m]."""
    step: float = 2e-3
    """Time step [s]."""
    steps: int = 500

    def end(self, time: float) -> float:
        """Where the driven end of the spring is, 0 where the probe touches [m]."""
        phase = 2 * math.pi * time / (self.step * self.steps)
        middle, swing = 0.5 * (self.farthest - self.deepest), 0.5 * (self.farthest + self.deepest)
        return middle + swing * math.cos(phase)


@dataclass(frozen=True, eq=False)
class Cycle:
    """What was measured at the contact, after each step."""

    time: Array
    """[s], shape (steps,)."""
    distance: Array
    """Gap of the undeformed surfaces, negative where they overlap [m], shape (steps,)."""
    force: Array
    """Of the contact, positive where it pushes [N], shape (steps,)."""
    plastic: Array
    """Plastic part of the distance [m], shape (steps,)."""

    @property
    def loss(self) -> float:
        """Work that the contact swallowed, the area inside the curve [J]."""
        return -float(np.sum(self.force * np.diff(self.distance, prepend=self.distance[0])))


def contact_cycle(material: Material, drive: Drive | None = None, solver: Solver | None = None) -> Cycle:
    """Drive a ball against a floor that has this material with it, and away."""
    drive = Drive() if drive is None else drive
    model = Model(gravity=(0, 0, 0), margin=2.0 * drive.farthest)
    model.add_fixed_body(HalfSpace(), name="floor")
    start = RADIUS + drive.end(0.0)
    probe = model.add_body(Sphere(RADIUS), mass=MASS, position=(0, 0, start), name="probe")
    model.set_pair_material("floor", "probe", material)
    damper = 2.0 * DAMPING * math.sqrt(drive.stiffness * MASS)
    place = model.body_index(probe)

    def pull(time: float, state: State) -> tuple[float, float, float]:
        stretched = RADIUS + drive.end(time) - state.position[place, 2]
        return 0.0, 0.0, drive.stiffness * stretched - damper * state.velocity[place, 2]

    model.add_force(probe, pull)
    sim = Simulation(model, step=drive.step, solver=solver)
    rows = []
    for _ in range(drive.steps):
        step = sim.advance()
        force = float(step.impulses[0, 0]) / drive.step if step.contacts.count else 0.0
        known = step.law is not None and step.contacts.count
        plastic = float(step.law.at(step.contacts.identity).plastic[0]) if known and step.law is not None else 0.0
        rows.append((step.state.time, float(step.state.position[place, 2]) - RADIUS, force, plastic))
    return Cycle(*np.array(rows).T)
