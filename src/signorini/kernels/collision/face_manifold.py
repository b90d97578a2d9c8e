"""Contacts of two features that face each other along a normal: faces, lines, round faces.

Features are corners in coordinates (u, v, w) with w along the normal. A contact stands at every corner of their overlap
seen along the normal; a round face has inner points as well (see `round_face`), and the lowest point of its rim.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from signorini.kernels.collision.plane import LEVEL
from signorini.kernels.collision.polygon import COINCIDENT, clip_segment, overlap, plane_through, signed_area, tangents
from signorini.kernels.collision.round_face import AROUND, CROSSING_SHARE, LEANING, PLACE, RIM_SHARE, SHARE
from signorini.kernels.compile import kernel

PARALLEL = 1e-3
"""Sine of the angle up to which two lines touch along their length."""
INNER_FEATURE = 1 << 12
"""Features of inner points of round faces begin here, above those of corners."""
ON_RIM = 1e-6
"""Distance within which a corner of an overlap is a point of the rim, relative to their spacing."""


@kernel
def line_overlap(p, q, corners):
    """Ends of a line's part above a face or above a parallel line. Returns their number, 0 or 2."""
    line, other = (p, q) if len(p) == 2 else (q, p)
    du, dv = line[1, 0] - line[0, 0], line[1, 1] - line[0, 1]
    square = du * du + dv * dv
    if square == 0.0:
        return 0
    if len(other) > 2:
        low, high = clip_segment(line, other)
    else:
        eu, ev = other[1, 0] - other[0, 0], other[1, 1] - other[0, 1]
        sine = (du * ev - dv * eu) / sqrt(square * max(eu * eu + ev * ev, 1e-300))
        if abs(sine) >= PARALLEL:
            return 0
        one = ((other[0, 0] - line[0, 0]) * du + (other[0, 1] - line[0, 1]) * dv) / square
        two = ((other[1, 0] - line[0, 0]) * du + (other[1, 1] - line[0, 1]) * dv) / square
        low, high = max(0.0, min(one, two)), min(1.0, max(one, two))
    if high <= low:
        return 0
    corners[0, 0], corners[0, 1] = line[0, 0] + low * du, line[0, 1] + low * dv
    corners[1, 0], corners[1, 1] = line[0, 0] + high * du, line[0, 1] + high * dv
    return 2


@kernel
def holds(polygon, count, u, v):
    """Whether a convex polygon holds the point (u, v)."""
    turn = 1.0 if signed_area(polygon, count) >= 0 else -1.0
    for k in range(count):
        m = (k + 1) % count
        eu, ev = polygon[m, 0] - polygon[k, 0], polygon[m, 1] - polygon[k, 1]
        if turn * (eu * (v - polygon[k, 1]) - ev * (u - polygon[k, 0])) < -COINCIDENT * (eu * eu + ev * ev):
            return False
    return True


@kernel
def _corner_share(corner, rim):
    """Share of a corner of an overlap: that of a point of the rim, or of a crossing."""
    near = ON_RIM * sqrt((rim[0, 0] - rim[1, 0]) ** 2 + (rim[0, 1] - rim[1, 1]) ** 2)
    for k in range(len(rim)):
        if sqrt((corner[0] - rim[k, 0]) ** 2 + (corner[1] - rim[k, 1]) ** 2) < near:
            return RIM_SHARE
    return CROSSING_SHARE


@kernel
def round_points(rim, other, slope, places, labels, shares, count):
    """Add the points that stand for a round face where it lies over another to the `count` corners of their overlap.

    `slope` is how the gap rises with (u, v). Returns the number of all points.
    """
    corners = count
    for k in range(count):
        shares[k] = _corner_share(places[k], rim)
    centre, axes = np.zeros(2), np.empty((2, 2))
    for c in range(2):
        for k in range(AROUND):
            centre[c] += rim[k, c] / AROUND
        axes[0, c], axes[1, c] = rim[0, c] - centre[c], rim[AROUND // 4, c] - centre[c]
    for k in range(AROUND, len(SHARE)):
        u = centre[0] + PLACE[k, 0] * axes[0, 0] + PLACE[k, 1] * axes[1, 0]
        v = centre[1] + PLACE[k, 0] * axes[0, 1] + PLACE[k, 1] * axes[1, 1]
        if holds(places, corners, u, v):
            places[count, 0], places[count, 1], labels[count], shares[count] = u, v, INNER_FEATURE + k, SHARE[k]
            count += 1
    one = slope[0] * axes[0, 0] + slope[1] * axes[0, 1]
    two = slope[0] * axes[1, 0] + slope[1] * axes[1, 1]
    tilt = sqrt(one * one + two * two)
    radius = sqrt(axes[0, 0] ** 2 + axes[0, 1] ** 2)
    if tilt > LEVEL * radius:
        u = centre[0] - (one * axes[0, 0] + two * axes[1, 0]) / tilt
        v = centre[1] - (one * axes[0, 1] + two * axes[1, 1]) / tilt
        if holds(other, len(other), u, v):
            places[count, 0], places[count, 1], labels[count] = u, v, INNER_FEATURE
            shares[count] = RIM_SHARE * min(1.0, tilt / (LEANING * radius))
            count += 1
    return count


@kernel
def _frame(n):
    """Rows (t, s, n)."""
    frame = np.empty((3, 3))
    frame[0, 0], frame[0, 1], frame[0, 2], frame[1, 0], frame[1, 1], frame[1, 2] = tangents(n[0], n[1], n[2])
    frame[2] = n
    return frame


@kernel
def _in_frame(points, frame):
    """Coordinates (u, v, w) of points."""
    out = np.empty((len(points), 3))
    for k in range(len(points)):
        for c in range(3):
            out[k, c] = points[k, 0] * frame[c, 0] + points[k, 1] * frame[c, 1] + points[k, 2] * frame[c, 2]
    return out


@kernel
def feature_contacts(of_a, of_b, n, rounder, limit, found, names):
    """Contacts nearer than `limit` of two features, world corners; none where one is a point.

    Parameters
    ----------
    rounder
        Which of the two is a round face, the smaller if both are: 0 or 1, -1 for none.
    found, names
        Get (point on a, gap, share) and a number of each contact.

    Returns
    -------
    How many contacts there are, and how many with those beyond the limit.
    """
    if len(of_a) < 2 or len(of_b) < 2:
        return 0, 0
    frame = _frame(n)
    p, q = _in_frame(of_a, frame), _in_frame(of_b, frame)
    room = len(p) + len(q) + 2 + len(SHARE)
    places, labels, shares = np.empty((room, 2)), np.empty(room, np.int64), np.zeros(room)
    if len(p) > 2 and len(q) > 2:
        common, common_names = overlap(p, q)
        count = len(common)
        places[:count], labels[:count] = common, common_names
    else:
        count = line_overlap(p, q, places)
        labels[0], labels[1] = 1, 2
    if count == 0:
        return 0, 0
    pu, pv, p0 = plane_through(p)
    qu, qv, q0 = plane_through(q)
    if rounder >= 0 and count > 2:
        rim, other = (p, q) if rounder == 0 else (q, p)
        count = round_points(rim, other, (pu - qu, pv - qv), places, labels, shares, count)
    kept = 0
    for k in range(count):
        u, v = places[k, 0], places[k, 1]
        w = pu * u + pv * v + p0
        gap = w - (qu * u + qv * v + q0)
        if gap < limit:
            for c in range(3):
                found[kept, c] = u * frame[0, c] + v * frame[1, c] + w * frame[2, c]
            found[kept, 3], found[kept, 4], names[kept] = gap, shares[k], labels[k]
            kept += 1
    return kept, count
