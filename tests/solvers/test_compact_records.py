"""Compact records of contacts between rigid bodies against full ones and against dense linear algebra."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import strategies as st

from signorini.assembly.assemble import Assembler
from signorini.collision.detector import Detector
from signorini.kernels.cones import coulomb_cones
from signorini.kernels.sweeps import compact_records, pair_sweeps
from signorini.math.rotations import about
from signorini.model.model import Model
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.sphere import Sphere
from signorini.problem.contact_problem import ContactProblem
from signorini.scenes.arrange import close_packing
from signorini.solvers.first_order import make_dual
from signorini.solvers.first_order.pair_dual import PairDual
from signorini.solvers.projected_sor import ProjectedSOR

numbers = st.floats(-1e3, 1e3, allow_subnormal=False)


@cache
def packed_balls(across: int = 4, layers: int = 4) -> ContactProblem:
    """Balls of different masses, turned and moving at random, close to one another and to the floor."""
    rng = np.random.default_rng(across)
    model = Model(margin=0.1)
    model.add_body(HalfSpace(), fixed=True)
    for centre in close_packing(across, layers, 1.0):
        model.add_body(
            Sphere(0.5), density=10.0 ** rng.uniform(1.0, 4.0), position=centre,
            velocity=rng.normal(size=3), orientation=about(rng.normal(size=3), 1.0),
        )  # fmt: skip
    state = model.initial_state()
    return Assembler(model).assemble(state, Detector(model).detect(state, 0.01), 0.01)


def twin_of(problem: ContactProblem, D: object = None) -> ContactProblem:
    """The same problem, or one with another D, of which nothing is known but its matrices and vectors."""
    return ContactProblem(
        H=problem.H, c=problem.c, D=problem.D if D is None else D, b_lambda=problem.b_lambda, cones=problem.cones
    )


def unplaced(problem: ContactProblem) -> ContactProblem:
    """The same problem without the places of its bodies, so that it is swept in the order of its twin."""
    assert problem.rows.rigid is not None
    return problem.changed(D=replace(problem.rows.rigid, centres=None))


def dual_of(problem: ContactProblem) -> PairDual:
    dual = make_dual(problem, "anisotropic")
    assert isinstance(dual, PairDual)
    return dual


def both(across: int = 4, layers: int = 4) -> tuple[PairDual, PairDual]:
    problem = packed_balls(across, layers)
    compact, full = dual_of(unplaced(problem)), dual_of(twin_of(problem))
    assert compact.record.shape[1] == compact_records.WIDTH
    assert full.record.shape[1] == pair_sweeps.WIDTH
    assert {True, False} == set((compact.body[:, 0] == compact.body[:, 1]).tolist())
    return compact, full


def test_compact_records_hold_what_full_ones_hold() -> None:
    compact, full = both()
    np.testing.assert_array_equal(compact.body, full.body)
    rows = compact.record[:, :27].reshape(-1, 3, 9)
    linear, first, second = rows[:, :, :3], rows[:, :, 3:6], rows[:, :, 6:]
    share = compact.record[:, compact_records.SHARE, None, None]
    expanded = np.concatenate((linear, first, share * linear, second), axis=2)
    np.testing.assert_allclose(expanded, full.record[:, :36].reshape(-1, 3, 12), rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(compact.record[:, 28:], full.record[:, 36:], rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(compact.mu, full.mu, rtol=1e-13)


def test_products_are_those_of_full_records() -> None:
    compact, full = both()
    x = np.random.default_rng(0).normal(size=3 * len(compact.order))
    for name in ("product", "gradient"):
        found, expected = np.empty_like(x), np.empty_like(x)
        getattr(compact, name)(x, found)
        getattr(full, name)(x, expected)
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(compact.b, full.b, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("across", [2, 4])
def test_sweeps_are_those_of_full_records(symmetric: bool, across: int) -> None:
    compact, full = both(across, across)
    neighbours = (compact.body[:-1, :, None] == compact.body[1:, None, :]).any(axis=(1, 2))
    assert np.any(neighbours)  # contacts one after the other, which else go side by side
    assert not np.all(neighbours)
    start = np.random.default_rng(1).normal(size=3 * len(compact.order))
    x, y = start.copy(), start.copy()
    for done in (0, 3):
        compact.sweep(done, 3, symmetric, 1.1, 0.9, x)
        full.sweep(done, 3, symmetric, 1.1, 0.9, y)
    assert np.any(np.abs(y.reshape(-1, 3)[:, 0]) < 1e-4)  # open
    assert np.any(y.reshape(-1, 3)[:, 0] > 0.1)
    np.testing.assert_allclose(x, y, rtol=1e-10, atol=1e-11)


@pytest.mark.parametrize("mu", [0.0, 0.5])
def test_projection_at_the_edges(mu: float) -> None:
    assert coulomb_cones.project_three(0.0, 0.0, 0.0, mu) == (0.0, 0.0, 0.0)
    assert coulomb_cones.project_three(2.0, 0.0, 0.0, mu) == (2.0, 0.0, 0.0)
    assert coulomb_cones.project_three(-2.0, 0.0, 0.0, mu) == (0.0, 0.0, 0.0)
    assert coulomb_cones.project_three(2.0, mu * 2.0, 0.0, mu) == (2.0, mu * 2.0, 0.0)


@pytest.mark.parametrize("symmetric", [False, True])
def test_answer_does_not_depend_on_the_number_of_threads(symmetric: bool) -> None:
    problem = packed_balls(14, 12)
    assert len(dual_of(problem).phases) > 3
    answers = [
        ProjectedSOR(tolerance=1e-15, max_iterations=20, symmetric=symmetric, threads=threads).solve(problem)
        for threads in (1, 2, 1)
    ]
    assert np.any(answers[0].contact_impulse > 0.0)
    for answer in answers[1:]:
        np.testing.assert_array_equal(answer.contact_impulse, answers[0].contact_impulse)


def test_a_problem_with_the_same_rows_in_its_matrix_has_the_same_answer() -> None:
    """Compact records come from rows that the certificate and the matrix come from as well."""
    problem = packed_balls()
    settings = ProjectedSOR(tolerance=1e-15, max_iterations=300, check_every=300)
    one, other = settings.solve(unplaced(problem)), settings.solve(twin_of(problem))
    assert np.any(one.contact_impulse > 0.0)
    size = np.abs(one.contact_impulse).max()
    np.testing.assert_allclose(one.contact_impulse, other.contact_impulse, rtol=1e-9, atol=1e-9 * size)
    assert one.certificate.error == pytest.approx(other.certificate.error, rel=1e-6)


def test_masses_that_differ_with_the_direction_get_full_records() -> None:
    problem = packed_balls()
    H = problem.H.copy()
    H.data[0] *= 2.0
    other = problem.changed(H=H)
    assert other.rows.rigid is not None
    assert dual_of(other).record.shape[1] == pair_sweeps.WIDTH
