"""The shapes of a model as a table of the compiled step."""

from __future__ import annotations

import numpy as np

from signorini.collision.detector import Detector
from signorini.collision.general import GeneralPairs
from signorini.kernels.collision.broad import Pairs
from signorini.kernels.collision.conventions import KINDS
from signorini.kernels.collision.convex_table import ConvexTable
from signorini.kernels.collision.pair_kernels import PAIR_KERNELS
from signorini.kernels.collision.table import Placement
from signorini.kernels.step.detect import FOREIGN
from signorini.kernels.step.packed import Scene
from signorini.math.sparse import Indices

NO_INDICES, NO_NUMBERS = np.zeros(0, dtype=np.int64), np.zeros(0)
NO_PAIRS = Pairs(NO_INDICES, NO_INDICES, NO_NUMBERS)


def scene_table(detector: Detector, h: float, margin: float) -> tuple[Scene, bool]:
    """The table for steps of h [s], and whether the compiled step can find all contacts by it.

    `margin` is the smallest envelope of any pair at rest [m]. Where pairs have no kernel, or materials of their own,
    the table has no pairs.
    """
    met = detector.every_pair
    convex = None if met is None else _convex(detector, met)
    if met is None or convex is None:
        return _scene(detector, NO_PAIRS, NO_INDICES, _nothing_convex(), h, margin), False
    return _scene(detector, met, detector.planes, convex, h, margin), True


def _scene(
    detector: Detector, candidates: Pairs, planes: Indices, convex: ConvexTable, h: float, margin: float
) -> Scene:
    table, n = detector.table, len(detector.table.shapes)
    most = np.full(KINDS * KINDS, FOREIGN, dtype=np.int64)
    for (a, b), own in PAIR_KERNELS.items():
        most[a * KINDS + b] = own.most
    placed = Placement(np.zeros((n, 3)), np.zeros((n, 9)), np.zeros((n, 11)), np.zeros(n))
    return Scene(
        table.arrays, convex, placed, candidates, table.centred, planes, detector.bounded, most,
        np.ascontiguousarray(table.reach), h * h * detector.gravity, margin, int(detector.can_turn),
    )  # fmt: skip


def _every_pair(detector: Detector, pairs: Pairs) -> Pairs:
    """All pairs that may meet, those with half-spaces last, of each the smaller kind first."""
    kind = detector.table.arrays.kind
    first = np.concatenate((pairs.first, np.repeat(detector.planes, len(detector.bounded))))
    second = np.concatenate((pairs.second, np.tile(detector.bounded, len(detector.planes))))
    swap = kind[first] > kind[second]
    return Pairs(np.where(swap, second, first), np.where(swap, first, second), np.zeros(len(first)))


def _convex(detector: Detector, pairs: Pairs) -> ConvexTable | None:
    """The table of convex shapes, empty where none is needed; None where a pair has no kernel."""
    every, kind = _every_pair(detector, pairs), detector.table.arrays.kind
    own = np.array([a * KINDS + b for a, b in PAIR_KERNELS])
    foreign = ~np.isin(kind[every.first] * KINDS + kind[every.second], own)
    if not foreign.any():
        return _nothing_convex()
    general = GeneralPairs(detector.table)
    return general.convex if general.are_compiled(Pairs(*(array[foreign] for array in every))).all() else None


def _nothing_convex() -> ConvexTable:
    none, vectors, start = NO_INDICES, np.zeros((0, 3)), np.zeros(1, dtype=np.int64)
    return ConvexTable(
        none, vectors, NO_NUMBERS, NO_NUMBERS, np.zeros(0, dtype=np.bool_), start, vectors, start, vectors, start, none,
        start, none, 0,
    )  # fmt: skip
