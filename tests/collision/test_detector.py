"""Broad phases, envelopes, filters, identities and order."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signorini.collision import detect
from signorini.collision.contacts import Contacts
from signorini.collision.detector import Detector
from signorini.math.rotations import about, exponential, multiply
from signorini.model.component import JointRows
from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.model.shapes.capsule import Capsule
from signorini.model.shapes.cylinder import Cylinder
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.sphere import Sphere
from signorini.model.state import State
from signorini.problem.errors import ModelError
from signorini.stepping.new_contacts import approach

from .scene import check, contacts_of, model_of

ARRAYS = ("body_a", "body_b", "point_a", "point_b", "normal", "gap", "friction", "identity")
STEP = 0.01


def assert_same(one: Contacts, other: Contacts) -> None:
    for name in ARRAYS:
        assert np.array_equal(getattr(one, name), getattr(other, name)), name


def cloud(seed: int, radii: np.ndarray, spread: float, speed: float, lone: bool = False) -> tuple[Model, State]:
    """Balls, boxes and capsules at random places with random velocities above a floor."""
    rng = np.random.default_rng(seed)
    model = Model()
    model.add_fixed_body(HalfSpace(), position=(0, 0, -spread))
    for k, r in enumerate(radii):
        shape = (Sphere(r), Sphere(r), Box((r, 1.2 * r, 1.5 * r)), Capsule(0.5 * r, r))[k % 4]
        orientation = exponential(rng.normal(size=3))
        model.add_body(shape, density=1.0, position=rng.uniform(-spread, spread, 3), orientation=orientation)
    state = model.initial_state()
    velocity, spin = rng.normal(size=(2, len(radii) + 1, 3)) * speed
    velocity[0] = spin[0] = 0.0
    position = state.position.copy()
    if lone:
        position[1] = (1e4, -3e4, 2e5)
        velocity[2] *= 1e3
    return model, replace(
        state,
        velocity=velocity + (3.0, 0.0, 0.0) * (np.arange(len(velocity)) > 0)[:, None],
        angular_velocity=spin,
        position=position,
    )


SETS = {
    "equal": lambda rng: np.full(150, 0.1),
    "two sizes": lambda rng: np.where(rng.random(150) < 0.5, 0.1, 0.2),
    "a few large": lambda rng: np.concatenate((np.full(150, 0.05), [0.5, 0.7, 0.6])),
    "all sizes": lambda rng: 0.02 * 50.0 ** rng.random(150),
}


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("lone", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_broad_phases_agree_with_brute_force(name: str, seed: int, lone: bool) -> None:
    radii = SETS[name](np.random.default_rng(seed))
    model, state = cloud(seed, radii, 0.6, 0.5, lone)
    truth = Detector(model, "brute").detect(state, STEP)
    check(truth)
    assert truth.count > 50
    for method in ("grid", "sweep", "auto"):
        assert_same(Detector(model, method).detect(state, STEP), truth)


def test_the_same_state_gives_the_same_bits() -> None:
    model, state = cloud(1, np.full(60, 0.15), 0.4, 1.0)
    detector = Detector(model)
    first = detector.detect(state, STEP)
    detector.detect(replace(state, position=state.position + 1.0), 10 * STEP)
    assert_same(detector.detect(state, STEP), first)
    assert_same(Detector(model).detect(state, STEP), first)
    assert_same(detect(model, state, STEP), first)


@pytest.mark.parametrize("movers", [0, 5, 60])
@pytest.mark.parametrize("method", ["grid", "sweep", "auto"])
def test_candidates_that_are_kept_change_nothing(method: str, movers: int) -> None:
    """All creep, a few jump or speed up by more than the skin, or so many that the candidates are rebuilt."""
    rng = np.random.default_rng(movers)
    model, state = cloud(3, np.full(120, 0.1), 0.6, 0.1)
    detector, truth = Detector(model, method), Detector(model, "brute")
    for _ in range(12):
        chosen = 1 + rng.permutation(120)[:movers]
        position, velocity = state.position.copy(), state.velocity.copy()
        position[1:] += 1e-3 * rng.normal(size=(120, 3))
        position[chosen[::2]] += 0.2 * rng.normal(size=(len(chosen[::2]), 3))
        velocity[chosen[1::2]] = 5.0 * rng.normal(size=(len(chosen[1::2]), 3))
        state = replace(state, position=position, velocity=velocity)
        assert_same(detector.detect(state, STEP), truth.detect(state, STEP))


def test_buffers_grow() -> None:
    model = model_of(*((Sphere(1.0), (0.01 * k, 0, 0)) for k in range(60)), margin=0.1)
    for method in ("grid", "sweep", "brute"):
        found = Detector(model, method).detect(model.initial_state(), 0.0)
        assert found.count == 60 * 59 // 2


def test_no_bodies_and_no_shapes() -> None:
    assert contacts_of().count == 0
    assert contacts_of((Sphere(1.0),)).count == 0
    model = Model()
    model.add_body(None, mass=1.0, inertia=np.eye(3))
    assert detect(model, model.initial_state(), STEP).count == 0


@given(st.floats(0.0, 20.0), st.floats(0.001, 0.05))
@settings(max_examples=20, deadline=None)
def test_envelope_grows_with_speed(speed: float, step: float) -> None:
    model = model_of((Sphere(0.5),), (Sphere(0.5), (1.1, 0, 0)), margin=0.01)
    velocity = np.array([[0.0, 0.0, 0.0], [-speed, 0.0, 0.0]])
    state = replace(model.initial_state(), velocity=velocity)
    reach = 0.01 + step * speed
    if abs(reach - 0.1) > 1e-9:
        assert Detector(model).detect(state, step).count == (reach > 0.1)
    shared = replace(state, velocity=velocity * 0 + speed)
    assert Detector(model).detect(shared, step).count == 0


def test_envelope_grows_with_spin_but_not_for_spheres() -> None:
    spin = np.array([[0.0, 0.0, 30.0], [0.0, 0.0, 0.0]])
    for shape, count in ((Sphere(0.5), 0), (Capsule(0.5, 1.0), 1), (Box((1.0, 1.0, 2.0)), 1)):
        model = model_of((shape,), (Sphere(0.5), (1.1, 0, 0)), margin=0.01)
        state = replace(model.initial_state(), angular_velocity=spin)
        assert Detector(model).detect(state, 0.005).count == count


def test_a_body_that_falls_to_the_floor_within_the_step_is_seen() -> None:
    step = 0.05
    gap = 0.9 * step * step * 9.81
    for gravity, count in (((0, 0, -9.81), 1), ((0, 0, 0), 0)):
        model = model_of((Sphere(0.5), (0, 0, 0.5 + gap)), (HalfSpace(),), margin=0.0, gravity=gravity)
        assert detect(model, model.initial_state(), step).count == count


def test_a_turning_plane_is_fast_far_from_its_axis() -> None:
    model = Model(gravity=(0, 0, 0), margin=0.0)
    model.add_body(HalfSpace(), motion=lambda t: (np.zeros(3), about(np.array([0.0, 1.0, 0.0]), -2.0 * t)))
    model.add_body(Sphere(0.5), mass=1.0, position=(10.0, 0, 0.6))
    model.add_body(Sphere(0.5), mass=1.0, position=(1.0, 0, 0.6))
    found = detect(model, model.initial_state(), 0.01)
    assert found.body_b.tolist() == [1]


def test_default_margin_is_a_part_of_the_smaller_size() -> None:
    for gap, count in ((0.0009, 1), (0.0011, 0)):
        assert contacts_of((Sphere(0.05), (0, 0, 0.05 + gap)), (HalfSpace(),), margin=None).count == count
        assert contacts_of((Sphere(0.05), (0, 0, 1.05 + gap)), (Sphere(1.0),), margin=None).count == count


def test_the_larger_given_margin_counts() -> None:
    model = Model(margin=0.001)
    model.add_body(Sphere(0.5), density=1.0)
    model.add_body(Sphere(0.5), density=1.0, position=(1.01, 0, 0), margin=0.02)
    assert detect(model, model.initial_state(), 0.0).count == 1


@dataclass
class Tie:
    """A joint without rows."""

    name: str
    bodies: tuple[int, ...]

    def rows(self, state: State) -> JointRows:
        raise NotImplementedError


def test_filters() -> None:
    def count(**second: object) -> int:
        model = Model()
        model.add_body(Sphere(0.5), density=1.0, group=2, mask=0b110)
        model.add_body(Sphere(0.5), density=1.0, position=(0.9, 0, 0), **second)
        return detect(model, model.initial_state(), STEP).count

    assert count(group=4) == 1
    assert count(group=1) == 0  # not in the first one's mask
    assert count(group=4, mask=0b101) == 0  # the first is not in its own


def test_fixed_and_kinematic_bodies_do_not_meet_one_another() -> None:
    model = Model()
    model.add_fixed_body(Sphere(0.5))
    model.add_body(Sphere(0.5), motion=lambda t: (np.array([0.5, 0.0, 0.0]), np.array([1.0, 0.0, 0.0, 0.0])))
    model.add_fixed_body(HalfSpace())
    assert detect(model, model.initial_state(), STEP).count == 0
    model.add_body(Sphere(0.5), density=1.0)
    assert detect(model, model.initial_state(), STEP).count == 3


def test_tied_bodies_and_shapes_of_one_body_do_not_meet() -> None:
    model = Model()
    for k in range(3):
        dumbbell = [(Sphere(0.5), (0, 0, 0.2), (1, 0, 0, 0)), (Sphere(0.5), (0, 0, -0.2), (1, 0, 0, 0))]
        model.add_body(dumbbell, density=1.0, position=(0.1 * k, 0, 0))
    found = detect(model, model.initial_state(), STEP)
    assert found.count == 3 * 4
    model.joints.append(Tie("tie", (2, 0)))
    found = detect(model, model.initial_state(), STEP)
    assert sorted(zip(found.body_a.tolist(), found.body_b.tolist(), strict=True)) == [(0, 1)] * 4 + [(1, 2)] * 4


def test_friction_is_the_smaller_one() -> None:
    model = Model()
    model.add_body(Sphere(0.5), density=1.0, material=Material(friction=0.7))
    model.add_body(Sphere(0.5), density=1.0, position=(1, 0, 0), material=Material(friction=0.2))
    assert detect(model, model.initial_state(), STEP).friction.tolist() == [0.2]


def test_identities_last_under_small_motion() -> None:
    model, state = cloud(3, np.full(80, 0.3), 0.5, 0.0)
    detector = Detector(model)
    before = detector.detect(state, STEP)
    rng = np.random.default_rng(0)
    turn = exponential(1e-9 * rng.normal(size=state.position.shape))
    moved = replace(
        state,
        position=state.position + 1e-9 * rng.normal(size=state.position.shape),
        orientation=multiply(state.orientation, turn),
    )
    after = detector.detect(moved, STEP)
    assert np.array_equal(before.identity, after.identity)
    assert np.abs(before.point_a - after.point_a).max() < 1e-6


def test_identities_of_a_resting_box_last_while_it_slides() -> None:
    previous = None
    for x in np.linspace(0.0, 0.1, 11):
        found = contacts_of((Box((2, 2, 1)),), (Box((1, 1, 1)), (x, 0, 1.0)), margin=0.01)
        assert found.count == 4
        assert previous is None or np.array_equal(found.identity, previous)
        previous = found.identity


def test_compound_touches_with_each_of_its_shapes() -> None:
    model = Model(margin=0.001)
    bar = [(Sphere(0.1), (x, 0, 0), (1, 0, 0, 0)) for x in (-0.5, 0.0, 0.5)]
    model.add_body(bar, density=1.0, position=(0, 0, 0.1), orientation=about(np.array([0.0, 0.0, 1.0]), np.pi / 2))
    model.add_fixed_body(HalfSpace())
    found = detect(model, model.initial_state(), 0.0)
    assert np.allclose(sorted(found.point_a[:, 1]), (-0.5, 0.0, 0.5))
    assert len(set(found.identity.tolist())) == 3


def test_wrong_calls_say_what_was_expected() -> None:
    model = model_of((Sphere(0.5),), (Sphere(0.5),))
    with pytest.raises(ModelError, match="expected one of auto, grid"):
        Detector(model, "octree")
    with pytest.raises(ModelError, match="expected 2 as in the model"):
        Detector(model).detect(model_of((Sphere(0.5),)).initial_state(), STEP)
    with pytest.raises(ModelError, match="step is -1"):
        Detector(model).detect(model.initial_state(), -1.0)


@pytest.mark.parametrize("balls_alone", [True, False])
@pytest.mark.parametrize("method", ["grid", "sweep", "auto"])
def test_a_quick_look_misses_no_overlap(method: str, balls_alone: bool) -> None:
    """Against contacts with the new velocities; of balls and half-spaces it also says yes only where there is one."""
    rng = np.random.default_rng(11)
    model, state = cloud(5, np.full(80, 0.1), 0.7, 0.0)
    if balls_alone:
        model = Model()
        model.add_fixed_body(HalfSpace(), position=(0, 0, -0.7))
        for position in state.position[1:]:
            model.add_body(Sphere(0.1), density=1.0, position=position)
        state = model.initial_state()
    detector, verdicts = Detector(model, method), []
    for k in range(40):
        shift = 2e-3 * rng.normal(size=(80, 3)) + (0.02, 0.0, 0.0)
        state = replace(state, position=state.position + np.vstack((np.zeros(3), shift)))
        known = detector.detect(state, STEP)
        velocity = np.vstack((np.zeros(3), rng.normal(size=(80, 3)) * (0.1, 1.0, 8.0)[k % 3]))
        moving, overlap = replace(state, velocity=velocity), (1e-6, 0.02, 0.1)[k % 3]
        found = detector.detect(moving, STEP)
        after = found.gap + STEP * approach(found, moving)
        truth = bool(np.any(after[~np.isin(found.identity, known.identity)] < -overlap))
        quick = detector.may_overlap(moving, STEP, known, overlap)
        assert quick or not truth
        verdicts.append((quick, truth))
    if balls_alone:
        assert all(quick == truth for quick, truth in verdicts)
        assert {truth for _, truth in verdicts} == {True, False}


@pytest.mark.parametrize("thickness", [0.01, 0.1, 0.5])
def test_a_wheel_touches_the_edge_of_a_kerb_along_a_line(thickness: float) -> None:
    """However thin the kerb is: its lower edge is nearly as high as the upper one, seen from the wheel."""
    model, radius, down = Model(), 0.2, 0.15
    model.add_fixed_body(Box((0.5, 1.0, thickness)), position=(0.25, 0, -0.5 * thickness))
    place = (-math.sqrt(radius**2 - down**2), 0, down)
    turn = (math.sqrt(0.5), math.sqrt(0.5), 0, 0)
    model.add_body(Cylinder(radius, 0.1), density=1000, position=place, orientation=turn)
    contacts = Detector(model).detect(model.initial_state(), 0.001)
    edge = np.abs(contacts.point_a[:, 0]) < 1e-9
    np.testing.assert_allclose(np.sort(contacts.point_a[edge, 1]), [-0.05, 0.05], atol=1e-9)
    np.testing.assert_allclose(contacts.gap[edge], 0.0, atol=1e-9)
