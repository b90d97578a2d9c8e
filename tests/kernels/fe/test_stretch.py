"""Principal stretches against numpy's SVD, and derivatives of energies against finite differences."""

from __future__ import annotations

import numpy as np
import pytest

from signorini.kernels.fe import stretch

KINDS = [stretch.ELASTIC, stretch.SAINT_VENANT, stretch.NEO_HOOKEAN]


@pytest.mark.parametrize("seed", range(12))
def test_decomposition(seed: int) -> None:
    F = np.random.default_rng(seed).normal(size=(3, 3))
    if seed == 0:
        F[:, 2] = F[:, 1]  # singular
    if seed == 1:
        F = np.eye(3)
    U, s, V, work = np.empty((3, 3)), np.empty(3), np.empty((3, 3)), np.empty((3, 3))
    stretch.decompose(F, U, s, V, work)
    np.testing.assert_allclose(U @ np.diag(s) @ V.T, F, atol=1e-13)
    for rotation in (U, V):
        np.testing.assert_allclose(rotation.T @ rotation, np.eye(3), atol=1e-12)
        assert np.linalg.det(rotation) == pytest.approx(1.0)
    np.testing.assert_allclose(np.sort(np.abs(s)), np.sort(np.linalg.svd(F, compute_uv=False)), atol=1e-13)


@pytest.mark.parametrize("kind", KINDS)
def test_gradient_and_hessian(kind: int) -> None:
    s, g, G, f = np.array([1.2, 0.9, 1.05]), np.empty(3), np.empty((3, 3)), np.empty(3)
    lam, mu, small = 2.0e5, 1.0e5, 1e-5
    stretch.gradient(kind, lam, mu, s, g)
    stretch.hessian(kind, lam, mu, s, G, f)
    for k in range(3):
        ahead, behind = s.copy(), s.copy()
        ahead[k] += small
        behind[k] -= small
        above, below = (stretch.energy_density(kind, lam, mu, at) for at in (ahead, behind))
        assert g[k] == pytest.approx((above - below) / (2 * small), rel=1e-6, abs=1e-2)
        right, left = np.empty(3), np.empty(3)
        stretch.gradient(kind, lam, mu, ahead, right)
        stretch.gradient(kind, lam, mu, behind, left)
        np.testing.assert_allclose(G[:, k], (right - left) / (2 * small), rtol=1e-6, atol=1e-1)
