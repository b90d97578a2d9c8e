"""Whitening of velocities in the compiled step against dense algebra, with and without springs."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from signorini.kernels.step import whitening
from signorini.kernels.step.tables import BodyTable, Inertia, Sparse
from signorini.math.sparse import Array

BODIES = 4


def bodies(rng: np.random.Generator) -> BodyTable:
    """Bodies of different masses and inertia tensors."""
    A = rng.normal(size=(BODIES, 3, 3))
    inertia = A @ A.transpose(0, 2, 1) + 0.1 * np.eye(3)
    root = np.ascontiguousarray(np.linalg.cholesky(inertia).transpose(0, 2, 1))
    places, none = np.arange(BODIES), np.zeros(0, dtype=np.int64)
    mass = 10.0 ** rng.uniform(-2, 2, BODIES)
    return BodyTable(places, places, mass, inertia, root, none, np.zeros(3), np.zeros(BODIES))


def stiffness(rng: np.random.Generator, springs: bool) -> Array:
    """Positive semidefinite, between neighbours."""
    n = 6 * BODIES
    stiff = np.zeros((n, n))
    for k in range(BODIES - 1):
        J = rng.normal(size=(2, 12))
        stiff[6 * k : 6 * k + 12, 6 * k : 6 * k + 12] += J.T @ J
    return stiff if springs else np.zeros((0, 0))


@pytest.fixture(params=[False, True], ids=["bodies", "springs"])
def case(request: pytest.FixtureRequest) -> tuple[BodyTable, Inertia, Array]:
    """Tables, factored, and H."""
    rng = np.random.default_rng(3)
    table, stiff = bodies(rng), stiffness(rng, request.param)
    inertia = Inertia(stiff, np.zeros_like(stiff), np.zeros(6 * BODIES))
    H = np.zeros((6 * BODIES, 6 * BODIES))
    for k in range(BODIES):
        H[6 * k : 6 * k + 3, 6 * k : 6 * k + 3] = table.mass[k] * np.eye(3)
        H[6 * k + 3 : 6 * k + 6, 6 * k + 3 : 6 * k + 6] = table.inertia[k]
    H += stiff if len(stiff) else 0.0
    assert whitening.factor_mass(table, inertia)
    return table, inertia, H


def test_inverse_of_the_mass_matrix(case: tuple[BodyTable, Inertia, Array]) -> None:
    table, inertia, H = case
    x = np.random.default_rng(5).normal(size=len(H))
    found = x.copy()
    whitening.solve_mass(table, inertia.factor, found)
    np.testing.assert_allclose(found, np.linalg.solve(H, x), rtol=1e-11, atol=1e-13)


def test_whitened_rows_have_the_products_of_rows_with_the_inverse(case: tuple[BodyTable, Inertia, Array]) -> None:
    """`w = U v` with `U'U = H`: `(A U^-1)(A U^-1)' = A H^-1 A'`, and nothing outside of the range that is returned."""
    table, inertia, H = case
    A = np.zeros((3, len(H)))
    rng = np.random.default_rng(7)
    for row, k in enumerate((0, 1, 2)):
        A[row, 6 * k : 6 * k + 12] = rng.normal(size=12)
    matrix = sp.csr_array(A)
    rows = Sparse(matrix.indptr, matrix.indices, matrix.data)
    white = np.empty_like(A)
    for row in range(len(A)):
        begin, end = whitening.whiten_row(table, inertia.factor, rows, row, white[row])
        assert not white[row, :begin].any()
        assert not white[row, end:].any()
    np.testing.assert_allclose(white @ white.T, A @ np.linalg.solve(H, A.T), rtol=1e-10, atol=1e-12)


def test_mass_matrix_in_sparse_form(case: tuple[BodyTable, Inertia, Array]) -> None:
    table, inertia, H = case
    found = whitening.mass_matrix(table, inertia.stiff)
    dense = sp.csr_array((found.data, found.indices, found.indptr), shape=H.shape).toarray()
    np.testing.assert_allclose(dense, H, rtol=1e-14, atol=1e-14)


def test_an_indefinite_mass_matrix_is_refused() -> None:
    rng = np.random.default_rng(3)
    table, stiff = bodies(rng), -1e3 * np.eye(6 * BODIES)
    assert not whitening.factor_mass(table, Inertia(stiff, np.zeros_like(stiff), np.zeros(6 * BODIES)))
