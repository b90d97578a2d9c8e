"""Nearest points of two convex shapes that are apart, by their support points alone [Gilbert1988].

For shapes that `coal` does not know. The point v of the difference A - B nearest to the origin is approached by the
nearest point of a simplex of support points; a support point that gets no nearer along v proves that v is the answer.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np

from signorini.math.sparse import Array

Support = Callable[[Array], Array]
TOLERANCE = 1e-13
"""Of the squared distance, relative. The error of the normal is of the order of its root."""
MOST_ITERATIONS = 200


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
