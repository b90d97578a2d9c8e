"""Ropes, chains and belts: a curve that stretches and bends."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from signorini.fe.elastic_step import WEIGHTS, ElasticStepName
from signorini.fe.elements import cable as element
from signorini.fe.elements.cable import CablePieces
from signorini.fe.pattern import Pattern
from signorini.math.cached import cached_property
from signorini.math.sparse import Array, Csr, Indices
from signorini.model.checks import not_negative, points, positive
from signorini.model.component import ElasticWeights
from signorini.model.skin import MOST_NODES, Skin
from signorini.problem.errors import ModelError

ROUNDS = 20
"""Of the search for lengths of elements that leave a curve unstrained."""
SAMPLES = 2
"""Contact points per element."""


@dataclass(frozen=True, eq=False)
class Cable:
    """A round cable of given radius through `places`, straight when free: a curve is held by what it touches.

    With `curved=True` it is free as it is given: a hook, a ring, a coil. It resists a change of its curvature, to
    whichever side it bends.

    >>> rope = Cable.straight(length=2.0, elements=20, radius=0.01, young=1e8, density=1200)

    Its nodes come in pairs, a place and a slope (see `fe.elements.cable`). It resists stretching and bending, not
    twisting. Rayleigh damping as in `SoftBody`.
    """

    places: Array
    """Where the elements meet [m], shape (places, 3)."""
    slopes: Array
    """Directions there, length 1, shape (places, 3)."""
    lengths: Array
    """Of the unstrained elements [m], shape (elements,): one fewer than places, or as many when it is closed."""
    radius: float
    """[m]."""
    young: float
    """Young's modulus [Pa]."""
    density: float
    """[kg/m3]."""
    closed: bool = False
    """Whether the last place is joined to the first, as in a belt."""
    bending: float = 1.0
    """Share of the bending stiffness of a solid bar [-]: of a rope of many fibres it is far below 1."""
    mass_damping: float = 0.0
    """[1/s]."""
    stiffness_damping: float = 0.0
    """[s]."""
    curved: bool = False
    """Whether its shape at rest is the one through `places`; else it is straight."""
    elastic_step: ElasticStepName = "euler"
    """As in `SoftBody`."""

    def __repr__(self) -> str:
        return f"Cable({len(self.lengths)} elements, {self.lengths.sum():g} m long, radius {self.radius:g} m)"

    def __post_init__(self) -> None:
        object.__setattr__(self, "places", points(self.places, "places of the cable"))
        object.__setattr__(self, "slopes", points(self.slopes, "slopes of the cable"))
        object.__setattr__(self, "lengths", np.array(self.lengths, dtype=np.float64))
        elements = len(self.places) - (0 if self.closed else 1)
        if elements < 1 or self.lengths.shape != (elements,) or self.slopes.shape != self.places.shape:
            raise ModelError(
                f"the cable has {len(self.places)} places, {len(self.slopes)} slopes and {self.lengths.shape} lengths, "
                "expected as many slopes as places, and one length per element; use Cable.straight or Cable.through"
            )
        if not self.lengths.min() > 0:
            raise ModelError(f"an element of the cable has length {self.lengths.min()}, expected > 0 m")
        for what in ("radius", "young", "density"):
            positive(getattr(self, what), f"{what} of the cable")
        for what in ("bending", "mass_damping", "stiffness_damping"):
            not_negative(getattr(self, what), f"{what} of the cable")
        if self.elastic_step not in WEIGHTS:
            raise ModelError(f"elastic_step is {self.elastic_step!r}, expected one of {', '.join(WEIGHTS)}")

    @classmethod
    def straight(cls, length: float, elements: int, **properties: Any) -> Cable:
        """Along the x axis, from the origin."""
        span = positive(length, "length of the cable")
        if elements < 1:
            raise ModelError(f"the cable has {elements} elements, expected 1 or more")
        places = np.column_stack((np.linspace(0.0, span, elements + 1), np.zeros((elements + 1, 2))))
        slopes = np.tile([1.0, 0.0, 0.0], (elements + 1, 1))
        return cls(places, slopes, np.full(elements, span / elements), **properties)

    @classmethod
    def through(cls, places: Any, closed: bool = False, **properties: Any) -> Cable:
        """A smooth curve through points [m], unstretched."""
        x = points(places, "places of the cable")
        if len(x) < (3 if closed else 2):
            raise ModelError(f"the cable goes through {len(x)} points, expected 2 or more (3 for a closed one)")
        ahead, behind = np.roll(x, -1, axis=0) - x, x - np.roll(x, 1, axis=0)
        if not closed:
            ahead[-1], behind[0] = behind[-1], ahead[0]
        both = np.linalg.norm(ahead, axis=1), np.linalg.norm(behind, axis=1)
        if min(both[0].min(), both[1].min()) == 0.0:
            raise ModelError("two neighbouring points of the cable are the same")
        # The parabola through three points; the shorter side counts more.
        slopes = ahead * (both[1] / both[0])[:, None] + behind * (both[0] / both[1])[:, None]
        slopes /= np.linalg.norm(slopes, axis=1, keepdims=True)
        return cls(x, slopes, _lengths(x, slopes, closed), closed=closed, **properties)

    # --- the interface of the step (`model.component.Flexible`) -------------------------------------------------------

    @cached_property
    def rest(self) -> Array:
        """Places and slopes in turn, shape (nodes, 3)."""
        return np.stack((self.places, self.slopes), axis=1).reshape(-1, 3)

    @cached_property
    def translation(self) -> Array:
        """1 for places, 0 for slopes, shape (nodes,)."""
        return np.tile([1.0, 0.0], len(self.places))

    @cached_property
    def skin(self) -> Skin:
        """Balls along the cable and round bars between them."""
        xi = np.arange(SAMPLES) / SAMPLES
        nodes = np.repeat(self.cells, SAMPLES, axis=0)
        weights = element.shapes(xi, self.lengths).reshape(-1, MOST_NODES)
        if not self.closed:
            nodes = np.vstack((nodes, self.cells[-1:]))
            weights = np.vstack((weights, [[0.0, 0.0, 1.0, 0.0]]))
        count = len(nodes)
        line = np.column_stack((np.arange(count), np.arange(1, count + 1) % count))
        lines = line if self.closed else line[:-1]
        return Skin(nodes, weights, np.zeros((0, 3), dtype=np.int64), lines, self.radius)

    @cached_property
    def mass(self) -> Csr:
        """Consistent mass, shape (3 nodes, 3 nodes)."""
        data = self._pattern.zeros()
        self._pattern.add_scalars(self.cells, element.masses(self.lengths, self.density * self.area), data)
        return self._pattern.matrix(data)

    @property
    def elastic_weights(self) -> ElasticWeights:
        """Those of `elastic_step`."""
        return WEIGHTS[self.elastic_step]

    def force(self, position: Array, velocity: Array) -> Array:
        """Elastic and damping force, shape (3 nodes,)."""
        out = np.zeros_like(position)
        np.add.at(out, self.cells, self._pieces.force(position[self.cells]))
        force = out.reshape(-1)
        if self.mass_damping or self.stiffness_damping:
            force -= self._damping(self._stiffness(position, exact=False)) @ velocity.reshape(-1)
        return force

    def tangent(self, position: Array, velocity: Array) -> tuple[Csr, Csr]:
        """dF/dq and dF/dv, both negative semidefinite, in the pattern of the mass, shape (3 nodes, 3 nodes)."""
        K = self._stiffness(position, exact=False)
        return self._pattern.matrix(-K.data), self._pattern.matrix(-self._damping(K).data)

    def exact_tangent(self, position: Array) -> Csr:
        """dF/dq of the elastic force; may be indefinite."""
        return self._pattern.matrix(-self._stiffness(position, exact=True).data)

    def energy(self, position: Array) -> float:
        """Elastic energy [J]."""
        return self._pieces.energy(position[self.cells])

    # --- made once ---------------------------------------------------------------------------------------------------

    @property
    def area(self) -> float:
        """Of the cross section [m2]."""
        return math.pi * self.radius**2

    @cached_property
    def cells(self) -> Indices:
        """The four nodes of each element, shape (elements, 4)."""
        start = np.arange(len(self.lengths), dtype=np.int64)
        end = (start + 1) % len(self.places)
        return np.column_stack((2 * start, 2 * start + 1, 2 * end, 2 * end + 1))

    @cached_property
    def _pieces(self) -> CablePieces:
        moment = 0.25 * math.pi * self.radius**4
        rest = self.rest[self.cells] if self.curved else None
        return CablePieces(self.lengths, self.young * self.area, self.bending * self.young * moment, rest)

    @cached_property
    def _pattern(self) -> Pattern:
        return Pattern.of(self.cells, 2 * len(self.places))

    def _stiffness(self, position: Array, exact: bool) -> Csr:
        data = self._pattern.zeros()
        self._pattern.add_blocks(self.cells, self._pieces.stiffness(position[self.cells], exact), data)
        return self._pattern.matrix(data)

    def _damping(self, K: Csr) -> Csr:
        return self._pattern.matrix(self.stiffness_damping * K.data + self.mass_damping * self.mass.data)


def _lengths(x: Array, slope: Array, closed: bool) -> Array:
    """Lengths of the cubic pieces, which depend on them in turn: a few rounds."""
    end = np.roll(np.arange(len(x)), -1) if closed else np.arange(1, len(x))
    start = np.arange(len(end))
    e = np.stack((x[start], slope[start], x[end], slope[end]), axis=1)
    lengths = np.linalg.norm(x[end] - x[start], axis=1)
    xi, w = element.gauss(8)
    for _ in range(ROUNDS):
        speed = np.linalg.norm(np.einsum("eqk,eki->eqi", element.slopes(xi, lengths), e), axis=-1)
        lengths = lengths * (speed @ w)
    return np.asarray(lengths)
