"""Brakes, clutches, limited motors: impulses in intervals."""

from __future__ import annotations

import math

import numpy as np

from signorini.problem.cones import Cones
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.library.known import STEP, KnownProblem, contradictory, known
from signorini.problem.library.one_body import FALL

INERTIA = 0.5
"""Of flywheels [kg m2]."""


def flywheel(
    speed: float = 3.0, torque: float = 2.0, limit: float = 20.0, compliance: float = 0.0, name: str = "flywheel"
) -> KnownProblem:
    """A flywheel J at speed w0, driven by a torque T, with a brake of at most `limit` L [N m].

    Free speed `w = w0 + h T/J`. One row with `N = 1/J + e`, so `lambda` is `-w/N` clamped to `[-h L, h L]`, and the
    new speed `w + lambda/J`. Rigid (e = 0) the brake **sticks** if `J |w| <= h L`: the wheel stands still, exactly.
    Otherwise it **slips** and takes `h L` of the momentum.
    """
    free = speed + STEP * torque / INERTIA
    most = STEP * limit
    problem = ContactProblem(
        H=[[INERTIA]],
        c=[-INERTIA * free],
        D=[[1.0]],
        cones=Cones.intervals(-most, most),
        E=[[compliance]] if compliance else None,
        name=name,
    )
    impulse = min(max(-free / (1.0 / INERTIA + compliance), -most), most)
    return known(problem, np.array([free + impulse / INERTIA]), np.array([impulse]))


def two_brakes(speed: float, name: str) -> KnownProblem:
    """Two brakes of 20 and 5 N m on one shaft, the second through a gear of ratio 2, so it acts with 10 N m.

    Together they can take `h (20 + 2 * 5)` of the momentum `J w`. If that is more than there is, the wheel stands
    still and the two share the impulse in any way; otherwise both are at their limits.
    """
    limits, gear = STEP * np.array([20.0, 5.0]), np.array([1.0, 2.0])
    problem = ContactProblem(
        H=[[INERTIA]], c=[-INERTIA * speed], D=gear[:, None], cones=Cones.intervals(-limits, limits), name=name
    )
    momentum, most = INERTIA * speed, float(gear @ limits)
    if momentum <= most:
        return known(problem, np.zeros(1), -limits * momentum / most, unique_contacts=False)
    return known(problem, np.array([(momentum - most) / INERTIA]), -limits)


def suction_cup(pull: float, upside_down: bool, name: str) -> KnownProblem:
    """A mass m held to a plate by a cup that pulls with at most 30 N and pushes without limit: one end is infinite.

    The force `pull` F acts away from the plate. If `F <= 30`, the mass stays and the cup gives `-h F`; otherwise it
    leaves with `h (F - 30)/m`. `upside_down` counts velocities the other way, which makes the lower end infinite.
    """
    mass, most = 2.0, 30.0
    sign = -1.0 if upside_down else 1.0
    ends = (-math.inf, STEP * most) if upside_down else (-STEP * most, math.inf)
    problem = ContactProblem(H=[[mass]], c=[-sign * STEP * pull], D=[[1.0]], cones=Cones.intervals(*ends), name=name)
    impulse = -min(pull, most) * STEP
    return known(problem, np.array([sign * (STEP * pull + impulse) / mass]), np.array([sign * impulse]))


def limited_motor(target: float, limit: float, name: str) -> KnownProblem:
    """A motor that drives a mass m, which falls at -g h, up at `target` V with a force of at most `limit` L.

    It needs `m (V + g h)`; with `h L` less than that the mass moves at `h L/m - g h`.
    """
    mass = 2.0
    most = STEP * limit
    problem = ContactProblem(
        H=[[mass]],
        c=[mass * FALL],
        D=[[1.0]],
        b_lambda=[target],
        cones=Cones.intervals(-most, most),
        name=name,
    )
    impulse = min(max(mass * (target + FALL), -most), most)
    return known(problem, np.array([impulse / mass - FALL]), np.array([impulse]))


def geared_flywheels(limit: float, name: str) -> KnownProblem:
    """Two flywheels geared 1 : 3 by a joint, `w_2 = 3 w_1`, that turn at 2 and 6 rad/s; the second has a brake of
    `limit` L.

    Seen from the first shaft the inertia is `J (1 + 9) = J'`, the momentum `J' w_1`, and the brake takes `3 h L` of it
    at most. The joint carries what the first wheel loses: row (-3, 1), `J (w_1 - 2) = -3 gamma`.
    """
    inertia, old = INERTIA, 2.0
    whole = 10.0 * inertia
    impulse = -min(whole * old / 3.0, STEP * limit)
    speed = old + 3.0 * impulse / whole
    problem = ContactProblem(
        H=inertia * np.eye(2),
        c=-inertia * old * np.array([1.0, 3.0]),
        C=[[-3.0, 1.0]],
        b_gamma=[0.0],
        D=[[0.0, 1.0]],
        cones=Cones.intervals(-STEP * limit, STEP * limit),
        name=name,
    )
    gamma = -inertia * (speed - old) / 3.0
    return known(problem, speed * np.array([1.0, 3.0]), np.array([impulse]), np.array([gamma]))


def slipping_motor(limit: float = 20.0) -> KnownProblem:
    """A joint turns a flywheel at 4 rad/s, whatever it costs, against a brake on the same shaft: the brake slips at
    `-h L`, and the joint carries `J (4 - 1) + h L` from a speed of 1 before.
    """
    most = STEP * limit
    problem = ContactProblem(
        H=[[INERTIA]],
        c=[-INERTIA],
        C=[[1.0]],
        b_gamma=[4.0],
        D=[[1.0]],
        cones=Cones.intervals(-most, most),
        name="motor against a brake",
    )
    return known(problem, np.array([4.0]), np.array([-most]), np.array([3.0 * INERTIA + most]))


def jammed_motor() -> KnownProblem:
    """The same against a brake without limit, which is a joint: two joints that want 4 and 0 rad/s."""
    return contradictory(
        ContactProblem(
            H=[[INERTIA]],
            c=[-INERTIA],
            C=[[1.0]],
            b_gamma=[4.0],
            D=[[1.0]],
            cones=Cones.intervals(-math.inf, math.inf),
            name="motor against a brake without limit",
        )
    )


def tied_masses(compliance: float = 0.0) -> KnownProblem:
    """Two masses m1, m2 tied together by an interval without ends, which is a joint: see `degenerate.bar_of_two`.

    With a compliance e of the tie, row (-1, 1): `lambda = -(v2 - v1) / (1/m1 + 1/m2 + e)`.
    """
    m1, m2, v1, v2 = 1.0, 3.0, 2.0, -1.0
    problem = ContactProblem(
        H=np.diag([m1, m2]),
        c=[-m1 * v1, -m2 * v2],
        D=[[-1.0, 1.0]],
        cones=Cones.intervals(-math.inf, math.inf),
        E=[[compliance]] if compliance else None,
        name="two masses tied by an interval without ends" + (", softly" if compliance else ""),
    )
    impulse = -(v2 - v1) / (1.0 / m1 + 1.0 / m2 + compliance)
    return known(problem, np.array([v1 - impulse / m1, v2 + impulse / m2]), np.array([impulse]))


def braked_slider(pull: float, name: str) -> KnownProblem:
    """A slider on the floor (mu 0.3) between a brake and the ground, pulled along x at `pull` V: a contact and an
    interval that share their work.

    Axes of the contact are (z, x, y). Both act along x. The brake takes `h L = 0.5 m g h`, the friction
    `mu m g h` while v_z = 0. Held if `V <= (0.5 + mu) g h`; then the two share the impulse in any way. Otherwise the
    slider slides and, by the relaxation, lifts with `v_z = mu v_x`: with the momentum `P = m (V - 0.5 g h)` that the
    brake leaves over, `lambda_n = (m g h + mu P)/(1 + mu^2)` as for a block that slides.
    """
    mass, mu = 2.0, 0.3
    most = 0.5 * mass * FALL
    problem = ContactProblem(
        H=mass * np.eye(3),
        c=-mass * np.array([pull, 0.0, -FALL]),
        D=[[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]],
        cones=Cones.join(Cones.coulomb(mu), Cones.intervals(-most, most)),
        name=name,
    )
    if pull <= (0.5 + mu) * FALL:
        share = mass * pull / (0.5 + mu)
        impulse = np.array([mass * FALL, -mu * share, 0.0, -0.5 * share])
        return known(problem, np.zeros(3), impulse, unique_contacts=False)
    left = mass * pull - most
    normal = (mass * FALL + mu * left) / (1.0 + mu * mu)
    velocity = np.array([(left - mu * normal) / mass, 0.0, normal / mass - FALL])
    return known(problem, velocity, np.array([normal, -mu * normal, 0.0, -most]))
