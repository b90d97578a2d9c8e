"""Compact rows of rigid contacts against general sparse rows."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from signorini.assembly.assemble import Assembler
from signorini.collision.detector import Detector
from signorini.kernels.bodies import rigid_rows as kernels
from signorini.math.rotations import about
from signorini.model.model import Model
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.sphere import Sphere
from signorini.problem.contact_problem import SLIP_ROUND_OFF, ContactProblem
from signorini.problem.contact_rows import RigidRows
from signorini.problem.errors import ProblemError
from signorini.simulation.simulation import Simulation
from signorini.solvers.projected_sor import ProjectedSOR


def balls(common: float = 0.0, floor: bool = True, gravity: float = -9.81) -> Model:
    """Six balls in a heap, turned at random, that move together at the speed `common`, else at random."""
    rng = np.random.default_rng(1)
    model = Model(gravity=(0, 0, gravity), margin=0.3)
    if floor:
        model.add_body(HalfSpace(), fixed=True)
    for k in range(6):
        velocity = (common, 0, 0) if common else rng.normal(size=3)
        model.add_body(
            Sphere(0.5), density=100.0 * (k + 1), position=(0.9 * (k % 3), 0.2 * k, 0.5 + 0.8 * (k // 3)),
            velocity=velocity, orientation=about(rng.normal(size=3), 1.0),
        )  # fmt: skip
    return model


def problem_of(model: Model) -> ContactProblem:
    state = model.initial_state()
    problem = Assembler(model).assemble(state, Detector(model).detect(state, 0.01), 0.01)
    assert problem.rows.rigid is not None
    return problem


def bare(problem: ContactProblem) -> ContactProblem:
    return ContactProblem(H=problem.H, c=problem.c, D=problem.D, b_lambda=problem.b_lambda, cones=problem.cones)


def test_the_matrix_holds_the_rows() -> None:
    problem = problem_of(balls())
    rows = problem.rows.rigid
    assert rows is not None
    D = problem.D.toarray()
    single = 0
    for i, (p, q) in enumerate(rows.pairs):
        expected = np.zeros((3, D.shape[1]))
        parts = rows.entries[i].reshape(3, 3, 3)
        if p != q:
            expected[:, 6 * q : 6 * q + 6] = np.hstack((-parts[:, 0], parts[:, 2]))
        else:
            single += 1
            np.testing.assert_array_equal(parts[:, 2], 0.0)
        expected[:, 6 * p : 6 * p + 6] = np.hstack((parts[:, 0], parts[:, 1]))
        np.testing.assert_array_equal(D[3 * i : 3 * i + 3], expected)
    assert 0 < single < len(rows.pairs)
    assert problem.D.has_canonical_format


def test_sizes_are_those_of_the_matrix() -> None:
    problem = problem_of(balls())
    plain = bare(problem)
    assert problem.mean_weight == pytest.approx(plain.mean_weight, rel=1e-13)
    assert problem.slip_size == pytest.approx(plain.slip_size, rel=1e-13)
    np.testing.assert_allclose(problem.r, plain.r, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(problem.N_diagonal, plain.N_diagonal, rtol=1e-13)


def test_slips_that_are_round_off_are_no_scale() -> None:
    """Bodies that move together, without weight: r holds nothing but round-off, its terms take its place."""
    problem = problem_of(balls(common=7.0, floor=False, gravity=0.0))
    problem = problem.changed(b_lambda=np.zeros(problem.contact_rows))
    assert problem.contacts > 3
    terms = np.linalg.norm(abs(problem.D) @ np.abs(problem.free_velocity))
    assert np.linalg.norm(problem.r) < SLIP_ROUND_OFF * terms
    assert problem.slip_size == pytest.approx(SLIP_ROUND_OFF * terms, rel=1e-12)
    assert problem.slip_size == pytest.approx(bare(problem).slip_size, rel=1e-12)


def test_another_right_hand_side_has_sums_of_its_own() -> None:
    problem = problem_of(balls())
    before = problem.slip_size
    other = problem.changed(b_lambda=problem.b_lambda + 1.0)
    assert other.slip_size == pytest.approx(bare(other).slip_size, rel=1e-13)
    assert other.slip_size != pytest.approx(before, rel=1e-3)


def test_a_matrix_is_written_only_on_demand() -> None:
    sim = Simulation(balls(), step=0.01, solver=ProjectedSOR(tolerance=1e-12, max_iterations=20, check_every=20))
    with pytest.warns(UserWarning, match="iteration limit"):
        problem = sim.advance().problem  # type: ignore[attr-defined]
    assert problem.contacts > 0
    assert "csr" not in vars(problem.rows)
    assert problem.D.shape == (problem.contact_rows, problem.velocities)


def test_problems_can_be_sent_elsewhere() -> None:
    problem = problem_of(balls())
    twin = pickle.loads(pickle.dumps(problem))
    np.testing.assert_array_equal(twin.D.toarray(), problem.D.toarray())
    assert twin.slip_size == problem.slip_size


def test_parts_must_fit() -> None:
    problem = problem_of(balls())
    with pytest.raises(ProblemError, match="velocities"):
        ContactProblem.unchecked(
            problem.mass, problem.c, problem.C, problem.b_gamma, problem.rows, np.zeros(3), problem.cones
        )


def test_pairs_of_bodies_that_cannot_move_have_empty_rows() -> None:
    pairs = np.array([[-1, -1], [0, 1], [1, 1]])
    entries = np.random.default_rng(0).normal(size=(3, kernels.WIDTH))
    D = RigidRows(pairs, entries, 2).csr
    assert D.indptr.tolist() == [0, 0, 0, 0, 12, 24, 36, 42, 48, 54]
    np.testing.assert_array_equal(D.toarray()[6:, 6:9], entries[2].reshape(3, 9)[:, :3])


def test_work_and_offsets_of_bent_paths_are_those_of_the_written_out_rows() -> None:
    model, rng = balls(), np.random.default_rng(4)
    problem, h, fastest = problem_of(model), 0.01, 5.0
    rows, D = problem.rows.rigid, problem.D.toarray()
    assert rows is not None
    count = len(rows.pairs)
    v, impulse, known = rng.normal(size=D.shape[1]), rng.normal(size=(count, 3)), rng.normal(size=3 * count)
    np.testing.assert_allclose(rows.work(v, impulse), (impulse * (D @ v).reshape(-1, 3)).sum(axis=0), rtol=1e-12)
    gap, bend, slip_bend = rng.normal(size=count), 0.1 * rng.normal(size=count), rng.normal(size=(count, 2))
    shallow = np.where(np.arange(count) % 3 == 0, np.inf, 1e-3)
    found = rows.close(v, gap, (bend, slip_bend, shallow, 0.0), h, fastest, known.copy()).reshape(-1, 3)
    approach = np.maximum(-(D @ v - known)[::3], 0.0)
    asked = np.minimum(np.minimum(-(gap + bend) / h, fastest), approach + np.abs(bend) / h + shallow / h)
    expected = known.reshape(-1, 3) + np.column_stack((asked, -slip_bend))
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
