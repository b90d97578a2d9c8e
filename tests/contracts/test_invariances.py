"""Random problems: velocities depend on no frame, unit or order of the contacts, nor on a contact listed twice."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from signorini.problem.cones import Cones
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.solution import Solution
from signorini.solvers import make_solver

SEEDS = st.integers(0, 10_000)
every_solver = pytest.mark.parametrize("name", ["interior-point", "projected-sor", "barzilai-borwein", "apgd"])
relaxed = settings(max_examples=8, deadline=None)


def random_problem(seed: int, bodies: int = 4, contacts: int = 6) -> ContactProblem:
    """Bodies of 6 velocities with random contacts between them or with the ground, pressed together; some joints."""
    rng = np.random.default_rng(seed)
    blocks = []
    for _ in range(bodies):
        turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        blocks += [rng.uniform(1.0, 5.0) * np.eye(3), turn @ np.diag(rng.uniform(0.5, 2.0, 3)) @ turn.T]
    H = sp.block_diag(blocks, format="csr")
    H = (H + H.T) * 0.5
    rows = []
    for _ in range(contacts):
        frame = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        row = np.zeros((3, 6 * bodies))
        first, second = rng.choice(bodies + 1, 2, replace=False)
        for body, sign in ((first, 1.0), (second, -1.0)):
            if body < bodies:
                row[:, 6 * body : 6 * body + 6] = sign * frame @ np.hstack([np.eye(3), rng.normal(size=(3, 3))])
        rows.append(row)
    # Feasible by construction: b is below the slip of some velocity v0 whose slip lies in K*.
    D, v0 = np.vstack(rows), rng.normal(size=6 * bodies)
    mu = rng.uniform(0.1, 0.8, contacts)
    slip = rng.normal(size=(contacts, 3))
    slip[:, 0] = mu * np.linalg.norm(slip[:, 1:], axis=1) + rng.uniform(0.0, 0.5, contacts)
    C = rng.normal(size=(2, 6 * bodies)) if seed % 2 else np.zeros((0, 6 * bodies))
    return ContactProblem(
        H=H, c=rng.normal(size=6 * bodies), C=C, b_gamma=C @ v0, D=D, b_lambda=D @ v0 - slip.reshape(-1),
        cones=Cones.coulomb(mu),
    )  # fmt: skip


def changed(p: ContactProblem, **parts: object) -> ContactProblem:
    old = {"H": p.H, "c": p.c, "C": p.C, "b_gamma": p.b_gamma, "D": p.D, "b_lambda": p.b_lambda, "cones": p.cones}
    return ContactProblem(**old | parts)


def answer(name: str, problem: ContactProblem) -> Solution:
    solution = make_solver(name, tolerance=1e-9).solve(problem)
    assert solution.status.ok, f"{solution!r}: {solution.status.value}"
    return solution


def assert_same(found: np.ndarray, expected: np.ndarray) -> None:
    np.testing.assert_allclose(found, expected, rtol=0, atol=2e-6 * np.abs(expected).max())


@every_solver
@given(seed=SEEDS)
@relaxed
def test_rotation_of_tangent_frames(name: str, seed: int) -> None:
    problem = random_problem(seed)
    rng = np.random.default_rng(seed + 1)
    turns = []
    for angle in rng.uniform(0.0, 6.3, problem.contacts):
        c, s = np.cos(angle), np.sin(angle)
        turns.append(np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]]))
    Q = sp.block_diag(turns, format="csr")
    turned = changed(problem, D=Q @ problem.D, b_lambda=Q @ problem.b_lambda)
    assert_same(answer(name, turned).velocity, answer(name, problem).velocity)


@every_solver
@given(seed=SEEDS, speed=st.floats(-3, 3), mass=st.floats(-3, 3))
@relaxed
def test_scaling_of_units(name: str, seed: int, speed: float, mass: float) -> None:
    problem = random_problem(seed)
    s, m = 10.0**speed, 10.0**mass
    other = changed(
        problem, H=problem.H * m, c=problem.c * (m * s), b_gamma=problem.b_gamma * s, b_lambda=problem.b_lambda * s
    )
    assert_same(answer(name, other).velocity / s, answer(name, problem).velocity)


@every_solver
@given(seed=SEEDS)
@relaxed
def test_permutation_of_contacts(name: str, seed: int) -> None:
    problem = random_problem(seed)
    order = np.random.default_rng(seed + 2).permutation(problem.contacts)
    rows = (3 * order[:, None] + np.arange(3)).reshape(-1)
    shuffled = changed(
        problem,
        D=problem.D[rows],
        b_lambda=problem.b_lambda[rows],
        cones=Cones(problem.cones.dims[order], problem.cones.friction[order]),
    )
    assert_same(answer(name, shuffled).velocity, answer(name, problem).velocity)


@every_solver
@given(seed=SEEDS, contact=st.integers(0, 5))
@relaxed
def test_contact_listed_twice(name: str, seed: int, contact: int) -> None:
    problem = random_problem(seed)
    rows = np.append(np.arange(problem.contact_rows), 3 * contact + np.arange(3))
    twice = changed(
        problem,
        D=problem.D[rows],
        b_lambda=problem.b_lambda[rows],
        cones=Cones.join(problem.cones, Cones.coulomb(problem.cones.friction[contact])),
    )
    one, two = answer(name, problem), answer(name, twice)
    assert_same(two.velocity, one.velocity)
    merged = two.contact_impulse[: problem.contact_rows].copy()
    merged[3 * contact : 3 * contact + 3] += two.contact_impulse[problem.contact_rows :]
    # Without active contacts both sides are the round-off of H v + c: the momenta are the scale.
    impulse, momentum = problem.D.T @ merged + problem.C.T @ two.joint_impulse, problem.H @ one.velocity
    assert_same(impulse - problem.c, momentum)
