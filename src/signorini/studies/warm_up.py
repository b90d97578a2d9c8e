"""Small problems that make a solver compile its loops before its time is taken.

Solvers choose their loops by the structure of a problem: bodies of six velocities or not, velocities or impulses alone,
few unknowns or many. One problem of each kind is here.
"""

from __future__ import annotations

import sys

import numpy as np
import scipy.sparse as sp

from signorini.problem.cones import Cones
from signorini.problem.contact_problem import ContactProblem
from signorini.solvers import make_solver

RADIUS, STEP_OF_FALL, PUSH = 0.5, 1.0, 0.3
"""[m], [m/s], [m/s]."""
MANY = 200
"""Towers of a problem with many unknowns: sparse factors, more than one thread."""


def warm_up_problems() -> list[ContactProblem]:
    """One problem of each kind."""
    rigid = [ball_towers(1), ball_towers(MANY)]
    return [*rigid, *(dual_only(p) for p in rigid), ball_towers(1, body_size=3), ball_towers(MANY, body_size=3)]


def ball_towers(towers: int, body_size: int = 6) -> ContactProblem:
    """Towers of two balls each on the floor, the lower contact with mu 0.4, the upper one with mu 0.2, pushed aside.

    Parameters
    ----------
    body_size
        Velocities of a ball: 6, or 3 for a ball that cannot turn.
    """
    frame = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    turn = RADIUS * np.array([[0.0, 0.0, 0.0], [0.0, -1.0, 0.0], [1.0, 0.0, 0.0]])
    foot = np.hstack([frame, turn])[:, :body_size]
    head = np.hstack([-frame, turn])[:, :body_size]
    D = np.block([[foot, np.zeros((3, body_size))], [head, foot]])
    mass = np.array([1.0, 1.0, 1.0, 0.1, 0.1, 0.1])[:body_size]
    fall = -np.array([-PUSH, 0.0, -STEP_OF_FALL, 0.0, 0.0, 0.0])[:body_size]
    return ContactProblem(
        H=sp.diags_array(np.tile(mass, 2 * towers)),
        c=np.tile(fall, 2 * towers),
        D=sp.kron(sp.eye_array(towers), D),
        cones=Cones.coulomb(np.tile([0.4, 0.2], towers)),
        name=f"{towers} towers of two balls",
    )


def dual_only(problem: ContactProblem) -> ContactProblem:
    """The same problem in impulses alone."""
    return ContactProblem.from_delassus(problem.N, problem.r, problem.cones, name=f"{problem.name}, dual")


if __name__ == "__main__":
    # The small one first: its compiled loop takes longest.
    solver = make_solver(sys.argv[1])
    for problem in (ball_towers(1), ball_towers(MANY)):
        solver.solve(problem)
