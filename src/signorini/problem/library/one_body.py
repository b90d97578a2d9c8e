"""One ball, one block, one brick: contacts of a single body with the ground."""

from __future__ import annotations

import math

import numpy as np

from signorini.math.sparse import Array
from signorini.problem.cones import Cones
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.library.known import GRAVITY, STEP, KnownProblem, known

FALL = GRAVITY * STEP
"""What gravity adds to a free body's velocity in one step [m/s]."""


def project(point: Array, mu: float) -> Array:
    """Projection of (normal, tangents) on the Coulomb cone, written out once more for the closed forms below."""
    normal, tangent = float(point[0]), float(np.linalg.norm(point[1:]))
    if normal + mu * tangent <= 0.0:
        return np.zeros_like(point)
    if tangent <= mu * normal:
        return point.copy()
    length = (normal + mu * tangent) / (1.0 + mu * mu)
    return np.concatenate([[length], mu * length * point[1:] / tangent])


def ball(
    old_velocity: tuple[float, float, float] = (0.0, 0.0, 0.0),
    gap: float = 0.0,
    frictional: bool = True,
    name: str = "ball at rest",
) -> KnownProblem:
    """A ball over the floor that moves straight up or down, with 6 velocities.

    Its free normal velocity is `w = v_z - g h`. If `w >= -gap/h` the floor is not reached and lambda = 0. Otherwise
    the floor stops it at `v_z = -gap/h`, so `lambda_n = m (-gap/h - w)`. Nothing acts along the tangents.
    """
    mass, radius = 2.0, 0.1
    inertia = 0.4 * mass * radius**2
    H = np.diag([mass] * 3 + [inertia] * 3)
    old = np.array([*old_velocity, 0.0, 0.0, 0.0])
    if old[0] or old[1]:
        raise ValueError("this ball moves along the normal only; see `rolling_ball`")
    w = old[2] - FALL
    D = _ball_rows(radius)
    cones = Cones.coulomb(0.5) if frictional else Cones.half_lines(1)
    problem = ContactProblem(
        H=H,
        c=-(H @ old) + mass * FALL * np.eye(6)[2],
        D=D if frictional else D[:1],
        b_lambda=np.eye(cones.rows)[0] * (-gap / STEP),
        cones=cones,
        name=name,
    )
    normal = max(w, -gap / STEP)
    return known(problem, normal * np.eye(6)[2], np.eye(cones.rows)[0] * mass * (normal - w))


def rolling_ball(speed: float, mu: float, name: str) -> KnownProblem:
    """A ball set on the floor with `speed` V along x and no spin.

    A tangent impulse moves the contact point of a solid ball by `(1/m + R^2/I) lambda_t = 7/2 lambda_t / m`, and the
    normal does not couple. Free slip: (-g h, V). It rolls at once if `lambda_t = -2/7 m V` lies in the cone,
    `2/7 V <= mu g h`, with v_n = 0. Otherwise lambda is on the cone, `lambda_t = -mu lambda_n`, and the convex slip
    on the dual cone, `u_n = mu u_t`:
    `-g h + lambda_n/m = mu (V - 7/2 mu lambda_n/m)`, so `lambda_n = m (g h + mu V)/(1 + 7/2 mu^2)`.
    """
    mass, radius = 2.0, 0.1
    inertia = 0.4 * mass * radius**2
    H = np.diag([mass] * 3 + [inertia] * 3)
    old = speed * np.eye(6)[0]
    D = _ball_rows(radius)
    problem = ContactProblem(H=H, c=-(H @ old) + mass * FALL * np.eye(6)[2], D=D, cones=Cones.coulomb(mu), name=name)
    if speed * 2.0 / 7.0 <= mu * FALL:
        impulse = mass * np.array([FALL, -2.0 / 7.0 * speed, 0.0])
    else:
        normal = mass * (FALL + mu * speed) / (1.0 + 3.5 * mu * mu)
        impulse = np.array([normal, -mu * normal, 0.0])
    velocity = np.array(
        [speed + impulse[1] / mass, 0.0, impulse[0] / mass - FALL, 0.0, -radius * impulse[1] / inertia, 0.0]
    )
    return known(problem, velocity, impulse)


def _ball_rows(radius: float) -> Array:
    """Rows (z, x, y) of the contact point radius below the centre: v + omega x (-radius z)."""
    return np.array(
        [
            [0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0, 0.0, -radius, 0.0],
            [0.0, 1.0, 0.0, radius, 0.0, 0.0],
        ]
    )


def block(
    slide: float = 0.0,
    mu: float = 0.3,
    *,
    direction: float = 0.0,
    slope: float = 0.0,
    dimension: int = 3,
    compliance: float = 0.0,
    name: str = "block",
) -> KnownProblem:
    """A block without rotation on a slope, pushed along it at `slide` V in the direction (angle) given.

    In the axes of the contact (normal, tangents) the free velocity is
    `r = (-g h cos(slope), V e + g h sin(slope) e_x)`.
    H = m I and E = e I make `N = (1/m + e) I` a multiple of the identity, so the dual problem is a projection:
    `lambda = P_K(-r) / (1/m + e)`, then `v = r + lambda/m`.

    Rigid (e = 0) with tangent speed s and a = g h cos(slope), it **sticks** if `s <= mu a`: v = 0,
    `lambda = m (a, -s)`. Otherwise it **slides** with `v_t = (s - mu a)/(1 + mu^2)` and **lifts** by
    `v_n = mu v_t`: the price of the convex relaxation, a gap of h mu |v_t| per step.
    """
    mass = 3.0
    frame = _slope_frame(slope)[:dimension]
    free = -FALL * math.cos(slope) * np.eye(3)[0]
    free[1:] += slide * np.array([math.cos(direction), math.sin(direction)])
    free[1] += FALL * math.sin(slope)
    if dimension == 2:
        free[2] = 0.0
    r = free[:dimension]
    H = mass * np.eye(3)
    problem = ContactProblem(
        H=H,
        c=-mass * (_slope_frame(slope).T @ free),
        D=frame,
        cones=Cones.coulomb(mu, dimension),
        E=compliance * np.eye(dimension),
        name=name,
    )
    impulse = project(-r, mu) / (1.0 / mass + compliance)
    return known(problem, frame.T @ (r + impulse / mass), impulse)


def _slope_frame(slope: float) -> Array:
    """Rows normal, down the slope, across; z is up and the slope falls along x."""
    return np.array(
        [
            [math.sin(slope), 0.0, math.cos(slope)],
            [math.cos(slope), 0.0, -math.sin(slope)],
            [0.0, 1.0, 0.0],
        ]
    )


def block_on_rail(slide: float = 1.5, across: float = 0.7, mu: float = 0.4) -> KnownProblem:
    """A sliding block that a joint keeps from moving across: the joint takes the push `across`, friction the rest.

    While it slides the friction impulse is opposite to the slip, which is along x, so it has no part across:
    `gamma = -m across`, and along x the block is that of `block`.
    """
    mass = 3.0
    free = np.array([slide, across, -FALL])
    frame = _slope_frame(0.0)
    impulse = mass * project(-np.array([-FALL, slide, 0.0]), mu)
    problem = ContactProblem(
        H=mass * np.eye(3),
        c=-mass * free,
        C=[[0.0, 1.0, 0.0]],
        b_gamma=[0.0],
        D=frame,
        cones=Cones.coulomb(mu),
        name="sliding block on a rail",
    )
    velocity = np.array([slide + impulse[1] / mass, 0.0, impulse[0] / mass - FALL])
    return known(problem, velocity, impulse, np.array([-mass * across]))


def brick(mu: float = 0.5, *, frictional: bool = True, name: str = "brick on four points") -> KnownProblem:
    """A brick at rest on its four lower corners: v = 0.

    The corners carry `m g h` in all and no moment. Four normal impulses have three equations (two moments, one
    sum), so a quarter each is one answer of many; friction adds more.
    """
    mass, (a, b, c) = 6.0, (0.2, 0.1, 0.05)
    inertia = mass / 3.0 * np.array([b * b + c * c, a * a + c * c, a * a + b * b])
    H = np.diag([mass] * 3 + [*inertia])
    rows = [_point_rows(np.array([x, y, -c])) for x in (-a, a) for y in (-b, b)]
    D = np.vstack([r if frictional else r[:1] for r in rows])
    problem = ContactProblem(
        H=H,
        c=mass * FALL * np.eye(6)[2],
        D=D,
        cones=Cones.coulomb([mu] * 4) if frictional else Cones.half_lines(4),
        name=name,
    )
    impulse = np.zeros(problem.contact_rows)
    impulse[problem.cones.start[:-1]] = mass * FALL / 4.0
    return known(problem, np.zeros(6), impulse, unique_contacts=False)


def _point_rows(arm: Array) -> Array:
    """Rows (z, x, y) of the velocity `v + omega x arm` of a body's point."""
    x, y, z = arm
    turn = np.array([[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]])  # omega x arm = turn @ omega
    return np.hstack([np.eye(3), turn])[[2, 0, 1]]


def groove(half_angle: float = 0.6, mu: float = 0.0) -> KnownProblem:
    """A block resting in a symmetric V-groove whose sides' normals are `half_angle` a from the vertical: v = 0.

    Each side carries `lambda_n = m g h / (2 cos a)` without friction. With friction the sides may squeeze the block
    harder, so the impulses are not unique: two cones, six impulses, three equations.
    """
    mass = 2.0
    s, c = math.sin(half_angle), math.cos(half_angle)
    sides = [np.array([[sign * s, 0.0, c], [c, 0.0, -sign * s], [0.0, 1.0, 0.0]]) for sign in (1.0, -1.0)]
    frictional = mu > 0.0
    problem = ContactProblem(
        H=mass * np.eye(3),
        c=mass * FALL * np.eye(3)[2],
        D=np.vstack([side if frictional else side[:1] for side in sides]),
        cones=Cones.coulomb([mu, mu]) if frictional else Cones.half_lines(2),
        name="wedge in a groove, " + ("friction" if frictional else "no friction"),
    )
    impulse = np.zeros(problem.contact_rows)
    impulse[problem.cones.start[:-1]] = mass * FALL / (2.0 * c)
    return known(problem, np.zeros(3), impulse, unique_contacts=not frictional)
