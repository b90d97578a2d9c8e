"""The narrow phase: from near pairs to contact points."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from signorini.collision.shape_table import ShapeTable
from signorini.kernels.collision.broad import Pairs, kind_codes
from signorini.kernels.collision.conventions import KINDS, SPHERE
from signorini.kernels.collision.pair_kernels import PAIR_KERNELS, pair_kernel
from signorini.kernels.collision.round import spheres_by_team
from signorini.kernels.collision.table import Found, Placement
from signorini.kernels.threads.team import team
from signorini.math.sparse import Indices


class NarrowPhase:
    """Contact points of near pairs; keeps its buffers between calls."""

    def __init__(self, table: ShapeTable) -> None:
        self.table = table
        self._found = Found.of_size(0, table.part_bits)
        self._general: Any = None
        self._scratch = self._found

    def contacts(self, sources: list[Pairs], placed: Placement) -> tuple[Found, int]:
        """Raw contacts of all pairs and how many there are; overwritten by the next call."""
        groups = [group for pairs in sources if len(pairs.first) for group in self._by_kinds(pairs)]
        own = [(kinds, pairs) for kinds, pairs in groups if kinds in PAIR_KERNELS]
        general = [pairs for kinds, pairs in groups if kinds not in PAIR_KERNELS]
        rows = self._general_rows(general, placed) if general else None
        most = sum(PAIR_KERNELS[kinds].most * len(pairs.first) for kinds, pairs in own)
        self._reserve(most + (len(rows.data) if rows else 0))
        count = 0
        for kinds, pairs in own:
            count = self._own(kinds, pairs, placed, count)
        if rows is not None:
            end = count + len(rows.data)
            self._found.identity[count:end], self._found.data[count:end] = rows.identity, rows.data
            count = end
        return self._found, count

    def _own(self, kinds: tuple[int, int], pairs: Pairs, placed: Placement, count: int) -> int:
        """Append the contacts of pairs of kinds that have a kernel of their own to `count` ones; returns how many."""
        data, many = (self.table.arrays, placed, *pairs), team(len(pairs.first))
        if kinds == (SPHERE, SPHERE) and len(many):
            self._scratch = _with_room(self._scratch, len(pairs.first))
            return int(spheres_by_team(many, *data, self._found, count, self._scratch))
        return int(pair_kernel(kinds)(*data, self._found, count))

    def _by_kinds(self, pairs: Pairs) -> list[tuple[tuple[int, int], Pairs]]:
        """The pairs of each combination of kinds, the smaller kind first."""
        kind = self.table.arrays.kind
        code = np.empty(len(pairs.first), dtype=np.int64)
        same = kind_codes(team(len(code)), kind, pairs.first, pairs.second, KINDS, code)
        result = []
        for key in [same] if same >= 0 else np.flatnonzero(np.bincount(code)):
            chosen = pairs if same >= 0 else Pairs(*(array[code == key] for array in pairs))
            small, large = divmod(int(key), KINDS)
            if small != large:
                swap = kind[chosen.first] > kind[chosen.second]
                chosen = Pairs(*_swapped(chosen.first, chosen.second, swap), chosen.limit)
            result.append(((small, large), chosen))
        return result

    def _general_rows(self, groups: list[Pairs], placed: Placement) -> Found:
        if self._general is None:
            self._general = import_module("signorini.collision.general").GeneralPairs(self.table)
        result: Found = self._general.contacts(groups, placed)
        return result

    def _reserve(self, capacity: int) -> None:
        self._found = _with_room(self._found, capacity)


def _with_room(found: Found, capacity: int) -> Found:
    """The same, or a larger one without contacts."""
    if capacity <= len(found.identity):
        return found
    return Found.of_size(capacity + capacity // 4, found.bits)


def _swapped(first: Indices, second: Indices, swap: Any) -> tuple[Indices, Indices]:
    return np.where(swap, second, first), np.where(swap, first, second)
