"""Balls that roll and tops that spin against friction: impulses in rolling blocks."""

from __future__ import annotations

import numpy as np

from signorini.math.sparse import Array
from signorini.problem.cones import Cones
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.library.known import STEP, KnownProblem, known
from signorini.problem.library.one_body import FALL

MASS, RADIUS = 2.0, 0.1
INERTIA = 0.4 * MASS * RADIUS**2
ROWS = np.array(
    [
        [0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0, 0.0, -RADIUS, 0.0],
        [0.0, 1.0, 0.0, RADIUS, 0.0, 0.0],
        [0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
        [0.0, 0.0, 0.0, 1.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 0.0, 1.0, 0.0],
    ]
)
"""(normal z, tangents x and y, spin about z, roll about x and y) of the lowest point of a ball."""


def pushed_ball(force: float, rolling: float, speed: float, name: str, mu: float = 0.5) -> KnownProblem:
    """A solid ball that rolls along x at `speed` V, pushed by a force F at its centre, with rolling friction
    `rolling` d.

    Rolling without sliding, `v_x = R w`, the momentum about the contact is `L = m R V + J V/R + h F R` and the inertia
    `J' = J + m R^2`. The ball is **held** if `L <= d n` with n = m g h: v = 0, the tangent impulse takes the momentum
    along x, `-(m V + h F)`, and the roll the rest. Otherwise it **rolls**, the roll impulse is `-d n`, and by the
    relaxation it lifts with `v_z = d w`: `n = m (g h + d w)`, so `w = (L - d m g h)/(J' + m d^2)`.
    """
    omega = speed / RADIUS
    momentum = MASS * RADIUS * speed + INERTIA * omega + STEP * force * RADIUS
    weight = MASS * FALL
    whole = INERTIA + MASS * RADIUS**2
    new = max(0.0, (momentum - rolling * weight) / (whole + MASS * rolling**2))
    normal = weight + MASS * rolling * new
    tangent = MASS * (RADIUS * new - speed) - STEP * force
    roll = INERTIA * (new - omega) + RADIUS * tangent
    velocity = np.array([RADIUS * new, 0.0, rolling * new, 0.0, new, 0.0])
    impulse = np.array([normal, tangent, 0.0, 0.0, 0.0, roll])
    problem = ContactProblem(
        H=_ball(),
        c=-_ball() @ np.array([speed, 0.0, -FALL, 0.0, omega, 0.0]) - STEP * force * np.eye(6)[0],
        D=ROWS,
        cones=Cones.rolling_contacts(mu, rolling, 0.01),
        name=name,
    )
    return known(problem, velocity, impulse)


def spinning_ball(omega: float, spinning: float, name: str, compliance: float = 0.0) -> KnownProblem:
    """A ball on the floor that spins about the normal at `omega` w, with spinning friction `spinning` s.

    **Held** if `J w <= s m g h`. Otherwise the spin impulse is `-s n`, and by the relaxation the ball lifts with
    `v_z = s w'`: `n = m (g h + s w')`, `w' = (J w - s m g h)/(J + m s^2)`. A compliance e of the spin row alone holds
    with `lambda_s = -w/(1/J + e)`.
    """
    weight = MASS * FALL
    wanted = -omega / (1.0 / INERTIA + compliance)
    if abs(wanted) <= spinning * weight:
        velocity = np.array([0.0, 0.0, 0.0, 0.0, 0.0, omega + wanted / INERTIA])
        impulse = np.array([weight, 0.0, 0.0, wanted, 0.0, 0.0])
    else:
        if compliance:
            raise ValueError("a soft contact that slips has another answer than this")
        new = (INERTIA * omega - spinning * weight) / (INERTIA + MASS * spinning**2)
        normal = weight + MASS * spinning * new
        velocity = np.array([0.0, 0.0, spinning * new, 0.0, 0.0, new])
        impulse = np.array([normal, 0.0, 0.0, -spinning * normal, 0.0, 0.0])
    problem = ContactProblem(
        H=_ball(),
        c=-_ball() @ np.array([0.0, 0.0, -FALL, 0.0, 0.0, omega]),
        D=ROWS,
        cones=Cones.rolling_contacts(0.5, 0.01, spinning),
        E=np.diag([0.0, 0.0, 0.0, compliance, 0.0, 0.0]) if compliance else None,
        name=name,
    )
    return known(problem, velocity, impulse)


def turning_block(
    slips: tuple[float, float, float], coefficients: tuple[float, float, float], name: str
) -> KnownProblem:
    """A body whose six velocities are the rows of one contact, `D = 1` and `H = m`, which slides, spins and rolls.

    Made from its answer. `slips` are the lengths (a, b, c) of its slips in the directions (0.6, 0.8), 1, (0.8, -0.6);
    `coefficients` are (mu, spinning, rolling). Where there is a slip, the impulse opposes it at its limit; where there
    is none, it is half of that. The relaxation asks for `u_n = mu a + spinning b + rolling c`. Then the velocities are
    v = u, and those before the contact were `v - lambda/m`.
    """
    mass, normal = 3.0, 0.4
    directions = (np.array([0.6, 0.8]), np.array([1.0]), np.array([0.8, -0.6]))
    slip = np.concatenate([[np.dot(slips, coefficients)], *(a * e for a, e in zip(slips, directions, strict=True))])
    parts = zip(slips, coefficients, directions, strict=True)
    shares = [-mu * normal * (1.0 if a > 0 else 0.5) * e for a, mu, e in parts]
    impulse = np.concatenate([[normal], *shares])
    mu, spinning, rolling = coefficients
    problem = ContactProblem(
        H=mass * np.eye(6),
        c=impulse - mass * slip,
        D=np.eye(6),
        cones=Cones.rolling_contacts(mu, rolling, spinning),
        name=name,
    )
    return known(problem, slip, impulse)


def ball_on_axle(momentum: float, name: str) -> KnownProblem:
    """Contacts, joints and an interval together: a wheel on the floor that joints keep in the plane of x and z, with a
    brake of 0.02 N m s per step on its axle and a rolling friction of d = 0.05 m.

    It is set off with the angular `momentum` L about y and no speed. Rolling, `v_x = R w`, the momentum about the
    contact is L and the inertia `J' = J + m R^2`. The brake takes 0.02 of it, the floor `d n`. Held if
    `L <= 0.02 + d m g h`, where the two share in any way; otherwise `w = (L - 0.02 - d m g h)/(J' + m d^2)` as for
    `pushed_ball`.
    """
    brake, rolling, weight = 0.02, 0.05, MASS * FALL
    joints = np.eye(6)[[1, 3, 5]]
    problem = ContactProblem(
        H=_ball(),
        c=-momentum * np.eye(6)[4] + weight * np.eye(6)[2],
        C=joints,
        b_gamma=np.zeros(3),
        D=np.vstack([ROWS, np.eye(6)[4]]),
        cones=Cones.join(Cones.rolling_contacts(2.0, rolling, 0.01), Cones.intervals(-brake, brake)),
        name=name,
    )
    left = momentum - brake
    if left <= rolling * weight:
        share = momentum / (brake + rolling * weight)
        impulse = np.array([weight, 0.0, 0.0, 0.0, 0.0, -share * rolling * weight, -share * brake])
        return known(problem, np.zeros(6), impulse, np.zeros(3), unique_contacts=False, unique_joints=False)
    new = (left - rolling * weight) / (INERTIA + MASS * RADIUS**2 + MASS * rolling**2)
    normal = weight + MASS * rolling * new
    impulse = np.array([normal, MASS * RADIUS * new, 0.0, 0.0, 0.0, -rolling * normal, -brake])
    velocity = np.array([RADIUS * new, 0.0, rolling * new, 0.0, new, 0.0])
    return known(problem, velocity, impulse, np.zeros(3), unique_contacts=False, unique_joints=False)


def _ball() -> Array:
    return np.diag([MASS] * 3 + [INERTIA] * 3)
