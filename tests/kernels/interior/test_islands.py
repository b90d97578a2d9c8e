"""Islands of small dense problems."""

import numpy as np

from signorini.kernels.interior.dense_solve import SOLVED, solve
from signorini.kernels.interior.islands import islands, islands_of_bodies
from signorini.solvers.coulomb.dense import SHARES, WARM_RULES, exact_rules, step_rules


def coupled(contacts: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """N and r of contacts that are pressed."""
    random = np.random.default_rng(seed)
    rows = random.normal(size=(3 * contacts, 3 * contacts))
    slips = random.normal(size=3 * contacts)
    slips[::3] = -np.abs(slips[::3])
    return rows @ rows.T, slips


def solved(N: np.ndarray, r: np.ndarray, order: np.ndarray) -> tuple[np.ndarray, int]:
    """Impulses with the contacts in another order, given back in the old one, and factorisations."""
    contacts = len(order)
    at = (3 * order[:, None] + np.arange(3)).reshape(-1)
    ends = np.column_stack((np.zeros(contacts), np.full(contacts, np.inf)))
    impulse, root = np.zeros(len(r)), np.ones(len(r))
    status, error, count = solve(
        3 * np.arange(contacts + 1), np.full(contacts, 0.4), ends, N[np.ix_(at, at)].copy(), r[at], root,
        float(np.linalg.norm(r)), 1.0, False, impulse, exact_rules(1e-11, 200), step_rules(1e-9), WARM_RULES, SHARES,
    )  # fmt: skip
    assert status == SOLVED
    assert error <= 1e-11
    back = np.empty(len(r))
    back[at] = impulse
    return back, count


def test_islands_are_solved_as_if_alone() -> None:
    (one, r1), (two, r2) = coupled(2, 1), coupled(3, 2)
    N = np.zeros((15, 15))
    N[:6, :6], N[6:, 6:] = one, two
    whole, count = solved(N, np.concatenate((r1, r2)), np.array([3, 0, 2, 1, 4]))
    first, first_count = solved(one, r1, np.arange(2))
    second, second_count = solved(two, r2, np.arange(3))
    np.testing.assert_allclose(whole, np.concatenate((first, second)), atol=1e-8)
    assert abs(count - max(first_count, second_count)) <= 2


def test_blocks_in_the_order_of_their_islands() -> None:
    N = np.eye(5)
    N[0, 4] = N[4, 0] = N[1, 3] = 0.1
    order, first = islands(np.arange(6), np.arange(5), N)
    np.testing.assert_array_equal(order, [0, 4, 1, 3, 2])
    np.testing.assert_array_equal(first, [0, 2, 4, 5])


def test_bodies_that_no_contact_holds_together() -> None:
    """Bodies 0 and 3 touch, 1 and 4 rest on the ground, nothing touches 2."""
    pairs = np.array([[4, -1], [0, 3], [1, -1], [3, -1], [4, -1]])
    order, first, number, sizes = islands_of_bodies(5, pairs)
    np.testing.assert_array_equal(order, [0, 4, 1, 3, 2])
    np.testing.assert_array_equal(first, [0, 2, 4, 5])
    np.testing.assert_array_equal(sizes, [1, 2, 1])
    np.testing.assert_array_equal(number, [0, 0, -1, 1, 0])
