"""Collision detection: from a state to contacts."""

from __future__ import annotations

from importlib import import_module

import numpy as np
from numpy.typing import NDArray

from signorini.collision.broad_phase import METHODS, BroadPhase
from signorini.collision.contacts import Contacts
from signorini.collision.images import Images
from signorini.collision.narrow_phase import NarrowPhase
from signorini.collision.shape_table import Collidable, ShapeTable
from signorini.kernels.collision.broad import Pairs
from signorini.kernels.collision.place import place
from signorini.kernels.collision.table import Found, Placement, ShapeArrays, gather, is_sorted
from signorini.kernels.collision.turning import any_turns, turning_pairs
from signorini.kernels.threads.team import team
from signorini.math.sparse import Indices
from signorini.model.pair_table import PairTable, is_plain
from signorini.model.state import State
from signorini.model.store import stored
from signorini.problem.errors import ModelError

NOTHING = Contacts.empty()
IN_ORDER = np.zeros(0, dtype=np.int64)
"""Stands for the order 0, 1, 2, ..."""


class Detector:
    """Finds the contacts of a model; built once, used at every step.

    A pair of shapes is in contact while its gap is below the envelope

        margin + step (|u| + |omega_a| r_a + |omega_b| r_b) + step^2 |gravity|

    where u is the relative velocity of the centres of the two bounding boxes and r their radii (spheres do not count
    with their spin), so that everything that can touch within the step is found. The margin is the larger one that a
    body (or else the model) gives; without any, 2 % of the smaller shape's thinnest half size.

    Contacts come in the order of their identities: shape of a, shape of b, feature; shapes are numbered body by body,
    so `body_a < body_b` always. The same state gives the same bits.
    """

    def __init__(self, model: Collidable, broad_phase: str = "auto") -> None:
        if broad_phase not in METHODS:
            raise ModelError(f"broad phase is {broad_phase!r}, expected one of {', '.join(METHODS)}")
        self.table, self._images = ShapeTable.of(model), None
        if model.periods is not None:
            self._images, self.table = Images.of(model, self.table)
        self.bodies = len(model.bodies)
        self._absence = None if model.store is None else Absence(self.table.arrays)
        self.gravity = float(np.linalg.norm(model.gravity))
        self._broad = BroadPhase(self.table.arrays, broad_phase)
        self._narrow = NarrowPhase(self.table)
        self._pairs = None if is_plain(model) else PairTable.of(model)
        n = len(self.table.shapes)
        # Loaded when needed: models of rigid bodies need no skins.
        self._skins = (
            import_module("signorini.collision.skin_detector").SkinDetector(model, self.table)
            if (model.flexibles)
            else None
        )
        turnable = model.bodies.each(lambda body: body.movable or body.motion is not None, bool)
        self.can_turn = bool((turnable[self._owners] & ~self.table.centred).any())
        self._placed = Placement(np.zeros((n, 3)), np.zeros((n, 9)), np.zeros((n, 11)), np.zeros(n))

    def detect(self, state: State, step: float, wider: float = 0.0) -> Contacts:
        """All contacts at a state, for a step of `step` [s]; `wider` is added to the margins of flexible bodies [m]."""
        if len(state.position) != self.bodies:
            raise ModelError(f"the state has {len(state.position)} bodies, expected {self.bodies} as in the model")
        if not (np.isfinite(step) and step >= 0):
            raise ModelError(f"step is {step}, expected a finite number >= 0 [s]")
        fall = step * step * self.gravity
        contacts = self._rigid(state, step, fall)
        if self._skins is None:
            return contacts
        return contacts.joined(self._skins.detect(state, self._placed, step, fall, wider))

    def _rigid(self, state: State, step: float, fall: float) -> Contacts:
        if not len(self.table.shapes) or self.is_idle:
            return NOTHING
        self._place(state)  # flexible bodies look at the rigid ones, too
        if self._broad.is_idle:
            return NOTHING
        pairs = self._broad.pairs(self._placed, step, fall)
        return self._ordered(*self._narrow.contacts(pairs, self._placed), state)

    def may_overlap(self, state: State, step: float, known: Contacts, overlap: float) -> bool:
        """Whether a step of `step` [s] may end with an overlap of more than `overlap` [m] that is not among `known`,
        contacts of the same positions; False is certain, True requires a search."""
        if self._skins is not None or not len(self.table.shapes) or self._broad.is_idle:
            return self._skins is not None
        self._place(state)
        names, fall = (known.identity, known.part_bits), step * step * self.gravity
        return self._broad.may_overlap(self._placed, *names, step, fall, overlap)

    @property
    def every_pair(self) -> Pairs | None:
        """All pairs of bounded shapes that may ever meet; None where there are too many to keep, flexible bodies, or
        materials of pairs."""
        return None if self._skins is not None or self._pairs is not None else self._broad.every_pair

    @property
    def planes(self) -> Indices:
        """The half-spaces among the shapes."""
        return self._broad.planes

    @property
    def bounded(self) -> Indices:
        """The other shapes."""
        return self._broad.bounded

    @property
    def is_idle(self) -> bool:
        """Whether nothing can ever collide."""
        return self._skins is None and (not len(self.table.shapes) or self._broad.is_idle)

    def turning_pairs(self, state: State, step: float, share: float) -> Pairs | None:
        """Near pairs of rigid bodies of which one turns, in a step of `step` [s], by more than `share` of the smaller
        default margin of the two; that tolerance is their limit [m]. None without any, and in periodic space."""
        if not self.can_turn or self._images is not None:
            return None
        self._place(state)
        arrays = self.table.arrays
        if not any_turns(arrays, self._placed, state.position, step, share):
            return None
        sources = self._broad.pairs(self._placed, step, step * step * self.gravity)
        near = Pairs(*(np.concatenate(parts) for parts in zip(*sources, strict=True)))
        kept = np.empty(len(near.first), dtype=np.int64)
        count = turning_pairs(arrays, self._placed, state.position, near, step, share, kept)
        return Pairs(*(array[kept[:count]] for array in near)) if count else None

    def contacts_of(self, state: State, pairs: Pairs) -> Contacts:
        """Contacts of some pairs of rigid bodies at a state, nearer than the limits of the pairs."""
        self._place(state)
        return self._ordered(*self._narrow.contacts([pairs], self._placed), state)

    @property
    def _owners(self) -> Indices:
        """Body index of each shape; for a periodic image, that of the original body."""
        body = self.table.arrays.body
        return body if self._images is None else self._images.owner[body]

    def _place(self, state: State) -> None:
        if self._absence is not None:
            self._broad.absent = self._absence.among(stored(state.position)[self._owners])
        state = state if self._images is None else self._images.around(state)
        arrays = (state.position, state.orientation, state.velocity, state.angular_velocity)
        place(team(len(self.table.centred)), self.table.arrays, self.table.centred, *arrays, self._placed)

    @property
    def smallest_skin_margin(self) -> float:
        """Smallest envelope of a flexible body [m], infinite without any."""
        return np.inf if self._skins is None else float(self._skins.smallest_margin)

    def _ordered(self, found: Found, count: int, state: State) -> Contacts:
        if not count:
            return NOTHING
        keys, many = found.identity[:count], team(count)
        # A stable sort merges the rising runs that the kernels leave.
        order = IN_ORDER if is_sorted(many, keys) else np.argsort(keys, kind="stable")
        a, b, identity = (np.empty(count, dtype=np.int64) for _ in range(3))
        point_a, point_b, normal = (np.empty((count, 3)) for _ in range(3))
        gap, friction, share = (np.empty(count) for _ in range(3))
        shapes = self.table.arrays
        numbers = (gap, friction, share)
        of_shapes = (shapes.body, shapes.friction)
        any_round = gather(many, found, order, of_shapes, (a, b), (point_a, point_b), normal, numbers, identity)
        if self._pairs is not None:
            sides = (a, b) if self._images is None else (self._images.owner[a], self._images.owner[b])
            friction = self._pairs.laws(*sides).friction
        faces = share if any_round else None
        contacts = Contacts(
            a, b, point_a, point_b, normal, gap, friction, identity, share=faces, part_bits=self.table.part_bits
        )
        return contacts if self._images is None else self._images.of_bodies(contacts, state)


class Absence:
    """Lets shapes of stored bodies touch nothing."""

    def __init__(self, shapes: ShapeArrays) -> None:
        self._filters, self._usual = shapes.filters, shapes.filters.copy()
        self._absent = np.zeros(len(shapes.kind), dtype=np.bool_)

    def among(self, absent: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Shapes of stored bodies, which from now on belong to no group."""
        if not np.array_equal(absent, self._absent):
            self._filters[:, 1] = np.where(absent, 0, self._usual[:, 1])
            self._absent = absent
        return self._absent


def detect(model: Collidable, state: State, step: float) -> Contacts:
    """The contacts of a model at a state; for many steps build one `Detector`."""
    return Detector(model).detect(state, step)
