"""What the laws do to the matrices of the problem."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from signorini.assembly.assemble import Assembler
from signorini.assembly.frames import contact_frames
from signorini.assembly.laws.contact_laws import ContactLaws, slips
from signorini.assembly.laws.contact_snapshot import ContactSnapshot
from signorini.assembly.laws.memory import BONDED, LawMemory
from signorini.assembly.laws.pin import pinned
from signorini.assembly.laws.terms import Terms, changed
from signorini.collision.detector import Detector
from signorini.math.rotations import about, rotate
from signorini.math.sparse import Array
from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.sphere import Sphere
from signorini.model.state import State
from signorini.problem.contact_problem import ContactProblem
from signorini.solvers.interior_point import InteriorPoint

H = 0.01
SOLVER = InteriorPoint(tolerance=1e-11)


def case(material: Material, depth: float = 0.001, speed: Any = (0, 0, 0), **fields: Any) -> tuple[Any, ...]:
    """A ball in a floor: plain problem, known velocities, snapshot, laws, state; fields are those of its memory."""
    model, tilt = Model(), about((1, 2, 0.5), 0.4)
    model.add_fixed_body(HalfSpace(), name="floor", orientation=tilt)
    place = rotate(tilt, np.array([0, 0, 0.1 - depth]))
    turned = about((0, 1, 3), 0.9)
    model.add_body(Sphere(0.1), mass=2.0, position=place, velocity=speed, orientation=turned, name="ball")
    state = model.initial_state()
    model.set_pair_material("floor", "ball", material)
    contacts = Detector(model).detect(state, H)
    assembler = Assembler(model)
    plain = assembler.assemble(state, contacts, H)
    laws = ContactLaws.of(model, assembler.masses, 1e-6)
    assert laws is not None
    known = laws.known(plain, contacts, state, H, np.inf)
    velocity = np.concatenate((state.velocity[1], state.angular_velocity[1]))
    memory = replace(LawMemory.fresh(contacts.identity), **fields)
    snapshot = laws.snapshot(contacts, state, memory, slips(plain, known, velocity), H, np.inf)
    return plain, known, snapshot, laws, state


def built(material: Material, **options: Any) -> tuple[ContactProblem, ContactProblem, Terms, Array, ContactSnapshot]:
    plain, known, snapshot, laws, state = case(material, **options)
    terms = laws.terms(snapshot, state, np.zeros(1, dtype=np.bool_))
    return plain, changed(plain, known, terms), terms, known, snapshot


def test_plain_friction_changes_nothing() -> None:
    plain, problem, terms, _, _ = built(Material(0.3))
    for name in ("c", "b_lambda"):
        np.testing.assert_allclose(getattr(problem, name), getattr(plain, name), atol=1e-15)
    assert problem.E.nnz == 0
    assert problem.D is plain.D or np.array_equal(problem.D.toarray(), plain.D.toarray())
    assert problem.cones.friction.tolist() == [0.3]
    np.testing.assert_array_equal(terms.impulses(np.array([[3.0, 1, 2]])), [[3, 1, 2]])


def test_spring_and_damper() -> None:
    e, d = 1e-4, 50.0
    _, problem, _, _, _ = built(Material(0.3, compliance=e, damping=d, tangential_compliance=2 * e), depth=0.003)
    np.testing.assert_allclose(problem.E.diagonal(), [e / (H * H + H * d * e), 2 * e / H**2, 2 * e / H**2])
    assert problem.b_lambda[0] == pytest.approx(0.003 / (H + d * e))
    # Written out: lambda / h is the force of the spring at the end of the step and of the damper.
    u, lam = -0.2, 0.7
    y = u - problem.b_lambda[0] + problem.E.diagonal()[0] * lam
    rate = y - u
    assert lam / H == pytest.approx((0.003 + H * rate) / e + d * rate)


def test_open_contact_is_damped_from_where_it_closes() -> None:
    e, d = 1e-4, 500.0
    _, problem, _, _, _ = built(Material(0.3, compliance=e, damping=d), depth=-0.001)
    assert problem.b_lambda[0] == pytest.approx(-0.001 / H)


def test_shear_is_pulled_back() -> None:
    e = 1e-4
    law = Material(0.3, tangential_compliance=e, tangential_damping=20.0)
    _, problem, _, _, _ = built(law, shear=np.array([[1e-3, -2e-3]]))
    np.testing.assert_allclose(problem.b_lambda[1:], np.array([-1e-3, 2e-3]) / (H + 20.0 * e))


def test_cohesion_moves_the_cone() -> None:
    """The solution of the changed problem is that of the moved cone."""
    force = 40.0
    plain, problem, terms, known, _ = built(Material(0.3, cohesion=force, compliance=1e-5), depth=1e-5)
    s = force * H
    np.testing.assert_allclose(problem.c - plain.c, plain.D.toarray()[0] * s)
    solution = SOLVER.solve(problem)
    impulse = terms.impulses(solution.contact_impulse.reshape(1, 3))[0]
    assert impulse[0] == pytest.approx(solution.contact_impulse[0] - s)
    # The bodies feel the true impulse.
    v = plain.velocity_of(impulse)
    np.testing.assert_allclose(v, solution.velocity, atol=1e-9)
    assert np.hypot(*impulse[1:]) <= 0.3 * (impulse[0] + s) * (1 + 1e-9)
    y = terms.openings(slips(plain, known, v), impulse[None])[0]
    assert y[0] >= -1e-9
    assert (impulse + np.array([s, 0, 0])) @ y == pytest.approx(0.0, abs=1e-9)


def test_open_gap_has_no_cohesion_unless_bonded() -> None:
    for bits, pulls in ((0, 0.0), (BONDED, 0.4)):
        mode = np.array([bits])
        *_, snapshot = built(Material(0.3, cohesion=40.0), depth=-1e-4, mode=mode)
        assert bool(snapshot.bonded[0]) == (pulls > 0)


def test_grain_is_an_ellipse_for_the_bodies() -> None:
    grain = Material(0.2, cross_friction=0.6, direction=(1, 2, 0))
    plain, problem, terms, known, snapshot = built(grain, speed=(1.0, -2.0, 0.3))
    solution = SOLVER.solve(problem)
    raw = solution.contact_impulse.reshape(1, 3)
    impulse = terms.impulses(raw)[0]
    np.testing.assert_allclose(plain.velocity_of(impulse), solution.velocity, atol=1e-9)
    assert terms.turn is not None
    scale = np.sqrt((terms.turn[0] ** 2).sum(axis=1))
    np.testing.assert_allclose(sorted(scale), [0.2 / 0.6, 1.0])
    along, across = (terms.turn[0] / scale[:, None]) @ impulse[1:]
    assert np.hypot(along / 0.2, across / 0.6) == pytest.approx(impulse[0], rel=1e-6)  # it slides
    assert snapshot.laws.grain.tolist() == [0]
    # Slip is against the normal of the ellipse.
    y = (terms.turn[0] / scale[:, None]) @ slips(plain, known, solution.velocity)[0, 1:]
    normal = np.array([along / 0.2**2, across / 0.6**2])
    assert y @ normal / np.linalg.norm(y) / np.linalg.norm(normal) == pytest.approx(-1.0, abs=1e-6)


def test_static_coefficient_acts_until_it_slips() -> None:
    law = Material(0.2, static_friction=0.5, stick_speed=1e-3)
    for speed, mu in (((0, 0, 0), 0.5), ((0.3, 0.3, 0.3), 0.2)):
        assert built(law, speed=speed)[1].cones.friction.tolist() == [mu]


def test_pinned_impulse_carries_its_friction() -> None:
    plain, _, _, _, snapshot = built(Material(0.3), speed=(2.0, 0.0, -1.0))
    push = np.array([0.05])
    lift = 0.3 * np.sqrt((snapshot.slip[:, 1:] ** 2).sum(axis=1))
    solution = SOLVER.solve(pinned(plain, np.array([0]), push, lift))
    assert solution.contact_impulse[0] == pytest.approx(0.05, rel=1e-3)
    impulse = np.array([0.05, *solution.contact_impulse[1:]])
    np.testing.assert_allclose(plain.velocity_of(impulse), solution.velocity, atol=1e-9)
    assert np.hypot(*impulse[1:]) == pytest.approx(0.3 * 0.05, rel=1e-3)


def test_belt_is_a_known_slip() -> None:
    def slip(belt: Any, velocity: Any) -> Array:
        model = Model()
        model.add_fixed_body(HalfSpace(), name="floor", surface_velocity=belt)
        model.add_body(Sphere(0.1), mass=2.0, position=(0, 0, 0.1), velocity=velocity)
        state: State = model.initial_state()
        contacts = Detector(model).detect(state, H)
        assembler = Assembler(model)
        plain = assembler.assemble(state, contacts, H)
        laws = ContactLaws.of(model, assembler.masses, 1e-6)
        assert laws is not None
        known = laws.known(plain, contacts, state, H, np.inf)
        return slips(plain, known, np.concatenate((state.velocity[1], np.zeros(3))))

    # A belt that runs with the ball is no slip; its normal part does nothing. The tiny one keeps the laws awake.
    np.testing.assert_allclose(slip((0.7, -0.2, 5.0), (0.7, -0.2, 0)), 0.0, atol=1e-12)
    np.testing.assert_allclose(slip((0.7, -0.2, 0), (0, 0, 0)), slip((1e-300, 0, 0), (-0.7, 0.2, 0)), atol=1e-12)


def test_rolling_rows_are_relative_angular_velocities() -> None:
    """Against the angular velocities of two bodies in the world, one of them driven."""
    law = Material(0.3, rolling_friction=0.01, spinning_friction=0.02, compliance=1e-5)

    def turning(t: float) -> tuple[Array, Array]:
        return np.zeros(3), about((1, 0, 1), 0.3 + 2.0 * t)

    model = Model()
    model.add_body(Sphere(0.2), motion=turning, name="driven")
    for k in range(2):
        place, turned = (0, 0.31 * (1 - k), 0.31 * k), about((0, 1, 3), 0.9 + k)
        model.add_body(Sphere(0.1), mass=2.0, position=place, orientation=turned, angular_velocity=(3, -2, 1))
    model.bodies[2] = replace(model.bodies[2], material=Material(0.5))
    model.set_pair_material("driven", 1, law)
    state = model.initial_state()
    contacts = Detector(model).detect(state, 0.2)
    assert contacts.count == 3
    assembler = Assembler(model)
    laws = ContactLaws.of(model, assembler.masses, 1e-6)
    assert laws is not None
    plain = assembler.assemble(state, contacts, H)
    known = laws.known(plain, contacts, state, H, np.inf)
    velocity = np.hstack((state.velocity, state.angular_velocity))[1:].reshape(-1)
    snapshot = laws.snapshot(contacts, state, None, slips(plain, known, velocity), H, np.inf)
    problem = changed(plain, known, laws.terms(snapshot, state, np.zeros(3, dtype=np.bool_)))
    rolls = (contacts.body_a == 0) & (contacts.body_b == 1)
    assert problem.cones.dims.tolist() == np.where(rolls, 6, 3).tolist()
    k = int(np.flatnonzero(rolls)[0])
    first = problem.cones.start[k]
    slip = problem.slip_of(velocity, np.zeros(problem.contact_rows))[first : first + 6]
    spin = rotate(state.orientation, state.angular_velocity)
    expected = contact_frames(contacts.normal[k : k + 1])[0] @ (spin[0] - spin[1])
    np.testing.assert_allclose(slip[3:], expected, atol=1e-9)
    np.testing.assert_allclose(slip[1:3], snapshot.slip[k, 1:], atol=1e-12)
    assert problem.E.diagonal()[first] > 0
    assert problem.E.nnz == 1
    assert (problem.cones.rolling[k], problem.cones.spinning[k]) == (0.01, 0.02)


def test_shear_turns_with_its_contact() -> None:
    """Two balls that spin as one about the normal take the spring between them along."""
    model = Model()
    spin = 4.0
    for k in range(2):
        model.add_body(Sphere(0.1), mass=1.0, position=(0, 0, 0.2 * k), angular_velocity=(0, 0, spin), name=f"b{k}")
    model.set_pair_material("b0", "b1", Material(0.5, tangential_compliance=1e-4))
    state = model.initial_state()
    contacts = Detector(model).detect(state, H)
    laws = ContactLaws.of(model, Assembler(model).masses, 1e-6)
    assert laws is not None
    frame = contact_frames(contacts.normal)[0]
    memory = replace(LawMemory.fresh(contacts.identity), shear=np.array([[2e-3, -1e-3]]))
    after = laws.snapshot(contacts, state, memory, np.zeros((1, 3)), H, np.inf).memory.shear
    turned = rotate(about((0, 0, 1), spin * H), memory.shear @ frame[1:])
    np.testing.assert_allclose(after @ frame[1:], turned, atol=1e-15)
