"""T of the standard form: diagonal or sparse, the same map where both can be had."""

from __future__ import annotations

import numpy as np
import pytest

from signorini.problem.cones import Cones
from signorini.problem.errors import ProblemError
from signorini.solvers.cone_newton.cone_map import ConeMap, DiagonalMap, SparseMap, cone_map
from signorini.solvers.cone_newton.error_estimate import ErrorEstimate
from signorini.solvers.cone_newton.lifted_form import Ends, lifted_form

from ..test_blocks import CASES

SPACE = Cones.join(Cones.coulomb([0.5]), Cones.half_lines(1), Cones.coulomb([0.0]), Cones.coulomb([0.8], 4))
PLANE = Cones.join(Cones.coulomb([0.4], 2), Cones.coulomb([0.7]), Cones.half_lines(1))


def dense(T: ConeMap) -> np.ndarray:
    return np.column_stack([T.impulses(e) for e in np.eye(int(T.start[-1]))])


def test_contacts_without_friction_lose_their_tangents() -> None:
    T = DiagonalMap.of(SPACE)
    assert list(T.start) == [0, 3, 4, 5, 9]
    assert list(T.contact_row) == [0, 1, 2, 3, 4, 7, 8, 9, 10]


def test_diagonal_and_sparse_maps_are_the_same_in_space() -> None:
    np.testing.assert_allclose(dense(DiagonalMap.of(SPACE)), dense(SparseMap.of(SPACE)), rtol=1e-15)


def test_cones_in_the_plane_are_split_only_where_asked() -> None:
    assert list(cone_map(PLANE, split=True).start) == [0, 1, 2, 5, 6]
    assert list(cone_map(PLANE, split=False).start) == [0, 2, 5, 6]


@pytest.mark.parametrize("kind", [DiagonalMap, SparseMap])
@pytest.mark.parametrize("cones", [SPACE, PLANE], ids=["space", "plane"])
def test_impulses_and_slips_do_the_same_work(kind: type[DiagonalMap] | type[SparseMap], cones: Cones) -> None:
    rng = np.random.default_rng(0)
    plain = kind.of(cones)
    T = plain.scaled(rng.uniform(1.0, 2.0, int(plain.start[-1])))
    x, y = rng.normal(size=(2, int(T.start[-1])))
    np.testing.assert_allclose(T.rows(T.impulses(x)), x, rtol=1e-12)
    np.testing.assert_allclose(T.impulses(x) @ T.slips(y), x @ y, rtol=1e-12)
    np.testing.assert_allclose(T.transposed(T.slips(y)), y, rtol=1e-12)


def test_slips_of_a_lifted_form_need_their_free_rows() -> None:
    """Rows without ends stand behind the cones: a vector of cone rows alone is too short, and is refused."""
    problem = CASES["out of reach"]
    form = lifted_form(problem, Ends.near(problem))
    estimate = ErrorEstimate(problem, form, 1e-8)
    assert form.L.shape[0] > form.cone_rows
    assert np.isfinite(estimate.size(np.zeros(form.A.rows)))
    with pytest.raises(ProblemError):
        estimate.size(np.zeros(form.cone_rows))
