"""Contacts on the GPU: placement, a sorted grid, near pairs, contact points."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from signorini.kernels.collision.conventions import HALF_SPACE, SPHERE
from signorini.kernels.collision.identity import part_bits
from signorini.kernels.collision.table import COLUMNS
from signorini.kernels.cuda import broad, narrow
from signorini.kernels.cuda.door import launch, to_host, view, xp
from signorini.stepping.device.tables import DeviceTables

LARGE = 4.0
"""Fixed shapes that are this many times as large as the median are held against all others, not put into the grid."""
CELLS_PER_SHAPE = 4
"""Cells of the grid at most."""


class DeviceDetector:
    """Finds the contacts of a model whose arrays are on the device."""

    def __init__(self, tables: DeviceTables, h: float) -> None:
        self.h, self._fall = h, h * h * float(np.linalg.norm(tables.gravity))
        self.shapes = tuple(xp.asarray(part) for part in tables.shapes)
        self._shape_views = tuple(view(part) for part in self.shapes)
        self._centred = view(xp.asarray(tables.centred))
        self._placed = tuple(xp.zeros((len(tables.centred), *more)) for more in ((3,), (9,), (11,), ()))
        self._placed_views = tuple(view(part) for part in self._placed)
        self._meshes = tuple(view(xp.asarray(part)) for part in tables.meshes)
        self._has_meshes = len(tables.meshes[2]) > 0
        self._bodies = len(tables.weight)
        self.part_bits = part_bits(len(tables.centred))
        self._sort_shapes(tables)

    def _sort_shapes(self, tables: DeviceTables) -> None:
        """Half-spaces and large fixed shapes are held against all others; the rest go into the grid."""
        kind, body = np.asarray(tables.shapes[0]), np.asarray(tables.shapes[1])
        planes, movable = kind == HALF_SPACE, tables.weight[:, 0] > 0
        size = np.linalg.norm(tables.shapes[6], axis=1) + tables.shapes[7]
        usual = np.median(size[movable[body] & ~planes]) if np.any(movable[body]) else math.inf
        large = ~planes & ~movable[body] & (size > LARGE * usual)
        self._members = xp.asarray(np.flatnonzero(~planes & ~large))
        self._large, self._planes = view(xp.asarray(np.flatnonzero(large))), view(xp.asarray(np.flatnonzero(planes)))
        first = np.full(len(movable), -1)
        first[body[::-1]] = np.arange(len(body))[::-1]
        self.movable = xp.asarray(np.flatnonzero(movable))
        self._first_shape = xp.asarray(first[movable])
        self._round = bool(np.all((kind == SPHERE) | planes))

    def detect(self, state: tuple[Any, ...]) -> tuple[Any, Any, Any]:
        """Identities and data of the contacts, and the rank of each body in space."""
        launch(broad.place, len(self.shapes[0]), self._shape_views, self._centred, *state, self._placed_views)
        members, margin = self._members, self.shapes[8]
        ball = self._placed[2][members]
        own = xp.where(margin[members, 0] >= 0, margin[members, 0], 0.5 * margin[members, 1])
        apart = ball[:, 6:9] - ball[:, 6:9].mean(axis=0)
        size = ball[:, 9] + own + self.h * (xp.sqrt((apart * apart).sum(axis=1)) + ball[:, 10]) + 0.5 * self._fall
        grid, cells = _grid(ball, size)
        keys = xp.empty(len(members), dtype=xp.int32)
        launch(broad.cell_keys, len(members), self._placed_views[2], members, grid, cells, keys)
        sorting = xp.argsort(keys, kind="stable")
        every = xp.arange(cells[0] * cells[1] * cells[2] + 1, dtype=xp.int32)
        start = xp.searchsorted(keys[sorting], every).astype(xp.int32)
        ball = xp.concatenate([ball[sorting], size[sorting][:, None]], axis=1)
        pairs = self._pairs(members[sorting], ball, grid, cells, start)
        return *self._contacts(pairs), self._ranks(sorting)

    def _pairs(self, order: Any, ball: Any, grid: Any, cells: Any, start: Any) -> tuple[Any, Any, Any]:
        """Pairs of shapes within their envelopes: (first, second, envelope)."""
        fixed = [self._shape_views, self._placed_views, *map(view, (order, ball)), grid, cells, view(start)]
        fixed += [self._large, self._planes, (self.h, self._fall)]
        counts = xp.empty(len(order), dtype=xp.int32)
        none = (xp.empty(0, xp.int64), xp.empty(0, xp.int64), xp.empty(0))
        launch(broad.near_pairs, len(order), *fixed, False, counts, none)
        ends = xp.cumsum(counts)
        total = int(ends[-1])
        pairs = (xp.empty(total, xp.int64), xp.empty(total, xp.int64), xp.empty(total))
        launch(broad.near_pairs, len(order), *fixed, True, ends - counts, pairs)
        return pairs

    def _ranks(self, sorting: Any) -> Any:
        """Rank of each movable body: by the place of its first shape in the grid; -1 for the others."""
        place = xp.full(len(self.shapes[0]), -1, dtype=xp.int64)
        place[self._members[sorting]] = xp.arange(len(sorting))
        order = xp.argsort(place[self._first_shape], kind="stable")
        rank = xp.full(self._bodies, -1, dtype=xp.int32)
        rank[self.movable[order]] = xp.arange(len(order), dtype=xp.int32)
        return rank

    def _contacts(self, pairs: tuple[Any, Any, Any]) -> tuple[Any, Any]:
        """Identities and data of the contacts of near pairs."""
        total, data = len(pairs[0]), (self._shape_views, self._placed_views, pairs)
        if self._round:
            places, room = xp.arange(total), total
        else:
            rooms = xp.empty(total, dtype=xp.int32)
            launch(narrow.room, total, self._shape_views[0], pairs[0], pairs[1], rooms)
            if self._has_meshes:
                nothing = xp.empty(0, xp.int64), xp.empty((0, COLUMNS)), self.part_bits
                launch(narrow.mesh_room, total, *data, self._meshes, *nothing, rooms)
            ends = xp.cumsum(rooms)
            places, room = ends - rooms, int(ends[-1]) if total else 0
        identity, found = xp.full(room, -1, dtype=xp.int64), xp.empty((room, COLUMNS))
        launch(narrow.pair_contacts, total, *data, places, identity, found, self.part_bits)
        if self._has_meshes:
            launch(narrow.mesh_contacts, total, *data, self._meshes, places, identity, found, self.part_bits)
        kept = xp.flatnonzero(identity >= 0)
        return (identity, found) if len(kept) == room else (identity[kept], found[kept])


def _grid(ball: Any, size: Any) -> tuple[tuple[float, ...], tuple[int, ...]]:
    """(lowest x, y, z, width of a cell) and the number of cells along each axis."""
    low, high = ball[:, :3].min(axis=0), ball[:, :3].max(axis=0)
    facts = to_host(xp.concatenate([low, high, size.max()[None]]))
    cell, extent = 2.0 * facts[6], facts[3:6] - facts[:3]
    while np.prod(np.floor(extent / cell) + 1.0) > CELLS_PER_SHAPE * len(ball) + 64:
        cell *= 1.26
    return (*map(float, facts[:3]), float(cell)), tuple(int(c) for c in np.floor(extent / cell) + 1)
