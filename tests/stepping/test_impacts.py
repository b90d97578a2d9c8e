"""Rounds of impacts against the planar laws worked out by cases, and the energy that friction would make."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import signorini as sg
from signorini.problem.cones import Cones
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.solution import Solution, Status
from signorini.solvers.interior_point import InteriorPoint
from signorini.stepping.impacts import impact_solver
from signorini.stepping.impacts.impact_solver import ImpactSolver
from signorini.stepping.impacts.round import Round

pytestmark = pytest.mark.slow  # many solves

SOLVER = ImpactSolver.of(InteriorPoint(tolerance=1e-11), "convex")


def rod(angle: float, mu: float) -> ContactProblem:
    """The end of a rod of mass 1 and half length 1 on a floor, in the plane; rows (normal, tangent)."""
    x, z = np.cos(angle), np.sin(angle)
    D = np.array([[0.0, 1.0, x], [1.0, 0.0, z]])
    return ContactProblem(H=np.diag([1.0, 1.0, 1.0 / 3.0]), c=np.zeros(3), D=D, cones=Cones.coulomb([mu], dimension=2))


def stop(N: np.ndarray, u: np.ndarray, mu: float) -> np.ndarray:
    """Impulse (normal, tangent) that just ends the approach, by cases: stick, or slip to one side."""
    stick = -np.linalg.solve(N, u)
    if abs(stick[1]) <= mu * stick[0]:
        return stick
    for side in (1.0, -1.0):
        normal = -u[0] / (N[0, 0] + side * mu * N[0, 1])
        out = np.array([normal, side * mu * normal])
        if normal > 0 and (u + N @ out)[1] * side < 0:
            return out
    raise AssertionError("no case fits")


def give_back(N: np.ndarray, u: np.ndarray, normal: float, mu: float) -> np.ndarray:
    """Impulse of the expansion, the normal part given."""
    tangent = float(np.clip(-(u[1] + N[1, 0] * normal) / N[1, 1], -mu * normal, mu * normal))
    return np.array([normal, tangent])


def with_speed(N: np.ndarray, u: np.ndarray, target: float, mu: float) -> np.ndarray:
    """Impulse after which the normal speed is `target`."""
    return stop(N, u - np.array([target, 0.0]), mu)


def does_not_jam(rod: tuple[float, float]) -> bool:
    """Beyond this the planar cases have two answers or none (Painleve)."""
    x, z = np.cos(rod[0]), np.sin(rod[0])
    return bool(1 + 3 * x * x - rod[1] * 3 * x * z > 0.05)


rods = st.tuples(st.floats(0.2, 1.3), st.floats(0.05, 1.0)).filter(does_not_jam)
"""Angle and friction."""
speeds = st.tuples(st.floats(-2, -0.1), st.floats(-2, 2), st.floats(-2, 2)).map(np.array)
"""Of the end of the rod along (normal, tangent), and of its spin."""


def striking(angle: float, mu: float, speed: np.ndarray, e: float) -> tuple[Round, np.ndarray, np.ndarray]:
    problem = rod(angle, mu)
    D, N = problem.D.toarray(), problem.N.toarray()
    w = np.array([speed[1] - speed[2] * D[1, 2], speed[0] - speed[2] * D[0, 2], speed[2]])
    return Round(problem, np.array([0]), np.array([e]), w), N, D @ w


@settings(max_examples=40)
@given(rods, speeds, st.floats(0.05, 1.0))
def test_poisson_is_compression_and_expansion(rod: tuple[float, float], speed: np.ndarray, e: float) -> None:
    mu = rod[1]
    now, N, u = striking(*rod, speed, e)
    first = stop(N, u, mu)
    second = give_back(N, u + N @ first, e * first[0], mu)
    np.testing.assert_allclose(now.poisson(SOLVER).impulse, first + second, atol=2e-5 * np.abs(first).max())


@settings(max_examples=40)
@given(rods, speeds, st.floats(0.05, 1.0))
def test_newton_gives_back_the_speed(rod: tuple[float, float], speed: np.ndarray, e: float) -> None:
    mu = rod[1]
    now, N, u = striking(*rod, speed, e)
    expected = with_speed(N, u, -e * u[0], mu)
    np.testing.assert_allclose(now.newton(SOLVER).impulse, expected, atol=2e-5 * np.abs(expected).max())


@settings(max_examples=30)
@given(rods, speeds, st.floats(0.05, 1.0), st.sampled_from(["newton", "poisson"]))
def test_impacts_make_no_energy(rod: tuple[float, float], speed: np.ndarray, e: float, law: str) -> None:
    now, _, _ = striking(*rod, speed, e)
    w = now.before
    blow: Any = now.newton(SOLVER) if law == "newton" else now.poisson(SOLVER)
    after = now.without_gain(blow, SOLVER).velocity
    H = now.level.H.toarray()
    assert after @ H @ after <= (w @ H @ w) * (1 + 1e-7)
    assert now.slip(after)[0] >= -1e-7  # still no approach


def gaining_rod() -> tuple[float, Round]:
    """The gain of a rod by Newton's law, as in Kane's example, because friction turns its slip round."""
    gain, best = -np.inf, None
    for slide in np.linspace(-2, 2, 41):
        now, N, u = striking(0.9, 0.6, np.array([-0.6, slide, 0.5]), 0.95)
        impulse = with_speed(N, u, -0.95 * u[0], 0.6)
        work = 0.5 * impulse @ (2 * u + N @ impulse)
        if work > gain:
            gain, best = work, now
    assert best is not None
    return gain, best


def energy_of(now: Round, velocity: np.ndarray) -> float:
    return float(0.5 * velocity @ now.level.H.toarray() @ velocity)


def test_newtons_law_alone_would_make_energy_and_does_not() -> None:
    gain, now = gaining_rod()
    assert gain > 1e-3
    before, raw = energy_of(now, now.before), now.newton(SOLVER)
    assert energy_of(now, raw.velocity) == pytest.approx(before + gain, rel=1e-6)
    assert energy_of(now, now.without_gain(raw, SOLVER).velocity) == pytest.approx(before, rel=1e-6)


def test_islands_are_tamed_one_by_one() -> None:
    """Two rods that do not touch: the one that gains is held back, the other bounces in full."""
    _, gains = gaining_rod()
    one, calm = gains.level, striking(0.9, 0.6, np.array([-1.0, 0.0, 0.0]), 0.5)[0]
    level = ContactProblem(
        H=np.kron(np.eye(2), one.H.toarray()), c=np.zeros(6), D=np.kron(np.eye(2), one.D.toarray()),
        cones=Cones.coulomb([0.6, 0.6], 2),
    )  # fmt: skip
    both = Round(level, np.array([0, 1]), np.array([0.95, 0.5]), np.concatenate((gains.before, calm.before)))
    expected = [now.without_gain(now.newton(SOLVER), SOLVER).velocity for now in (gains, calm)]
    found = both.without_gain(both.newton(SOLVER), SOLVER).velocity
    np.testing.assert_allclose(found, np.concatenate(expected), atol=1e-6)
    np.testing.assert_allclose(both.slip(found)[2], 0.5, atol=1e-6)  # in full


def test_a_blow_that_is_not_solved_is_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same contacts struck 50 times in vain, for minutes where solves take their whole budget."""
    tried: list[str] = []

    def in_vain(solver: Any, problem: ContactProblem) -> Solution:
        tried.append(problem.name)
        found = solver.solve(problem)
        nothing = np.zeros_like(found.contact_impulse)
        return replace(found, velocity=problem.free_velocity, contact_impulse=nothing, status=Status.ITERATION_LIMIT)

    monkeypatch.setattr(impact_solver, "solve", in_vain)
    model = sg.Model()
    bouncy = sg.Material(0.3, restitution=0.5)
    model.add_fixed_body(sg.HalfSpace((0, 0, 1)), material=bouncy)
    model.add_body(sg.Sphere(0.1), mass=1.0, position=(0, 0, 0.1), velocity=(0, 0, -1), material=bouncy)
    with pytest.warns(UserWarning, match="iteration limit"):
        step = sg.Simulation(model, step=0.01).advance()
    assert not step.status.ok
    assert 0 < len(tried) <= 3
    assert step.state.velocity[1, 2] > -1e-6  # the step stops the approach
