"""Bodies in periodic space: detection works on bodies in one period and their images around it.

Images of movable bodies lie on one half of the sides, so that two bodies that touch across an end meet once, as body
and image; those of bodies that do not move freely lie all around, because an image touches movable bodies alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from signorini.collision.contacts import Contacts
from signorini.collision.shape_table import Collidable, ShapeTable
from signorini.kernels.collision.conventions import HALF_SPACE
from signorini.kernels.collision.identity import feature_bits, pair_key
from signorini.kernels.collision.place import place
from signorini.kernels.collision.table import Placement
from signorini.kernels.threads.parts import SOLO
from signorini.math.sparse import Array, Indices
from signorini.model.periods import Periods
from signorini.model.state import State
from signorini.problem.errors import ModelError

PARALLEL = 1e-9
"""Sine of the angle below which a plane runs along an axis."""


@dataclass(frozen=True, eq=False)
class Images:
    """The bodies of a model and their images, as bodies that detection knows; images come after all bodies."""

    periods: Periods
    owner: Indices
    """Which body each is, or is an image of, shape (bodies and images,)."""
    displacement: Array
    """Of the images [m], 0 for the bodies themselves, shape (bodies and images, 3)."""
    shape_owner: Indices
    """Which shape of the model each shape is, or repeats."""
    repeated: NDArray[np.bool_]
    """Which bodies are put into the period and have images; the others are endless or reach across, shape (bodies,)."""

    @classmethod
    def of(cls, model: Collidable, table: ShapeTable) -> tuple[Images, ShapeTable]:
        """Of the bodies of a model, and the table of all shapes, those of images after the others."""
        periods = model.periods
        assert periods is not None
        if model.flexibles:
            raise ModelError(
                f"flexible body {model.flexibles[0].name!r} in periodic space: it is for rigid bodies alone"
            )
        movable = model.bodies.each(lambda body: body.movable, bool).astype(np.bool_)
        repeated = _repeated(model, table, movable)
        around = periods.neighbours
        owner, shift, rows, bodies = [np.arange(len(movable))], [np.zeros((len(movable), 3))], [], [table.arrays.body]
        count = len(movable)
        for k, displacement in enumerate(around):
            mine = np.flatnonzero(repeated & (~movable if k >= len(around) // 2 else True))
            owner.append(mine)
            shift.append(np.tile(displacement, (len(mine), 1)))
            place_of = np.full(len(movable), -1, dtype=np.int64)
            place_of[mine] = count + np.arange(len(mine))
            count += len(mine)
            row = np.flatnonzero(place_of[table.arrays.body] >= 0)
            rows.append(row)
            bodies.append(place_of[table.arrays.body[row]])
        again = np.concatenate(rows)
        whole = table.with_rows(again, np.concatenate(bodies))
        numbers = np.concatenate((np.arange(len(table.shapes)), again))
        return cls(periods, np.concatenate(owner), np.concatenate(shift), numbers, repeated), whole

    def shifts(self, state: State) -> Array:
        """What is added to the positions of the bodies, and of those that images repeat [m]."""
        into = np.where(self.repeated[:, None], self.periods.shifts(state.position), 0.0)
        return np.asarray(into[self.owner] + self.displacement)

    def around(self, state: State) -> State:
        """The state of all bodies and images."""
        of = self.owner
        return replace(
            state,
            position=state.position[of] + self.shifts(state),
            orientation=state.orientation[of],
            velocity=state.velocity[of],
            angular_velocity=state.angular_velocity[of],
        )

    def of_bodies(self, contacts: Contacts, state: State) -> Contacts:
        """Contacts of bodies and images as those of bodies, their points on these where they are.

        The points of a contact across an end are a period apart; its gap is as it is. The contact of two shapes has one
        identity on whichever side they meet.
        """
        if not contacts.count:
            return contacts
        shifts = self.shifts(state)
        point_a = contacts.point_a - shifts[contacts.body_a]
        point_b = contacts.point_b - shifts[contacts.body_b]
        bits, pair = contacts.part_bits, contacts.pair
        feature = contacts.identity & ((1 << feature_bits(bits)) - 1)
        first, second = self.shape_owner[pair >> bits], self.shape_owner[pair & ((1 << bits) - 1)]
        swap = first > second
        pair = pair_key(np.minimum(first, second), np.maximum(first, second), bits)
        identity = (pair << feature_bits(bits)) | feature
        a, b = self.owner[contacts.body_a], self.owner[contacts.body_b]
        turned = swap[:, None]
        found = replace(
            contacts,
            body_a=np.where(swap, b, a),
            body_b=np.where(swap, a, b),
            point_a=np.where(turned, point_b, point_a),
            point_b=np.where(turned, point_a, point_b),
            normal=np.where(turned, -contacts.normal, contacts.normal),
            identity=identity,
        )
        return found.taken(np.argsort(found.identity, kind="stable"))


def _repeated(model: Collidable, table: ShapeTable, movable: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which bodies are repeated; raises `ModelError` for those that are neither small nor endless."""
    arrays, periods = table.arrays, model.periods
    assert periods is not None
    state, n = model.initial_state(), len(table.shapes)
    placed = Placement(np.zeros((n, 3)), np.zeros((n, 9)), np.zeros((n, 11)), np.zeros(n))
    poses = (state.position, state.orientation, state.velocity, state.angular_velocity)
    place(SOLO, arrays, np.zeros(n, dtype=np.bool_), *poses, placed)
    largest = float(table.reach[movable[arrays.body]].max(initial=0.0))
    result = np.ones(len(movable), dtype=np.bool_)
    for axis, low, length in zip(periods.axes, periods.low, periods.length, strict=True):
        _check_planes(model, table, placed, axis)
        bounded = np.flatnonzero(arrays.kind != HALF_SPACE)
        result[arrays.body[arrays.kind == HALF_SPACE]] = False
        begin, end = (placed.bounds[:, axis] + sign * placed.bounds[:, 3 + axis] for sign in (-1.0, 1.0))
        large = bounded[np.where(movable[arrays.body], 2.0 * table.reach, end - begin)[bounded] > 0.5 * length]
        for s in large.tolist():
            body = model.bodies[int(arrays.body[s])]
            across = begin[s] <= low - largest and end[s] >= low + length + largest
            if body.movable or not across:
                raise ModelError(
                    f"body {body.name!r} is larger than half of the period along {'xyz'[axis]} ({length:g} m): "
                    "expected smaller ones; fixed bodies may be a HalfSpace, or reach beyond both ends by their size"
                )
            result[arrays.body[s]] = False
    return result


def _check_planes(model: Collidable, table: ShapeTable, placed: Placement, axis: int) -> None:
    for s in np.flatnonzero(table.arrays.kind == HALF_SPACE).tolist():
        normal = placed.rotation[s].reshape(3, 3) @ table.arrays.param[s]
        if abs(float(normal[axis])) > PARALLEL:
            name = model.bodies[int(table.arrays.body[s])].name
            raise ModelError(
                f"a half-space of {name!r} stands across {'xyz'[axis]}, along which space is periodic: expected one "
                "that runs along it, such as a floor"
            )
