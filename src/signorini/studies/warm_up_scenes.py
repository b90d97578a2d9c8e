"""Compilation ahead of time: the first steps of scenes, and every solver on small problems."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from time import perf_counter

from signorini.kernels.watch import compilations
from signorini.problem.errors import SignoriniError
from signorini.scenes import SCENES, find_scene
from signorini.solvers import OUTER, SOLVERS, make_solver
from signorini.studies.scene_run import Order, prepare
from signorini.studies.warm_up import warm_up_problems

STEPS = 3
"""The first step finds contacts, the next ones go on with them."""


@dataclass(frozen=True)
class Warmed:
    """What one scene or solver cost."""

    name: str
    compiled: int
    """Functions that were not on disk yet."""
    seconds: float
    refused: str
    """Why it could not be run; empty where it could."""


def tasks(scenes: Sequence[str]) -> Mapping[str, Callable[[], None]]:
    """Name -> what is to be done: the scenes that are named, or all scenes and all solvers."""
    for scene in scenes:
        find_scene(scene)
    solvers = () if scenes else (*SOLVERS, *OUTER)
    steps = {scene: partial(_take_steps, scene) for scene in scenes or SCENES}
    return steps | {f"solver {name}": partial(_solve_problems, name) for name in solvers}


def warm(name: str, task: Callable[[], None], tell: Callable[[str], None]) -> Warmed:
    """Do one task; `tell` hears what is being compiled."""
    heard: list[str] = []

    def listen(function: str) -> None:
        heard.append(function)
        tell(function)

    start, refused = perf_counter(), ""
    with compilations(listen), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            task()
        except SignoriniError as error:
            refused = str(error)
    return Warmed(name, len(heard), perf_counter() - start, refused)


def _take_steps(scene: str) -> None:
    simulation = prepare(Order(scene=scene)).simulation
    for _ in range(STEPS):
        simulation.advance()


def _solve_problems(name: str) -> None:
    solver = make_solver(name)
    for problem in warm_up_problems():
        solver.solve(problem)
