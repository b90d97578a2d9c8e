"""The contact problem: what it refuses, one reason at a time, and what it derives, against dense algebra."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest
import scipy.sparse as sp

from signorini.problem.certificate import measure
from signorini.problem.cones import Cones
from signorini.problem.contact_problem import MOTION_ROUND_OFF, ContactProblem
from signorini.problem.derived import derived_from
from signorini.problem.errors import ProblemError, SignoriniError
from signorini.problem.mass_matrix import BlockDiagonalMass, SparseMass


def parts() -> dict:
    """A small problem that is right; each test below spoils one part of it."""
    return {
        "H": np.diag([2.0, 2.0, 2.0]),
        "c": np.array([0.0, 0.0, 1.0]),
        "C": np.array([[1.0, 0.0, 0.0]]),
        "b_gamma": np.array([0.5]),
        "D": np.eye(3),
        "b_lambda": np.zeros(3),
        "cones": Cones.coulomb(0.4),
        "E": np.zeros((3, 3)),
    }


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("H", None, r"H is missing, expected shape \(3, 3\)"),
        ("H", np.eye(4), r"H has shape \(4, 4\), expected \(3, 3\) because c has 3 entries"),
        ("C", np.ones((2, 3)), r"C has shape \(2, 3\), expected \(1, 3\) because b_gamma has 1"),
        ("C", np.ones((1, 4)), r"C has shape \(1, 4\), expected \(1, 3\)"),
        ("D", np.eye(4), r"D has shape \(4, 4\), expected \(3, 3\) because the cones have 3 rows in 1 contacts"),
        ("D", np.ones(3), r"D has shape \(3,\), expected \(3, 3\)"),
        ("b_lambda", np.zeros(2), "b_lambda has 2 entries, expected 3 for 1 contacts"),
        ("E", np.eye(2), r"E has shape \(2, 2\), expected \(3, 3\)"),
        ("c", np.array([0.0, np.nan, 1.0]), "c holds 1 entries that are not finite"),
        ("b_gamma", np.array([np.inf]), "b_gamma holds 1 entries"),
        ("b_lambda", np.array([np.nan, np.nan, 0.0]), "b_lambda holds 2 entries"),
        ("H", np.diag([1.0, np.nan, 1.0]), "H holds 1 entries"),
        ("C", np.array([[np.inf, 0.0, 0.0]]), "C holds 1 entries"),
        ("D", np.diag([1.0, np.nan, 1.0]), "D holds 1 entries"),
        ("E", np.diag([1.0, np.nan, 1.0]), "E holds 1 entries"),
        ("H", np.array([[2.0, 0.1, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]]), "H is not symmetric .*pass"),
        ("E", np.array([[2.0, 0.1, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]]), "E is not symmetric"),
        ("H", np.diag([2.0, 0.0, 2.0]), "H has 0.0 on its diagonal in row 1, expected a positive mass"),
        ("H", np.diag([2.0, 2.0, -1.0]), "H has -1.0 on its diagonal in row 2"),
        ("E", np.diag([0.0, -1.0, 0.0]), "E has -1.0 on its diagonal in row 1"),
    ],
)
def test_one_wrong_part_is_named(key: str, value: object, message: str) -> None:
    wrong = parts() | {key: value}
    with pytest.raises(ProblemError, match=message):
        ContactProblem(**wrong)


def test_errors_are_of_one_family() -> None:
    with pytest.raises(SignoriniError):
        ContactProblem(**parts() | {"H": np.eye(2)})
    with pytest.raises(ValueError, match="expected"):
        ContactProblem(**parts() | {"H": np.eye(2)})


@pytest.mark.parametrize("size", [2, 30])
def test_indefinite_mass_is_found_when_it_is_inverted(size: int) -> None:
    """By block, and by the factorisation of a matrix too large for blocks."""
    H = np.eye(size) + 2.0 * (np.eye(size, k=1) + np.eye(size, k=-1))
    problem = ContactProblem(H=H, c=np.ones(size))
    with pytest.raises(ProblemError, match="positive definite"):
        problem.velocity_of(np.zeros(0))


def test_delassus_of_wrong_shape_is_refused() -> None:
    with pytest.raises(ProblemError, match=r"N has shape \(2, 2\), expected \(3, 3\) for 1 contacts"):
        ContactProblem.from_delassus(np.eye(2), np.zeros(3), Cones.coulomb(0.3))
    with pytest.raises(ProblemError, match="b_lambda has 2 entries"):
        ContactProblem.from_delassus(np.eye(3), np.zeros(2), Cones.coulomb(0.3))


def test_problem_cannot_be_changed() -> None:
    data = parts()
    problem = ContactProblem(**data)
    with pytest.raises(dataclasses.FrozenInstanceError):
        problem.c = np.zeros(3)  # type: ignore[misc]
    for vector in (problem.c, problem.b_gamma, problem.b_lambda, problem.H.data, problem.D.data):
        with pytest.raises(ValueError, match="read-only"):
            vector[0] = 1.0
    data["c"][2] = 99.0
    assert problem.c[2] == 1.0, "the problem keeps its own copy"


def test_parts_may_be_left_out() -> None:
    bare = ContactProblem(H=np.eye(2), c=np.ones(2))
    assert (bare.contacts, bare.joint_rows, bare.velocities, bare.is_dual_only) == (0, 0, 2, False)
    assert bare.C.shape == (0, 2)
    assert bare.D.shape == (0, 2)
    assert bare.N.shape == (0, 0)
    assert bare.rho.shape == (0,)
    empty = ContactProblem()
    assert empty.is_dual_only
    assert empty.velocity_of(np.zeros(0)).shape == (0,)


@pytest.mark.parametrize("form", [np.asarray, sp.csc_matrix, sp.coo_array, sp.csr_array, np.ndarray.tolist])
def test_any_matrix_form_will_do(form) -> None:
    D = np.array([[0.0, 1.0], [1.0, 0.0], [0.0, 0.0]])
    problem = ContactProblem(H=form(np.eye(2)), c=[0.0, 1.0], D=form(D), cones=Cones.coulomb(0.3))
    np.testing.assert_array_equal(problem.D.toarray(), D)
    assert problem.D.indices.dtype == np.int32


# --- derived quantities -------------------------------------------------------------------------------------


def random_problem(kind: str, seed: int = 0) -> ContactProblem:
    """Blocks of sizes 1, 3, 6 (block), a banded matrix (general), or N and r alone (dual)."""
    rng = np.random.default_rng(seed)
    cones = Cones.join(Cones.coulomb([0.3, 0.7]), Cones.half_lines(2), Cones.coulomb(0.5, dimension=2))
    m = cones.rows
    if kind == "dual":
        A = rng.normal(size=(m, m - 2))
        return ContactProblem.from_delassus(A @ A.T, rng.normal(size=m), cones)
    if kind == "block":
        H = sp.block_diag([a @ a.T + np.eye(len(a)) for a in (rng.normal(size=(k, k)) for k in (3, 6, 1, 3, 6))])
    else:
        n = 59
        H = sp.csr_array(4.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1) + 0.3 * np.eye(n, k=5).T @ np.eye(n, k=5))
    n = H.shape[0]
    E = np.diag(rng.uniform(0.0, 0.2, m)) if seed % 2 else None
    return ContactProblem(
        H=H, c=rng.normal(size=n), C=rng.normal(size=(2, n)), b_gamma=rng.normal(size=2),
        D=sp.random_array((m, n), density=0.4, rng=rng), b_lambda=rng.normal(size=m), cones=cones, E=E,
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", ["block", "general", "dual"])
def test_derived_quantities_against_dense_algebra(kind: str, seed: int) -> None:
    problem = random_problem(kind, seed)
    rng = np.random.default_rng(seed)
    D, E = problem.D.toarray(), problem.E.toarray()
    inverse = np.linalg.inv(problem.H.toarray())
    N = D @ inverse @ D.T + E
    lam, gamma = rng.normal(size=problem.contact_rows), rng.normal(size=problem.joint_rows)
    same = {"rtol": 1e-10, "atol": 1e-12}
    np.testing.assert_allclose(problem.N_diagonal, np.diag(N), **same)
    np.testing.assert_allclose(problem.N.toarray(), N, **same)
    np.testing.assert_allclose(problem.N_diagonal, np.diag(problem.N.toarray()), **same)
    np.testing.assert_allclose(problem.apply_N(lam), N @ lam, **same)
    np.testing.assert_allclose(problem.r, -D @ inverse @ problem.c - problem.b_lambda, **same)
    v = inverse @ (D.T @ lam + problem.C.toarray().T @ gamma - problem.c)
    np.testing.assert_allclose(problem.velocity_of(lam, gamma), v, **same)
    np.testing.assert_allclose(problem.slip_of(v, lam), D @ v - problem.b_lambda + E @ lam, **same)
    start = problem.cones.start
    means = [np.diag(N)[a:b].mean() for a, b in itertools.pairwise(start)]
    np.testing.assert_allclose(problem.rho, 1.0 / np.array(means), **same)


def test_inverse_chooses_blocks_for_bodies_and_factors_for_the_rest() -> None:
    block, general = random_problem("block"), random_problem("general")
    assert isinstance(block.mass, BlockDiagonalMass)
    assert isinstance(general.mass, SparseMass)
    white = block.mass.whiten(block.D)
    np.testing.assert_allclose((white @ white.T + block.E).toarray(), block.N.toarray(), rtol=1e-12, atol=1e-13)
    G = block.mass.factor.toarray()
    np.testing.assert_allclose(G @ G.T, np.linalg.inv(block.H.toarray()), rtol=1e-10, atol=1e-13)


def test_derived_quantities_are_computed_once() -> None:
    problem = random_problem("block")
    assert problem.N is problem.N
    assert problem.whitened is problem.whitened


def other_part(problem: ContactProblem, name: str) -> object:
    """Another value that the part of this name may have."""
    rng = np.random.default_rng(9)
    match name:
        case "H":
            return problem.H + sp.diags_array(rng.uniform(0.5, 1.0, problem.velocities))
        case "C" | "D":
            return getattr(problem, name) * 1.5
        case "E":
            return sp.diags_array(rng.uniform(0.1, 0.2, problem.contact_rows))
        case "cones":
            return dataclasses.replace(problem.cones, friction=problem.cones.friction + 0.1)
        case _:
            return getattr(problem, name) + rng.normal(size=len(getattr(problem, name)))


@pytest.mark.parametrize("part", ["H", "c", "C", "b_gamma", "D", "b_lambda", "cones", "E"])
@pytest.mark.parametrize("kind", ["block", "general"])
def test_a_changed_problem_is_the_one_made_of_the_new_parts(kind: str, part: str) -> None:
    """Every derived quantity, whether it was shared with the first problem or not; sharing happens where it may."""
    problem = random_problem(kind, seed=1)
    names = sorted(derived_from(ContactProblem))
    before = {name: getattr(problem, name) for name in names}
    new = other_part(problem, part)
    twin = problem.changed(**{part: new})
    old = {name: getattr(problem, name) for name in ("H", "c", "C", "b_gamma", "D", "b_lambda", "cones", "E")}
    fresh = ContactProblem(**(old | {part: new}))
    for name in names:
        shared = part not in derived_from(ContactProblem)[name]
        assert (vars(twin)[name] is before[name]) if shared else (name not in vars(twin))
    for name in set(names) - {"bodies", "natural_map_scale"}:
        for found, expected in zip(flat(getattr(twin, name)), flat(getattr(fresh, name)), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)
    impulse = np.ones(problem.contact_rows)
    found, expected = (p.natural_map_scale(impulse, p.r) for p in (twin, fresh))
    assert found == pytest.approx(expected, rel=1e-12)


def flat(value: object) -> list[np.ndarray]:
    """The numbers of a matrix, a vector, a number or several of them."""
    if value is None:
        return []
    if isinstance(value, tuple):
        return [part for item in value for part in flat(item)]
    return [value.toarray() if sp.issparse(value) else np.asarray(value)]  # type: ignore[attr-defined]


def test_changes_are_checked() -> None:
    problem = ContactProblem(**parts())
    with pytest.raises(ProblemError, match=r"D has shape \(3, 3\), expected \(6, 3\)"):
        problem.changed(cones=Cones.coulomb([0.4, 0.4]), b_lambda=np.zeros(6))
    with pytest.raises(ProblemError, match="b_lambda holds 1 entries"):
        problem.changed(b_lambda=[0.0, np.nan, 0.0])
    with pytest.raises(ProblemError, match="no part b; its parts are H, c"):
        problem.changed(b=np.zeros(3))


def test_unsymmetric_delassus_is_split() -> None:
    N = np.array([[2.0, 0.1, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]])
    problem = ContactProblem.from_delassus(N, np.ones(3), Cones.coulomb(0.3))
    assert problem.skew is not None
    np.testing.assert_allclose(problem.N.toarray(), (N + N.T) / 2.0)
    np.testing.assert_allclose(problem.skew.toarray(), (N - N.T) / 2.0)
    assert ContactProblem.from_delassus(np.eye(3), np.ones(3), Cones.coulomb(0.3)).skew is None


def test_sleeping_contact_without_inertia_has_a_scale() -> None:
    """A contact whose rows of D are empty (both bodies fixed) must not divide by zero."""
    problem = ContactProblem(H=np.eye(1), c=[1.0], D=np.zeros((3, 1)), cones=Cones.coulomb(0.3))
    assert problem.rho.tolist() == [1.0]


def test_another_b_lambda_has_its_own_free_slip() -> None:
    problem = ContactProblem(
        H=np.diag([2.0, 3.0, 4.0]), c=[1.0, 2.0, 3.0], D=np.eye(3), b_lambda=[0.1, 0.2, 0.3], cones=Cones.coulomb([0.5])
    )
    assert problem.slip_size > 0  # what is derived is there before the twin is made
    assert problem.mean_weight > 0
    twin = problem.changed(b_lambda=np.array([1.1, 0.2, 0.3]))
    np.testing.assert_allclose(twin.r, problem.r - [1.0, 0.0, 0.0])
    assert twin.slip_size == pytest.approx(float(np.linalg.norm(twin.r)))
    assert twin.mean_weight == problem.mean_weight


def test_round_off_of_the_free_motion_is_no_scale() -> None:
    """Hinges of a robot that falls, at their limits: the free motion turns nothing, but for round-off."""
    c = np.array([-0.05, 4e-70, -3e-68])
    problem = ContactProblem(H=np.diag([1.0, 0.01, 0.01]), c=c, D=np.eye(3)[1:], cones=Cones.half_lines(2))
    momentum = 0.05 * np.sqrt(200.0)
    assert problem.slip_size == pytest.approx(MOTION_ROUND_OFF * momentum)
    for impulse in (0.0, 1e-30):
        certificate = measure(problem, -c / problem.H.diagonal(), np.full(2, impulse), np.zeros(0), "coulomb")
        assert certificate.error < 1e-10
