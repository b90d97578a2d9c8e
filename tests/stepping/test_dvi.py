"""The stages of a step: kinematic bodies, new poses, energy, impulses that are carried over."""

from __future__ import annotations

import numpy as np
import pytest

from signorini.collision.contacts import Contacts
from signorini.math.rotations import about, exponential, multiply
from signorini.model.model import Model
from signorini.model.shapes.sphere import Sphere
from signorini.problem.cones import Cones
from signorini.problem.contact_problem import ContactProblem
from signorini.stepping.dvi import DviStepper
from signorini.stepping.step import Stopwatch
from signorini.stepping.warm_start import Memory, make_guess


def turning(t: float) -> tuple[np.ndarray, np.ndarray]:
    return np.array([np.sin(t), 0.0, t]), about((0, 0, 1), 3.0 * t)


def model_of_three() -> Model:
    model = Model(gravity=(0, 0, -10))
    model.add_body(Sphere(1.0), motion=turning, name="kinematic")
    model.add_body(None, mass=2.0, inertia=np.diag([1.0, 2.0, 2.5]), position=(9, 0, 3), name="free")
    model.add_fixed_body(Sphere(1.0), position=(20, 0, 0), name="fixed")
    return model


def contacts_with(identity: list[int]) -> Contacts:
    n = len(identity)
    vectors = np.zeros((n, 3))
    bodies = np.zeros(n, dtype=np.int64)
    return Contacts(bodies, bodies, vectors, vectors, vectors, np.zeros(n), np.zeros(n), np.array(identity))


def problem_of(contacts: int, joints: int = 0) -> ContactProblem:
    """A problem of the right size."""
    D, C = np.zeros((3 * contacts, 6)), np.zeros((joints, 6))
    cones = Cones.coulomb(np.zeros(contacts))
    return ContactProblem(H=np.eye(6), c=np.zeros(6), C=C, b_gamma=np.zeros(joints), D=D, cones=cones)


def test_kinematic_bodies_are_driven_to_where_their_motion_says() -> None:
    h = 0.1
    stepper = DviStepper.of(model_of_three(), h)
    state = stepper.motion.begin(stepper.assembler.model.initial_state())
    x, q = turning(h)
    np.testing.assert_allclose(state.position[0] + h * state.velocity[0], x, atol=1e-15)
    moved = multiply(state.orientation[0], exponential(h * state.angular_velocity[0]))
    np.testing.assert_allclose(moved, q, atol=1e-14)
    new = stepper.motion.advance(h, state, np.zeros(6))
    np.testing.assert_array_equal(new.position[0], x)
    np.testing.assert_array_equal(new.position[2], (20, 0, 0))
    assert new.time == h


def test_poses_follow_the_exponential_update() -> None:
    h, v = 0.2, np.array([1.0, 2.0, 3.0, 4.0, -5.0, 6.0])
    stepper = DviStepper.of(model_of_three(), h, gaps="curved")
    old = stepper.assembler.model.initial_state()
    new = stepper.motion.advance(h, old, v)
    np.testing.assert_allclose(new.position[1], old.position[1] + h * v[:3], atol=1e-15)
    linear = DviStepper.of(model_of_three(), h).motion.advance(h, old, v)
    expected = multiply(old.orientation[1], exponential(h * v[3:]))
    np.testing.assert_allclose(linear.orientation[1], expected, atol=1e-15)
    # The spin about the vertical axis of the body stays on its axis: there the body does not wobble.
    upright = stepper.motion.advance(h, old, np.array([0, 0, 0, 0, 0, 6.0]))
    expected = multiply(old.orientation[1], exponential(h * np.array([0, 0, 6.0])))
    np.testing.assert_allclose(upright.orientation[1], expected, atol=1e-14)
    np.testing.assert_array_equal(new.velocity[1], v[:3])
    np.testing.assert_array_equal(old.position[1], (9, 0, 3))


def test_quaternions_stay_unit_over_many_steps() -> None:
    stepper = DviStepper.of(model_of_three(), 0.01)
    state = stepper.assembler.model.initial_state()
    for k in range(2000):
        state = stepper.motion.advance((k + 1) * 0.01, state, np.array([0, 0, 0, 50.0, 30.0, -20.0]))
    assert np.abs(np.linalg.norm(state.orientation, axis=1) - 1).max() < 1e-14


def test_energy_counts_movable_bodies() -> None:
    stepper = DviStepper.of(model_of_three(), 0.1, gaps="curved")
    state = stepper.assembler.model.initial_state()
    state.velocity[1], state.angular_velocity[1] = (3, 0, 4), (1, 1, 2)
    kinetic, potential = stepper.energy(state)
    assert kinetic == pytest.approx(0.5 * 2 * 25 + 0.5 * (1 + 2 + 10))
    # Half a step ago, where the velocities belong, the body was lower by half a step of its rise.
    assert potential == pytest.approx(2 * 10 * (3 - 0.5 * 0.1 * 4))
    linear = DviStepper.of(model_of_three(), 0.1, gaps="linear")
    assert linear.energy(state) == pytest.approx((kinetic, 2 * 10 * 3))


@pytest.mark.parametrize("order", [[3, 5, 9], [9, 3, 5]])
def test_impulses_are_carried_over_by_identity(order: list[int]) -> None:
    place = {identity: k for k, identity in enumerate([3, 5, 9])}
    rows = np.array([[place[i], 10.0 + place[i], 20.0 + place[i]] for i in order])
    ranks = np.argsort(order)
    memory = Memory(np.array(order)[ranks], rows[ranks], np.zeros(0))
    guess = make_guess("full", memory, contacts_with([1, 9, 4, 5]), np.zeros(6), problem_of(4))
    assert guess is not None
    assert guess.contact_impulse is not None
    expected = [[0, 0, 0], [2, 12, 22], [0, 0, 0], [1, 11, 21]]
    np.testing.assert_array_equal(guess.contact_impulse.reshape(-1, 3), expected)


def test_modes_of_warm_start() -> None:
    memory = Memory(np.array([3]), np.ones((1, 3)), np.zeros(0))
    same, other, v = contacts_with([3]), contacts_with([4]), np.arange(6.0)
    assert make_guess("none", memory, same, v, problem_of(1)) is None
    assert make_guess("full", None, same, v, problem_of(1)) is None
    assert make_guess("full", memory, other, v, problem_of(1)) is None  # nothing to carry over: a cold start is better
    assert make_guess("full", memory, same, v, problem_of(1, joints=2)) is None  # other joints
    partial = make_guess("partial", None, same, v, problem_of(1))
    assert partial is not None
    assert partial.contact_impulse is None
    np.testing.assert_array_equal(partial.velocity, v)


def test_stopwatch_adds_up() -> None:
    watch = Stopwatch()
    watch.lap("solve")
    first = watch.seconds["solve"]
    watch.lap("solve")
    assert watch.seconds["solve"] > first > 0
    assert set(watch.seconds) == {"solve"}
