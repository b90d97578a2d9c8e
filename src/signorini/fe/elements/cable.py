"""A piece of cable in absolute nodal coordinates: cubic in space, stretched and bent, never twisted.

Each end has a place r and a slope r' = dr/ds with respect to the length s of the unstrained cable, so an element has
four vectors e = (r_0, r'_0, r_1, r'_1). With A the area of the cross section and I its second moment,

    W = integral of  E A/2 eps^2 + E I/2 kappa^2,   eps = (r'.r' - 1)/2,   kappa = |r' x r''| / |r'|^3,

by five and three Gauss points; both strains vanish along rigid motions. A piece that is bent by kappa_0 when free has
`(kappa - kappa_0)^2` instead: nothing resists twist, so it may bend to any side.
"""

from __future__ import annotations

import numpy as np

from signorini.math.sparse import Array

AXIAL_POINTS, BENDING_POINTS = 5, 3
ROUNDED = 1e-3
"""Curvatures below this share of that at rest count as straight."""


def shapes(xi: Array, length: Array) -> Array:
    """Weights of the four vectors at xi in [0, 1], shape (elements, points, 4)."""
    x, L = np.broadcast_arrays(xi[None, :], length[:, None])
    return np.stack((1 - 3 * x**2 + 2 * x**3, L * (x - 2 * x**2 + x**3), 3 * x**2 - 2 * x**3, L * (x**3 - x**2)), -1)


def slopes(xi: Array, length: Array) -> Array:
    """d/ds of the weights, shape (elements, points, 4)."""
    x, L = np.broadcast_arrays(xi[None, :], length[:, None])
    rise = 6 * (x - x**2) / L
    return np.stack((-rise, 1 - 4 * x + 3 * x**2, rise, 3 * x**2 - 2 * x), -1)


def bends(xi: Array, length: Array) -> Array:
    """d2/ds2 of the weights, shape (elements, points, 4)."""
    x, L = np.broadcast_arrays(xi[None, :], length[:, None])
    curve = (6 - 12 * x) / L**2
    return np.stack((-curve, (6 * x - 4) / L, curve, (6 * x - 2) / L), -1)


def gauss(count: int) -> tuple[Array, Array]:
    """Points and weights on [0, 1]."""
    x, w = np.polynomial.legendre.leggauss(count)
    return 0.5 * (1.0 + x), 0.5 * w


class CablePieces:
    """All elements of one cable, prepared; e has shape (elements, 4, 3)."""

    def __init__(self, length: Array, axial: float, bending: float, rest: Array | None = None) -> None:
        """Lengths of the elements [m], E A [N], E I [N m2]; `rest` is e of the free cable, None: straight."""
        self.length = length
        x, w = gauss(AXIAL_POINTS)
        self._stretch_slopes, self._stretch_weights = slopes(x, length), axial * length[:, None] * w
        x, w = gauss(BENDING_POINTS)
        self._bend_maps = np.stack((slopes(x, length), bends(x, length)), axis=2)
        self._bend_weights = bending * length[:, None] * w
        self._rest_bend: Array | None = None
        self._rest_stretch: Array | float = 0.0
        if rest is not None:
            # Cubic pieces of a curve are strained by a few millionths even where the curve is not.
            self._rest_stretch = self._stretch(rest)[0]
            self._rest_bend = np.sqrt(_curvature(*self._curve(rest))[0])

    def energy(self, e: Array) -> float:
        """W [J]."""
        eps, _ = self._stretch(e)
        kappa2 = self._bending(e)[0]
        return float(0.5 * (self._stretch_weights * eps**2).sum() + 0.5 * (self._bend_weights * kappa2).sum())

    def force(self, e: Array) -> Array:
        """-dW/de [N, N m], shape (elements, 4, 3)."""
        eps, a = self._stretch(e)
        out = -np.einsum("eq,eqk,eqi->eki", self._stretch_weights * eps, self._stretch_slopes, a)
        _, gradient, _ = self._bending(e)
        out -= 0.5 * np.einsum("eq,eqmk,eqmi->eki", self._bend_weights, self._bend_maps, gradient)
        return np.asarray(out)

    def stiffness(self, e: Array, exact: bool) -> Array:
        """d2W/de2, shape (elements, 4, 3, 4, 3); without `exact` its positive semidefinite part, point by point."""
        eps, a = self._stretch(e)
        tension = eps if exact else np.maximum(eps, 0.0)
        local = np.einsum("eqi,eqj->eqij", a, a) + tension[..., None, None] * np.eye(3)
        S = self._stretch_slopes
        out = np.einsum("eq,eqk,eqij,eql->ekilj", self._stretch_weights, S, local, S, optimize=True)
        hessian = 0.5 * self._bending(e)[2]
        if not exact:
            values, vectors = np.linalg.eigh(hessian)
            hessian = np.einsum("eqik,eqk,eqjk->eqij", vectors, np.maximum(values, 0.0), vectors)
        H = hessian.reshape(*hessian.shape[:2], 2, 3, 2, 3)
        B = self._bend_maps
        out += np.einsum("eq,eqmk,eqminj,eqnl->ekilj", self._bend_weights, B, H, B, optimize=True)
        return np.asarray(out)

    def _stretch(self, e: Array) -> tuple[Array, Array]:
        a = np.einsum("eqk,eki->eqi", self._stretch_slopes, e)
        return 0.5 * ((a * a).sum(axis=-1) - 1.0) - self._rest_stretch, a

    def _bending(self, e: Array) -> tuple[Array, Array, Array]:
        """(kappa - kappa_0)^2, its gradient and Hessian, as `_curvature`."""
        square, gradient, hessian = _curvature(*self._curve(e))
        if self._rest_bend is None:
            return square, gradient, hessian
        # |kappa| has a corner where the cable is straight: it is rounded off, at rest and here alike.
        least = ROUNDED * self._rest_bend
        rest, kappa = np.hypot(self._rest_bend, least), np.sqrt(square + least**2)
        share = np.divide(rest, kappa, out=np.zeros_like(rest), where=kappa > 0.0)
        cubed = np.divide(rest, 2.0 * kappa**3, out=np.zeros_like(rest), where=kappa > 0.0)
        flat = gradient.reshape(*gradient.shape[:-2], 6)
        hessian = (1.0 - share)[..., None, None] * hessian
        hessian += cubed[..., None, None] * flat[..., :, None] * flat[..., None, :]
        return (kappa - rest) ** 2, (1.0 - share)[..., None, None] * gradient, hessian

    def _curve(self, e: Array) -> tuple[Array, Array]:
        both = np.einsum("eqmk,eki->eqmi", self._bend_maps, e)
        return both[:, :, 0], both[:, :, 1]


def masses(length: Array, density: float) -> Array:
    """Integral of `density * S S'` [kg, kg m, kg m2], density per length [kg/m]; shape (elements, 4, 4)."""
    x, w = gauss(4)
    S = shapes(x, length)
    return np.asarray(np.einsum("e,q,eqk,eql->ekl", density * length, w, S, S))


def _curvature(a: Array, b: Array) -> tuple[Array, Array, Array]:
    """kappa^2 = |a x b|^2 / |a|^6, its gradient (..., 2, 3) and Hessian (..., 6, 6) with respect to a and b."""
    A, B, C = (a * a).sum(-1), (b * b).sum(-1), (a * b).sum(-1)
    N = A * B - C * C
    # kappa^2 = N / A^3 as a function of (A, B, C), then by the chain rule.
    first = np.stack((B / A**3 - 3 * N / A**4, 1 / A**2, -2 * C / A**3), -1)
    zero = np.zeros_like(A)
    second = np.stack(
        (
            np.stack((-6 * B / A**4 + 12 * N / A**5, -2 / A**3, 6 * C / A**4), -1),
            np.stack((-2 / A**3, zero, zero), -1),
            np.stack((6 * C / A**4, zero, -2 / A**3), -1),
        ),
        -2,
    )
    nothing = np.zeros_like(a)
    J = np.stack(
        (np.concatenate((2 * a, nothing), -1), np.concatenate((nothing, 2 * b), -1), np.concatenate((b, a), -1)), -2
    )
    gradient = np.einsum("...k,...ki->...i", first, J)
    hessian = np.einsum("...ki,...kl,...lj->...ij", J, second, J)
    one = np.eye(3)
    hessian[..., :3, :3] += 2 * first[..., 0, None, None] * one
    hessian[..., 3:, 3:] += 2 * first[..., 1, None, None] * one
    hessian[..., :3, 3:] += first[..., 2, None, None] * one
    hessian[..., 3:, :3] += first[..., 2, None, None] * one
    return N / A**3, gradient.reshape(*gradient.shape[:-1], 2, 3), hessian
