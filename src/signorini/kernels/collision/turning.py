"""Pairs of shapes whose rotation in a step may bring distant features together."""

from __future__ import annotations

from math import sqrt

from signorini.kernels.collision.conventions import HALF_SPACE, SPHERE
from signorini.kernels.compile import inlined, kernel


@inlined
def turned_by(shapes, placed, position, s, step):
    """How far the turning of its body moves any point of a shape in a step at most [m].

    A sphere about the centre of its body does not count, since turning changes none of its distances.
    """
    body, spin = shapes.body[s], placed.spin[s]
    x, y = placed.bounds[s, 0] - position[body, 0], placed.bounds[s, 1] - position[body, 1]
    z = placed.bounds[s, 2] - position[body, 2]
    lever = sqrt(x * x + y * y + z * z)
    return step * spin * (lever if shapes.kind[s] == SPHERE else lever + placed.bounds[s, 9])


@kernel
def turning_pairs(shapes, placed, position, pairs, step, share, kept):
    """Write the places of the pairs that turn by more than `share` of the smaller margin, and that tolerance as their
    limit [m]. Returns their number."""
    count = 0
    for p in range(len(pairs.first)):
        i, j = pairs.first[p], pairs.second[p]
        limit = share * min(shapes.margin[i, 1], shapes.margin[j, 1])
        turn = 0.0
        for s in (i, j):
            if shapes.kind[s] == HALF_SPACE:
                # A half-space that turns moves the other shape's neighbourhood as if that turned about its origin.
                d = placed.bounds[i if s == j else j, :3] - placed.origin[s]
                turn += step * placed.spin[s] * sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
            else:
                turn += turned_by(shapes, placed, position, s, step)
        if turn > limit:
            pairs.limit[p] = limit
            kept[count] = p
            count += 1
    return count


@kernel
def any_turns(shapes, placed, position, step, share):
    """Whether a bounded shape turns by more than `share` of its margin, or a half-space at all."""
    for s in range(len(shapes.kind)):
        if shapes.kind[s] == HALF_SPACE:
            if placed.spin[s] > 0.0:
                return True
        elif turned_by(shapes, placed, position, s, step) > share * shapes.margin[s, 1]:
            return True
    return False
