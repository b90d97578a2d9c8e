"""Every linear solver on saddle-point systems, with and without redundant rows."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import signorini as sg
from signorini.math.sparse import Array, Csr
from signorini.problem.errors import MissingExtraError
from signorini.solvers.linear import available
from signorini.solvers.saddle import ContactSolverAdapter, Direct, Minres, SaddleSolver, make_saddle_solver

INSTALLED = [name for name, word in available().items() if word == "available"]
NAMES = [*INSTALLED, "minres", "linear", "interior-point"]


def system(seed: int = 0, n: int = 30, m: int = 12, skew: float = 0.0) -> tuple[Csr, Csr]:
    rng = np.random.default_rng(seed)
    A = sp.random_array((n, n), density=0.2, rng=rng)
    H = A @ A.T + sp.diags_array(rng.uniform(0.5, 2.0, n)) + skew * (A - A.T)
    C = sp.random_array((m, n), density=0.3, rng=rng)
    out = Csr(H), Csr(C)
    for part in out:
        part.sort_indices()
    return out


def solved(solver: SaddleSolver, H: Csr, C: Csr, r: Array, p: Array) -> tuple[Array, Array]:
    session = solver.session()
    assert session.factor(H, C) == ""
    answer = session.solve(r, p)
    assert answer.ok, answer.message
    return answer.x, session.least(answer.y)


@pytest.mark.parametrize("name", NAMES)
def test_regular_system(name: str) -> None:
    H, C = system()
    rng = np.random.default_rng(1)
    r, p = rng.normal(size=30), rng.normal(size=12)
    full = np.block([[H.toarray(), C.toarray().T], [C.toarray(), np.zeros((12, 12))]])
    truth = np.linalg.solve(full, np.concatenate((r, p)))
    x, y = solved(make_saddle_solver(name), H, C, r, p)
    assert x == pytest.approx(truth[:30], rel=1e-6, abs=1e-6)
    assert y == pytest.approx(truth[30:], rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_redundant_rows_get_exact_x_and_least_multipliers(name: str) -> None:
    """Rows repeated and combined, consistently: x is that of the independent rows, y that of least norm."""
    H, C = system()
    D = Csr(sp.vstack((C, C[[0, 3]], C[[1]] + C[[2]])))
    rng = np.random.default_rng(2)
    r, v = rng.normal(size=30), rng.normal(size=30)
    x, y = solved(make_saddle_solver(name), H, D, r, np.asarray(D @ v))
    full = np.block([[H.toarray(), C.toarray().T], [C.toarray(), np.zeros((12, 12))]])
    truth = np.linalg.solve(full, np.concatenate((r, C @ v)))
    assert x == pytest.approx(truth[:30], rel=1e-6, abs=1e-6)
    assert D.T @ y == pytest.approx(r - H @ x, rel=1e-5, abs=1e-5)
    # Least norm: nothing of y lies in the null space of D'.
    null = np.linalg.svd(D.toarray().T)[2][12:]
    assert len(null) == 3
    assert null @ y == pytest.approx(np.zeros(3), abs=1e-5)


@pytest.mark.parametrize("name", INSTALLED)
def test_analysis_is_kept_while_the_pattern_holds(name: str) -> None:
    session = Direct(back_end=name).session()
    H, C = system()
    for k in range(3):
        assert session.factor(Csr((H.data * (k + 1), H.indices, H.indptr), shape=H.shape), C) == ""
    assert session.analyses == 1
    H, C = system(seed=5)
    session.factor(H, C)
    assert session.analyses == 2


def test_direct_takes_an_unsymmetric_matrix() -> None:
    H, C = system(skew=0.5)
    r, p = np.ones(30), np.zeros(12)
    x, y = solved(Direct(), H, C, r, p)
    assert H @ x + C.T @ y == pytest.approx(r, abs=1e-10)


@pytest.mark.parametrize("solver", [Direct(), Minres()])
def test_contradictory_rows_are_violated_least_or_refused(solver: SaddleSolver) -> None:
    H, C = system()
    D = Csr(sp.vstack((C, C[[0]])))
    p = np.zeros(13)
    p[0], p[12] = 1.0, -1.0
    session = solver.session()
    session.factor(H, D)
    answer = session.solve(np.zeros(30), p)
    if answer.ok:
        assert D @ answer.x == pytest.approx(np.zeros(13), abs=1e-3)  # halfway between the two
    else:
        assert "contradict" in answer.message


def test_not_finite_matrices_are_reported() -> None:
    H, C = system()
    bad = Csr((H.data * np.nan, H.indices, H.indptr), shape=H.shape)
    assert "not finite" in Direct().session().factor(bad, C)
    assert "not finite" in Minres().session().factor(bad, C)
    borrowed = ContactSolverAdapter(sg.solvers.Linear()).session()
    borrowed.factor(H, C)
    assert not borrowed.solve(np.full(30, np.nan), np.zeros(12)).ok


def test_no_joints() -> None:
    H, _ = system()
    none = Csr((0, 30))
    for name in NAMES:
        try:
            x, _ = solved(make_saddle_solver(name), H, none, np.ones(30), np.zeros(0))
        except MissingExtraError:
            continue
        assert H @ x == pytest.approx(np.ones(30), abs=1e-6)


def test_wrong_settings() -> None:
    for make in (lambda: Direct(delta=0.0), lambda: Minres(tolerance=-1.0), lambda: make_saddle_solver("guess")):
        with pytest.raises(sg.SignoriniError):
            make()


@pytest.mark.parametrize("name", INSTALLED)
def test_lumped_masses_in_the_pattern_of_a_stiffness(name: str) -> None:
    """A diagonal matrix with many stored zeros: what scales and matches by values must see them at the analysis."""
    n = 800
    pattern = sp.random_array((n, n), density=0.03, rng=np.random.default_rng(0))
    H = Csr(pattern + pattern.T + sp.eye_array(n))
    H.sort_indices()
    H.data[:] = np.where(np.repeat(np.arange(n), np.diff(H.indptr)) == H.indices, 2.0, 0.0)
    x, _ = solved(make_saddle_solver(name), H, Csr((0, n)), np.ones(n), np.zeros(0))
    np.testing.assert_allclose(x, 0.5, rtol=1e-14)
