"""Runs of three-point bending, and what makes one stable."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from signorini.fe.soft_body import SoftBody
from signorini.math.sparse import Array, Indices
from signorini.model.model import Model
from signorini.model.shapes.sphere import Sphere
from signorini.model.state import State
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.errors import ModelError
from signorini.problem.solution import Solution
from signorini.scenes.three_point_bending import build
from signorini.simulation.simulation import Simulation
from signorini.solvers.interior_point import InteriorPoint
from signorini.stepping.smooth.euler import ImplicitEuler
from signorini.stepping.smooth.newton_settings import NewtonSettings
from signorini.stepping.smooth.penalty import Penalty
from signorini.stepping.smooth.step_size import StepSize
from signorini.stepping.step import DviStep
from signorini.studies.reproduce.recipes import DOCUMENTS

Cells = tuple[int, int, int]

REST = 0.2
"""After the punch has stopped [s]; the last step may end later."""
SPEED = 1.0
"""Of the punch [m/s]."""
FINE = 0.01
"""Step of the run with hard contact that others are measured against [s]."""
NEAR = 0.02
"""A stable run ends with every node this near to the fine run [m]. Penalty contacts alone move it by up to 10 mm."""
ENERGY = 2.0
"""A stable run has never more than this times the largest energy of the fine one."""
GUIDE_RADIUS, GUIDE_MASS = 0.01, 0.1
"""Of the body that guides a beam without friction [m], [kg]."""
PINS = 0.15
"""Where it is pinned to the lower side of the beam, off its middle line [m]."""
HOPELESS = 100.0
"""Energy, in units of the largest of the fine run, at which a run is given up."""
STIFFNESS = 1e6
"""Of the penalty contacts [N/m]: they sink in by about 3 mm, a tenth of the radius of the cylinders."""
NEWTON = NewtonSettings(states=1e-7, relative=1e-5, multipliers=1e-4)
"""Of the penalty runs: an accuracy far below that of the contacts themselves."""
HARD = InteriorPoint(tolerance=1e-8)
DVI, PENALTY = "DVI", "penalty, implicit Euler"
STIFFER = {f"{PENALTY}, {k:g} N/m": k for k in (1e7, 1e8)}
"""Penalty contacts of other stiffness: the document does not tell its own."""
WHOLE = 0.99
"""Steps of penalty contacts that fail are not tried again in parts: below this share of a step they end the run."""
ANY_ERROR = 1e9
"""Their local error does not choose the step [m]."""


def settings(method: str, h: float) -> dict[str, Any]:
    """Of the simulation."""
    if method == DVI:
        return {"solver": HARD, "law": "convex"}
    whole = StepSize(tolerance=ANY_ERROR, smallest=WHOLE * h)
    stiffness = {PENALTY: STIFFNESS, **STIFFER}[method]
    return {"integrator": ImplicitEuler(newton=NEWTON, step_size=whole), "contact": Penalty(stiffness)}


@dataclass(frozen=True)
class Case:
    """What is bent, and how far."""

    friction: float
    travel: float
    """Of the punch [m]."""

    def __str__(self) -> str:
        return f"mu = {self.friction:g}, {self.travel:g} m"

    @property
    def duration(self) -> float:
        """[s]."""
        return self.travel / SPEED + REST

    def model(self, cells: Cells) -> Model:
        """Without friction a guide keeps the middle of the beam in place and straight, which moves up and down alone:
        else the beam turns and slides off its supports."""
        model = build(*cells, travel=self.travel, speed=SPEED, friction=self.friction)
        if self.friction == 0.0:
            model.add_body(Sphere(GUIDE_RADIUS), mass=GUIDE_MASS, position=(0.0, 0.0, -0.3), name="guide")
            model.add_prismatic(None, "guide", (0.0, 0.0, 1.0), name="rail")
            for name, y in (("left pin", -PINS), ("right pin", PINS)):
                model.attach_point("beam", (0.0, y, 0.0), to="guide", name=name)
        return model


@dataclass(frozen=True, eq=False)
class Bent:
    """What became of one run."""

    method: str
    h: float
    """[s]."""
    iterations: tuple[int, ...]
    """Of each step."""
    unsolved: int
    """Steps whose equations were not solved."""
    hardest: ContactProblem | None
    """The problem that took the most iterations; None with penalty contact."""
    model: Model
    state: State
    """At the end."""
    edge: Indices
    """Nodes of a lower edge of the beam, along x."""
    energy: float
    """Largest kinetic plus strain energy plus that of weight, from that at the start on [J]."""
    volume: float
    """Smallest volume of an element at any time, relative to that at rest [-]; not positive where one is inverted."""
    broke: bool
    """Whether it was given up: not finite, an element inverted, a step not solved, energy astray."""

    @property
    def shape(self) -> Array:
        """Node positions at the end [m], shape (nodes, 3)."""
        return self.state.node_position

    def off(self, fine: Bent) -> float:
        """Largest distance of a node from where the fine run has it [m]."""
        return float(np.linalg.norm(self.shape - fine.shape, axis=1).max())

    def stable(self, fine: Bent) -> bool:
        """It gets to the end at its step size, energy stays in bounds, and the beam ends where it should."""
        return not self.broke and self.energy <= ENERGY * fine.energy and self.off(fine) <= NEAR

    def longest(self) -> Solution:
        """The step that took most iterations, solved again by the documents' recipe with a log."""
        assert self.hardest is not None
        return replace(HARD, log=True, **DOCUMENTS).solve(self.hardest)


USUAL = Case(friction=0.3, travel=0.3)


def bend(method: str, h: float, cells: Cells, case: Case = USUAL, limit: float = math.inf) -> Bent:
    """Bend the beam; `limit` is the energy at which to give up [J]."""
    model = case.model(cells)
    simulation = Simulation(model, step=h, **settings(method, h))
    beam = model.flexibles[0]
    volumes, edge = _volumes_and_edge(model)
    start = -beam.mass * float(beam.centre(simulation.state.node_position) @ model.gravity)
    rest = volumes(simulation.state.node_position)
    energy, volume, broke, unsolved, hardest = 0.0, 1.0, False, 0, None
    iterations: list[int] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # unsolved steps are counted
        for _ in range(math.ceil(case.duration / h - 1e-6)):
            try:
                step = simulation.advance()
            except ModelError:  # not finite
                broke = True
                break
            if isinstance(step, DviStep) and step.iterations > max(iterations, default=-1):
                hardest = step.problem
            iterations.append(step.iterations)
            energy = max(energy, step.energy - start)
            volume = min(volume, float((volumes(simulation.state.node_position) / rest).min()))
            unsolved += not step.status.ok
            if volume <= 0.0 or energy > limit or unsolved:
                broke = True
                break
    state = simulation.state
    return Bent(method, h, tuple(iterations), unsolved, hardest, model, state, edge, energy, volume, broke)


def _volumes_and_edge(model: Model) -> tuple[Callable[[Array], Array], Indices]:
    """Of the beam: volumes of its elements for positions of its nodes, and the nodes of a lower edge."""
    body = model.flexibles[0].flexible
    assert isinstance(body, SoftBody)
    cells, rest = body.mesh.cells, body.mesh.points

    def volumes(position: Array) -> Array:
        a, b, c, d = (position[cells[:, k]] for k in range(4))
        return np.asarray(np.einsum("ci,ci->c", np.cross(b - a, c - a), d - a) / 6.0)

    edge = np.flatnonzero(np.all(np.isclose(rest[:, 1:], rest[:, 1:].min(axis=0)), axis=1))
    return volumes, edge[np.argsort(rest[edge, 0])]
