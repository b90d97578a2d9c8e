"""Random contact problems with a solution, for the tests of the first-order solvers."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from signorini.math.sparse import Array
from signorini.problem.cones import Cones
from signorini.problem.contact_problem import ContactProblem

BODY = 6


def random_mass(rng: np.random.Generator, bodies: int) -> sp.csr_array:
    """One dense positive definite block per body."""
    blocks = []
    for _ in range(bodies):
        root = rng.normal(size=(BODY, BODY))
        blocks.append(root @ root.T + np.eye(BODY))
    return sp.csr_array(sp.block_diag(blocks))


def random_rows(rng: np.random.Generator, bodies: int, pairs: Array, dims: Array) -> sp.csr_array:
    """Rows of a Jacobian: each block touches the bodies of its pair, only the first when both are the same."""
    rows = np.zeros((int(dims.sum()), BODY * bodies))
    first = 0
    for (a, b), d in zip(pairs, dims, strict=True):
        for body in {int(a), int(b)}:
            rows[first : first + d, BODY * body : BODY * (body + 1)] = rng.normal(size=(d, BODY))
        first += d
    return sp.csr_array(rows)


def random_problem(
    seed: int,
    bodies: int = 6,
    contacts: int = 12,
    joints: int = 0,
    soft: bool = False,
    coupled: bool = False,
    dims: tuple[int, ...] = (1, 2, 3),
) -> ContactProblem:
    """Strictly feasible, so that a solution exists; mixed cones, friction 0 included; `coupled` makes H general."""
    rng = np.random.default_rng(seed)
    n = BODY * bodies
    size = rng.choice(dims, contacts)
    friction = np.where(rng.random(contacts) < 0.2, 0.0, rng.uniform(0.1, 1.0, contacts))
    cones = Cones(size, friction)
    H = random_mass(rng, bodies)
    if coupled:
        neighbour = sp.diags_array([-0.3, -0.3], offsets=[-BODY, BODY], shape=(n, n))
        H = sp.csr_array(H + neighbour + sp.eye_array(n))
    D = random_rows(rng, bodies, rng.integers(0, bodies, (contacts, 2)), size)
    C = random_rows(rng, bodies, rng.integers(0, bodies, (joints, 2)), np.ones(joints, dtype=int))
    inside = np.zeros(cones.rows)
    inside[cones.start[:-1]] = rng.uniform(0.1, 1.0, contacts)
    feasible = rng.normal(size=n)
    E = sp.diags_array(rng.uniform(0.0, 0.5, cones.rows)) if soft else None
    return ContactProblem(
        H=H, c=rng.normal(size=n) * 3, C=C, b_gamma=C @ feasible, D=D, b_lambda=D @ feasible - inside, cones=cones, E=E,
    )  # fmt: skip


def chain_of_bodies(contacts: int, seed: int = 0) -> ContactProblem:
    """A long chain of bodies, three contacts between neighbours: enough contacts for several groups of threads."""
    rng = np.random.default_rng(seed)
    bodies = contacts // 3 + 1
    k = np.arange(3 * (bodies - 1))
    pairs = np.stack((k // 3, k // 3 + 1), axis=1)[rng.permutation(len(k))]
    row = np.arange(3 * len(k)).reshape(-1, 3)[:, :, None]
    parts = []
    for side in (0, 1):
        column = BODY * pairs[:, side][:, None, None] + np.arange(BODY)[None, None, :]
        where = tuple(np.broadcast_arrays(row, column))
        values = rng.normal(size=where[0].shape)
        parts.append(
            sp.coo_array((values.ravel(), (where[0].ravel(), where[1].ravel())), shape=(row.size, BODY * bodies))
        )
    D = sp.csr_array(parts[0] + parts[1])
    n = BODY * bodies
    H = sp.diags_array(rng.uniform(0.5, 2.0, n))
    inside = np.zeros(row.size)
    inside[::3] = 0.1
    return ContactProblem(
        H=H,
        c=rng.normal(size=n),
        D=D,
        b_lambda=D @ rng.normal(size=n) - inside,
        cones=Cones.coulomb(np.full(len(k), 0.4)),
    )
