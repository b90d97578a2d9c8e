"""Problems with nothing to do, with too much to do, and with too many ways to do it."""

from __future__ import annotations

import numpy as np

from signorini.problem.cones import Cones
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.library.known import KnownProblem, contradictory, known
from signorini.problem.library.one_body import FALL


def nothing() -> KnownProblem:
    """No bodies, no joints, no contacts: the answer is empty and the objective 0."""
    return known(ContactProblem(name="nothing at all"), np.zeros(0))


def free_bodies() -> KnownProblem:
    """Two masses in free flight: `v = -H^-1 c`, here with a coupled mass matrix [[2, 1], [1, 3]], inverse
    [[3, -1], [-1, 2]]/5; c = (-5, 5) gives v = (4, -3).
    """
    problem = ContactProblem(H=[[2.0, 1.0], [1.0, 3.0]], c=[-5.0, 5.0], name="free bodies")
    return known(problem, np.array([4.0, -3.0]))


def bar_of_two(redundant: int = 0) -> KnownProblem:
    """Two masses m1, m2 tied together, flying at different speeds: both take the mean velocity
    `w = (m1 v1 + m2 v2)/(m1 + m2)`, and the tie `v2 - v1 = 0` carries `gamma = -m1 (w - v1)`.

    `redundant` further copies of the tie share that impulse in any way; here evenly.
    """
    m1, m2, v1, v2 = 1.0, 3.0, 2.0, -1.0
    w = (m1 * v1 + m2 * v2) / (m1 + m2)
    copies = 1 + redundant
    problem = ContactProblem(
        H=np.diag([m1, m2]),
        c=[-m1 * v1, -m2 * v2],
        C=np.tile([-1.0, 1.0], (copies, 1)),
        b_gamma=np.zeros(copies),
        name="two masses tied" + (f" {copies} times" if redundant else ""),
    )
    gamma = np.full(copies, -m1 * (w - v1) / copies)
    return known(problem, np.array([w, w]), None, gamma, unique_joints=not redundant)


def redundant_tie_on_floor() -> KnownProblem:
    """Two equal masses, tied twice along z, the lower one on the floor: v = 0, `lambda = 2 m g h`, and the two ties
    carry `m g h` together.
    """
    m = 2.0
    problem = ContactProblem(
        H=m * np.eye(2),
        c=m * FALL * np.ones(2),
        C=[[-1.0, 1.0], [-2.0, 2.0]],
        b_gamma=[0.0, 0.0],
        D=[[1.0, 0.0]],
        cones=Cones.half_lines(1),
        name="two masses tied twice, on the floor",
    )
    # C' gamma = (-1, 1) (gamma_1 + 2 gamma_2) = m g h (-1, 1).
    gamma = m * FALL * np.array([0.2, 0.4])
    return known(problem, np.zeros(2), np.array([2.0 * m * FALL]), gamma, unique_joints=False)


def squeezed(frictional: bool = False) -> KnownProblem:
    """A mass between a floor that rises and a ceiling that descends, both at 1 m/s: `v >= 1` and `-v >= 1`
    contradict one another. Equal impulses from both sides, (1, 1), prove it: `D'lambda = 0`, `b'lambda = 2 > 0`.
    With friction the tangent rows are opposite too, and the same proof holds.
    """
    side = np.eye(3) if frictional else np.eye(1)
    b = np.eye(len(side))[0]
    problem = ContactProblem(
        H=2.0 * np.eye(len(side)),
        c=2.0 * FALL * b,
        D=np.vstack([side, -side]),
        b_lambda=np.concatenate([b, b]),
        cones=Cones.coulomb([0.3, 0.3]) if frictional else Cones.half_lines(2),
        name="squeezed mass, " + ("friction" if frictional else "no friction"),
    )
    return contradictory(problem)


def torn_joint() -> KnownProblem:
    """One velocity that two joints want to be 0 and 1."""
    return contradictory(
        ContactProblem(
            H=np.eye(2), c=[0.0, 1.0], C=[[1.0, 0.0], [1.0, 0.0]], b_gamma=[0.0, 1.0], name="contradictory joints"
        )
    )


def joint_into_floor() -> KnownProblem:
    """A motor drives a mass down at 1 m/s into a floor that stops it: `v = -1` and `v >= 0`."""
    return contradictory(
        ContactProblem(
            H=[[1.0]],
            c=[FALL],
            C=[[1.0]],
            b_gamma=[-1.0],
            D=[[1.0]],
            cones=Cones.half_lines(1),
            name="motor that drives a mass into the floor",
        )
    )
