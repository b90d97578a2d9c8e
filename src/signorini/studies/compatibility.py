"""What works with what: each solver with each integrator, with redundant joints, finite elements and hard contact.

The cells of the table 'Time-integration & solvers cheat-sheet' of [ChronoSlides003], each a small problem that is run.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from time import perf_counter
from typing import Any

import numpy as np

from signorini.fe.materials.elastic import Elastic
from signorini.fe.mesh import Mesh
from signorini.fe.soft_body import SoftBody
from signorini.math.sparse import Array
from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.sphere import Sphere
from signorini.problem.errors import MissingExtraError, SignoriniError
from signorini.simulation.simulation import Simulation
from signorini.solvers import make_solver

LINEAR = ("minres", "pardiso", "mumps", "superlu", "dense", "linear")
FIRST_ORDER = ("projected-sor", "projected-jacobi", "barzilai-borwein", "apgd")
INTERIOR = ("interior-point", "primal-dual-barrier")
SOLVERS = (*FIRST_ORDER, *LINEAR, *INTERIOR)
INTEGRATORS = ("hht", "newmark", "trapezoidal", "implicit-euler", "dvi")
H, FE_H = 0.005, 0.002
STEPS = 2
SAME = 1e-6
"""Positions that agree to this, relative to the size of the motion, are the same."""
SWEEPS = 20000
"""Most iterations of first-order solvers, per solve."""


def rod(twice: bool = False) -> Model:
    """A rod at 45 degrees on a hinge; `twice`: the hinge is there two times, five rows too many."""
    model = Model()
    half = math.pi / 8
    place = (0.5 / math.sqrt(2), 0, -0.5 / math.sqrt(2))
    turn = (math.cos(half), 0, math.sin(half), 0)
    model.add_body(Box((1, 0.05, 0.05)), mass=1.0, position=place, orientation=turn, name="rod")
    for name in ("hinge", "again")[: 1 + twice]:
        model.add_revolute(None, "rod", (0, 0, 0), (0, 1, 0), name=name)
    return model


def beam(twice: bool = False) -> Model:
    """A soft block clamped at one end with a ball glued to the other; `twice`: its tip is held in place two times."""
    model = Model()
    soft = SoftBody(Mesh.box((0.4, 0.1, 0.1), (3, 1, 1), "hexahedron"), Elastic(young=2e6, poisson=0.3, density=1e3))
    model.add_flexible(soft, name="beam")
    rest = model.flexibles[0].position
    left, right = rest[:, 0].min() + 1e-9, rest[:, 0].max() - 1e-9
    model.hold_nodes("beam", np.flatnonzero(rest[:, 0] < left))
    tip = np.flatnonzero(rest[:, 0] > right)
    place = np.add(rest[tip].mean(axis=0), (0.02, 0, 0))
    model.add_body(Sphere(0.02), mass=0.05, position=place, mask=0, name="ball")
    model.attach_nodes("beam", tip, "ball", name="glue")
    if twice:
        model.attach_nodes("beam", tip[:1], "ball", name="again")
    return model


def ball_on_floor() -> Model:
    """A ball that rests on the floor."""
    model = Model()
    model.add_fixed_body(HalfSpace((0, 0, 1)), name="floor")
    model.add_body(Sphere(0.1), mass=1.0, position=(0, 0, 0.1), velocity=(0.5, 0, 0), name="ball")
    return model


def block_on_floor() -> Model:
    """A soft block just above the floor."""
    model = Model()
    model.add_fixed_body(HalfSpace((0, 0, 1)), name="floor")
    soft = SoftBody(Mesh.box((0.1, 0.1, 0.1), (1, 1, 1), "hexahedron"), Elastic(young=1e5, poisson=0.3, density=1e3))
    model.add_flexible(soft, position=(0, 0, 0.05), name="block")
    return model


PROBLEMS: dict[str, tuple[Callable[[], Model], float]] = {
    "joints": (rod, H),
    "redundant": (lambda: rod(True), H),
    "FE": (beam, FE_H),
    "FE, redundant": (lambda: beam(True), FE_H),
    "contact": (ball_on_floor, H),
    "FE, contact": (block_on_floor, FE_H),
}
"""Name of each problem -> its model and step [s]. Those with contact are for `dvi` alone."""
JOINTED = ("joints", "redundant", "FE", "FE, redundant")
TOUCHING = ("contact", "FE, contact")


@dataclass(frozen=True)
class Cell:
    """How a solver, an integrator and a problem got on."""

    verdict: str
    """`works`, `refused` (an error said why), `reported` (a status said so), `absent` (not installed) or `wrong`."""
    words: str = ""
    """What the error or the status said."""
    off: float = 0.0
    """From the motion by SuperLU (joints) or the interior point (contacts), relative to its size [-]."""
    iterations: int = 0
    """In all steps."""
    seconds: float = 0.0


def cell(solver: str, integrator: str, problem: str) -> Cell:
    """Run one cell."""
    begin = perf_counter()
    try:
        end, words, iterations = _run(_made(solver), integrator, problem)
    except MissingExtraError as error:
        return Cell("absent", str(error))
    except SignoriniError as error:
        return Cell("refused", str(error))
    seconds = perf_counter() - begin
    right, moved = _reference(integrator, problem)
    off = float(np.abs(end - right).max()) / moved
    verdict = "reported" if words else "works" if off <= SAME else "wrong"
    return Cell(verdict, words, off, iterations, seconds)


def _made(name: str) -> Any:
    """First-order solvers get the time that they need on these small problems."""
    return make_solver(name, tolerance=1e-9, max_iterations=SWEEPS) if name in FIRST_ORDER else name


def _run(solver: Any, integrator: str, problem: str) -> tuple[Array, str, int]:
    """Positions at the end, what a status complained of, iterations."""
    make, h = PROBLEMS[problem]
    contact: Any = {} if integrator == "dvi" else {"contact": "none"}
    simulation = Simulation(make(), step=h, integrator=integrator, solver=solver, **contact)
    words, iterations = "", 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the status says the same
        for _ in range(STEPS):
            step = simulation.advance()
            iterations += step.iterations
            words = words or ("" if step.status.ok else step.status.value)
    return _positions(simulation), words, iterations


@cache
def _reference(integrator: str, problem: str) -> tuple[Array, float]:
    make, _ = PROBLEMS[problem]
    solver = "interior-point" if problem in TOUCHING else "superlu"
    # Redundant joints move as the others do.
    end, words, _ = _run(solver, integrator, problem.replace(", redundant", "").replace("redundant", "joints"))
    assert not words, words
    moved = np.abs(end - _positions(Simulation(make())))
    return end, float(moved.max())


def _positions(simulation: Simulation) -> Array:
    state = simulation.state
    return np.concatenate((state.position.reshape(-1), state.node_position.reshape(-1)))
