"""Edges: nothing to do, contradictions, limits, extreme units, friction and masses."""

from __future__ import annotations

import time

import numpy as np
import pytest
import scipy.sparse as sp

from signorini.problem.cones import Cones
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.library import KnownProblem, library
from signorini.problem.solution import Solution, Status
from signorini.solvers.interior_point import InteriorPoint

from ..first_order_problems import random_problem
from .problems import changed, dual, opposed, repeated, stack

GENERAL = InteriorPoint(linear="dense")
"""The general loop: the compiled one takes no named back end."""
LOOPS = {"compiled": InteriorPoint(), "general": GENERAL}
both_loops = pytest.mark.parametrize("loop", LOOPS)


def solved(solution: Solution) -> Solution:
    assert solution.status is Status.SOLVED, f"{solution!r}: {solution.status.value}"
    return solution


# --- nothing to do ------------------------------------------------------------------------------------------


def test_no_contacts() -> None:
    solution = solved(InteriorPoint().solve(ContactProblem(H=2 * np.eye(3), c=[2.0, 0.0, -4.0])))
    np.testing.assert_allclose(solution.velocity, [-1.0, 0.0, 2.0], atol=1e-14)
    assert solution.iterations == 1


def test_no_unknowns() -> None:
    solved(InteriorPoint().solve(ContactProblem()))


def test_joints_without_velocities() -> None:
    solution = InteriorPoint().solve(ContactProblem(b_gamma=[1.0]))
    assert not solution.status.ok
    assert solution.joint_impulse.shape == (1,)
    solved(InteriorPoint().solve(ContactProblem(b_gamma=[0.0])))


@both_loops
@pytest.mark.parametrize("mass", [1e-12, 1.0, 1e12])
def test_nothing_pushes(loop: str, mass: float) -> None:
    problem = ContactProblem(H=mass * np.eye(3), c=np.zeros(3), D=np.eye(3), cones=Cones.coulomb([0.3]))
    solution = solved(LOOPS[loop].solve(problem))
    assert np.abs(solution.velocity).max() < 1e-8


@both_loops
@pytest.mark.parametrize(("b", "status"), [(-1.0, Status.SOLVED), (0.0, Status.SOLVED), (1.0, Status.INFEASIBLE)])
def test_contact_between_fixed_bodies(loop: str, b: float, status: Status) -> None:
    """Rows of zeros in D: harmless if apart, a contradiction if they overlap."""
    D = np.vstack([np.eye(3), np.zeros((3, 3))])
    beside = ContactProblem(
        H=np.eye(3), c=[9.0, 1.0, 0.0], D=D, b_lambda=[0, 0, 0, b, 0, 0], cones=Cones.coulomb([0.3] * 2)
    )
    alone = ContactProblem(H=np.eye(3), c=[9.0, 1.0, 0.0], D=D[3:], b_lambda=[b, 0, 0], cones=Cones.coulomb([0.3]))
    for problem in (beside, alone):
        assert LOOPS[loop].solve(problem).status is status


@both_loops
def test_cone_without_friction(loop: str) -> None:
    problem = ContactProblem(H=np.eye(3), c=[9.0, 1.0, -2.0], D=np.eye(3), cones=Cones.coulomb([0.0]))
    solution = solved(LOOPS[loop].solve(problem))
    np.testing.assert_allclose(solution.contact_impulse, [9.0, 0.0, 0.0], atol=1e-7)
    only_tangent = solved(LOOPS[loop].solve(changed(problem, c=[0.0, 1.0, 0.0])))
    np.testing.assert_allclose(only_tangent.velocity, [0.0, -1.0, 0.0], atol=1e-7)


# --- contradictions -----------------------------------------------------------------------------------------


@both_loops
@pytest.mark.parametrize("case", [k for k in library() if not k.feasible], ids=lambda k: k.name)
def test_contradictions_of_the_library(loop: str, case: KnownProblem) -> None:
    solution = LOOPS[loop].solve(case.problem)
    assert solution.status is Status.INFEASIBLE
    assert solution.iterations <= 15


@both_loops
@pytest.mark.parametrize("seed", range(4))
def test_contradictory_contacts(loop: str, seed: int) -> None:
    problem = opposed(random_problem(seed, bodies=4, contacts=10), 1.0)
    for p in (problem, dual(problem)):
        solution = LOOPS[loop].solve(p)
        assert solution.status is Status.INFEASIBLE
        assert solution.certificate.error > 1e-3
        assert np.all(np.isfinite(solution.contact_impulse))


@both_loops
@pytest.mark.parametrize("apart", [1e-1, 1e-2, 1e-3])
def test_small_contradictions(loop: str, apart: float) -> None:
    """Impulses grow slowly there: the steps are the proof."""
    problem = opposed(random_problem(0, bodies=4, contacts=10), apart)
    solution = LOOPS[loop].solve(problem)
    assert solution.status is Status.INFEASIBLE
    assert solution.iterations <= 15


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("contacts", [True, False])
def test_contradictory_joints(seed: int, contacts: bool) -> None:
    """Even a loose tolerance does not accept them, and their multipliers stay of the size of the others."""
    base = random_problem(seed, bodies=4, contacts=10, joints=2)
    C, b = sp.vstack([base.C] * 3), np.concatenate([base.b_gamma, base.b_gamma, base.b_gamma + 0.1])
    problem = changed(base, C=C, b_gamma=b)
    if not contacts:
        problem = changed(problem, D=None, b_lambda=None, cones=None, E=None)
    solution = InteriorPoint(tolerance=1e-4).solve(problem)
    assert solution.status is Status.INFEASIBLE
    assert np.abs(solution.joint_impulse).max() < 1e3


@pytest.mark.parametrize("contacts", [True, False])
def test_redundant_joints(contacts: bool) -> None:
    base = random_problem(1, bodies=4, contacts=10, joints=2)
    problem = changed(base, C=sp.vstack([base.C] * 3), b_gamma=np.tile(base.b_gamma, 3))
    if not contacts:
        nothing = {"D": None, "b_lambda": None, "cones": None, "E": None}
        problem, base = changed(problem, **nothing), changed(base, **nothing)
    expected = solved(InteriorPoint().solve(base))
    np.testing.assert_allclose(solved(InteriorPoint().solve(problem)).velocity, expected.velocity, atol=1e-7)


def test_long_chain_of_nearly_redundant_joints() -> None:
    """The eigenvalues of C H^-1 C' go down to those of the proximal term: more solves, the same answer."""
    n = 4000
    C = sp.diags_array([-np.ones(n - 1), np.ones(n - 1)], offsets=[0, 1], shape=(n - 1, n))
    mass = np.ones(n)
    mass[-1] = 1e4
    velocity = np.random.default_rng(0).normal(size=n)
    problem = ContactProblem(H=sp.diags_array(mass), c=-mass * velocity, C=C, b_gamma=np.zeros(n - 1))
    solution = solved(InteriorPoint(tolerance=1e-10).solve(problem))
    np.testing.assert_allclose(solution.velocity, mass @ velocity / mass.sum(), atol=1e-8)


@both_loops
@pytest.mark.parametrize("penetration", [0.0, 0.01])
@pytest.mark.parametrize("ratio", [1e3, 1e6])
def test_heavy_on_light(loop: str, ratio: float, penetration: float) -> None:
    for problem in (stack(ratio, penetration), dual(stack(ratio, penetration))):
        solution = solved(LOOPS[loop].solve(problem))
        expected = np.array(
            [(1.0 + ratio) * 0.0981 + penetration * (1.0 + 2.0 * ratio), ratio * (0.0981 + 2 * penetration)]
        )
        np.testing.assert_allclose(solution.contact_impulse[::3], expected, rtol=1e-6)


@pytest.mark.parametrize("penetration", [0.0, 0.01])
@pytest.mark.parametrize("ratio", [1e9, 1e12, 1e15])
def test_extreme_ratios_are_not_called_contradictions(ratio: float, penetration: float) -> None:
    """N keeps a share 1/ratio of what it needs: with velocities the problem is solved, without them nobody can."""
    solution = solved(InteriorPoint().solve(stack(ratio, penetration)))
    np.testing.assert_allclose(solution.velocity[::3], [penetration, 2 * penetration], atol=1e-9)
    np.testing.assert_allclose(solution.contact_impulse[3], ratio * (0.0981 + 2 * penetration), rtol=1e-9)
    if ratio < 1e14:  # above, N as a matrix of doubles is that of a contradiction
        assert GENERAL.solve(dual(stack(ratio, penetration))).status is not Status.INFEASIBLE


@pytest.mark.parametrize("ratio", [1e3, 1e15])
def test_light_on_heavy(ratio: float) -> None:
    solution = solved(InteriorPoint().solve(stack(1.0 / ratio)))
    np.testing.assert_allclose(solution.contact_impulse[3], 0.0981 / ratio, rtol=1e-6)


# --- limits -------------------------------------------------------------------------------------------------


@both_loops
@pytest.mark.parametrize("most", [1, 2, 5])
def test_iteration_limit(loop: str, most: int) -> None:
    problem = random_problem(0)
    solver = InteriorPoint(max_iterations=most, linear=LOOPS[loop].linear)
    solution = solver.solve(problem)
    assert solution.status is Status.ITERATION_LIMIT
    assert solution.iterations == most
    assert solution.history.iteration.tolist() == list(range(most + 1))
    best = solution.history.residual.min()
    assert solution.certificate.error <= 10 * best, "the best iterate is returned"


@both_loops
def test_time_budget(loop: str) -> None:
    problem = random_problem(0)
    LOOPS[loop].solve(problem)
    solver = InteriorPoint(time_budget=1e-9, linear=LOOPS[loop].linear)
    solution = solver.solve(problem)
    assert solution.status is Status.TIME_LIMIT
    assert solution.iterations <= 1
    assert np.all(np.isfinite(solution.contact_impulse))
    begin = time.perf_counter()
    enough = InteriorPoint(time_budget=60.0, linear=LOOPS[loop].linear).solve(problem)
    assert solved(enough).seconds <= time.perf_counter() - begin
    np.testing.assert_allclose(enough.contact_impulse, LOOPS[loop].solve(problem).contact_impulse, atol=1e-12)


@both_loops
def test_any_iteration_limit_is_accepted(loop: str) -> None:
    solver = InteriorPoint(max_iterations=10**12, linear=LOOPS[loop].linear)
    solved(solver.solve(random_problem(0)))


@both_loops
def test_unreachable_tolerance_stops_with_the_best_iterate(loop: str) -> None:
    solver = InteriorPoint(tolerance=1e-30, max_iterations=60, linear=LOOPS[loop].linear)
    solution = solver.solve(random_problem(3))
    assert solution.status in (Status.STALLED, Status.ITERATION_LIMIT)
    assert solution.certificate.error < 1e-9
    assert solution.certificate.error <= 100 * solution.history.residual.min() + 1e-14


# --- units, friction, multiplicity --------------------------------------------------------------------------


@both_loops
@pytest.mark.parametrize("joints", [0, 2])
@pytest.mark.parametrize(
    ("mass", "speed", "lever"), [(1e-12, 1e12, 1.0), (1e12, 1e-12, 1.0), (1e12, 1e12, 1.0), (1, 1, 1e12), (1, 1, 1e-12)]
)
def test_units(loop: str, joints: int, mass: float, speed: float, lever: float) -> None:
    p = random_problem(1, bodies=4, contacts=10, joints=joints)
    expected = solved(LOOPS[loop].solve(p))
    other = changed(
        p,
        H=p.H * mass,
        c=p.c * (mass * speed),
        b_gamma=p.b_gamma * speed,
        D=p.D * lever,
        b_lambda=p.b_lambda * (speed * lever),
    )
    found = solved(LOOPS[loop].solve(other))
    assert abs(found.iterations - expected.iterations) <= 1
    np.testing.assert_allclose(found.velocity / speed, expected.velocity, atol=1e-7)


@both_loops
@pytest.mark.parametrize("mu", [1e-6, 1e-3, 10.0, 100.0])
def test_friction_tiny_and_huge(loop: str, mu: float) -> None:
    p = random_problem(2, bodies=4, contacts=10)
    problem = changed(p, cones=Cones(p.cones.dims, np.where(p.cones.friction > 0, mu, 0.0)))
    solution = solved(LOOPS[loop].solve(problem))
    assert solution.iterations <= 30
    if mu == 1e-6:
        smooth = solved(LOOPS[loop].solve(changed(p, cones=Cones(p.cones.dims, np.zeros(p.contacts)))))
        np.testing.assert_allclose(solution.velocity, smooth.velocity, atol=1e-4)


@pytest.mark.parametrize("seed", range(3))
def test_one_contact_fifty_times(seed: int) -> None:
    problem = random_problem(seed, bodies=4, contacts=10, joints=seed)
    one, many = solved(InteriorPoint().solve(problem)), solved(InteriorPoint().solve(repeated(problem, 0, 50)))
    np.testing.assert_allclose(many.velocity, one.velocity, atol=1e-6)


def test_detail_names_the_back_end() -> None:
    small = InteriorPoint(system="condensed").solve(random_problem(5, bodies=8, coupled=True))
    assert "dense factorisation" in small.detail
    rigid = InteriorPoint(system="condensed").solve(random_problem(0))
    assert "block factorisation" in rigid.detail
    large = InteriorPoint().solve(random_problem(0, bodies=30, contacts=60))
    assert "auto" not in large.detail
