"""The rows of D against finite differences of the gap, right-hand sides, joints, gyroscopic torque."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from signorini.assembly.assemble import Assembler, assemble
from signorini.assembly.frames import contact_frames, world_impulses
from signorini.collision.contacts import Contacts
from signorini.collision.detector import Detector
from signorini.kernels.bodies import gyroscopic
from signorini.kernels.bodies.poses import advance
from signorini.kernels.threads.parts import SOLO
from signorini.math.rotations import about, rotate
from signorini.math.sparse import canonical
from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.sphere import Sphere
from signorini.model.state import State
from signorini.problem.bodies import find_bodies
from signorini.problem.certificate import measure
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.errors import ModelError
from signorini.problem.mass_matrix import mass_matrix
from signorini.problem.solution import Status
from signorini.solvers.first_order import make_dual
from signorini.solvers.first_order.pair_dual import PairDual
from signorini.solvers.projected_sor import ProjectedSOR


def two_balls(**options: object) -> Model:
    model = Model(margin=0.5)
    model.add_body(Sphere(0.5), density=100, name="a", position=(0.1, 0.2, 0.3), orientation=about((1, 2, 3), 0.7))
    turned = about((0, 1, 1), 1.1)
    model.add_body(Sphere(0.4), density=300, name="b", position=(0.5, 0.7, 0.9), orientation=turned, **options)
    return model


def pinned_contact(model: Model, state: State) -> tuple[Contacts, np.ndarray, np.ndarray]:
    """A contact at material points of the two bodies, with a slanted normal; and those points in body axes."""
    normal = np.array([[0.36, -0.48, 0.8]])
    local_a, local_b = np.array([0.3, -0.2, 0.1]), np.array([-0.1, 0.25, 0.2])
    points = [state.position[k] + rotate(state.orientation[k], r) for k, r in enumerate((local_a, local_b))]
    gap = normal[0] @ (points[0] - points[1])
    one = np.zeros(1, dtype=np.int64)
    contacts = Contacts(
        one, one + 1, points[0][None], points[1][None], normal, np.array([gap]), np.array([0.3]), one
    )  # fmt: skip
    return contacts, local_a, local_b


def test_rows_are_the_derivative_of_the_relative_position() -> None:
    model = two_balls()
    state = model.initial_state()
    contacts, local_a, local_b = pinned_contact(model, state)
    D = assemble(model, state, contacts, 0.01).D.toarray()
    frame = contact_frames(contacts.normal)[0]
    h = 1e-6
    for column in range(12):
        sides = []
        for h_signed in (h, -h):
            v = np.zeros((2, 6))
            v.flat[column] = 1.0
            position, orientation = state.position.copy(), state.orientation.copy()
            advance(SOLO, np.arange(2), v, h_signed, position, orientation, np.zeros((2, 3)), np.zeros((2, 3)))
            sides.append(position[0] + rotate(orientation[0], local_a) - position[1] - rotate(orientation[1], local_b))
        expected = frame @ (sides[0] - sides[1]) / (2 * h)
        np.testing.assert_allclose(D[:, column], expected, atol=1e-9)


def test_normal_row_is_the_derivative_of_the_gap_of_spheres() -> None:
    model = two_balls()
    state, detector = model.initial_state(), Detector(model)
    contacts = detector.detect(state, 0.01)
    assert contacts.count == 1
    D = assemble(model, state, contacts, 0.01).D.toarray()
    h = 1e-6
    for column in range(12):
        gaps = []
        for h_signed in (h, -h):
            v = np.zeros((2, 6))
            v.flat[column] = 1.0
            moved = state.copy()
            advance(
                SOLO, np.arange(2), v, h_signed, moved.position, moved.orientation, np.zeros((2, 3)), np.zeros((2, 3))
            )
            gaps.append(detector.detect(moved, 0.01).gap[0])
        assert D[0, column] == pytest.approx((gaps[0] - gaps[1]) / (2 * h), abs=1e-8)


def test_canonical_rows_share_memory() -> None:
    model = two_balls()
    state = model.initial_state()
    contacts, _, _ = pinned_contact(model, state)
    problem = assemble(model, state, contacts, 0.01)
    D = problem.D
    assert D.has_canonical_format
    assert D.indices.dtype == np.int32
    assert np.all(np.diff(D.indices.reshape(3, 12), axis=1) == 1)
    swapped = Contacts(
        contacts.body_b, contacts.body_a, contacts.point_b, contacts.point_a, -contacts.normal, contacts.gap,
        contacts.friction, contacts.identity,
    )  # fmt: skip
    np.testing.assert_allclose(assemble(model, state, swapped, 0.01).D.toarray()[0], D.toarray()[0], atol=1e-15)


def test_known_velocities_go_to_the_right_hand_side() -> None:
    """The slip with a kinematic body equals the slip of the same body when movable at the same velocity."""

    def motion(t: float) -> tuple[np.ndarray, np.ndarray]:
        return np.array([0.5 + 0.3 * t, 0.7 - 0.2 * t, 0.9 + t]), about((0, 1, 1), 1.1 + 2.0 * t)

    free = two_balls(velocity=(0.3, -0.2, 1.0), angular_velocity=np.array([0, 1, 1]) / math.sqrt(2) * 2.0)
    driven = two_balls(motion=motion)
    state = free.initial_state()
    contacts, _, _ = pinned_contact(free, state)
    full, part = (assemble(m, m.initial_state(), contacts, 0.01) for m in (free, driven))
    assert part.velocities == 6
    v = np.hstack((state.velocity, state.angular_velocity))
    np.testing.assert_allclose(part.slip_of(v[0], np.zeros(3)), full.slip_of(v.reshape(-1), np.zeros(3)), atol=1e-8)


def test_offsets_and_recovery_speed() -> None:
    model = Model()
    model.add_fixed_body(HalfSpace((0, 0, 1)))
    for k, gap in enumerate((-0.1, 0.01)):
        model.add_body(Sphere(0.5), density=1, position=(2 * k, 0, 0.5 + gap), margin=0.1)
    state = model.initial_state()
    contacts = Detector(model).detect(state, 0.01)
    free = assemble(model, state, contacts, 0.01).b_lambda
    np.testing.assert_allclose(free, [10, 0, 0, -1, 0, 0], atol=1e-12)
    capped = assemble(model, state, contacts, 0.01, max_recovery_speed=2.0).b_lambda
    np.testing.assert_allclose(capped, [2, 0, 0, -1, 0, 0], atol=1e-12)


def test_mass_matrix_momentum_and_forces() -> None:
    model = Model(gravity=(0, 0, -10))
    tensor = [[2.0, 0.3, 0], [0.3, 3.0, 0], [0, 0, 4.0]]
    body = model.add_body(None, mass=2.0, inertia=tensor, velocity=(1, 2, 3), orientation=about((0, 0, 1), math.pi / 2))
    model.add_force(body, lambda t, state: ((1.0, 0, 0), (4.0, 0, 0)))
    problem = assemble(model, model.initial_state(), Contacts.empty(), 0.1)
    expected = np.zeros((6, 6))
    expected[:3, :3], expected[3:, 3:] = 2.0 * np.eye(3), tensor
    np.testing.assert_array_equal(problem.H.toarray(), expected)
    # The torque along world x is along -y in the axes of a body turned by 90 degrees about z.
    np.testing.assert_allclose(-problem.c, [2.1, 4, 6 - 2, 0, -0.4, 0], atol=1e-14)


def test_joint_rows_of_a_guide() -> None:
    model = Model()
    model.add_fixed_body(HalfSpace((0, 0, 1)))
    ball = model.add_body(Sphere(0.5), density=1, position=(1, 2, 3))
    model.add_guide(ball)
    state = model.initial_state()
    state.position[1] += (0.01, 0, 0)
    problem = assemble(model, state, Contacts.empty(), 0.1)
    assert problem.joint_rows == 2
    assert problem.velocities == 6
    v = np.array([-0.1, 0.0, 5.0, 1.0, 2.0, 3.0])
    np.testing.assert_allclose(problem.C @ v, problem.b_gamma, atol=1e-14)


def test_frames_are_right_handed_and_continuous() -> None:
    rng = np.random.default_rng(0)
    normal = rng.normal(size=(500, 3))
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    normal = np.vstack((normal, np.eye(3), -np.eye(3)))
    F = contact_frames(normal)
    np.testing.assert_allclose(F @ F.transpose(0, 2, 1), np.broadcast_to(np.eye(3), F.shape), atol=1e-13)
    np.testing.assert_allclose(np.linalg.det(F), 1.0, atol=1e-13)
    nudged = normal + 1e-9 * rng.normal(size=normal.shape)
    nudged /= np.linalg.norm(nudged, axis=1, keepdims=True)
    assert np.abs(contact_frames(nudged) - F).max() < 1e-6
    np.testing.assert_allclose(F[502], [[0, 0, 1], [1, 0, 0], [0, 1, 0]], atol=1e-15)
    np.testing.assert_allclose(world_impulses(normal, np.tile([2.0, 0, 0], (len(normal), 1))), 2 * normal, atol=1e-14)


def test_free_rotation_keeps_energy_and_momentum() -> None:
    rng = np.random.default_rng(1)
    inertia, which = np.array([np.diag([1.0, 2.0, 2.5])] * 20), np.arange(20)
    w = rng.normal(size=(20, 3)) * 10.0 ** rng.uniform(-3, 4, size=(20, 1))
    new, q = w.copy(), np.tile([1.0, 0, 0, 0], (20, 1))
    for _ in range(50):
        gyroscopic.turn_freely(which, which, inertia, 0.01, q.copy(), q, new)
    for power in (1, 2):
        before, after = ((np.array([1.0, 2.0, 2.5]) ** power * x * x).sum(axis=1) for x in (w, new))
        np.testing.assert_allclose(after, before, rtol=1e-11)
    assert np.abs(new - w).max() > 0.1
    slow = np.linalg.norm(w, axis=1) < 10
    before, after = (np.array([1.0, 2.0, 2.5]) * w, rotate(q, np.array([1.0, 2.0, 2.5]) * new))
    np.testing.assert_allclose(after[slow], before[slow], atol=1e-3 * np.abs(before[slow]).max())


def test_gyroscopic_step_is_second_order() -> None:
    inertia, which = np.array([np.diag([1.0, 2.0, 2.5])]), np.arange(1)

    def final(steps: int) -> np.ndarray:
        w, q = np.array([[0.2, 1.0, 0.3]]), np.array([[1.0, 0, 0, 0]])
        for _ in range(steps):
            gyroscopic.turn_freely(which, which, inertia, 1.0 / steps, q.copy(), q, w)
        return np.hstack((w, q))

    exact = final(4096)
    errors = [np.abs(final(n) - exact).max() for n in (16, 32, 64)]
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.1)
    assert errors[1] / errors[2] == pytest.approx(4, rel=0.1)


def test_bodies_added_later_are_noticed() -> None:
    model = two_balls()
    assembler = Assembler(model)
    model.add_body(Box((1, 1, 1)), density=1)
    with pytest.raises(ModelError, match="new Simulation"):
        assembler.assemble(model.initial_state(), Contacts.empty(), 0.01)


def test_who_touches_whom_is_what_the_pattern_of_the_matrix_says() -> None:
    model = Model(margin=0.2)
    model.add_body(Sphere(0.5), density=100, position=(0, 0, 0.5))
    model.add_body(HalfSpace(), fixed=True)
    model.add_body(Sphere(0.5), density=100, position=(1, 0, 0.5))
    model.add_body(Box((1, 1, 1)), fixed=True, position=(0, 1.1, 0.5))
    model.add_body(Sphere(0.5), density=100, position=(0.5, 0, 1.3), orientation=about((1, 2, 3), 0.7))
    state = model.initial_state()
    contacts = Detector(model).detect(state, 0.01)
    assert contacts.count >= 6
    problem = Assembler(model).assemble(state, contacts, 0.01)
    found = find_bodies(problem.mass, problem.D, problem.cones.start)
    assert found is not None
    assert problem.bodies is not None
    np.testing.assert_array_equal(problem.bodies.first, found.first)
    np.testing.assert_array_equal(problem.bodies.pairs, found.pairs)
    assert problem.rows.rigid is not None
    unplaced = problem.changed(D=replace(problem.rows.rigid, centres=None))  # swept in the order of the plain one
    fast = make_dual(unplaced, "anisotropic")
    plain = make_dual(bare(problem), "anisotropic")
    assert isinstance(fast, PairDual)
    assert isinstance(plain, PairDual)
    np.testing.assert_allclose(fast.b, plain.b, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(fast.mu, plain.mu, rtol=1e-14)
    np.testing.assert_allclose(fast.scales, plain.scales, rtol=1e-14)
    np.testing.assert_array_equal(fast.z0[:, [0, 1, 2, 4, 5, 6]], plain.z0[:, :6])
    np.testing.assert_array_equal(fast.z0[:, [3, 7]], 0.0)


def bare(problem: ContactProblem) -> ContactProblem:
    """The same problem, of which nothing is known but its matrices and vectors."""
    twin = ContactProblem(
        H=problem.H, c=problem.c, D=problem.D, b_lambda=problem.b_lambda, cones=problem.cones, name=problem.name
    )
    assert twin.rows.rigid is None
    return twin


def test_products_with_rigid_rows_are_those_with_the_matrix() -> None:
    """Contacts of two bodies, of one with the floor, and the certificate of an arbitrary answer."""
    rng = np.random.default_rng(3)
    model = Model(margin=0.3)
    model.add_body(HalfSpace(), fixed=True)
    for k in range(8):
        turn = about(rng.normal(size=3), 1.0)
        model.add_body(Sphere(0.5), density=100, position=(k % 4, 0.2 * k, 0.6 + k // 4), orientation=turn)
    state = replace(model.initial_state(), velocity=rng.normal(size=(9, 3)))
    contacts = Detector(model).detect(state, 0.01)
    problem = Assembler(model).assemble(state, contacts, 0.01)
    assert "csr" not in vars(problem.rows)  # written out when somebody asks for it
    whole, plain = problem.rows, bare(problem)
    assert whole.rigid is not None
    assert set(np.diff(problem.D.indptr)) == {6, 12}
    D, b = problem.D.toarray(), problem.b_lambda
    v, impulse, weight = rng.normal(size=48), rng.normal(size=len(b)), rng.uniform(1.0, 2.0, 48)
    mass = mass_matrix(canonical(np.diag(1.0 / weight)))
    same = {"rtol": 1e-12, "atol": 1e-13}
    np.testing.assert_allclose(whole.slips(v, b), D @ v - b, **same)
    for found, expected in zip(whole.forces(impulse), (D.T @ impulse, np.abs(D).T @ np.abs(impulse)), strict=True):
        np.testing.assert_allclose(found, expected, **same)
    terms = np.linalg.norm(np.abs(D) @ np.abs(v) + np.abs(b))
    expected_motion = (D @ v - b, np.linalg.norm(D @ v - b), terms, ((D * D) @ weight))
    for found, expected in zip(whole.free_motion(v, b, mass), expected_motion, strict=True):
        np.testing.assert_allclose(found, expected, **same)
    sums = (np.sum((D @ v - b) ** 2), np.sum((D * D) @ weight), np.sum(b * b))
    assert whole.free_sums(v, b, mass) == pytest.approx(sums, rel=1e-12)
    for name in ("slip_size", "mean_weight"):
        assert getattr(problem, name) == pytest.approx(getattr(plain, name), rel=1e-13)
    one, other = (measure(p, None, impulse, np.zeros(0)) for p in (problem, plain))
    for name in ("scaled", "error", "natural_map", "cone_violation", "dual_violation", "objective_primal"):
        assert getattr(one, name) == pytest.approx(getattr(other, name), rel=1e-12)


def test_a_contact_of_two_bodies_that_cannot_move() -> None:
    model = Model()
    for k in range(2):
        model.add_body(Sphere(0.5), fixed=True, position=(0, 0, k))
    model.add_body(Sphere(0.5), density=100, position=(0, 0, 3))
    one = np.array([[0.0, 0.0, 0.5]])
    contacts = Contacts(
        np.array([0]), np.array([1]), one, one, np.array([[0.0, 0.0, 1.0]]), np.zeros(1), np.ones(1), np.array([1])
    )
    problem = Assembler(model).assemble(model.initial_state(), contacts, 0.01)
    assert problem.D.nnz == 0
    assert problem.rows.rigid is None
    assert ProjectedSOR().solve(problem).status is Status.SOLVED
