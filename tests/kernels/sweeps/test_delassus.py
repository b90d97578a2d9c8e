"""Sweeps with an explicit N: products, and the answer of a problem as their fixed point."""

from __future__ import annotations

import numpy as np
import pytest

from signorini.kernels.cones import general_blocks
from signorini.kernels.sweeps import delassus
from signorini.math.sparse import Array, Csr, canonical


def problem(contacts: int, mu: float, seed: int) -> tuple[Csr, Array, Array, Array]:
    """N, b, start and table of random contacts."""
    rng = np.random.default_rng(seed)
    rows = 3 * contacts
    half = rng.normal(size=(rows, rows + 4))
    N = canonical(half @ half.T / rows)
    table = np.empty((contacts, 6))
    none = np.full(contacts, np.nan)
    general_blocks.fill_table(np.full(contacts, mu), np.zeros(contacts), np.full(contacts, np.inf), none, none, table)
    return N, rng.normal(size=rows), np.arange(0, rows + 1, 3), table


def test_product() -> None:
    N, b, _, _ = problem(5, 0.5, 0)
    x, out = np.random.default_rng(1).normal(size=15), np.empty(15)
    delassus.product(N.indptr, N.indices, N.data, x, b, 2.0, out)
    np.testing.assert_allclose(out, N @ x + 2.0 * b, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("exact", [False, True])
def test_sweeps_end_at_an_answer_of_the_law(exact: bool) -> None:
    N, b, start, table = problem(6, 0.3, 2)
    x, work = np.zeros(18), np.zeros(18)
    omega = 1.0 / np.linalg.eigvalsh(N.toarray()).max()
    delassus.sweeps(0, 20_000, True, start, table, N.indptr, N.indices, N.data, b, exact, omega, 1.0, work, x)
    slip, lifted = N @ x + b, np.empty(18)
    if exact:
        general_blocks.add_de_saxce(start, table, slip, lifted)
    error = np.empty(6)
    assert general_blocks.natural_map(start, table, np.ones(18), x, lifted if exact else slip, error) < 1e-12


def test_gradient_step_is_projected() -> None:
    _, b, start, table = problem(3, 0.3, 3)
    y, x, d = np.tile([1.0, 0.2, -0.1], 3), np.empty(9), np.empty(9)
    delassus.forward(start, table, 0.1, y, b, x)
    slope, square = delassus.direction(start, table, 0.1, y, b, d)
    np.testing.assert_allclose(d, x - y, atol=1e-15)
    assert slope == pytest.approx(b @ d)
    assert square == pytest.approx(d @ d)
    assert slope <= -square / 0.1 + 1e-12  # a projected gradient step descends by at least |d|^2 / step
