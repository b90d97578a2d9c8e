"""Contacts of turning bodies found by sweeping them through a step.

Detection sees the features of two bodies that are nearest at the beginning of a step; its gaps are linear in the
velocities. A body that turns in the step, perhaps because it is hit in it, may bring in other corners and edges, and
corners move on arcs. So near pairs of which one turns are swept along the motion of the step's answer; where they
overlap by more than a tolerance, the features that touch there join the contacts, and the step is solved again.

Such a contact is between two points fixed to the bodies, along a given normal n. Its row is taken with levers turned
by half of what the bodies turn in the step, for which the displacement of a point is linear in the velocities but for a
factor sin(x) / x (in steps to second order bodies that do not turn far keep their levers), and its gap is what makes
the row exact for the last answer v:

    Phi + h D v = n . (point on a - point on b) at the end of the step.

Rows and gaps are updated in each round; known contacts of the pair become such contacts too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from signorini.collision.contacts import Contacts
from signorini.collision.detector import Detector
from signorini.collision.shape_table import RELATIVE_MARGIN
from signorini.kernels.collision.broad import Pairs
from signorini.kernels.collision.identity import feature_bits, pair_key, swept_mark
from signorini.kernels.step.swept import ALIKE, BISECTIONS, SAME_NORMAL, SAME_POINT
from signorini.math.rotations import conjugate, exponential, multiply, rotate
from signorini.math.sparse import Array, Indices
from signorini.model.state import State
from signorini.stepping.new_contacts import approach, merged

OVERLAP = 0.03
"""Overlaps below this share of the default margin of a pair, 6e-4 of its smaller half size, count as none."""
MOST_PLACES = 24
"""Most samples of a pair along its motion."""
SHALLOW = 0.5
"""Overlaps below this share of the smaller half size of two shapes tell in which direction they part."""


@dataclass(frozen=True, eq=False)
class Sweep:
    """The motion of a step by the last answer."""

    start: State
    """With the velocities of the answer."""
    end: State
    h: float
    """[s]."""
    far: NDArray[np.bool_] | None = None
    """Which bodies turn far in the step, shape (bodies,); None takes all for such. Levers of the others are those of
    its beginning, where impulses act in steps to second order (see `assembly.bend`)."""

    def at(self, part: float) -> State:
        """The state after that fraction of the step."""
        if part >= 1.0:
            return self.end
        turn = exponential(part * self.h * self.start.angular_velocity)
        return replace(
            self.start,
            position=self.start.position + part * (self.end.position - self.start.position),
            orientation=multiply(self.start.orientation, turn),
        )


@dataclass(frozen=True, eq=False)
class SweptContacts:
    """Finds the contacts that turning bodies meet within a step."""

    detector: Detector

    def add_to(self, contacts: Contacts, swept: Contacts, sweep: Sweep) -> tuple[Contacts, Contacts] | None:
        """The contacts of a step with those that `sweep` shows to be missing; None where nothing is.

        Parameters
        ----------
        contacts
            All contacts of the step so far.
        swept
            Those of them that were found along the way, with their points where they are at the beginning of the step.

        Returns
        -------
        (contacts, swept), both renewed.
        """
        pairs = self.detector.turning_pairs(sweep.start, sweep.h, OVERLAP)
        if pairs is None:
            return None
        hits = self._hits(pairs, contacts, sweep)
        if not hits:
            return None
        struck = np.unique(np.concatenate([hit.pair for hit in hits]))
        plain = contacts.taken(~contacts.swept)
        moved = np.isin(plain.pair, struck)
        for more in (plain.taken(moved), *hits):
            swept = _with(swept, more, sweep.start.position)
        return merged(plain.taken(~moved), linearised(swept, sweep)), swept

    def _hits(self, pairs: Pairs, contacts: Contacts, sweep: Sweep) -> list[Contacts]:
        """Contacts that pairs meet, with their points where they are at the beginning of the step."""
        overlap = self._overlapping(pairs, contacts, sweep, 1.0)
        hits: list[Contacts] = []
        for pair in np.flatnonzero(overlap).tolist():
            hits += self._at_the_end(_one(pairs, pair), contacts, sweep)
        far = ~overlap & (_ways(pairs, self.detector, sweep) > thinnest(pairs))
        if not far.any():
            return hits
        apart = Pairs(*(array[far] for array in pairs))
        for pair in range(len(apart.first)):
            # Shapes that are apart in the end may have passed through each other.
            touch = self._first_touch(_one(apart, pair), contacts, sweep, SHALLOW * thinnest(apart)[pair])
            hits += [] if touch is None else [touch]
        return hits

    def _at_the_end(self, pair: Pairs, contacts: Contacts, sweep: Sweep) -> list[Contacts]:
        """Contacts of an overlap at the end of the way; where it is deep, with normals like that of the first touch."""
        found = self._at(1.0, pair, sweep)
        if found.deepest < SHALLOW * thinnest(pair)[0]:
            return [found]
        first = self._first_touch(pair, contacts, sweep, float(pair.limit[0]))
        if first is None or not first.count:
            return [found]
        # The latest place on the way whose overlap has a normal like that of the first touch.
        normal = first.normal[int(np.argmin(first.gap))]
        low, high, latest = 0.0, 1.0, [found] if _is_like(found, normal) else []
        for _ in range(0 if latest else BISECTIONS):
            middle = 0.5 * (low + high)
            found = self._at(middle, pair, sweep)
            if not found.count or _is_like(found, normal):
                low, latest = middle, [found]
            else:
                high = middle
        return [*latest, first]

    def _first_touch(self, pair: Pairs, contacts: Contacts, sweep: Sweep, depth: float) -> Contacts | None:
        """Contacts where a pair first overlaps by its limit, if it gets deeper than `depth` [m] on the way."""
        places = int(np.clip(np.ceil(_ways(pair, self.detector, sweep)[0] / thinnest(pair)[0]), 2, MOST_PLACES))
        deep = Pairs(pair.first, pair.second, np.array([depth]))
        high = next(
            (k / places for k in range(1, places + 1) if self._overlaps(deep, contacts, sweep, k / places)), None
        )
        if high is None:
            return None
        low = 0.0
        for _ in range(BISECTIONS + 3):
            middle = 0.5 * (low + high)
            if self._overlaps(pair, contacts, sweep, middle):
                high = middle
            else:
                low = middle
        return self._at(high, pair, sweep)

    def _overlaps(self, pair: Pairs, contacts: Contacts, sweep: Sweep, part: float) -> bool:
        return bool(self._overlapping(pair, contacts, sweep, part)[0])

    def _at(self, part: float, pair: Pairs, sweep: Sweep) -> Contacts:
        """Contacts after part of the way, their points moved back to where they are at its beginning."""
        there = sweep.at(part)
        return _moved_back(self.detector.contacts_of(there, pair), there, sweep.start)

    def _overlapping(self, pairs: Pairs, contacts: Contacts, sweep: Sweep, part: float) -> NDArray[np.bool_]:
        """Which pairs overlap by more than their limits and more than their contacts leave, after part of the way."""
        found = self.detector.contacts_of(sweep.at(part), pairs)
        if found.deepest <= float(pairs.limit.min()):
            return np.zeros(len(pairs.first), dtype=np.bool_)
        expected = contacts.gap + part * sweep.h * approach(contacts, sweep.start)
        key = pair_key(np.minimum(pairs.first, pairs.second), np.maximum(pairs.first, pairs.second), found.part_bits)
        deepest, left = _least(key, found, found.gap), _least(key, contacts, expected)
        return np.asarray(deepest < np.minimum(left, 0.0) - pairs.limit)


def linearised(swept: Contacts, sweep: Sweep) -> Contacts:
    """Contacts of points fixed to bodies, given where these are at the beginning of the step, as rows of the step."""
    start, end = sweep.start, sweep.end
    middle = sweep.at(0.5).orientation
    if sweep.far is not None:
        middle = np.where(sweep.far[:, None], middle, start.orientation)
    points, ends = [], []
    for body, point in ((swept.body_a, swept.point_a), (swept.body_b, swept.point_b)):
        local = rotate(conjugate(start.orientation[body]), point - start.position[body])
        points.append(start.position[body] + rotate(middle[body], local))
        ends.append(end.position[body] + rotate(end.orientation[body], local))
    rows = replace(swept, point_a=points[0], point_b=points[1])
    gap = ((ends[0] - ends[1]) * swept.normal).sum(axis=1)
    return replace(rows, gap=gap - sweep.h * approach(rows, start))


def without_repeats(contacts: Contacts, known: Contacts, swept: Contacts) -> Contacts | None:
    """`contacts` without those of pairs that are `swept`, unless they are `known`; None if only these are left."""
    new = ~np.isin(contacts.identity, known.identity)
    repeated = new & np.isin(contacts.pair, swept.pair)
    return contacts.taken(~repeated) if (new & ~repeated).any() else None


def _is_like(contacts: Contacts, normal: Array) -> bool:
    """Whether the deepest contact has a normal like the given one."""
    return bool(contacts.count and float(contacts.normal[int(np.argmin(contacts.gap))] @ normal) > ALIKE)


def _one(pairs: Pairs, pair: int) -> Pairs:
    return Pairs(*(array[pair : pair + 1] for array in pairs))


def _ways(pairs: Pairs, detector: Detector, sweep: Sweep) -> Array:
    """How far the points of two shapes move in the step at most, together [m], shape (pairs,)."""
    shapes, radius = detector.table.arrays, detector.table.reach
    moved = np.linalg.norm(sweep.end.position - sweep.start.position, axis=1)[shapes.body]
    turned = sweep.h * np.linalg.norm(sweep.start.angular_velocity, axis=1)[shapes.body] * radius
    return np.asarray((moved + turned)[pairs.first] + (moved + turned)[pairs.second])


def thinnest(pairs: Pairs) -> Array:
    """Smaller half size of the two shapes of each pair, whose limits are those of `Detector.turning_pairs` [m]."""
    return np.asarray(pairs.limit / (OVERLAP * RELATIVE_MARGIN))


def _moved_back(contacts: Contacts, there: State, start: State) -> Contacts:
    """The same points of the bodies where they are at the beginning of the step."""
    points = []
    for body, point in ((contacts.body_a, contacts.point_a), (contacts.body_b, contacts.point_b)):
        local = rotate(conjugate(there.orientation[body]), point - there.position[body])
        points.append(start.position[body] + rotate(start.orientation[body], local))
    return replace(contacts, point_a=points[0], point_b=points[1])


def _with(swept: Contacts, more: Contacts, middle: Array) -> Contacts:
    """Both, but for those of `more` whose points and normals are there already; numbered in each pair."""
    new = []
    for k in range(more.count):
        same = np.flatnonzero(swept.pair == more.pair[k])
        lever = float(np.linalg.norm(more.point_a[k] - middle[more.body_a[k]]))
        apart = np.minimum(
            np.linalg.norm(swept.point_a[same] - more.point_a[k], axis=1),
            np.linalg.norm(swept.point_b[same] - more.point_b[k], axis=1),
        )
        turned = np.linalg.norm(swept.normal[same] - more.normal[k], axis=1)
        if not ((apart < SAME_POINT * lever) & (turned < SAME_NORMAL)).any():
            new.append(k)
    more = more.taken(np.array(new, dtype=np.int64))
    pair = more.pair
    number = np.array([(swept.pair == p).sum() + (pair[:k] == p).sum() for k, p in enumerate(pair)], dtype=np.int64)
    bits = more.part_bits
    return merged(swept, replace(more, identity=(pair << feature_bits(bits)) | swept_mark(bits) | number))


def _least(key: Indices, contacts: Contacts, values: Array) -> Array:
    """The least of the values of the contacts of each pair, infinite for pairs without."""
    order = np.argsort(key, kind="stable")
    of = contacts.pair
    place = np.minimum(np.searchsorted(key[order], of), len(key) - 1)
    same = key[order][place] == of
    least = np.full(len(key), np.inf)
    np.minimum.at(least, order[place[same]], values[same])
    return least
