"""The bodies of a model as pictures show them: placed shapes, points that bound them, colours."""

from __future__ import annotations

import colorsys
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from signorini.math.rotations import matrix
from signorini.math.sparse import Array
from signorini.model.body import Body
from signorini.model.model import Model
from signorini.model.shapes.convex_hull import ConvexHull
from signorini.model.shapes.shape import Shape
from signorini.model.state import State
from signorini.view.style import COLOURS

FIXED = np.array([0.62, 0.66, 0.72])
"""Colour of fixed bodies."""


@dataclass(frozen=True, eq=False)
class Part:
    """One shape of one body, placed in the world."""

    body: Body
    index: int
    shape: Shape
    position: Array
    rotation: Array

    @property
    def reach(self) -> float:
        """Radius of a ball that holds the shape [m]."""
        return self.shape.bounding_radius()


def placed_parts(model: Model, state: State) -> Iterator[Part]:
    """All shapes of all bodies, placed in the world."""
    turns = matrix(state.orientation)
    for index, body in enumerate(model.bodies):
        for placed in body.shapes:
            position = state.position[index] + turns[index] @ placed.position
            yield Part(body, index, placed.shape, position, turns[index] @ matrix(placed.orientation))


def body_colours(parts: list[Part]) -> dict[int, Array]:
    """One colour for each kind and size of body, a little lighter or darker from one body to the next."""
    kinds: dict[object, int] = {}
    result: dict[int, Array] = {}
    for part in parts:
        if math.isfinite(part.reach) and part.index not in result:
            # Irregular bodies differ in size all the time: for them the kind alone decides.
            size = "" if isinstance(part.shape, ConvexHull) else f"{part.reach:.2g}"
            kind = (type(part.shape).__name__, size, len(part.body.shapes))
            base = COLOURS[kinds.setdefault(kind, len(kinds)) % (len(COLOURS) - 1)]
            result[part.index] = _varied(base, part.index)
    return result


def _varied(colour: str, index: int) -> Array:
    red, green, blue = (int(colour[k : k + 2], 16) / 255.0 for k in (1, 3, 5))
    hue, light, strength = colorsys.rgb_to_hls(red, green, blue)
    # Steps of the golden ratio: neighbours in the list differ most.
    light = min(0.78, 0.42 + 0.26 * ((index * 0.618034) % 1.0) + 0.25 * (light - 0.4))
    return np.array(colorsys.hls_to_rgb(hue, light, 0.8 * strength))
