"""Singular values of 3 x 3 matrices, and energies of isotropic solids as functions of the three principal stretches.

With `F = U diag(s) V'` (U and V rotations, the smallest s negative where F is inverted) an isotropic energy is
`psi(s1, s2, s3)`, its stress `P = U diag(g) V'` with `g = d psi / d s`, and its second derivative along dF, with
`A = U' dF V`, falls apart: the three diagonal entries of A meet the Hessian of psi, and each pair (A_ij, A_ji) meets

    f = (g_i - g_j) / (s_i - s_j)  in  A_ij + A_ji,      t = (g_i + g_j) / (s_i + s_j)  in  A_ij - A_ji.
"""

from __future__ import annotations

from math import log, sqrt

from signorini.kernels.compile import kernel

ELASTIC, SAINT_VENANT, NEO_HOOKEAN = range(3)
"""Energies: corotated linear elasticity, St. Venant-Kirchhoff, stable neo-Hookean."""
EXACT, STRAIN, FULL = range(3)
"""Tangents, see `second_derivatives`."""
SWEEPS = 12
ORTHOGONAL = 1e-16
SMALLEST_SUM = 0.05
"""Least s_i + s_j of a denominator: near the inversion of an element second derivatives have no bound."""


@kernel
def decompose(F, U, s, V, B):
    """F = U diag(s) V' by one-sided Jacobi rotations; B is a work array. U and V are rotations."""
    for i in range(3):
        for j in range(3):
            V[i, j] = 1.0 if i == j else 0.0
            B[i, j] = F[i, j]
    for _ in range(SWEEPS):
        largest = 0.0
        for p in range(2):
            for q in range(p + 1, 3):
                a = B[0, p] * B[0, p] + B[1, p] * B[1, p] + B[2, p] * B[2, p]
                b = B[0, q] * B[0, q] + B[1, q] * B[1, q] + B[2, q] * B[2, q]
                c = B[0, p] * B[0, q] + B[1, p] * B[1, q] + B[2, p] * B[2, q]
                size = c * c
                if size <= ORTHOGONAL * ORTHOGONAL * a * b or size == 0.0:
                    continue
                largest = max(largest, size / (a * b) if a * b > 0 else 0.0)
                zeta = (b - a) / (2.0 * c)
                t = (1.0 if zeta >= 0 else -1.0) / (abs(zeta) + sqrt(1.0 + zeta * zeta))
                cosine = 1.0 / sqrt(1.0 + t * t)
                sine = cosine * t
                _turn_columns(B, p, q, cosine, sine)
                _turn_columns(V, p, q, cosine, sine)
        if largest <= ORTHOGONAL:
            break
    _orthonormal(B, U, s)


@kernel
def _orthonormal(B, U, s):
    """U and s from orthogonal columns B = U diag(s); the shortest column gets the direction that makes U a rotation."""
    for k in range(3):
        s[k] = sqrt(B[0, k] * B[0, k] + B[1, k] * B[1, k] + B[2, k] * B[2, k])
    low = 0
    for k in range(1, 3):
        if s[k] < s[low]:
            low = k
    i, j = (low + 1) % 3, (low + 2) % 3
    if s[j] > s[i]:
        # The longer of the two sets the direction of the other where that has none.
        i, j = j, i
    sign = 1.0 if (i + 1) % 3 == j else -1.0
    for c in range(3):
        U[c, i] = B[c, i] / s[i] if s[i] > 0 else (1.0 if c == i else 0.0)
    if s[j] > 1e-13 * s[i] and s[j] > 0:
        for c in range(3):
            U[c, j] = B[c, j] / s[j]
    else:
        # F has collapsed to a line: any direction across it.
        k = 0
        for c in range(1, 3):
            if abs(U[c, i]) < abs(U[k, i]):
                k = c
        length = sqrt(1.0 - U[k, i] * U[k, i])
        for c in range(3):
            U[c, j] = ((1.0 if c == k else 0.0) - U[k, i] * U[c, i]) / length
    for c in range(3):
        d, e = (c + 1) % 3, (c + 2) % 3
        U[c, low] = sign * (U[d, i] * U[e, j] - U[e, i] * U[d, j])
    s[low] = U[0, low] * B[0, low] + U[1, low] * B[1, low] + U[2, low] * B[2, low]


@kernel
def energy_density(kind, lam, mu, s):
    """psi [J/m3]."""
    if kind == ELASTIC:
        trace = s[0] + s[1] + s[2] - 3.0
        return mu * ((s[0] - 1) ** 2 + (s[1] - 1) ** 2 + (s[2] - 1) ** 2) + 0.5 * lam * trace * trace
    squares = s[0] * s[0] + s[1] * s[1] + s[2] * s[2]
    if kind == SAINT_VENANT:
        trace = 0.5 * (squares - 3.0)
        shear = (s[0] * s[0] - 1) ** 2 + (s[1] * s[1] - 1) ** 2 + (s[2] * s[2] - 1) ** 2
        return 0.25 * mu * shear + 0.5 * lam * trace * trace
    m, bulk, rest = neo_hookean(lam, mu)
    volume = s[0] * s[1] * s[2] - rest
    zero = 0.5 * bulk * (1.0 - rest) ** 2 - 0.5 * m * log(4.0)
    return 0.5 * m * (squares - 3.0) + 0.5 * bulk * volume * volume - 0.5 * m * log(squares + 1.0) - zero


@kernel
def neo_hookean(lam, mu):
    """Constants of `m/2 (I - 3) + b/2 (J - r)^2 - m/2 log(I + 1)`, I = |F|^2 and J = det F, from those of Lame.

    r makes the rest shape free of stress, m and b give it the linear law of Lame's constants.
    """
    m, bulk = 4.0 / 3.0 * mu, lam + 5.0 / 6.0 * mu
    return m, bulk, 1.0 + 0.75 * m / bulk


@kernel
def gradient(kind, lam, mu, s, g):
    """g = d psi / d s [Pa]."""
    if kind == ELASTIC:
        trace = s[0] + s[1] + s[2] - 3.0
        for i in range(3):
            g[i] = 2.0 * mu * (s[i] - 1.0) + lam * trace
        return
    squares = s[0] * s[0] + s[1] * s[1] + s[2] * s[2]
    if kind == SAINT_VENANT:
        trace = 0.5 * (squares - 3.0)
        for i in range(3):
            g[i] = s[i] * (mu * (s[i] * s[i] - 1.0) + lam * trace)
        return
    m, bulk, rest = neo_hookean(lam, mu)
    volume = bulk * (s[0] * s[1] * s[2] - rest)
    for i in range(3):
        g[i] = m * s[i] * (1.0 - 1.0 / (squares + 1.0)) + volume * s[(i + 1) % 3] * s[(i + 2) % 3]


@kernel
def hessian(kind, lam, mu, s, G, f):
    """G = d2 psi / d s2, shape (3, 3), and f of the pair across from each stretch k: (k+1, k+2) mod 3 [Pa]."""
    if kind == ELASTIC:
        for i in range(3):
            f[i] = 2.0 * mu
            for j in range(3):
                G[i, j] = lam + (2.0 * mu if i == j else 0.0)
        return
    squares = s[0] * s[0] + s[1] * s[1] + s[2] * s[2]
    if kind == SAINT_VENANT:
        pressure = 0.5 * lam * (squares - 3.0) - mu
        for i in range(3):
            a, b = s[(i + 1) % 3], s[(i + 2) % 3]
            f[i] = mu * (a * a + a * b + b * b) + pressure
            for j in range(3):
                G[i, j] = lam * s[i] * s[j] + (3.0 * mu * s[i] * s[i] + pressure if i == j else 0.0)
        return
    m, bulk, rest = neo_hookean(lam, mu)
    volume = bulk * (s[0] * s[1] * s[2] - rest)
    plain = m * (1.0 - 1.0 / (squares + 1.0))
    for i in range(3):
        f[i] = plain - volume * s[i]
        own = s[(i + 1) % 3] * s[(i + 2) % 3]
        for j in range(3):
            other = s[(j + 1) % 3] * s[(j + 2) % 3]
            G[i, j] = 2.0 * m * s[i] * s[j] / (squares + 1.0) ** 2 + bulk * own * other
            G[i, j] += plain if i == j else volume * s[3 - i - j]


@kernel
def second_derivatives(kind, lam, mu, mode, s, g, work, G, straight, crossed):
    """What A meets: A_ii meets A_jj in G[i, j], A_ij meets itself in straight[i, j] and A_ji in crossed[i, j].

    EXACT is the second derivative of the energy. STRAIN leaves out how stress turns with the element and makes the
    rest positive semidefinite: it vanishes along rigid motions of the deformed element, so that a step that is linear
    in it keeps angular momentum. FULL keeps both and makes them positive semidefinite.
    """
    Q, f = work
    hessian(kind, lam, mu, s, G, f)
    if mode != EXACT:
        _make_positive(G, Q)
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        total = max(s[i] + s[j], SMALLEST_SUM)
        if mode == STRAIN:
            flip = 2.0 * max(f[k], 0.0) / (total * total)
            straight[i, j], straight[j, i] = flip * s[i] * s[i], flip * s[j] * s[j]
            crossed[i, j] = flip * s[i] * s[j]
        else:
            flip, twist = f[k], (g[i] + g[j]) / total
            if mode == FULL:
                flip, twist = max(flip, 0.0), max(twist, 0.0)
            straight[i, j] = 0.5 * (flip + twist)
            straight[j, i] = straight[i, j]
            crossed[i, j] = 0.5 * (flip - twist)
        crossed[j, i] = crossed[i, j]


@kernel
def _make_positive(G, Q):
    """Set negative eigenvalues of a symmetric 3 x 3 matrix to zero, in place, by Jacobi rotations; Q is for work."""
    minor = G[0, 0] * G[1, 1] - G[0, 1] * G[0, 1]
    third = G[0, 1] * G[1, 2] - G[0, 2] * G[1, 1]
    second = G[0, 2] * G[0, 1] - G[0, 0] * G[1, 2]
    if G[0, 0] > 0 and minor > 0 and G[0, 2] * third + G[1, 2] * second + G[2, 2] * minor >= 0:
        return
    for i in range(3):
        for j in range(3):
            Q[i, j] = 1.0 if i == j else 0.0
    for _ in range(SWEEPS):
        off = G[0, 1] ** 2 + G[0, 2] ** 2 + G[1, 2] ** 2
        if off <= ORTHOGONAL * ORTHOGONAL * (G[0, 0] ** 2 + G[1, 1] ** 2 + G[2, 2] ** 2):
            break
        for p in range(2):
            for q in range(p + 1, 3):
                if G[p, q] == 0.0:
                    continue
                zeta = (G[q, q] - G[p, p]) / (2.0 * G[p, q])
                t = (1.0 if zeta >= 0 else -1.0) / (abs(zeta) + sqrt(1.0 + zeta * zeta))
                cosine = 1.0 / sqrt(1.0 + t * t)
                sine = cosine * t
                _turn_columns(G, p, q, cosine, sine)
                _turn_columns(G.T, p, q, cosine, sine)
                _turn_columns(Q, p, q, cosine, sine)
    x, y, z = max(G[0, 0], 0.0), max(G[1, 1], 0.0), max(G[2, 2], 0.0)
    for i in range(3):
        for j in range(3):
            G[i, j] = x * Q[i, 0] * Q[j, 0] + y * Q[i, 1] * Q[j, 1] + z * Q[i, 2] * Q[j, 2]


@kernel
def _turn_columns(M, p, q, cosine, sine):
    """Columns p and q, turned into each other."""
    for i in range(3):
        x, y = M[i, p], M[i, q]
        M[i, p], M[i, q] = cosine * x - sine * y, sine * x + cosine * y
