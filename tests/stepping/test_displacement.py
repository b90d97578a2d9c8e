"""How far bodies that bounce within a step begin it displaced."""

from __future__ import annotations

import numpy as np
import pytest

from signorini.problem.cones import Cones
from signorini.problem.contact_problem import ContactProblem
from signorini.stepping.impacts.displacement import FARTHEST, followed


def three_bodies() -> ContactProblem:
    """A joint holds body 0 at the world; it touches body 1, and body 2 is alone."""
    C, D = np.zeros((3, 18)), np.zeros((3, 18))
    C[:, :3] = np.eye(3)
    D[:, :3], D[:, 6:9] = -np.eye(3), np.eye(3)
    cones = Cones.coulomb([0.5])
    return ContactProblem(np.eye(18), np.zeros(18), C, np.zeros(3), D, np.zeros(3), cones)


@pytest.mark.parametrize(("body", "lost"), [(0, [0, 1]), (1, []), (2, [])])
def test_a_joint_follows_small_turns_only(body: int, lost: list[int]) -> None:
    shift = np.full(18, 0.01)
    shift[6 * body + 4] = 2.0 * FARTHEST
    kept = np.setdiff1d(range(3), lost)
    found = followed(three_bodies(), shift, 18).reshape(3, 6)
    assert np.array_equal(found[kept], shift.reshape(3, 6)[kept])
    assert not found[lost].any()
