"""Stacks, chains, a wedge that is pushed away, an elastic bar: bodies that act on one another."""

from __future__ import annotations

import math

import numpy as np

from signorini.problem.cones import Cones
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.library.known import KnownProblem, known
from signorini.problem.library.one_body import FALL, project


def stack(count: int = 4, ratio: float = 1.0, mu: float | None = 0.3, name: str = "") -> KnownProblem:
    """Masses on top of one another, each `ratio` times the one below, at rest on the floor: v = 0.

    Contact k, below mass k, carries the weight of all that is above it: `lambda_k = g h sum_{j >= k} m_j`.
    With one contact per mass D is square and regular, so the impulses are unique. `mu=None`: vertical motion only,
    half-lines.
    """
    mass = ratio ** np.arange(count, dtype=np.float64)
    dofs = 1 if mu is None else 3
    # Row k: velocity of mass k less that of mass k - 1.
    difference = np.eye(count) - np.eye(count, k=-1)
    problem = ContactProblem(
        H=np.diag(np.repeat(mass, dofs)),
        c=np.kron(mass * FALL, np.eye(dofs)[0]),
        D=np.kron(difference, np.eye(dofs)),
        cones=Cones.half_lines(count) if mu is None else Cones.coulomb(np.full(count, mu)),
        name=name or f"stack of {count}, mass ratio {ratio:g}, " + ("no friction" if mu is None else f"mu {mu:g}"),
    )
    carried = FALL * mass[::-1].cumsum()[::-1]
    return known(problem, np.zeros(problem.velocities), np.kron(carried, np.eye(dofs)[0]))


def chain(count: int = 5, lift: float = 0.0, sway: float = 0.2, name: str = "hanging chain") -> KnownProblem:
    """Point masses that hang below one another on vertical links, the first one pulled up at speed `lift` V.

    Link k keeps `v_k - v_(k-1) = 0` along z and the first `v_1 = V`, so all rise at V, and keep their sideways
    velocity `sway`. Mass k: `m_k (V + g h) = gamma_k - gamma_(k+1)`, so `gamma_k = (V + g h) sum_{j >= k} m_j`.
    """
    mass = 1.0 + 0.5 * np.arange(count)
    difference = np.eye(count) - np.eye(count, k=-1)
    problem = ContactProblem(
        H=np.diag(np.repeat(mass, 2)),
        c=np.kron(mass, [-sway, FALL]),
        C=np.kron(difference, [0.0, 1.0]),
        b_gamma=lift * np.eye(count)[0],
        name=name,
    )
    carried = (lift + FALL) * mass[::-1].cumsum()[::-1]
    return known(problem, np.tile(np.array([sway, lift]), count), None, carried)


def chain_on_ground(count: int = 4) -> KnownProblem:
    """A rigid vertical chain of masses that stands on the floor, mu = 0.3: v = 0.

    The contact below the lowest mass carries everything, `lambda_n = g h sum m_j`. Link k between mass k and
    k + 1 (upwards) is pressed by what is above it: `gamma_k = g h sum_{j > k} m_j`, for the row
    `v_(k+1) - v_k = 0`.
    """
    mass = 1.0 + np.arange(count, dtype=np.float64)
    up = np.eye(3)[0]
    links = np.eye(count)[1:] - np.eye(count)[:-1]
    problem = ContactProblem(
        H=np.diag(np.repeat(mass, 3)),
        c=np.kron(mass * FALL, up),
        C=np.kron(links, up),
        b_gamma=np.zeros(count - 1),
        D=np.kron(np.eye(count)[:1], np.eye(3)),
        cones=Cones.coulomb(0.3),
        name="rigid chain on the floor",
    )
    carried = FALL * mass[::-1].cumsum()[::-1]
    return known(problem, np.zeros(3 * count), carried[0] * up, carried[1:])


def sliding_wedge(angle: float = 0.5) -> KnownProblem:
    """A block (m) released on a wedge (M) that is free to slide on the floor, no friction; all in a plane.

    The classic accelerations, with normal force N on the incline: wedge backwards
    `A = m g sin a cos a / (M + m sin^2 a)`, `N = M A / sin a`, block `(N sin a / m, N cos a / m - g)`, and the floor
    carries `M g + N cos a`. One step from rest gives h times these. The incline's normal (on the block) is
    `(sin a, cos a)`.
    """
    m, M = 1.5, 4.0
    s, c = math.sin(angle), math.cos(angle)
    problem = ContactProblem(
        H=np.diag([M, M, m, m]),
        c=FALL * np.array([0.0, M, 0.0, m]),
        D=[[0.0, 1.0, 0.0, 0.0], [-s, -c, s, c]],
        cones=Cones.half_lines(2),
        name="block on a sliding wedge",
    )
    normal = m * M * FALL * c / (M + m * s * s)
    velocity = np.array([-normal * s / M, 0.0, normal * s / m, normal * c / m - FALL])
    return known(problem, velocity, np.array([M * FALL + normal * c, normal]))


def elastic_bar(nodes: int = 20, mu: float | None = None) -> KnownProblem:
    """A bar of unit springs k, clamped at one end and loaded by f at every node, whose tip meets the floor.

    H = k K with K = tridiag(-1, 2, -1) and 1 in the last corner, which is a general sparse matrix with the
    inverse `(K^-1)_ij = min(i, j)`, i = 1..n. The free velocity along the load is
    `w_i = -(f/k) (i n - i (i-1)/2)`, at the tip `-(f/k) n (n+1)/2`, and `N = n/k`. So half-line:
    `lambda = f (n+1)/2` and `v_i = w_i + i lambda/k`. With friction the same bar carries three directions, the load
    is (f, f_t): N = (n/k) I, `lambda = P_K(-r) k/n`, `v_i = w_i + i lambda/k` in each direction.
    """
    k, f = 50.0, 0.4
    dofs = 1 if mu is None else 3
    load = np.array([f, -2.0 * f, 0.5 * f])[:dofs]
    stiffness = 2.0 * np.eye(nodes) - np.eye(nodes, k=1) - np.eye(nodes, k=-1)
    stiffness[-1, -1] = 1.0
    tip = np.zeros((1, nodes))
    tip[0, -1] = 1.0
    problem = ContactProblem(
        H=k * np.kron(stiffness, np.eye(dofs)),
        c=np.kron(np.ones(nodes), load),
        D=np.kron(tip, np.eye(dofs)),
        cones=Cones.half_lines(1) if mu is None else Cones.coulomb(mu),
        name="elastic bar" + (", half-line" if mu is None else f", mu {mu:g}"),
    )
    i = np.arange(1.0, nodes + 1.0)
    free = -np.outer(i * nodes - i * (i - 1.0) / 2.0, load) / k
    impulse = project(-free[-1], 0.0 if mu is None else mu) * k / nodes
    velocity = free + np.outer(i, impulse) / k
    return known(problem, velocity.reshape(-1), impulse)
