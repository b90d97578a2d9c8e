"""Nearest points of two convex shapes that are apart, by their support points alone [Gilbert1988].

For shapes that kernels do not know; `kernels.collision.gjk` is the same search compiled. The point v of the difference
A - B nearest to the origin is approached by the nearest point of a simplex of support points; a support point that gets
no nearer along v proves that v is the answer.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Protocol

import numpy as np

from signorini.kernels.collision.convex_pair import APART, MOST_GUESSES
from signorini.math.sparse import Array

Support = Callable[[Array], Array]


class Supported(Protocol):
    """A shape in the world that is known by its support points."""

    @property
    def position(self) -> Array:
        """A point in it [m]."""

    @property
    def size(self) -> float:
        """Half the largest extent [m]."""

    @property
    def normals(self) -> Array:
        """Of flat faces, shape (faces, 3)."""

    def support(self, direction: Array) -> Array:
        """Farthest point along a direction."""


TOLERANCE = 1e-13
"""Of the squared distance, relative. The error of the normal is of the order of its root."""
MOST_ITERATIONS = 200


def nearest_contact(a: Supported, b: Supported) -> tuple[float, Array, Array]:
    """Gap [m], unit normal from b to a and point on a of the nearest or deepest contact; see `kernels.convex_pair`."""
    apart = APART * min(a.size, b.size)
    found = nearest_points(a.support, b.support, a.position - b.position)
    if found is not None and found[0] > apart:
        return separation(a, b, found[1], found[2])
    line = a.position - b.position
    length = float(np.linalg.norm(line))
    guesses = np.vstack((line / length if length > 0 else np.array([0.0, 0.0, 1.0]), -a.normals, b.normals))
    best = max((separation(a, b, n, a.support(-n)) for n in guesses), key=lambda contact: contact[0])
    for _ in range(MOST_GUESSES):
        shift = (apart - best[0]) * best[1]
        moved = nearest_points(lambda d, shift=shift: a.support(d) + shift, b.support, best[1])  # type: ignore[misc]
        if moved is None:
            break
        better = separation(a, b, moved[1], moved[2] - shift)
        if better[0] < best[0] - 1e-12 * apart:
            break
        done = float(best[1] @ better[1]) > 1 - 1e-12
        best = better
        if done:
            break
    return best


def separation(a: Supported, b: Supported, n: Array, near: Array) -> tuple[float, Array, Array]:
    """Contact along n with the gap that the supports leave; the point is `near` moved along n."""
    low = a.support(-n)
    return float(n @ (low - b.support(n))), n, np.asarray(near + (n @ (low - near)) * n)


def nearest_points(support_a: Support, support_b: Support, start: Array) -> tuple[float, Array, Array] | None:
    """Distance [m], unit normal from b to a, and nearest point on a; None if the shapes overlap.

    `start` is any direction from b to a.
    """
    v = start if np.any(start) else np.array([0.0, 0.0, 1.0])
    on_a, difference = np.zeros((0, 3)), np.zeros((0, 3))
    nearest = np.inf
    for _ in range(MOST_ITERATIONS):
        p, q = support_a(-v), support_b(v)
        w = p - q
        if len(difference) and float(v @ (v - w)) <= TOLERANCE * float(v @ v):
            break
        trial_a, trial = np.vstack((on_a, p)), np.vstack((difference, w))
        kept, weights = nearest_of_simplex(trial)
        closer = weights @ trial[kept]
        square = float(closer @ closer)
        if square <= 1e-24 * float((trial * trial).sum(axis=1).max()):
            return None
        if square >= nearest:
            break  # round-off: no support point brings it nearer
        on_a, difference, v, nearest = trial_a[kept], trial[kept], closer, square
        shares = weights
    distance = float(np.sqrt(nearest))
    return distance, v / distance, shares @ on_a


def nearest_of_simplex(points: Array) -> tuple[list[int], Array]:
    """Corners and positive weights of the point of a simplex of one to four corners that is nearest to the origin."""
    best, square = ([0], np.ones(1)), np.inf
    for count in range(1, len(points) + 1):
        for chosen in combinations(range(len(points)), count):
            corners = points[list(chosen)]
            edges = corners[1:] - corners[0]
            # Normal equations would square the condition of the flat simplexes near the answer.
            shares = np.linalg.lstsq(edges.T, -corners[0], rcond=None)[0] if count > 1 else np.zeros(0)
            weights = np.concatenate(([1.0 - shares.sum()], shares))
            if weights.min() <= 0.0:
                continue
            x = weights @ corners
            if float(x @ x) < square:
                best, square = (list(chosen), weights), float(x @ x)
    return best
