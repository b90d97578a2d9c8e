"""Every back end on the same matrices, singular and redundant ones included."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from signorini.math.sparse import Array, Csr, canonical
from signorini.problem.errors import MissingExtraError, SolverError
from signorini.simulation.threads import ThreadCount
from signorini.solvers.linear import MatrixKind, available, back_end
from signorini.solvers.linear import mumps as mumps_module
from signorini.solvers.linear import pardiso as pardiso_module

NAMES = ("pardiso", "mumps", "superlu", "dense", "auto")
TOLERANCE = 1e-9


@pytest.fixture(params=NAMES)
def name(request: pytest.FixtureRequest) -> str:
    found = str(request.param)
    state = available().get(found, "available")
    if state != "available":
        pytest.skip(f"{found}: {state}")
    return found


def upper(matrix: Array) -> Csr:
    """Upper triangle with every diagonal entry stored."""
    n = len(matrix)
    row, column = np.nonzero(np.triu(matrix != 0) | np.eye(n, dtype=bool))
    return canonical(sp.csr_array((matrix[row, column], (row, column)), shape=(n, n)))


def positive(n: int, seed: int = 0) -> Array:
    rng = np.random.default_rng(seed)
    sparse = sp.random_array((n, n), density=min(1.0, 4 / n), rng=rng).toarray()
    return np.asarray(sparse @ sparse.T + np.eye(n))


def saddle_point(n: int, m: int, corner: float, duplicate: bool = False, seed: int = 1) -> Array:
    """[H C'; C -corner I], with the last row of C a copy of the first if `duplicate`."""
    rng = np.random.default_rng(seed)
    C = sp.random_array((m, n), density=min(1.0, 3 / n), rng=rng).toarray() + np.eye(m, n)
    if duplicate:
        C[-1] = C[0]
    return np.block([[positive(n, seed), C.T], [C, -corner * np.eye(m)]])


def unsymmetric(n: int, seed: int = 2) -> Array:
    """No entry on the diagonal: needs row exchanges."""
    rng = np.random.default_rng(seed)
    matrix = sp.random_array((n, n), density=min(1.0, 3 / n), rng=rng).toarray()
    np.fill_diagonal(matrix, 0.0)
    return np.asarray(matrix + 2.0 * np.roll(np.eye(n), 1, axis=0))


def residual(matrix: Array, x: Array, b: Array) -> float:
    return float(np.abs(matrix @ x - b).max() / (np.abs(matrix).max() * np.abs(x).max() + np.abs(b).max()))


REGULAR = {
    "positive definite": (MatrixKind.POSITIVE_DEFINITE, positive(40)),
    "positive definite, large": (MatrixKind.POSITIVE_DEFINITE, positive(400)),
    "quasi-definite": (MatrixKind.SYMMETRIC, saddle_point(60, 30, 1e-3)),
    "quasi-definite, large": (MatrixKind.SYMMETRIC, saddle_point(300, 150, 1e-6)),
    "saddle point": (MatrixKind.SYMMETRIC, saddle_point(200, 80, 0.0)),
    "unsymmetric": (MatrixKind.GENERAL, unsymmetric(50)),
    "unsymmetric, large": (MatrixKind.GENERAL, unsymmetric(300)),
    "one by one": (MatrixKind.POSITIVE_DEFINITE, np.array([[4.0]])),
    "one by one, negative": (MatrixKind.SYMMETRIC, np.array([[-4.0]])),
    "one by one, general": (MatrixKind.GENERAL, np.array([[-4.0]])),
}


def pattern_of(matrix: Array, kind: MatrixKind) -> Csr:
    return canonical(matrix) if kind is MatrixKind.GENERAL else upper(matrix)


@pytest.mark.parametrize("case", REGULAR)
def test_regular_matrices_are_solved(name: str, case: str) -> None:
    kind, matrix = REGULAR[case]
    pattern = pattern_of(matrix, kind)
    factors = back_end(name).analyse(pattern, kind)
    report = factors.factor(pattern.data)
    assert report.ok, report
    assert report.perturbed == 0
    b = np.random.default_rng(3).normal(size=len(matrix))
    kept = b.copy()
    x = factors.solve(b)
    assert residual(matrix, x, b) < TOLERANCE
    np.testing.assert_array_equal(b, kept)
    again = factors.solve(2.0 * b)
    np.testing.assert_allclose(again, 2.0 * x, atol=1e-6 * np.abs(x).max())


def test_nearly_a_saddle_point_needs_refinement_at_most(name: str) -> None:
    """Pivots fixed in advance lose digits here (PARDISO: 6e-7); refinement brings them back."""
    matrix = saddle_point(300, 150, 1e-10)
    pattern = upper(matrix)
    factors = back_end(name).analyse(pattern, MatrixKind.SYMMETRIC)
    assert factors.factor(pattern.data).ok
    b = np.random.default_rng(3).normal(size=len(matrix))
    x = factors.solve(b)
    for _ in range(2):
        x = x + factors.solve(b - matrix @ x)
    assert residual(matrix, x, b) < 1e-13


@pytest.mark.parametrize("case", REGULAR)
def test_new_values_on_the_same_pattern(name: str, case: str) -> None:
    kind, matrix = REGULAR[case]
    pattern = pattern_of(matrix, kind)
    rng = np.random.default_rng(4)
    scale = rng.uniform(0.1, 10.0, len(matrix))
    factors = back_end(name).analyse(pattern, kind)
    b = rng.normal(size=len(matrix))
    for changed in (matrix, scale[:, None] * matrix * scale, 1e3 * matrix):
        assert factors.factor(pattern_of(changed, kind).data).ok
        assert residual(changed, factors.solve(b), b) < TOLERANCE


@pytest.mark.slow
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("columns", [0, 1, 7])
@pytest.mark.parametrize("case", ["positive definite", "quasi-definite, large", "unsymmetric, large"])
def test_many_right_hand_sides(name: str, case: str, columns: int, order: str) -> None:
    kind, matrix = REGULAR[case]
    pattern = pattern_of(matrix, kind)
    factors = back_end(name).analyse(pattern, kind)
    assert factors.factor(pattern.data).ok
    b = np.array(np.random.default_rng(5).normal(size=(len(matrix), columns)), order=order)  # type: ignore[call-overload]
    x = factors.solve(b)
    assert x.shape == b.shape
    for k in range(columns):
        assert residual(matrix, x[:, k], b[:, k]) < TOLERANCE


@pytest.mark.parametrize("kind", MatrixKind)
def test_no_unknowns(name: str, kind: MatrixKind) -> None:
    factors = back_end(name).analyse(canonical(sp.csr_array((0, 0))), kind)
    assert factors.factor(np.zeros(0)).ok
    assert factors.solve(np.zeros(0)).shape == (0,)


@pytest.mark.parametrize("n", [4, 200])
def test_not_positive_definite_is_reported(name: str, n: int) -> None:
    for matrix in (positive(n) - 3.0 * np.eye(n), -positive(n)):
        pattern = upper(matrix)
        factors = back_end(name).analyse(pattern, MatrixKind.POSITIVE_DEFINITE)
        report = factors.factor(pattern.data)
        assert not report.ok
        assert "positive" in report.message
        with pytest.raises(RuntimeError, match="factor"):
            factors.solve(np.ones(n))
        good = np.where(pattern.indices == np.repeat(np.arange(n), np.diff(pattern.indptr)), 1e3, 0.0)
        assert factors.factor(good).ok, "a failure must not spoil the next factorisation"
        np.testing.assert_allclose(factors.solve(np.ones(n)), 1e-3)


@pytest.mark.parametrize("n", [6, 200])
@pytest.mark.parametrize("kind", [MatrixKind.SYMMETRIC, MatrixKind.GENERAL])
def test_singular_matrix_is_reported_and_consistent_systems_are_solved(name: str, kind: MatrixKind, n: int) -> None:
    """A chain of springs that floats: constants are its null space."""
    matrix = 2.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
    matrix[0, 0] = matrix[-1, -1] = 1.0
    pattern = pattern_of(matrix, kind)
    factors = back_end(name).analyse(pattern, kind)
    report = factors.factor(pattern.data)
    assert report.ok, report
    assert report.perturbed == 1
    b = np.zeros(n)
    b[0], b[-1] = 1.0, -1.0
    x = factors.solve(b)
    assert np.abs(matrix @ x - b).max() < 1e-3
    np.testing.assert_allclose(np.diff(x), -1.0, atol=1e-3)


@pytest.mark.parametrize(("n", "m"), [(30, 10), (200, 60)])
def test_redundant_joint_rows(name: str, n: int, m: int) -> None:
    """The same joint twice: one pivot vanishes, velocities are exact where the system is consistent."""
    matrix = saddle_point(n, m, 0.0, duplicate=True)
    pattern = upper(matrix)
    factors = back_end(name).analyse(pattern, MatrixKind.SYMMETRIC)
    report = factors.factor(pattern.data)
    assert report.ok, report
    assert report.perturbed >= 1
    x = np.random.default_rng(6).normal(size=n + m)
    b = matrix @ x
    found = factors.solve(b)
    found = found + factors.solve(b - matrix @ found)
    np.testing.assert_allclose(found[:n], x[:n], atol=1e-4)


def test_a_zero_matrix_is_survived(name: str) -> None:
    for kind in (MatrixKind.SYMMETRIC, MatrixKind.GENERAL):
        pattern = upper(np.zeros((3, 3)))
        report = back_end(name).analyse(pattern, kind).factor(pattern.data)
        assert not report.ok or report.perturbed > 0


def test_values_that_are_not_finite_are_refused(name: str) -> None:
    pattern = upper(positive(5))
    factors = back_end(name).analyse(pattern, MatrixKind.POSITIVE_DEFINITE)
    for bad in (np.nan, np.inf):
        data = pattern.data.copy()
        data[2] = bad
        report = factors.factor(data)
        assert not report.ok
        assert "finite" in report.message
    assert factors.factor(pattern.data).ok


def test_misuse_raises(name: str) -> None:
    chosen = back_end(name)
    with pytest.raises(SolverError, match="square"):
        chosen.analyse(canonical(np.ones((2, 3))), MatrixKind.GENERAL)
    with pytest.raises(SolverError, match="upper triangle"):
        chosen.analyse(canonical(np.ones((2, 2))), MatrixKind.SYMMETRIC)
    with pytest.raises(SolverError, match="diagonal"):
        chosen.analyse(canonical(np.array([[0.0, 1.0], [0.0, 1.0]])), MatrixKind.POSITIVE_DEFINITE)
    pattern = upper(positive(5))
    factors = chosen.analyse(pattern, MatrixKind.POSITIVE_DEFINITE)
    with pytest.raises(RuntimeError, match="factor"):
        factors.solve(np.ones(5))
    with pytest.raises(SolverError, match="values"):
        factors.factor(pattern.data[:-1])
    assert factors.factor(pattern.data).ok
    with pytest.raises(SolverError, match="right-hand side"):
        factors.solve(np.ones(6))


def test_many_factors_live_side_by_side(name: str) -> None:
    matrices = [positive(20, seed) for seed in range(5)]
    alive = []
    for matrix in matrices:
        pattern = upper(matrix)
        factors = back_end(name).analyse(pattern, MatrixKind.POSITIVE_DEFINITE)
        assert factors.factor(pattern.data).ok
        alive.append(factors)
    for matrix, factors in zip(matrices, alive, strict=True):
        assert residual(matrix, factors.solve(np.ones(20)), np.ones(20)) < TOLERANCE


def test_unknown_name() -> None:
    with pytest.raises(SolverError, match="superlu"):
        back_end("cholmod")


def test_missing_libraries_say_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pardiso_module, "_candidates", list)
    monkeypatch.setitem(__import__("sys").modules, "mumps", None)
    pardiso_module.load_library.cache_clear()
    mumps_module.load_module.cache_clear()
    try:
        with pytest.raises(MissingExtraError, match=r"signorini\[mkl\]"):
            back_end("pardiso")
        with pytest.raises(MissingExtraError, match="libmumps-seq-dev"):
            back_end("mumps")
        assert "pip install" in available()["pardiso"]
        pattern = upper(positive(200))
        assert back_end("auto").analyse(pattern, MatrixKind.POSITIVE_DEFINITE).factor(pattern.data).ok
    finally:
        pardiso_module.load_library.cache_clear()
        mumps_module.load_module.cache_clear()


def test_pardiso_gives_the_same_bits_for_any_number_of_threads() -> None:
    """Columns that are solved together had other bits with two threads: two or four of them, not three."""
    if available()["pardiso"] != "available":
        pytest.skip(f"pardiso: {available()['pardiso']}")
    side = 60
    line = sp.diags_array([-1.0, 5.0, -1.0], offsets=[-1, 0, 1], shape=(side, side))
    next_to = sp.diags_array([-1.0, -1.0], offsets=[-1, 1], shape=(side, side))
    plane = sp.kron(sp.eye_array(side), line) + sp.kron(next_to, sp.eye_array(side))
    joined = 0.1 * sp.eye_array(side * side)
    half = canonical(sp.csr_array(sp.triu(sp.block_array([[plane, joined], [joined, plane]]), format="csr")))
    b = np.asfortranarray(np.random.default_rng(0).standard_normal((half.shape[0], 9)))
    found = []
    for threads in (1, 2):
        with ThreadCount(threads):
            factors = pardiso_module.Pardiso().analyse(half, MatrixKind.POSITIVE_DEFINITE)
            assert factors.factor(half.data).ok
            found.append([factors.solve(np.asfortranarray(b[:, :k])) for k in range(1, 10)])
    for one, two in zip(*found, strict=True):
        np.testing.assert_array_equal(one, two)


def test_pardiso_goes_on_with_other_threads_than_it_has_analysed_on() -> None:
    """Two scenes of one pattern, run after one another on two threads and on one: MKL crashed."""
    if available()["pardiso"] != "available":
        pytest.skip(f"pardiso: {available()['pardiso']}")
    side = 16
    line = sp.diags_array([-1.0, 2.1, -1.0], offsets=[-1, 0, 1], shape=(side, side))
    cube = sp.kronsum(sp.kronsum(line, line), line)
    whole = canonical(sp.kron(cube, np.ones((3, 3)) + np.eye(3)))
    half = canonical(sp.triu(whole))
    b = np.random.default_rng(0).standard_normal(whole.shape[0])
    with ThreadCount(2):
        factors = pardiso_module.Pardiso().analyse(half, MatrixKind.POSITIVE_DEFINITE)
    found = []
    for threads in (2, 1, 2):
        with ThreadCount(threads):
            assert factors.factor(half.data).ok
            found.append(factors.solve(b))
        with ThreadCount(3 - threads):
            found.append(factors.solve(b))
    np.testing.assert_allclose(whole @ found[0], b, atol=1e-10)
    for other in found[1:]:
        np.testing.assert_array_equal(other, found[0])
