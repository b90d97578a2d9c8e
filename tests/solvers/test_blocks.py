"""Intervals and rolling blocks among contacts and joints: random problems, solver against solver."""

from __future__ import annotations

import dataclasses
import math
from typing import Literal

import numpy as np
import pytest
import scipy.sparse as sp

from signorini.problem.cones import Cones
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.errors import SolverError
from signorini.problem.library.brakes import flywheel, slipping_motor
from signorini.problem.library.many_bodies import elastic_bar
from signorini.problem.solution import Solution, Status
from signorini.solvers import make_solver
from signorini.solvers.cone_newton.lifted_form import Ends, lifted_form
from signorini.solvers.interior_point import InteriorPoint

FIRST_ORDER = ["projected-sor", "projected-jacobi", "barzilai-borwein", "apgd"]


def random_problem(
    seed: int,
    *,
    brakes: int = 5,
    rolling: int = 4,
    compliance: float = 0.0,
    limit: float = 1.0,
    joints: int = 2,
    coupled: bool = False,
) -> ContactProblem:
    """Bodies of 6 velocities in random contacts of all kinds; feasible, because one velocity v0 meets all of them."""
    rng = np.random.default_rng(seed)
    bodies = 5
    n = 6 * bodies
    blocks = []
    for _ in range(bodies):
        turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        blocks += [rng.uniform(1.0, 5.0) * np.eye(3), turn @ np.diag(rng.uniform(0.5, 2.0, 3)) @ turn.T]
    H = sp.block_diag(blocks, format="csr")
    H = (H + H.T) * 0.5
    if coupled:
        H = H + sp.diags_array([-np.ones(n - 1), 2.5 * np.ones(n), -np.ones(n - 1)], offsets=[-1, 0, 1])

    def rows() -> np.ndarray:
        """(normal, tangents, spin, rolls) between two bodies, or one and the ground."""
        frame, made = np.linalg.qr(rng.normal(size=(3, 3)))[0], np.zeros((6, n))
        first, second = rng.choice(bodies + 1, 2, replace=False)
        for body, sign in ((first, 1.0), (second, -1.0)):
            if body < bodies:
                made[:3, 6 * body : 6 * body + 6] = sign * frame @ np.hstack([np.eye(3), rng.normal(size=(3, 3))])
                made[3:, 6 * body + 3 : 6 * body + 6] = sign * frame
        return made

    D, cones, slips = [], [], []
    for k in range(4 + rolling):
        mu, spin, roll = rng.uniform(0.1, 0.8), *(10.0 ** rng.uniform(-3, 0, 2))
        slip = rng.normal(size=6)
        slip[0] = mu * np.hypot(*slip[1:3]) + spin * abs(slip[3]) + roll * np.hypot(*slip[4:]) + rng.uniform(0, 0.5)
        size = 6 if k >= 4 else 3
        D.append(rows()[:size])
        slips.append(slip[:size])
        cones.append(Cones.rolling_contacts(mu, roll, spin) if size == 6 else Cones.coulomb(mu))
    for k in range(brakes):
        low, high = limit * np.array([-1.0, 1.0]) * 10.0 ** rng.uniform(-2, 1, 2)
        ends = [(low, high), (low, math.inf), (-math.inf, high), (-math.inf, math.inf), (0.0, high)][k % 5]
        D.append(rows()[[k % 6]])
        slips.append(np.zeros(1))
        cones.append(Cones.intervals(*ends))
    order = rng.permutation(len(D))
    v0, whole = rng.normal(size=n), np.vstack([D[k] for k in order])
    C = rng.normal(size=(joints, n))
    m = len(whole)
    return ContactProblem(
        H=H,
        c=3.0 * rng.normal(size=n),
        C=C,
        b_gamma=C @ v0,
        D=whole,
        b_lambda=whole @ v0 - np.concatenate([slips[k] for k in order]),
        cones=Cones.join(*(cones[k] for k in order)),
        E=sp.diags_array(compliance * rng.uniform(0.0, 1.0, m)) if compliance else None,
        name=f"random {seed}",
    )


def dual_only(p: ContactProblem) -> ContactProblem:
    return ContactProblem.from_delassus(p.N, p.r, p.cones)


CASES = {
    "plain": random_problem(0),
    "brakes alone": random_problem(1, rolling=0),
    "rolling alone": random_problem(2, brakes=0),
    "no joints": random_problem(3, joints=0),
    "compliant": random_problem(4, compliance=0.3),
    "narrow": random_problem(5, limit=1e-5),
    "wide": random_problem(6, limit=1e3),
    "out of reach": random_problem(7, limit=1e9),
    "coupled mass": random_problem(8, coupled=True),
    "coupled mass, compliant": random_problem(9, coupled=True, compliance=0.2),
    "dual only": dual_only(random_problem(10, joints=0)),
    "dual only, no free row": dual_only(random_problem(11, joints=0, brakes=3)),
}
by_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())


def solved(solution: Solution) -> Solution:
    assert solution.status is Status.SOLVED, f"{solution!r}: {solution.certificate.error}"
    return solution


@by_case
def test_interior_point_reaches_its_tolerance_in_few_iterations(case: ContactProblem) -> None:
    solution = solved(InteriorPoint(tolerance=1e-9).solve(case))
    assert solution.iterations <= 18
    assert solution.certificate.cone_violation <= 1e-7
    assert abs(solution.certificate.gap) <= 1e-6 * (1.0 + abs(solution.certificate.objective_dual))


@pytest.mark.slow
@by_case
@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("primal-dual-barrier", {"tolerance": 1e-8}),
        ("primal-dual-barrier", {"tolerance": 1e-8, "system": "kkt"}),
        ("primal-dual-barrier", {"tolerance": 1e-8, "linear": "cg", "cg_tolerance": 1e-10}),
        ("clarabel", {"tolerance": 1e-5, "form": "dual"}),
        ("clarabel", {"tolerance": 1e-5, "form": "primal"}),
        *((name, {"tolerance": 1e-8}) for name in FIRST_ORDER),
        ("interior-point", {"system": "augmented"}),
        ("interior-point", {"system": "unsymmetric", "linear": "superlu"}),
        ("interior-point", {"finish_below": 0.0, "step_rule": "split"}),
        ("interior-point", {"start": "nocedal"}),
    ],
    ids=str,
)
def test_all_solvers_agree(name: str, settings: dict[str, object], case: ContactProblem) -> None:
    if name == "clarabel":
        pytest.importorskip("clarabel")
        if case is CASES["out of reach"]:
            pytest.skip("Clarabel loses its digits beside ends of 1e9")
    one, two = solved(InteriorPoint().solve(case)), solved(make_solver(name, **settings).solve(case))
    # Impulses of redundant rows need not agree, velocities do; without velocities, slips.
    slip = [case.r + case.apply_N(s.contact_impulse) if case.is_dual_only else s.velocity for s in (one, two)]
    tolerance = 1e-4 if name == "clarabel" else 3e-6
    np.testing.assert_allclose(slip[1], slip[0], atol=tolerance * (1.0 + np.abs(slip[0]).max()))
    assert two.certificate.objective_dual == pytest.approx(
        one.certificate.objective_dual, abs=10 * tolerance * (1.0 + abs(one.certificate.objective_dual))
    )


@by_case
def test_warm_start_pays(case: ContactProblem) -> None:
    cold = solved(InteriorPoint().solve(case))
    again = solved(InteriorPoint().solve(case, cold))
    assert again.iterations <= 3
    near = ContactProblem(
        H=case.H if case.velocities else None, c=1.001 * case.c, C=case.C, b_gamma=case.b_gamma, D=case.D,
        b_lambda=case.b_lambda + 1e-3, cones=case.cones, E=case.E,
    )  # fmt: skip
    warm = solved(InteriorPoint().solve(near, cold))
    assert warm.iterations <= InteriorPoint().solve(near).iterations


@pytest.mark.parametrize("warm_start", ["full", "partial", "none"])
def test_other_warm_starts(warm_start: str) -> None:
    case = CASES["compliant"]
    solver = InteriorPoint(warm_start=warm_start)  # type: ignore[arg-type]
    solved(solver.solve(case, solver.solve(case)))


def test_flexible_body_with_a_brake() -> None:
    """A general H: the elastic bar of the library, its end braked; three solvers agree."""
    bar = elastic_bar(mu=0.5).problem
    row = np.zeros((1, bar.velocities))
    row[0, -1] = 1.0
    braked = ContactProblem(
        H=bar.H,
        c=bar.c,
        D=sp.vstack([bar.D, row]),
        b_lambda=np.append(bar.b_lambda, 0.0),
        cones=Cones.join(bar.cones, Cones.intervals(-1e-3, 1e-3)),
    )
    one = solved(InteriorPoint(tolerance=1e-10).solve(braked))
    assert abs(one.contact_impulse[-1]) == pytest.approx(1e-3), "it slips"
    for name in ("primal-dual-barrier", "apgd"):
        two = solved(make_solver(name, tolerance=1e-9).solve(braked))
        np.testing.assert_allclose(two.velocity, one.velocity, atol=1e-6 * np.abs(one.velocity).max())


# --- what is special about intervals --------------------------------------------------------------------------------


def test_brake_exactly_at_its_limit() -> None:
    """Momentum and limit are equal: neither stick nor slip is strict."""
    case = flywheel(speed=0.4, torque=0.0)
    solution = solved(InteriorPoint().solve(case.problem))
    np.testing.assert_allclose(solution.velocity, [0.0], atol=1e-8)


@pytest.mark.parametrize("name", ["interior-point", "primal-dual-barrier", "projected-sor", "apgd"])
def test_flywheel_stops_in_finite_time_and_stays(name: str) -> None:
    """J = 0.5 kg m2 at 3 rad/s, a brake of 20 N m: 0.4 rad/s per step, so seven steps slip, the eighth stops it. Then a
    torque of 19 N m does not move it, and one of 21 does.
    """
    solver, step, speed, speeds = make_solver(name, tolerance=1e-10), 0.01, 3.0, []
    for torque in [0.0] * 12 + [19.0] * 3 + [21.0] * 2:
        problem = ContactProblem(
            H=[[0.5]], c=[-0.5 * speed - step * torque], D=[[1.0]], cones=Cones.intervals(-step * 20.0, step * 20.0)
        )
        speed = float(solved(solver.solve(problem)).velocity[0])
        speeds.append(speed)
    np.testing.assert_allclose(speeds[:7], 3.0 - 0.4 * np.arange(1, 8), rtol=1e-8)
    np.testing.assert_allclose(speeds[7:15], 0.0, atol=1e-10)
    np.testing.assert_allclose(speeds[15:], [0.02, 0.04], rtol=1e-7)


def test_end_out_of_reach_that_is_reached_after_all() -> None:
    """A joint drives against a brake of 1e9 N m: it was left out as too far away, and comes back."""
    case = slipping_motor(limit=1e9)
    ends = Ends.near(case.problem)
    assert ends.low[0] == -math.inf
    assert ends.high[0] == math.inf
    solution = InteriorPoint().solve(case.problem)
    assert case.joint_impulse is not None
    assert case.contact_impulse is not None
    assert solution.status is Status.SOLVED
    np.testing.assert_allclose(solution.velocity, [4.0], rtol=1e-8)
    np.testing.assert_allclose(solution.contact_impulse, case.contact_impulse, rtol=1e-8)
    np.testing.assert_allclose(solution.joint_impulse, case.joint_impulse, rtol=1e-8)


def test_ends_that_impulses_overstep_come_back() -> None:
    problem = ContactProblem(H=np.eye(2), c=[-1.0, -1e12], D=np.eye(2), cones=Cones.intervals(-2e6, [2e6, math.inf]))
    ends = Ends(np.full(2, -math.inf), np.full(2, math.inf))

    def outcome(*impulse: float, status: Status = Status.STALLED) -> Solution:
        return dataclasses.replace(InteriorPoint().solve(problem), contact_impulse=np.array(impulse), status=status)

    back = ends.with_missed(problem, outcome(-1.0, -3e6))
    assert back is not None
    assert back.low.tolist() == [-math.inf, -2e6]
    assert back.high.tolist() == [math.inf, math.inf]
    assert ends.with_missed(problem, outcome(-1.0, -3e6, status=Status.SOLVED)) is None
    everything = back.with_missed(problem, outcome(-1.0, -2e6))
    assert everything is not None
    assert everything.low.tolist() == [-2e6, -2e6]
    assert everything.high.tolist() == [2e6, math.inf]
    assert everything.with_missed(problem, outcome(-1.0, -3e6)) is None


def test_far_ends_cost_no_iterations() -> None:
    near = [InteriorPoint().solve(random_problem(k, limit=1.0)).iterations for k in range(5)]
    far = [InteriorPoint().solve(random_problem(k, limit=1e3)).iterations for k in range(5)]
    assert sum(far) <= 1.3 * sum(near)


def test_lifted_form_comes_back_to_the_problem() -> None:
    """A random point of the form: its impulses and slips are those that the problem's own formulas give."""
    for case in (CASES["compliant"], CASES["dual only"], CASES["coupled mass"]):
        form = lifted_form(case, Ends.near(case))
        rng = np.random.default_rng(0)
        velocity, impulse = rng.normal(size=case.velocities), case.cones.project(rng.normal(size=case.contact_rows))
        gamma = rng.normal(size=case.joint_rows)
        w, x = form.point_of(case, velocity, impulse, gamma)
        back, joint = form.impulses(x)
        np.testing.assert_allclose(back, impulse, atol=1e-10)
        np.testing.assert_allclose(joint, gamma, atol=1e-10)
        rows = form.A.multiply(w) - form.b
        if form.E is not None:
            rows[: form.cone_rows] += form.E @ x[: form.cone_rows]
        seen = case.cones.low[case.cones.block_of_row] < case.cones.high[case.cones.block_of_row]
        np.testing.assert_allclose(form.slips(rows)[seen], case.slip_of(velocity, impulse)[seen], atol=1e-9)
        if not case.is_dual_only:
            np.testing.assert_allclose(form.velocity(w), velocity, atol=1e-10)


@pytest.mark.parametrize("system", ["delassus", "orthogonal"])
def test_systems_without_intervals_refuse_them(system: Literal["delassus", "orthogonal"]) -> None:
    with pytest.raises(SolverError, match=f"{system} system has no intervals"):
        InteriorPoint(system=system).solve(CASES["plain"])


@pytest.mark.parametrize("name", ["interior-point", "primal-dual-barrier", "projected-sor", "apgd"])
def test_brake_cannot_be_blamed_for_a_contradiction(name: str) -> None:
    """Two half-lines squeeze a mass that also has a brake: the proof must not use the brake, which is bounded."""
    problem = ContactProblem(
        H=[[2.0]], c=[0.5], D=[[1.0], [-1.0], [1.0]], b_lambda=[1.0, 1.0, 0.0],
        cones=Cones.join(Cones.half_lines(2), Cones.intervals(-0.1, 0.1)),
    )  # fmt: skip
    assert make_solver(name).solve(problem).status is Status.INFEASIBLE
    # Without the upper half-line the brake alone cannot hold it.
    held = ContactProblem(
        H=[[2.0]], c=[0.5], D=[[1.0], [-1.0]], b_lambda=[1.0, 1.0],
        cones=Cones.join(Cones.half_lines(1), Cones.intervals(0.0, 0.1)),
    )  # fmt: skip
    solution = solved(make_solver(name).solve(held))
    np.testing.assert_allclose(solution.velocity, [1.0], atol=1e-5)
    np.testing.assert_allclose(solution.contact_impulse[1], 0.1, atol=1e-5)


@pytest.mark.parametrize("name", FIRST_ORDER)
@pytest.mark.parametrize("scaling", ["trace", "isotropic", "anisotropic"])
def test_first_order_scalings(name: str, scaling: str) -> None:
    """The theorem holds for the last two; `trace` may be stopped, but then says so."""
    solution = make_solver(name, scaling=scaling, tolerance=1e-6, max_iterations=20_000).solve(CASES["plain"])
    assert solution.status.ok or scaling == "trace"


def test_symmetric_sweeps_and_relaxation() -> None:
    one = solved(make_solver("projected-sor", symmetric=True, relaxation=1.2, mixing=0.8).solve(CASES["plain"]))
    two = solved(InteriorPoint().solve(CASES["plain"]))
    np.testing.assert_allclose(one.velocity, two.velocity, atol=1e-4)


def test_plain_problems_take_the_fast_paths() -> None:
    case = ContactProblem(H=np.eye(3), c=[0.0, 0.0, 1.0], D=np.eye(3)[[2, 0, 1]], cones=Cones.coulomb(0.5))
    assert "compiled loop" in InteriorPoint().solve(case).detail
    assert "pairs of bodies" in make_solver("projected-sor").solve(case).detail
    braked = ContactProblem(
        H=np.eye(3), c=[0.0, 0.0, 1.0], D=np.eye(3)[[2, 0, 1, 0]],
        cones=Cones.join(Cones.coulomb(0.5), Cones.intervals(-1.0, 1.0)),
    )  # fmt: skip
    assert "condensed" in InteriorPoint().solve(braked).detail
    assert "blocks of all kinds" in make_solver("projected-sor").solve(braked).detail
