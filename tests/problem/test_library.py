"""Every closed form against Clarabel, which knows nothing of them."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from signorini.problem.contact_problem import ContactProblem
from signorini.problem.library import KnownProblem, dual_only, library, with_contact_twice
from signorini.problem.library.degenerate import bar_of_two, squeezed
from signorini.problem.library.one_body import block, brick

clarabel = pytest.importorskip("clarabel", reason="the oracle is missing: pip install clarabel")

ALL = library()
OUT_OF_REACH = 1e6
"""[N s]"""


def oracle(p: ContactProblem) -> tuple[str, np.ndarray, np.ndarray, np.ndarray, float]:
    """Status, v, lambda, gamma and objective by Clarabel, over x = (v, lambda of the term E lambda)."""
    n, m = p.velocities, p.contact_rows
    transform, cones = [], []
    for first, last, mu in zip(p.cones.start[:-1], p.cones.start[1:], p.cones.friction, strict=True):
        if mu == 0.0:
            transform.append(sp.coo_array(([1.0], ([0], [0])), shape=(1, last - first)))
            cones.append(clarabel.NonnegativeConeT(1))
        else:
            # y_n >= mu |y_t| is (y_n, mu y_t) in the standard cone.
            transform.append(sp.diags_array([1.0] + [mu] * int(last - first - 1)))
            cones.append(clarabel.SecondOrderConeT(int(last - first)))
    T = sp.csr_array(sp.block_diag(transform)) if transform else sp.csr_array((0, m))
    P = sp.block_diag([p.H, p.E], format="csc")
    A = sp.vstack(
        [
            sp.hstack([p.C, sp.csr_array((p.joint_rows, m))]),
            -(T @ sp.hstack([p.D, p.E])) if m else sp.csr_array((0, n)),
        ],
        format="csc",
    )
    b = np.concatenate([p.b_gamma, -(T @ p.b_lambda)])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    cones = [clarabel.ZeroConeT(p.joint_rows), *cones]
    x = clarabel.DefaultSolver(sp.triu(P, format="csc"), np.append(p.c, np.zeros(m)), A, b, cones, settings).solve()
    z = np.array(x.z)
    lam = T.T @ z[p.joint_rows :]
    return str(x.status), np.array(x.x)[:n], lam, -z[: p.joint_rows], x.obj_val


def dual_oracle(p: ContactProblem) -> tuple[str, np.ndarray, np.ndarray, np.ndarray, float]:
    """The same over x = (lambda, gamma), `min 1/2 x'Nx + r'x`, with intervals and rolling cones as they are defined."""
    m, joints = p.contact_rows, p.joint_rows
    J, inverse = sp.vstack([p.D, p.C]).toarray(), np.linalg.inv(p.H.toarray())
    N = J @ inverse @ J.T
    N[:m, :m] += p.E.toarray()
    r = -J @ inverse @ p.c - np.concatenate([p.b_lambda, p.b_gamma])
    rows, b, cones = [], [], []

    def add(cone: object, *parts: tuple[float, int, float]) -> None:
        """factor * x[row] + offset of every part lies in the cone."""
        cones.append(cone)
        for factor, row, offset in parts:
            rows.append(-factor * np.eye(m + joints)[row])
            b.append(offset)

    table = zip(p.cones.start, p.cones.dims, p.cones.friction, p.cones.low, p.cones.high, strict=False)
    for k, (first, d, mu, low, high) in enumerate(table):
        coefficients = [(mu, range(1, d))]
        if not np.isnan(p.cones.rolling[k]):
            coefficients = [(mu, range(1, 3)), (p.cones.spinning[k], range(3, 4)), (p.cones.rolling[k], range(4, 6))]
        for coefficient, tangents in coefficients:
            members = [(1.0, first + t, 0.0) for t in tangents]
            if low == 0.0 and high == np.inf:
                add(
                    clarabel.SecondOrderConeT(1 + len(tangents)),
                    (coefficient if members else 1.0, first, 0.0),
                    *members,
                )
        # Ends that no impulse comes near to would cost Clarabel its digits.
        if low > -OUT_OF_REACH:
            add(clarabel.NonnegativeConeT(1), (1.0, first, -low))
        if high < OUT_OF_REACH:
            add(clarabel.NonnegativeConeT(1), (-1.0, first, high))
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    A = sp.csc_array(np.array(rows).reshape(-1, m + joints))
    found = clarabel.DefaultSolver(sp.csc_array(np.triu(N)), r, A, np.array(b), cones, settings).solve()
    x = np.array(found.x)
    v = inverse @ (J.T @ x - p.c)
    return str(found.status), v, x[:m], x[m:], -found.obj_val - 0.5 * p.c @ inverse @ p.c


def test_names_are_unique() -> None:
    assert len({k.name for k in ALL}) == len(ALL)
    assert all(k.name == k.problem.name for k in ALL)


@pytest.mark.parametrize("case", [k for k in ALL if k.problem.velocities + k.problem.contacts], ids=lambda k: k.name)
def test_closed_form_against_the_oracle(case: KnownProblem) -> None:
    plain = case.problem.cones.is_plain
    status, v, lam, gamma, objective = (oracle if plain else dual_oracle)(case.problem)
    if not case.feasible:
        # The dual of a contradiction has no least value.
        assert status.removeprefix("Almost") == ("PrimalInfeasible" if plain else "DualInfeasible"), status
        assert case.objective == np.inf
        return
    assert status in ("Solved", "AlmostSolved"), status
    assert case.velocity is not None
    assert objective == pytest.approx(case.objective, abs=1e-7 * (1.0 + abs(case.objective)))
    np.testing.assert_allclose(v, case.velocity, atol=1e-5 * (1.0 + np.abs(case.velocity).max(initial=0.0)))
    for found, expected in ((lam, case.contact_impulse), (gamma, case.joint_impulse)):
        if expected is not None:
            np.testing.assert_allclose(found, expected, atol=1e-5 * (1e-3 + np.abs(expected).max(initial=0.0)))


def test_brick_carries_its_weight_whatever_the_split() -> None:
    case = brick()
    _, _, lam, _, _ = oracle(case.problem)
    assert case.contact_impulse is None
    np.testing.assert_allclose(case.problem.D.T @ lam, case.problem.c, atol=1e-6)
    assert lam[::3].sum() == pytest.approx(6.0 * 9.81 * 0.01, rel=1e-6)


def test_sliding_block_lifts_by_friction_times_slip() -> None:
    case = block(1.0, 0.3, direction=0.7)
    assert case.velocity is not None
    x, y, z = case.velocity
    assert z == pytest.approx(0.3 * np.hypot(x, y))
    assert z > 0.1


def test_derived_problems_refuse_what_makes_no_sense() -> None:
    with pytest.raises(ValueError, match="joints"):
        dual_only(bar_of_two())
    with pytest.raises(ValueError, match="no answer"):
        with_contact_twice(squeezed())
    with pytest.raises(ValueError, match="compliant"):
        with_contact_twice(block(compliance=0.1))


def test_the_library_holds_every_kind() -> None:
    problems = [k.problem for k in ALL]
    assert any(p.is_dual_only and p.contacts for p in problems)
    assert any(p.E.nnz and not p.is_dual_only for p in problems)
    assert any(p.joint_rows and p.contacts for p in problems)
    assert any(p.joint_rows and not p.contacts for p in problems)
    assert any(not p.joint_rows and not p.contacts for p in problems)
    assert any(len(set(p.cones.dims)) > 2 and len(set(p.cones.friction)) > 3 for p in problems)
    assert any(k.contact_impulse is None and k.feasible for k in ALL)
    intervals = [p for p in problems if p.cones.is_interval.any()]
    assert any(p.is_dual_only for p in intervals)
    assert any(p.E.nnz and not p.is_dual_only for p in intervals)
    assert any(p.joint_rows and len(set(p.cones.dims)) > 1 for p in intervals)
    rolling = [p for p in problems if p.cones.is_rolling.any()]
    assert any(p.is_dual_only for p in rolling)
    assert any(p.E.nnz and not p.is_dual_only for p in rolling)
    assert any(p.joint_rows and p.cones.is_interval.any() for p in rolling)
    assert sum(not k.feasible for k in ALL) >= 4
