"""The certificate: no error on closed forms, and each kind of perturbation raises its own term."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import signorini as sg
from signorini.problem.certificate import Certificate, measure
from signorini.problem.cones import Cones
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.errors import ProblemError
from signorini.problem.library import KnownProblem, library, side_by_side
from signorini.problem.library.many_bodies import chain, chain_on_ground, stack
from signorini.problem.library.one_body import ball, block, block_on_rail

FEASIBLE = [k for k in library() if k.feasible]
ROUND_OFF = 1e-11
ERRORS = (
    "stationarity", "stationarity_relative", "joint_error", "joint_error_relative", "scaled", "scaled_by_velocity",
    "natural_map", "natural_map_relative", "complementarity", "complementarity_relative", "cone_violation",
    "dual_violation", "error",
)  # fmt: skip


def measured(case: KnownProblem, dv: object = 0.0, dlam: object = 0.0, dgamma: object = 0.0) -> Certificate:
    """The certificate of the known answer, tampered with."""
    assert case.velocity is not None
    assert case.example is not None
    lam, gamma = case.example
    return measure(case.problem, case.velocity + dv, lam + dlam, gamma + dgamma)


@pytest.mark.parametrize("case", FEASIBLE, ids=lambda k: k.name)
def test_closed_forms_have_no_error(case: KnownProblem) -> None:
    found = measured(case)
    size = 1.0 + abs(case.objective)
    for name in ERRORS:
        assert getattr(found, name) <= ROUND_OFF, name
    for name in ("objective_primal", "objective_dual"):
        assert getattr(found, name) == pytest.approx(case.objective, abs=ROUND_OFF * size)
    assert max(found.convex.scaled, found.convex.abh, found.convex.siconos) <= ROUND_OFF
    assert abs(found.gap) <= ROUND_OFF * size


@pytest.mark.parametrize("case", [k for k in FEASIBLE if k.problem.cones.is_plain], ids=lambda k: k.name)
def test_certificate_is_measured_by_its_definition(case: KnownProblem) -> None:
    """Every term once more, by dense algebra, at a point that solves nothing."""
    rng = np.random.default_rng(3)
    p = case.problem
    v, lam, gamma = rng.normal(size=p.velocities), rng.normal(size=p.contact_rows), rng.normal(size=p.joint_rows)
    H, C, D, E = (m.toarray() for m in (p.H, p.C, p.D, p.E))
    found = measure(p, v, lam, gamma)
    u = D @ v - p.b_lambda + E @ lam
    inverse = np.linalg.inv(H)
    w = inverse @ (D.T @ lam + C.T @ gamma - p.c)
    q = -D @ inverse @ p.c - p.b_lambda
    largest = lambda x: float(np.abs(x).max(initial=0.0))  # noqa: E731
    assert found.stationarity == pytest.approx(largest(H @ v + p.c - C.T @ gamma - D.T @ lam))
    assert found.joint_error == pytest.approx(largest(C @ v - p.b_gamma))
    assert found.complementarity == pytest.approx(abs(lam @ u))
    assert found.objective_primal == pytest.approx(0.5 * v @ H @ v + p.c @ v + 0.5 * lam @ E @ lam)
    dual = p.b_lambda @ lam + p.b_gamma @ gamma - 0.5 * w @ H @ w - 0.5 * lam @ E @ lam
    assert found.objective_dual == pytest.approx(dual)
    if not p.contacts:
        assert found.worst_contact == -1
        return
    rho = np.repeat(p.rho, p.cones.dims)
    assert found.natural_map == pytest.approx(float(np.linalg.norm(lam - p.cones.project(lam - rho * u))))
    own = D @ w - p.b_lambda + E @ lam
    e = float(np.linalg.norm(lam - p.cones.project(lam - own)))
    assert found.convex.abh == pytest.approx(e / np.linalg.norm(q))
    assert found.convex.siconos == pytest.approx(e / max(map(np.linalg.norm, (q, lam, own))))
    scale = np.trace(D @ inverse @ D.T + E) / p.contact_rows
    s = np.abs(q).max()
    r = lam * scale / s
    scaled = np.linalg.norm(r - p.cones.project(r - own / s)) / np.linalg.norm(q / s)
    assert found.scaled == pytest.approx(float(scaled))


def test_wrong_velocity_raises_stationarity() -> None:
    case = chain_on_ground()
    before, after = measured(case), measured(case, dv=np.eye(12)[4] * 1e-3)
    assert after.stationarity > 1e-4 > before.stationarity
    assert after.stationarity_relative > 1e-6
    assert after.error > 1e-6
    assert after.joint_error == pytest.approx(before.joint_error, abs=1e-15), "a tangent velocity bends no link"


def test_broken_joint_raises_joint_error() -> None:
    case = chain()
    after = measured(case, dv=np.kron(np.eye(5)[2], [0.0, 1e-3]))
    assert after.joint_error == pytest.approx(1e-3)
    assert after.joint_error_relative > 1e-4
    assert after.error > 1e-4


def test_wrong_joint_impulse_raises_stationarity_only() -> None:
    case = block_on_rail()
    after = measured(case, dgamma=np.array([0.01]))
    assert after.stationarity == pytest.approx(0.01)
    assert after.joint_error == 0.0
    assert after.cone_violation == pytest.approx(0.0, abs=1e-15)


def test_impulse_outside_the_cone_raises_cone_violation() -> None:
    case = block(1.0, 0.3, direction=0.0)
    after = measured(case, dlam=np.array([0.0, 0.0, 0.1]))
    assert after.cone_violation > 1e-3
    assert after.natural_map > 1e-3
    assert after.scaled > 1e-3
    pulling = measured(ball((0.0, 0.0, 1.0)), dlam=np.array([-0.1, 0.0, 0.0]))
    assert pulling.cone_violation == pytest.approx(0.1)


def test_penetrating_slip_raises_dual_violation() -> None:
    case = ball()
    after = measured(case, dv=np.eye(6)[2] * -0.01)
    assert after.dual_violation == pytest.approx(0.01)
    assert after.natural_map > 0.0
    assert after.cone_violation == 0.0


def test_impulse_on_an_open_contact_raises_complementarity() -> None:
    case = ball((0.0, 0.0, 1.0))
    lam = np.array([0.2, 0.0, 0.0])
    after = measured(case, dlam=lam, dv=np.eye(6)[2] * 0.1)
    assert after.stationarity == pytest.approx(0.0, abs=1e-15), "the velocity follows the impulse"
    assert after.complementarity == pytest.approx(0.2 * (1.0 - 0.0981 + 0.1))
    assert after.complementarity_relative > 0.1
    assert after.natural_map > 0.1
    assert after.gap == pytest.approx(after.complementarity)


def test_gap_is_the_complementarity_of_a_feasible_point() -> None:
    """With v from the impulses, primal less dual objective is lambda'u (weak duality), whatever lambda is."""
    case = block(1.0, 0.3)
    lam = np.array([0.5, -0.1, 0.05])
    found = measure(case.problem, case.problem.velocity_of(lam), lam, np.zeros(0))
    slip = case.problem.slip_of(case.problem.velocity_of(lam), lam)
    assert found.gap == pytest.approx(float(lam @ slip))


@pytest.mark.parametrize("contact", [0, 3, 7])
def test_worst_contact_is_named(contact: int) -> None:
    case = side_by_side("two stacks", stack(4), stack(4))
    shift = np.zeros(24)
    shift[3 * contact] = 0.05
    after = measured(case, dlam=-2.0 * shift * 20.0)
    assert after.worst_contact == contact
    assert int(after.natural_map_per_contact.argmax()) == contact
    assert after.natural_map == pytest.approx(float(np.linalg.norm(after.natural_map_per_contact)))


def test_sliding_block_solves_the_convex_law_not_the_exact_one() -> None:
    """The lift mu |u_t| of the relaxation is what separates the two measures; sticking contacts obey both."""
    sliding, sticking = measured(block(1.0, 0.3)), measured(block(0.01, 0.3))
    assert sliding.convex.scaled < ROUND_OFF
    assert sliding.coulomb.scaled > 1e-2
    assert sticking.coulomb.scaled < ROUND_OFF


def test_joints_at_rest_are_measured_against_the_motion_they_stop() -> None:
    """A hanging chain has C v = b = 0: round-off of 1e-17 m/s must not count as a relative error of 1."""
    case = chain(sway=0.0)
    after = measured(case, dv=1e-16 * np.random.default_rng(0).normal(size=10))
    assert after.joint_error_relative < 1e-13
    broken = measured(case, dv=1e-6 * np.eye(10)[5])
    assert broken.joint_error_relative > 1e-6


def test_size_of_a_joint_error_is_the_motion_with_and_without_the_joint() -> None:
    """|C v - b| / (|C| (|v| + |v_free|) + |b|), here of one mass on a motor: 0.1 / (2 (0.55 + 0.25) + 1)."""
    p = ContactProblem(H=[[4.0]], c=[-1.0], C=[[2.0]], b_gamma=[1.0])
    found = measure(p, np.array([0.55]), np.zeros(0), np.array([0.5]))
    assert found.joint_error == pytest.approx(0.1)
    assert found.joint_error_relative == pytest.approx(0.1 / 2.6, rel=1e-3), "idle rows add a ten-thousandth"


@pytest.mark.parametrize("which", range(3))
def test_answer_that_is_not_a_number_is_never_good(which: int) -> None:
    case = block_on_rail()
    assert case.velocity is not None
    assert case.example is not None
    vectors = [np.array(x) for x in (case.velocity, *case.example)]
    vectors[which][0] = np.nan
    found = measure(case.problem, *vectors)
    assert np.isnan(found.error)
    assert np.isnan(found.stationarity)


def test_dual_objective_includes_the_constant() -> None:
    """Without joints it is -(1/2 lambda'N lambda + r'lambda) - 1/2 c'H^-1 c."""
    p = block(1.0, 0.3).problem
    lam = np.array([0.5, -0.1, 0.05])
    found = measure(p, p.velocity_of(lam), lam, np.zeros(0))
    constant = 0.5 * p.c @ p.mass.solve(p.c)
    assert found.objective_dual == pytest.approx(-(0.5 * lam @ p.apply_N(lam) + p.r @ lam) - constant)


def test_rows_where_nothing_happens_hold_round_off_only() -> None:
    """No force acts sideways on the chain: 1e-16 m/s there is no relative error of 1, 1e-6 m/s still is one."""
    case = chain(sway=0.0)
    sideways = np.eye(10)[4]
    assert measured(case, dv=1e-16 * sideways).stationarity_relative < 1e-8
    assert measured(case, dv=1e-6 * sideways).stationarity_relative > 1e-3


def in_units(p: ContactProblem, length: float, mass: float, time: float) -> tuple[ContactProblem, float, float]:
    """The problem with other units; returns it with the factors of velocities and of impulses (translations only)."""
    speed, impulse = length / time, mass * length / time
    return (
        ContactProblem(
            H=p.H * mass, c=p.c * impulse, C=p.C, b_gamma=p.b_gamma * speed, D=p.D,
            b_lambda=p.b_lambda * speed, cones=p.cones, E=p.E * (1.0 / mass),
        ),
        speed,
        impulse,
    )  # fmt: skip


@given(
    st.sampled_from([block(1.0, 0.3), block(0.5, 0.4, compliance=0.1), chain_on_ground(), block_on_rail(), stack(3)]),
    st.floats(-4, 4), st.floats(-4, 4), st.floats(-4, 4), st.integers(0, 1000),
)  # fmt: skip
@settings(max_examples=60)
def test_relative_measures_do_not_depend_on_units(
    case: KnownProblem, length: float, mass: float, time: float, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    p = case.problem
    assert case.velocity is not None
    assert case.example is not None
    v = case.velocity + 0.01 * rng.normal(size=p.velocities)
    lam = case.example[0] + 0.01 * rng.normal(size=p.contact_rows)
    gamma = case.example[1] + 0.01 * rng.normal(size=p.joint_rows)
    other, speed, impulse = in_units(p, 10.0**length, 10.0**mass, 10.0**time)
    a, b = measure(p, v, lam, gamma), measure(other, v * speed, lam * impulse, gamma * impulse)
    names = ("stationarity_relative", "joint_error_relative", "natural_map_relative", "complementarity_relative")
    for name in (*names, "scaled", "error"):
        assert getattr(b, name) == pytest.approx(getattr(a, name), rel=1e-6), name
    assert a.worst_contact == b.worst_contact
    assert a.coulomb.scaled == pytest.approx(b.coulomb.scaled, rel=1e-6)


def test_skew_part_counts_only_for_the_exact_law() -> None:
    N = np.array([[2.0, 0.2, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]])
    p = ContactProblem.from_delassus(N, np.array([-1.0, 0.1, 0.0]), Cones.coulomb(0.5))
    lam = -sp.linalg.spsolve(p.N.tocsc(), p.r)  # sticking: inside the cone
    found = measure(p, np.zeros(0), lam, np.zeros(0))
    assert found.convex.scaled < 1e-14
    assert found.coulomb.scaled > 1e-3


@pytest.mark.parametrize("which", range(3))
def test_vectors_of_wrong_shape_are_refused(which: int) -> None:
    case = block_on_rail()
    assert case.velocity is not None
    assert case.example is not None
    vectors = [case.velocity, *case.example]
    vectors[which] = np.zeros(99)
    with pytest.raises(ProblemError, match=r"has shape \(99,\), expected"):
        measure(case.problem, *vectors)


def test_huge_null_space_impulses_hide_no_joint_error() -> None:
    """Two equal joint rows with opposite, huge impulses move nothing: they are no measure of the joint error."""
    problem = ContactProblem(H=np.eye(2), c=[-1.0, 0.0], C=[[1.0, 0.0], [1.0, 0.0]], b_gamma=[0.0, 0.0])
    certificate = measure(problem, np.array([0.5, 0.0]), np.zeros(0), np.array([1e12 - 0.5, -1e12]))
    assert certificate.joint_error == pytest.approx(0.5)
    assert certificate.joint_error_relative > 0.1
    assert certificate.error > 0.1


def test_a_light_body_that_is_torn_off_its_joint_is_seen() -> None:
    """Held along x by a joint and pushed there by 1 N s, 1e-9 kg would fly at 1e9 m/s: at 1 m/s it is not held."""
    row = [[1.0, 0.0, 0.0]]
    p = ContactProblem(H=1e-9 * np.eye(3), c=np.zeros(3), C=row, b_gamma=[0.0], D=row, cones=Cones.half_lines(1))
    found = measure(p, np.array([1.0, 0.0, 0.0]), np.ones(1), np.full(1, 1e-9 - 1.0))
    assert found.stationarity_relative <= 1e-12
    assert found.joint_error_relative >= 5e-6


def test_slip_below_the_round_off_of_a_huge_impulse_is_seen() -> None:
    """1e20 N s on a contact that still slips by 1e-3 m/s: the difference of impulses would read zero."""
    problem = ContactProblem(H=np.eye(3), c=[0.0, 0.0, 1.0], D=np.eye(3)[[2, 0, 1]], cones=Cones.coulomb(0.5))
    certificate = measure(problem, np.array([0.0, 0.0, -1e-3]), np.array([1e20, 0.0, 0.0]), np.zeros(0))
    assert certificate.natural_map == pytest.approx(1e-3)
    assert certificate.scaled_by_velocity == pytest.approx(1e-3)


def test_bodies_that_move_together_are_judged_by_their_speed() -> None:
    """Two balls in contact fly side by side: their free slip is round-off, and so is the error of any answer."""
    speed = 7.3
    problem = ContactProblem(
        H=np.diag([1.0, 3.0]),
        c=[-1.0 * speed, -3.0 * (speed * (1 + 4e-16))],
        D=[[1.0, -1.0]],
        cones=Cones.half_lines(1),
    )
    certificate = measure(problem, problem.free_velocity, np.zeros(1), np.zeros(0))
    assert certificate.error < 1e-8
    assert measure(problem, problem.free_velocity + np.array([0.0, 1e-3]), np.zeros(1), np.zeros(0)).error > 1e-5


def test_what_is_measured_later_is_what_was_handed_in() -> None:
    """Much of a certificate is measured when it is asked for: by then the caller may have changed its arrays."""
    case = block_on_rail()
    assert case.velocity is not None
    assert case.example is not None
    vectors = [np.array(x) for x in (case.velocity, *case.example)]
    found = measure(case.problem, *vectors)
    for vector in vectors:
        vector[:] = np.nan
    assert found.natural_map <= ROUND_OFF
    assert found.complementarity <= ROUND_OFF
    assert abs(found.gap) <= ROUND_OFF * (1.0 + abs(case.objective))


def test_without_velocities_those_of_the_impulses_are_measured() -> None:
    p = block_on_rail().problem
    rng = np.random.default_rng(0)
    lam, gamma = rng.normal(size=p.contact_rows), rng.normal(size=p.joint_rows)
    one, two = measure(p, None, lam, gamma), measure(p, p.velocity_of(lam, gamma), lam, gamma)
    np.testing.assert_array_equal(one.answer.velocity, p.velocity_of(lam, gamma))
    for name in (*ERRORS, "objective_primal", "objective_dual"):
        assert getattr(one, name) == getattr(two, name), name


SOLVERS_OF_ROLLING = [
    "interior-point", "primal-dual-barrier", "projected-sor", "projected-jacobi", "barzilai-borwein", "apgd",
]  # fmt: skip


@pytest.mark.parametrize("law", ["convex", "coulomb"])
@pytest.mark.parametrize("solver", SOLVERS_OF_ROLLING)
def test_small_bodies_do_not_hide_the_turning_of_large_ones(solver: str, law: str) -> None:
    """A ball of 1 m rolls and spins, a small one falls elsewhere and turns fast: both are right in a solved step."""

    def losses(small: float | None) -> np.ndarray:
        model, rough = sg.Model(), sg.Material(0.5, rolling_friction=0.02, spinning_friction=0.01)
        model.add_fixed_body(sg.HalfSpace(), material=rough)
        turns = {"velocity": (1, 0, 0), "angular_velocity": (0, 1, 0.5)}
        model.add_body(sg.Sphere(1.0), density=1000, position=(0, 0, 1), material=rough, **turns)  # type: ignore[arg-type]
        if small is not None:
            turns = {"velocity": (0, 0, -1), "angular_velocity": (0, 3, 7)}
            model.add_body(sg.Sphere(small), density=1000, position=(5, 0, small), material=rough, **turns)  # type: ignore[arg-type]
        step = sg.Simulation(model, step=0.005, solver=solver, law=law).advance()  # type: ignore[arg-type]
        assert step.status.ok
        return np.array([1.0, 0.5]) - step.state.angular_velocity[1, 1:]

    alone = losses(None)
    for small in (1e-2, 1e-3):
        np.testing.assert_allclose(losses(small), alone, rtol=1e-3)
