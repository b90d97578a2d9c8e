"""The materials of all pairs of a model, as arrays over contacts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from signorini.math.sparse import Array, Indices
from signorini.model.body_list import BodyList
from signorini.model.flexible_body import FlexibleBody
from signorini.model.pair_material import PairMaterial, PairOverride, Surface, pair_material

NO_GRAIN = -1
SOME = 1e-12
"""Stands for the compliance of contacts by Hertz's law until a step knows it [m/N]."""


class Paired(Protocol):
    """What this file needs to know of a model."""

    @property
    def bodies(self) -> BodyList:
        """All bodies."""

    @property
    def flexibles(self) -> Sequence[FlexibleBody]:
        """Flexible bodies; their indices follow those of the others."""

    @property
    def pair_materials(self) -> Sequence[PairOverride]:
        """Pairs with a material of their own."""


@dataclass(frozen=True, eq=False)
class PairLaws:
    """Parameters of contacts, one entry per contact; names and units as in `Material`."""

    friction: Array
    static_friction: Array
    cross_friction: Array
    """That across the grain; equal to `friction` without one."""
    grain: Indices
    """Which body has the grain: 0 is a, 1 is b, -1 none; shape (contacts,)."""
    direction: Array
    """Of the grain, in the frame of its body, shape (contacts, 3)."""
    stick_speed: Array
    rolling_friction: Array
    spinning_friction: Array
    restitution: Array
    tangential_restitution: Array
    rest_speed: Array
    compliance: Array
    hertz: Array
    """E* of contacts by Hertz's law, 0 for others [Pa]; their `compliance` is that of each step."""
    damping: Array
    tangential_compliance: Array
    tangential_damping: Array
    cohesion: Array
    cohesion_range: Array
    heals: NDArray[np.bool_]
    yield_force: Array
    """Infinite where the contact never yields [N]."""

    @classmethod
    def of(cls, pairs: Sequence[PairMaterial]) -> PairLaws:
        """One entry per pair."""
        materials = [pair.material for pair in pairs]

        def column(name: str, default: str | None = None, nothing: float = 0.0) -> Array:
            values = ((getattr(m, name), nothing if default is None else getattr(m, default)) for m in materials)
            return np.array([other if value is None else value for value, other in values], dtype=np.float64)

        special: dict[str, Any] = {
            "static_friction": column("static_friction", "friction"),
            "cross_friction": column("cross_friction", "friction"),
            "yield_force": column("yield_force", nothing=np.inf),
            "grain": np.array([NO_GRAIN if p.material.direction is None else p.grain for p in pairs], dtype=np.int64),
            "direction": np.array([m.direction or (0, 0, 0) for m in materials], dtype=np.float64).reshape(-1, 3),
            "hertz": np.array([0.0 if m.young is None else m.plane_strain_modulus for m in materials]),
            "compliance": np.array([m.compliance if m.young is None else SOME for m in materials]),
            "heals": np.array([m.heals for m in materials], dtype=np.bool_),
        }
        plain: dict[str, Any] = {f.name: column(f.name) for f in fields(cls) if f.name not in special}
        return cls(**plain, **special)

    def take(self, index: Indices) -> PairLaws:
        """Entries in another order, or some of them."""
        return PairLaws(**{f.name: getattr(self, f.name)[index] for f in fields(self)})


def is_plain(model: Paired) -> bool:
    """Whether all contacts have friction alone and take the smaller coefficient."""
    soft = all(body.material.plain for body in model.flexibles)
    return soft and not model.pair_materials and all(body.material.plain for _, _, body in model.bodies.kinds)


@dataclass(eq=False)
class PairTable:
    """Looks up the pairs of a model; those met once are kept."""

    surfaces: tuple[Surface, ...]
    """The different ones."""
    surface_of: Indices
    """Of each body, flexible ones last, shape (bodies,)."""
    overrides: tuple[PairOverride, ...]
    _known: dict[int, int] = field(default_factory=dict)
    _pairs: list[PairMaterial] = field(default_factory=list)
    _laws: PairLaws | None = None

    @classmethod
    def of(cls, model: Paired) -> PairTable:
        """Of a model."""
        overrides = tuple(model.pair_materials)
        named = frozenset(who for item in overrides for who in (item.first, item.second) if isinstance(who, int))
        places: dict[Surface, int] = {}
        materials = [body.material for body in model.bodies] + [body.material for body in model.flexibles]
        every = [Surface.of(index, material, named) for index, material in enumerate(materials)]
        surface_of = np.array([places.setdefault(surface, len(places)) for surface in every], dtype=np.int64)
        return cls(tuple(places), surface_of, overrides)

    def laws(self, body_a: Indices, body_b: Indices) -> PairLaws:
        """Of pairs of bodies, given by their indices."""
        count = len(self.surfaces)
        codes = self.surface_of[body_a] * count + self.surface_of[body_b]
        kinds, inverse = np.unique(codes, return_inverse=True)
        rows = np.array([self._row(int(code)) for code in kinds], dtype=np.int64)
        if self._laws is None or len(self._laws.friction) != len(self._pairs):
            self._laws = PairLaws.of(self._pairs)
        return self._laws.take(rows[inverse])

    def every(self) -> PairLaws:
        """Of all pairs of surfaces: entry `first * surfaces + second`."""
        rows = [self._row(code) for code in range(len(self.surfaces) ** 2)]
        return PairLaws.of(self._pairs).take(np.array(rows, dtype=np.int64))

    @property
    def reach(self) -> Array:
        """How far each body pulls others across a gap, at most [m], shape (bodies,)."""
        given = max((item.material.reach for item in self.overrides), default=0.0)
        compliant = max((surface.material.compliance for surface in self.surfaces), default=0.0)
        own = [max(given, s.material.reach + s.material.cohesion * compliant) for s in self.surfaces]
        return np.array(own)[self.surface_of]

    def _row(self, code: int) -> int:
        if code not in self._known:
            a, b = divmod(code, len(self.surfaces))
            self._pairs.append(pair_material(self.surfaces[a], self.surfaces[b], self.overrides))
            self._known[code] = len(self._pairs) - 1
        return self._known[code]
