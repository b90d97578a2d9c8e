"""The arrays that collision kernels pass around, and how they name and store contacts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from signorini.kernels.collision.identity import first_part, identity_of, second_part
from signorini.kernels.compile import kernel
from signorini.kernels.threads.parts import first_of, parts_of, shared


class ShapeArrays(NamedTuple):
    """All shapes of a model, body by body; one row per shape. Built once."""

    kind: np.ndarray
    body: np.ndarray
    param: np.ndarray
    """(shapes, 3): sphere (r), capsule and cylinder (r, half length), box (half sizes), half-space (normal)."""
    position: np.ndarray
    """Of the shape's frame in the body's [m]."""
    orientation: np.ndarray
    """Shape to body (w, x, y, z)."""
    centre: np.ndarray
    """Of the bounding box, shape's frame [m]."""
    half: np.ndarray
    """Half sizes of the bounding box before rounding [m]."""
    rounding: np.ndarray
    """The box is swollen by it in every direction [m]."""
    margin: np.ndarray
    """(shapes, 2) [m]: what the user asked for, -1 where nothing; the default."""
    filters: np.ndarray
    """(shapes, 4), integers: body, group, mask, whether the body is movable."""
    friction: np.ndarray
    tied: np.ndarray
    """Sorted keys `a * bodies + b`, a < b, of pairs that joints tie."""
    bodies: int


class Placement(NamedTuple):
    """Where the shapes are at one instant, world frame."""

    origin: np.ndarray
    """Of the shapes' frames [m]."""
    rotation: np.ndarray
    """Shape to world, row by row, (shapes, 9); left undefined for centred spheres, which need none."""
    bounds: np.ndarray
    """(shapes, 11): centre of the bounding box [m], half sizes of the axis-parallel box [m], velocity of the centre
    [m/s], radius of the bounding ball about the centre [m] (0 for half-spaces), speed due to spin [m/s] (0 for
    spheres, whose spin changes no distance)."""
    spin: np.ndarray
    """Angular speed [rad/s]."""


LEAST = 512
"""Contacts of a part."""
COLUMNS = 11
"""Numbers of a raw contact."""


class Found(NamedTuple):
    """Raw contacts, filled from the front."""

    identity: np.ndarray
    data: np.ndarray
    """(capacity, `COLUMNS`): point on a, point on b, normal from b to a, gap, share of a round face (0 for points that
    are no part of one)."""
    bits: int
    """Of each part of the identities."""

    @classmethod
    def of_size(cls, capacity: int, bits: int) -> Found:
        """Room for so many."""
        return cls(np.empty(capacity, dtype=np.int64), np.empty((capacity, COLUMNS)), bits)


@kernel
def put(found, k, i, j, feature, ax, ay, az, nx, ny, nz, gap):
    """Store one contact of shapes i and j: point on i, unit normal from j to i, gap. Returns the next place.

    The shape with the smaller index becomes a.
    """
    bx, by, bz = ax - gap * nx, ay - gap * ny, az - gap * nz
    row = found.data[k]
    if i < j:
        row[0], row[1], row[2], row[3], row[4], row[5] = ax, ay, az, bx, by, bz
        row[6], row[7], row[8] = nx, ny, nz
        found.identity[k] = identity_of(i, j, feature, found.bits)
    else:
        row[0], row[1], row[2], row[3], row[4], row[5] = bx, by, bz, ax, ay, az
        row[6], row[7], row[8] = -nx, -ny, -nz
        found.identity[k] = identity_of(j, i, feature, found.bits)
    row[9], row[10] = gap, 0.0
    return k + 1


@kernel
def rising_part(part, parts, keys, rising):
    """Whether the keys of one part rise strictly, from the one before them on."""
    rising[part] = True
    for k in range(max(1, first_of(part, parts, len(keys))), first_of(part + 1, parts, len(keys))):
        if keys[k] <= keys[k - 1]:
            rising[part] = False
            return


rising_by_team = shared(rising_part)


@kernel
def is_sorted(team, keys):
    """Whether the keys rise strictly."""
    parts = parts_of(len(keys), LEAST)
    rising = np.empty(parts, np.bool_)
    rising_by_team(team, parts, (parts, keys, rising))
    return rising.all()


@kernel
def gather_part(part, parts, found, order, shapes, bodies, points, normal, numbers, identity, round_ones):
    """`gather` of one part of the contacts."""
    body, friction = shapes
    body_a, body_b = bodies
    point_a, point_b = points
    gap, coefficient, share = numbers
    any_round, bits = False, found.bits
    for k in range(first_of(part, parts, len(identity)), first_of(part + 1, parts, len(identity))):
        s = np.uint64(order[k]) if len(order) else np.uint64(k)
        key = found.identity[s]
        a, b = np.uint64(first_part(key, bits)), np.uint64(second_part(key, bits))
        identity[k] = key
        body_a[k], body_b[k] = body[a], body[b]
        for c in range(3):
            point_a[k, c] = found.data[s, c]
            point_b[k, c] = found.data[s, 3 + c]
            normal[k, c] = found.data[s, 6 + c]
        gap[k] = found.data[s, 9]
        coefficient[k] = min(friction[a], friction[b])
        share[k] = found.data[s, 10]
        any_round = any_round or share[k] > 0.0
    round_ones[part] = any_round


gather_by_team = shared(gather_part)


@kernel
def rise_identities(identity):
    """Equal identities are told apart by adding 1."""
    for k in range(1, len(identity)):
        identity[k] = max(identity[k], identity[k - 1] + 1)


@kernel
def gather(team, found, order, shapes, bodies, points, normal, numbers, identity):
    """Write the contacts in `order`, an empty one being that of `found`. Equal identities are told apart by adding 1.

    shapes are (body, friction) of the shapes; bodies and points are those of (a, b), numbers (gap, friction, share).
    Returns whether any contact is part of a round face.
    """
    parts = parts_of(len(identity), LEAST)
    round_ones = np.empty(parts, np.bool_)
    data = (found, order, shapes, bodies, points, normal, numbers, identity, round_ones)
    gather_by_team(team, parts, (parts, *data))
    if not is_sorted(team, identity):
        rise_identities(identity)
    return round_ones.any()
