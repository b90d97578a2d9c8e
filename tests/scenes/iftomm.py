"""References for the IFToMM benchmarks that do not come from this package: closed forms, published values, and
integrations of other formulations (minimal or joint coordinates) by scipy at tight tolerances."""

from __future__ import annotations

import math

import numpy as np
from scipy.integrate import solve_ivp
from scipy.special import ellipj

from signorini.math.sparse import Array
from signorini.scenes import bricard, governor

G = 9.81


def pendulum(t: float) -> Array:
    """A01: place of the mass (x, z) after t [s]; `sin(theta/2) = k cd(omega t)`, released at the horizontal, left."""
    k = math.sin(math.pi / 4)
    _, cn, dn, _ = ellipj(math.sqrt(G) * t, k * k)
    theta = 2.0 * math.asin(k * cn / dn)
    return np.array([-math.sin(theta), -math.cos(theta)])


def four_bar(loops: int, t: float, speed: float = 1.0) -> tuple[float, float]:
    """A02: angle of the uprights from the vertical [rad] and its rate; all of them turn alike.

    `((N + 1)/3 + N) theta'' = g ((N + 1)/2 + N) sin theta`, bars of 1 kg and 1 m.
    """
    inertia, weight = (loops + 1) / 3 + loops, G * ((loops + 1) / 2 + loops)

    def rates(_: float, y: Array) -> Array:
        return np.array([y[1], weight / inertia * math.sin(y[0])])

    y = solve_ivp(rates, (0, t), (0.0, speed), method="DOP853", rtol=1e-13, atol=1e-13).y[:, -1]
    return float(y[0]), float(y[1])


ANDREWS = np.array([
    0.1581077119629904e2, -0.1575637105984298e2, 0.4082224013073101e-1, -0.5347301163226948, 0.5244099658805304,
    0.5347301163226948, 0.1048080741042263e1, 0.1139920302151208e4, -0.1424379294994111e4, 0.1103291221937134e2,
    0.1929337464421385e2, 0.5735699284790808, -0.1929337464421385e2, 0.3231791658026955,
])  # fmt: skip
"""A03 at t = 0.03 s: beta, Theta, gamma, Phi, delta, Omega, epsilon [rad] and their rates [rad/s], published with the
Test Set for IVP Solvers (PSIDE in 14 digits)."""


def andrews(t: float) -> Array:
    """A03 in the seven angles of the test set: accelerations from the constraints, by DOP853; shape (14,)."""
    from signorini.scenes.andrews import (
        DA,
        EA,
        FA,
        INERTIAS,
        MASSES,
        RA,
        REST,
        RR,
        SA,
        SB,
        SC,
        SD,
        SPRING,
        SS,
        START,
        TA,
        TB,
        UA,
        UB,
        ZF,
        ZT,
        B,
        C,
        D,
        E,
        U,
    )  # fmt: skip

    m, i = MASSES, INERTIAS

    def system(y: Array) -> Array:
        _, th, ga, ph, _, om, _ = y[:7]
        w = y[7:]
        s, c = np.sin, np.cos
        M = np.zeros((7, 7))
        M[0, 0] = m[0] * RA**2 + m[1] * (RR**2 - 2 * DA * RR * c(th) + DA**2) + i[0] + i[1]
        M[1, 0] = M[0, 1] = m[1] * (DA**2 - DA * RR * c(th)) + i[1]
        M[1, 1] = m[1] * DA**2 + i[1]
        M[2, 2] = m[2] * (SA**2 + SB**2) + i[2]
        M[3, 3] = m[3] * (E - EA) ** 2 + i[3]
        M[4, 3] = M[3, 4] = m[3] * ((E - EA) ** 2 + ZT * (E - EA) * s(ph)) + i[3]
        M[4, 4] = m[3] * (ZT**2 + 2 * ZT * (E - EA) * s(ph) + (E - EA) ** 2) + m[4] * (TA**2 + TB**2) + i[3] + i[4]
        M[5, 5] = m[5] * (ZF - FA) ** 2 + i[5]
        M[6, 5] = M[5, 6] = m[5] * ((ZF - FA) ** 2 - U * (ZF - FA) * s(om)) + i[5]
        M[6, 6] = m[5] * ((ZF - FA) ** 2 - 2 * U * (ZF - FA) * s(om) + U**2) + m[6] * (UA**2 + UB**2) + i[5] + i[6]
        xd, yd = SD * c(ga) + SC * s(ga) + B[0] - C[0], SD * s(ga) - SC * c(ga) + B[1] - C[1]
        pull = -SPRING * (1 - REST / math.hypot(xd, yd))
        f = np.array([
            0.033 - m[1] * DA * RR * w[1] * (w[1] + 2 * w[0]) * s(th),
            m[1] * DA * RR * w[0] ** 2 * s(th),
            pull * (xd * (SC * c(ga) - SD * s(ga)) + yd * (SD * c(ga) + SC * s(ga))),
            m[3] * ZT * (E - EA) * w[4] ** 2 * c(ph),
            -m[3] * ZT * (E - EA) * w[3] * (w[3] + 2 * w[4]) * c(ph),
            -m[5] * U * (ZF - FA) * w[6] ** 2 * c(om),
            m[5] * U * (ZF - FA) * w[5] * (w[5] + 2 * w[6]) * c(om),
        ])  # fmt: skip
        J, drift = closure(y)
        full = np.block([[M, J.T], [J, np.zeros((6, 6))]])
        return np.asarray(np.linalg.solve(full, np.concatenate((f, -drift)))[:7])

    def closure(y: Array) -> tuple[Array, Array]:
        """Derivatives of the three loops by the angles, and their second derivative at constant rates."""
        be, th, ga, ph, de, om, ep = y[:7]
        w = y[7:]
        # Each loop is a sum of terms l e^{i (angle + phase)}; complex numbers carry both rows.
        terms = {
            0: [(RR, be, (0,)), (-D, be + th, (0, 1))],
            1: [(SS * 1j, ga, (2,))],
            2: [(E * 1j, ph + de, (3, 4)), (-ZT, de, (4,))],
            3: [(-ZF, om + ep, (5, 6)), (U * 1j, ep, (6,))],
        }
        J, drift = np.zeros((6, 7)), np.zeros(6)
        for loop in range(3):
            for length, angle, members in terms[0] + terms[loop + 1]:
                z = length * np.exp(1j * angle)
                for k in members:
                    J[2 * loop, k] += (1j * z).real
                    J[2 * loop + 1, k] += (1j * z).imag
                rate = sum(w[k] for k in members)
                drift[2 * loop] += (-z * rate**2).real
                drift[2 * loop + 1] += (-z * rate**2).imag
        return J, drift

    def rates(_: float, y: Array) -> Array:
        return np.concatenate((y[7:], system(y)))

    start = np.concatenate((START, np.zeros(7)))
    return np.asarray(solve_ivp(rates, (0, t), start, method="DOP853", rtol=1e-12, atol=1e-12).y[:, -1])


def bricard_point(t: float) -> Array:
    """A04: place of the third corner from the fixed hinge, P3 = (1, -1, 1) at t = 0 [m].

    Joint coordinates: the chain of five rods by products of exponentials, closed by the sixth hinge; the one freedom is
    the null vector N of the closure, `q' = N u`, `N'M N u' = -N'(M N' u + c + g)`.
    """
    state = np.concatenate((np.zeros(6), [0.0]))

    def rates(_: float, y: Array) -> Array:
        q, u = y[:6], y[6]
        N = _null(q)
        eps = 1e-6
        v = N * u
        later, before = (_null(q + s * eps * N) for s in (1, -1))
        turn = (later * np.sign(later @ N) - before * np.sign(before @ N)) / (2 * eps) * u
        M, force = _chain(q, v)
        return np.concatenate((v, [float(N @ (force - M @ (turn * u))) / float(N @ M @ N)]))

    y = solve_ivp(rates, (0, t), state, method="DOP853", rtol=1e-10, atol=1e-10).y[:, -1]
    return np.asarray(_place(y[:6], 3, bricard.CORNERS[3]))


def _rotation(axis: Array, angle: float) -> Array:
    K = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.asarray(np.eye(3) + math.sin(angle) * K + (1 - math.cos(angle)) * K @ K)


def _frames(q: Array) -> list[tuple[Array, Array]]:
    """(R, p) of rods 1 to 5 and of the closing frame: a point x of the start is now at R x + p."""
    R, p = np.eye(3), np.zeros(3)
    out = []
    for axis, corner, angle in zip(bricard.AXES, bricard.CORNERS, q, strict=True):
        turn = _rotation(axis, angle)
        R, p = R @ turn, p + R @ (corner - turn @ corner)
        out.append((R, p))
    return out


def _place(q: Array, rod: int, point: Array) -> Array:
    R, p = _frames(q)[rod - 1]
    return np.asarray(R @ point + p)


def _null(q: Array) -> Array:
    """Unit vector of joint rates that keep the chain closed: hinge axes and moments in space, a 6 x 6 of rank 5."""
    R, p = np.eye(3), np.zeros(3)
    columns = []
    for k, (axis, corner) in enumerate(zip(bricard.AXES, bricard.CORNERS, strict=True)):
        if k:
            R, p = _frames(q)[k - 1]
        a, c = R @ axis, R @ corner + p
        columns.append(np.concatenate((a, np.cross(c, a))))
    _, s, V = np.linalg.svd(np.column_stack(columns))
    assert s[5] < 1e-6 * s[4]
    N = V[5]
    return np.asarray(N * np.sign(N[np.argmax(np.abs(N))]))


def _chain(q: Array, v: Array) -> tuple[Array, Array]:
    """Mass matrix in the joint angles, and generalised force of gravity less inertia at constant rates."""
    frames = _frames(q)
    axes, places = [], []
    for k in range(5):
        R, p = frames[k - 1] if k else (np.eye(3), np.zeros(3))
        axes.append(R @ bricard.AXES[k])
        places.append(R @ bricard.CORNERS[k] + p)
    M, force = np.zeros((6, 6)), np.zeros(6)
    for rod in range(5):
        R, p = frames[rod]
        start, end = bricard.CORNERS[rod], bricard.CORNERS[rod + 1]
        size = np.where(start != end, 1.0, 0.1)
        inertia = R @ np.diag(((size**2).sum() - size**2) / 12.0) @ R.T
        centre = R @ (0.5 * (start + end)) + p
        Jw, Jv = np.zeros((3, 6)), np.zeros((3, 6))
        spin, spun, pull = np.zeros(3), np.zeros(3), np.zeros(3)
        hinge_v, hinge_a = np.zeros(3), np.zeros(3)
        for k in range(rod + 1):
            Jw[:, k], Jv[:, k] = axes[k], np.cross(axes[k], centre - places[k])
            # Motion of hinge k's point under the rods before it, then the spin that it adds.
            if k:
                arm = places[k] - places[k - 1]
                hinge_v = hinge_v + np.cross(spin, arm)
                hinge_a = hinge_a + np.cross(spun, arm) + np.cross(spin, np.cross(spin, arm))
            spun = spun + np.cross(spin, axes[k]) * v[k]
            spin = spin + axes[k] * v[k]
        arm = centre - places[rod]
        pull = hinge_a + np.cross(spun, arm) + np.cross(spin, np.cross(spin, arm))
        M += Jv.T @ Jv + Jw.T @ inertia @ Jw
        torque = inertia @ spun + np.cross(spin, inertia @ spin)
        force += Jv.T @ (np.array([0, -G, 0]) - pull) - Jw.T @ torque
    return M, force


def governor_height(t: float) -> float:
    """A05: height of the slider [m]: angle of the rods and height as coordinates, angular momentum conserved; Radau."""
    rod, ball, slider = 3000.0 * 1e-4, governor.BALL, 3000.0 * 1e-3
    along, across = rod * 1e-4 / 6, rod * (1 + 1e-4) / 12
    off, k, r = governor.OFFSET, 8e5, 4e4
    swing = 2 * (0.25 * rod + across + ball)
    still = rod * 1e-4 / 6 + slider * 0.01 / 6

    def inertia(a: float) -> tuple[float, float]:
        """About the shaft, and its derivative by the angle of the rods."""
        c, s = math.cos(a), math.sin(a)
        value = still + 2 * (rod * (off + 0.5 * c) ** 2 + ball * (off + c) ** 2 + along * s * s + across * c * c)
        slope = 2 * (-rod * (off + 0.5 * c) * s - 2 * ball * (off + c) * s + 2 * (along - across) * s * c)
        return value, slope

    momentum = 2 * math.pi * inertia(governor.ANGLE)[0]

    def rates(_: float, y: Array) -> Array:
        a, z, da, dz = y
        value, slope = inertia(a)
        spin = momentum / value
        ux, uz = 0.5 * math.cos(a), 1.0 - 0.5 * math.sin(a) - z
        L = math.hypot(ux, uz)
        La, Lz = (-0.5 * math.sin(a) * ux - 0.5 * math.cos(a) * uz) / L, -uz / L
        pull = k * (L - 0.5) + r * (La * da + Lz * dz)
        weight = 2 * G * (0.5 * rod + ball) * math.cos(a)
        return np.array([
            da, dz, (0.5 * spin**2 * slope + weight - 2 * pull * La) / swing, -G - 2 * pull * Lz / slider
        ])  # fmt: skip

    start = (governor.ANGLE, governor.SLIDER, 0.0, 0.0)
    return float(solve_ivp(rates, (0, t), start, method="Radau", rtol=1e-10, atol=1e-12).y[1, -1])
