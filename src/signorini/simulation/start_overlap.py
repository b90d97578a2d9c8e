"""Bodies that overlap at the start: they are named, and pushed apart slowly unless the user chose a speed."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass

import numpy as np

from signorini.collision.contacts import Contacts
from signorini.model.model import Model
from signorini.model.state import State

DEEP = 0.01
"""Overlaps above this share of the smaller body's radius are reported and pushed apart slowly."""
STANDS_OUT = 0.05
"""So are those above this share of what convex pieces of a mesh stand out of it."""
RECOVERY_TIME = 0.1
"""Without gravity, overlaps are pushed apart in about this time [s]."""


@dataclass(frozen=True)
class StartOverlap:
    """The deepest overlap at the start."""

    bodies: tuple[str, str]
    depth: float
    """[m]."""
    pairs: int
    """Of bodies that overlap that much for their size."""
    stands_out: tuple[str, float]
    """The body whose convex pieces stand out of its mesh, and how far [m]; 0 for neither."""
    recovery_speed: float
    """At which the bodies rise by no more than the overlap when they are pushed up [m/s]."""

    def message(self, slowly: bool) -> str:
        """For the user; `slowly`: whether they are pushed apart at the speed of recovery."""
        first, second = self.bodies
        more = f" (as do {self.pairs - 1} pairs more)" if self.pairs > 1 else ""
        body, far = self.stands_out
        how = f"pushed apart at {self.recovery_speed:.2g} m/s at most" if slowly else "taken apart in the first step"
        cause = ""
        if far > 0.0:
            cause = (
                f"; the convex pieces of {body!r} stand out of its mesh by up to {1e3 * far:.3g} mm, which fills "
                "clearances: TriangleMesh(..., concavity=[m], max_pieces=...) cuts it finer"
            )
        return (
            f"bodies {first!r} and {second!r} overlap by {1e3 * self.depth:.3g} mm at the start{more}: they are "
            f"{how}{cause}; place them apart, or choose max_recovery_speed (math.inf: apart within a step)"
        )


def start_overlap(model: Model, state: State, contacts: Contacts) -> StartOverlap | None:
    """The deepest overlap among the contacts of a state; None where none is reported."""
    if not contacts.deepest > 0.0:
        return None
    deep: dict[tuple[int, int], float] = {}
    for k in np.flatnonzero(contacts.gap < 0.0):
        pair, depth = (int(contacts.body_a[k]), int(contacts.body_b[k])), -float(contacts.gap[k])
        if depth > deep.get(pair, _least(model, state, pair)):
            deep[pair] = depth
    if not deep:
        return None
    worst = max(deep, key=lambda pair: deep[pair])
    depth, gravity = deep[worst], float(np.linalg.norm(model.gravity))
    return StartOverlap(
        (model.name_of(worst[0]), model.name_of(worst[1])),
        depth,
        len(deep),
        max(((model.name_of(k), _stands_out(model, k)) for k in worst), key=lambda one: one[1]),
        max(math.sqrt(2.0 * gravity * depth), depth / RECOVERY_TIME),
    )


def slow_recovery(model: Model, state: State, contacts: Contacts, slowly: bool) -> float | None:
    """Warn of bodies that overlap; the speed at which they are pushed apart [m/s], where that is to be done slowly."""
    found = start_overlap(model, state, contacts)
    if found is None:
        return None
    warnings.warn(found.message(slowly), stacklevel=5)
    return found.recovery_speed if slowly else None


def _least(model: Model, state: State, pair: tuple[int, int]) -> float:
    """Depth from which the overlap of a pair is reported [m]."""
    if any(_is_soft(model, k) for k in pair):
        return math.inf
    far = max(_stands_out(model, k) for k in pair)
    deep = DEEP * min(_size(model, state, k) for k in pair)
    return min(deep, STANDS_OUT * far) if far > 0.0 else deep


def _size(model: Model, state: State, body: int) -> float:
    """Radius about its origin [m]; inf for half-spaces."""
    rigid = len(model.bodies)
    if body >= rigid:
        nodes = state.node_position[model.flexibles[body - rigid].nodes]
        return 0.5 * float(np.linalg.norm(np.ptp(nodes, axis=0)))
    shapes = model.bodies[body].shapes
    return max((float(np.linalg.norm(one.position)) + one.shape.bounding_radius() for one in shapes), default=math.inf)


def _is_soft(model: Model, body: int) -> bool:
    """Whether its contacts are springs, which overlap at rest."""
    if body >= len(model.bodies):
        return False
    material = model.bodies[body].material
    return material.compliance > 0.0 or material.young is not None


def _stands_out(model: Model, body: int) -> float:
    """How far convex pieces stand out of the mesh of a body [m]."""
    return model.protrusions.get(model.name_of(body), 0.0)
