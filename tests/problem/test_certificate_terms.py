"""The linear algebra of the certificate against dense matrices."""

from __future__ import annotations

import numpy as np
import pytest

from signorini.math.sparse import Array
from signorini.problem.certificate import measure
from signorini.problem.cones import Cones
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.library import KnownProblem, library


@pytest.mark.parametrize("case", [k for k in library() if k.feasible and k.problem.contacts], ids=lambda k: k.name)
def test_scaled_error_by_dense_algebra(case: KnownProblem) -> None:
    """The number that decides, from H, c, D, E, b_lambda and K alone, for blocks of all kinds and by both laws."""
    p, cones = case.problem, case.problem.cones
    rng = np.random.default_rng(7)
    lam, gamma = rng.normal(size=p.contact_rows), rng.normal(size=p.joint_rows)
    H, C, D, E = (m.toarray() for m in (p.H, p.C, p.D, p.E))
    inverse = np.linalg.inv(H)
    diagonal = np.diag(D @ inverse @ D.T + E)
    weight, contact = np.zeros(p.contact_rows), np.zeros(p.contact_rows, dtype=bool)
    for i, (first, last) in enumerate(zip(cones.start[:-1], cones.start[1:], strict=True)):
        cut = first + 3 if cones.is_rolling[i] else last
        contact[first:cut] = not cones.is_interval[i]
        for part in (slice(first, cut), slice(first + 3, first + 4), slice(first + 4, last)):
            if part.start < last and (part.start == first or cones.is_rolling[i]):
                weight[part] = diagonal[part].mean() or 1.0
    if contact.any():
        weight[contact] = diagonal[contact].mean() or 1.0
    root, free = np.sqrt(weight), -inverse @ p.c
    size = max(
        float(np.linalg.norm((D @ free - p.b_lambda) / root)),
        1e-7 * float(np.linalg.norm((abs(D) @ abs(free) + abs(p.b_lambda)) / root)),
    )
    slip = D @ inverse @ (D.T @ lam + C.T @ gamma - p.c) - p.b_lambda + E @ lam
    scaled = cones_in_units(cones, root)
    for law in ("convex", "coulomb"):
        u = slip if law == "convex" else p.exact_slip(slip, lam)
        error = np.linalg.norm(root * lam - scaled.project(root * lam - u / root))
        assert measure(p, None, lam, gamma, law).scaled == pytest.approx(float(error) / (size or 1.0), rel=1e-9)


def cones_in_units(cones: Cones, root: Array) -> Cones:
    """The set of `root * impulse`."""
    first = cones.start[:-1]
    unit = root[first]
    spin, roll = (root[np.minimum(first + k, cones.rows - 1)] / unit for k in (3, 4))
    low, high = cones.low * unit, cones.high * unit
    return Cones(cones.dims, cones.friction, low, high, cones.rolling * roll, cones.spinning * spin)


@pytest.mark.parametrize(("mass", "length", "step"), [(1.0, 1.0, 0.01), (1e-6, 1e-3, 0.01), (1e6, 30.0, 1e-4)])
def test_a_brake_is_measured_against_what_its_hinge_passes_on(mass: float, length: float, step: float) -> None:
    """Gravity does not turn a bar, but one on a hinge: 1.5 g h / L in a step. What the brake leaves is its error."""
    inertia, weight = mass * length**2 / 12.0, mass * 9.81 * step
    up, turn = np.eye(2)  # velocity of the centre; turning, which lifts the centre
    hinge = up - 0.5 * length * turn
    p = ContactProblem(
        H=np.diag([mass, inertia]), c=weight * up, C=[hinge], b_gamma=[0.0], D=[turn], cones=Cones.intervals(-1e9, 1e9)
    )
    speed = -1.5 * 9.81 * step / length
    np.testing.assert_allclose(p.joined_slip, [speed], rtol=1e-3)
    for left in (1e-3, 1e-6):
        v = left * speed * np.array([0.5 * length, 1.0])
        joint = mass * v[0] + weight
        brake = inertia * v[1] + 0.5 * length * joint
        found = measure(p, v, np.array([brake]), np.array([joint]))
        assert found.stationarity_relative < 1e-12
        assert found.joint_error_relative < 1e-12
        assert found.error == pytest.approx(left, rel=1e-3)


@pytest.mark.parametrize("case", [k for k in library() if k.problem.contacts], ids=lambda k: k.name)
def test_slips_that_joints_pass_on_by_dense_algebra(case: KnownProblem) -> None:
    p = case.problem
    if not p.joint_rows:
        assert p.joined_slip is p.r
        return
    H, C, D = (m.toarray() for m in (p.H, p.C, p.D))
    free, half = -np.linalg.solve(H, p.c), np.linalg.solve(np.linalg.cholesky(H), C.T)
    impulse = np.linalg.lstsq(half.T @ half, p.b_gamma - C @ free, rcond=1e-12)[0]
    expected = D @ (free + np.linalg.solve(H, C.T @ impulse)) - p.b_lambda
    size = float(np.linalg.norm(expected)) + float(np.linalg.norm(D @ free - p.b_lambda))
    np.testing.assert_allclose(p.joined_slip, expected, atol=1e-3 * size)
