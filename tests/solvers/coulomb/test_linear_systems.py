"""The form and the linear systems of the exact law, against dense algebra and finite differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from signorini.kernels.interior import coulomb as kernels
from signorini.kernels.interior import steps as interior_steps
from signorini.math.sparse import Array
from signorini.problem.certificate import measure
from signorini.problem.cones import Cones
from signorini.problem.contact_problem import ContactProblem
from signorini.solvers.coulomb.exact_newton import ExactNewton
from signorini.solvers.coulomb.form import ExactForm, exact_form
from signorini.solvers.coulomb.search import Budget
from signorini.solvers.coulomb.systems import Linearisation, UnsymmetricBodies, UnsymmetricDelassus, make_system

from ..first_order_problems import random_problem

KINDS: dict[str, dict[str, Any]] = {
    "rigid": {},
    "joints": {"joints": 4},
    "soft": {"soft": True},
    "general": {"coupled": True, "contacts": 30},
    "few impulses": {"coupled": True, "contacts": 4},
    "general with joints": {"coupled": True, "joints": 3},
}


def unsymmetric() -> ContactProblem:
    """A dual-only problem whose N is not symmetric, as measured ones are."""
    rng = np.random.default_rng(1)
    root = rng.normal(size=(12, 12))
    N = root @ root.T + np.eye(12) + 0.1 * rng.normal(size=(12, 12))
    return ContactProblem.from_delassus(N, rng.normal(size=12), Cones.coulomb([0.3, 0.5, 0.0, 0.7]))


def coupled_compliance() -> ContactProblem:
    """Velocities, and an E that couples contacts."""
    p = random_problem(4, contacts=6)
    root = np.random.default_rng(2).normal(size=(p.contact_rows, p.contact_rows))
    return ContactProblem(p.H, p.c, D=p.D, b_lambda=p.b_lambda, cones=p.cones, E=0.1 * root @ root.T)


def problems() -> list[Any]:
    made = [pytest.param(random_problem(7, **kind), id=name) for name, kind in KINDS.items()]
    return [*made, pytest.param(unsymmetric(), id="unsymmetric"), pytest.param(coupled_compliance(), id="coupled E")]


def form_of(problem: ContactProblem) -> ExactForm:
    form = exact_form(problem)
    assert form is not None
    return form


def columns(form: ExactForm) -> Array:
    """N of a form as a dense matrix."""
    return np.array([form.apply(unit) for unit in np.eye(form.rows)]).T


@pytest.mark.parametrize("problem", problems())
def test_form_is_the_problem_in_other_units(problem: ContactProblem) -> None:
    form, rng = form_of(problem), np.random.default_rng(0)
    x = rng.normal(size=form.rows)
    lam, gamma = form.standard.impulses(x)
    np.testing.assert_allclose(form.standard.rows_of(lam, gamma), x, rtol=1e-12)
    u = problem.slip_of(problem.velocity_of(lam, gamma), lam)
    if problem.skew is not None:
        u = u + problem.skew @ lam
    slips = form.slips(x)
    m = form.cone_rows
    kept = form.standard.cones.contact_row
    np.testing.assert_allclose(form.standard.scale * slips[:m] / form.factor, u[kept], rtol=1e-9, atol=1e-11)
    diagonal = columns(form).diagonal()[:m]
    means = np.add.reduceat(diagonal, form.start[:-1]) / np.diff(form.start)
    np.testing.assert_allclose(means, 1.0, rtol=1e-10)
    assert np.abs(form.standard.r).max() == pytest.approx(1.0)
    inside = x.copy()
    inside[form.start[:-1]] = 10.0
    lam, gamma = form.standard.impulses(inside)
    v = problem.velocity_of(lam, gamma)
    found = measure(problem, v, lam, gamma, law="coulomb").coulomb
    error = form.error(inside, form.slips(inside))
    joints = (np.abs(form.slips(inside)[m:]) / form.joint_size).max(initial=0.0)
    assert error == pytest.approx(max(found.scaled, joints), rel=1e-9)


def test_de_saxce_term_and_its_direction() -> None:
    start = np.array([0, 3, 4, 6], dtype=np.int64)
    slip = np.array([1.0, 3.0, 4.0, -2.0, 0.5, -1.0, 7.0])  # a cone, a half-line, a cone in the plane, a joint
    y, along = np.empty(7), np.empty(7)
    kernels.de_saxce(start, slip, y, along)
    np.testing.assert_allclose(y, [6.0, 3.0, 4.0, -2.0, 1.5, -1.0, 7.0])
    np.testing.assert_allclose(along, [0.0, 0.6, 0.8, 0.0, 0.0, -1.0, 0.0])


def dense_equations(form: ExactForm, at: Linearisation, along: Array, turn: Array) -> Array:
    """`rest + tau (1 + e h') N` in the turned basis, from dense matrices; `turn` is Q'."""
    derivative = np.eye(form.rows)
    for first in form.start[:-1]:
        last = form.start[np.searchsorted(form.start, first) + 1]
        derivative[first, first:last] += along[first:last]
    slope = turn @ derivative @ turn.T
    return np.diag(at.rest) + np.diag(at.tau) @ slope @ turn @ columns(form) @ turn.T


@pytest.mark.parametrize("linear", ["auto", "superlu"])
@pytest.mark.parametrize("counted", ["all", "parts", "none"])
@pytest.mark.parametrize("problem", problems())
def test_systems_solve_the_unsymmetric_equations(problem: ContactProblem, counted: str, linear: str) -> None:
    form, rng = form_of(problem), np.random.default_rng(3)
    system = make_system(form, linear)
    assert form.is_delassus == isinstance(system, UnsymmetricDelassus)
    assert linear == "auto" or not isinstance(system, UnsymmetricBodies)
    newton = ExactNewton(form, system, 1e-8, Budget(1000))
    x = rng.normal(size=form.rows)
    y, along = form.exact(form.slips(x))
    shares = {"all": 1.0, "none": 0.0}.get(counted, rng.uniform(size=len(form.start) - 1))
    along[: form.cone_rows] *= np.repeat(np.broadcast_to(shares, len(form.start) - 1), np.diff(form.start))
    at = Linearisation.blank(form, along.copy(), 1e-8)
    bases = at.scaling.frames, at.scaling.reflector
    interior_steps.linearise(form.start, x, y, *bases, at.tau, at.rest, np.empty_like(x))
    m = form.cone_rows
    at.tau[:m] = rng.uniform(0.01, 1.0, m)
    at.rest[:m] = 1.0 - at.tau[:m]
    assert newton.factor(at)
    turn = np.array([at.scaling.turn(unit) for unit in np.eye(form.rows)]).T
    right = rng.normal(size=form.rows)
    wanted = np.linalg.solve(dense_equations(form, at, along, turn), right)
    np.testing.assert_allclose(system.solve(right, 1e-9), wanted, rtol=1e-6, atol=1e-6 * np.abs(wanted).max())


@pytest.mark.parametrize("problem", problems())
def test_semismooth_step_is_newtons(problem: ContactProblem) -> None:
    """The matrix that it solves with is the derivative of `x - P(x - y(x))`, by central differences."""
    form, rng = form_of(problem), np.random.default_rng(5)
    x = rng.normal(size=form.rows)

    def equations(point: Array) -> Array:
        y, _ = form.exact(form.slips(point))
        moved = point - y
        projected = moved.copy()
        for first, last in zip(form.start[:-1], form.start[1:], strict=True):
            normal, length = moved[first], np.linalg.norm(moved[first + 1 : last])
            up, low = max(normal + length, 0.0), max(normal - length, 0.0)
            projected[first] = 0.5 * (up + low)
            if length > 0:
                projected[first + 1 : last] *= 0.5 * (up - low) / length
        return point - projected

    h = 1e-6
    derivative = np.array([(equations(x + h * e) - equations(x - h * e)) / (2 * h) for e in np.eye(len(x))]).T
    wanted = x - np.linalg.solve(derivative, equations(x))
    m = form.cone_rows
    lam, _ = form.standard.impulses(wanted)
    inside = problem.cones.project(lam)
    moved = ExactNewton(form, make_system(form, "auto"), 1e-8, Budget(1000)).semismooth(x, form.slips(x))
    assert moved is not None
    # Brought back into self-dual cones, which is a projection in other units: compare what lay inside anyway.
    same = np.abs(inside - lam)[form.standard.cones.contact_row] < 1e-12 * np.abs(lam).max()
    np.testing.assert_allclose(moved[:m][same], wanted[:m][same], rtol=1e-4, atol=1e-5 * np.abs(wanted).max())
    np.testing.assert_allclose(moved[m:], wanted[m:], rtol=1e-4, atol=1e-5 * np.abs(wanted).max())


def test_coupled_compliance_beside_joints_has_no_form() -> None:
    p, soft = random_problem(4, contacts=6, joints=2), coupled_compliance()
    assert soft.cones.rows == p.cones.rows
    both = ContactProblem(p.H, p.c, p.C, p.b_gamma, p.D, p.b_lambda, p.cones, soft.E)
    assert exact_form(both) is None


def test_contact_between_fixed_bodies_is_left_unscaled() -> None:
    p = ContactProblem(
        H=sp.eye_array(3), c=[0.0, 0, 1], D=sp.csr_array(np.vstack((np.eye(3)[::-1], np.zeros((3, 3))))),
        b_lambda=np.zeros(6), cones=Cones.coulomb([0.5, 0.5]),
    )  # fmt: skip
    form = form_of(p)
    assert np.all(np.isfinite(form.factor))
    assert np.all(form.factor > 0)
