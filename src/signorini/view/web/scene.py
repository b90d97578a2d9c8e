"""A model as the page draws it: geometries with their instances, planes, soft bodies, links."""

from __future__ import annotations

import base64
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.fe.soft_body import SoftBody
from signorini.math.rotations import matrix
from signorini.math.sparse import Array
from signorini.model.body import Body
from signorini.model.model import Model
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.state import State
from signorini.view.links import COLOURS, Link, links_of
from signorini.view.parts import FIXED, body_colours, placed_parts
from signorini.view.seen import seen_state, source_points

MANY = 2000
"""Meshes of fewer corners are compared by their shapes, larger ones by identity."""
FIXED_OPACITY = 0.28
NO_TURN = (1.0, 0.0, 0.0, 0.0)


def encoded(values: NDArray[Any], kind: str = "<f4") -> str:
    """Numbers as base64 text, as the page reads them."""
    return base64.b64encode(np.ascontiguousarray(values, dtype=kind).tobytes()).decode()


def scene_of(model: Model, states: Sequence[State]) -> dict[str, Any]:
    """All of a model that does not change in a run; the states tell how much room it takes."""
    states = [seen_state(model, state) for state in states]
    state = states[0]
    lines = [link for link in links_of(model, 0.0) if link.kind in ("spring", "rope", "rod")]
    every = [_extent(model, each, lines) for each in states]
    extents = [each for each in every if each is not None] or [(np.zeros(3), 1.0)]
    low = np.min([centre - reach for centre, reach in extents], axis=0)
    high = np.max([centre + reach for centre, reach in extents], axis=0)
    centre, reach = 0.5 * (low + high), 0.5 * float(np.max(high - low))
    return {
        "bodies": [_body(body) for body in model.bodies],
        "geometries": _geometries(model, state),
        "planes": _planes(model, state),
        "soft": [_soft(model, index) for index in range(len(model.flexibles))],
        "periods": [0.0 if span is None else span[1] - span[0] for span in _spans(model)],
        "links": [_link(link) for link in links_of(model, 2.0 * reach)],
        "centre": centre.tolist(),
        "reach": reach,
    }


def _body(body: Body) -> dict[str, Any]:
    sizes = [placed.shape.bounding_radius() for placed in body.shapes]
    size = max((s for s in sizes if math.isfinite(s)), default=0.0)
    mass = body.mass if body.movable else None
    return {"name": body.name, "mass": mass, "fixed": body.fixed, "size": size}


def _geometries(model: Model, state: State) -> list[dict[str, Any]]:
    """Each different shape once, with one row per body that has it; see `viewer.js` for the columns."""
    parts = list(placed_parts(model, state))
    colours = body_colours(parts)
    meshes: dict[tuple[str, bool], Any] = {}
    balls: dict[bool, list[Array]] = {True: [], False: []}
    every = [(index, body, placed) for index, body in enumerate(model.bodies) for placed in body.shapes]
    for index, body, placed in every:
        if isinstance(placed.shape, HalfSpace):
            continue
        solid = not body.fixed
        tint = [*(colours.get(index, FIXED) if solid else FIXED), 1.0 if solid else FIXED_OPACITY]
        drawing = placed.shape.drawing()
        turn = matrix(placed.orientation)
        for middle, radius in drawing.balls:
            at = placed.position + turn @ np.array(middle)
            balls[solid].append(np.array([index, 0, 0, 0, *at, radius, *NO_TURN, *tint]))
        if len(drawing.corners):
            key = (repr(placed.shape) if len(drawing.corners) < MANY else str(id(placed.shape)), solid)
            mesh = meshes.setdefault(key, (drawing, []))
            mesh[1].append([index, 0, 0, 0, *placed.position, 1.0, *placed.orientation, *tint])
    found = [
        {"kind": "ball", "instances": encoded(np.array(rows)), "opacity": float(solid)}
        for solid, rows in balls.items()
        if rows
    ]
    for (_, solid), (drawing, rows) in meshes.items():
        found.append(
            {"kind": "mesh", "corners": encoded(drawing.corners), "normals": encoded(drawing.normals),
             "instances": encoded(np.array(rows)), "opacity": float(solid)}
        )  # fmt: skip
    return found


def _planes(model: Model, state: State) -> list[dict[str, Any]]:
    """Half-spaces at the start; those of moving bodies stay where they were."""
    found = []
    for part in placed_parts(model, state):
        if isinstance(part.shape, HalfSpace):
            normal = part.rotation @ np.asarray(part.shape.normal)
            found.append({"normal": normal.tolist(), "offset": float(normal @ part.position)})
    return found


def _link(link: Link) -> dict[str, Any]:
    points = [[body, *(float(x) for x in local)] for body, local in link.points]
    return {"name": link.name, "kind": link.kind, "colour": COLOURS[link.kind], "points": points}


def _soft(model: Model, index: int) -> dict[str, Any]:
    body = model.flexibles[index]
    skin = body.flexible.skin
    nodes = np.where(skin.nodes >= 0, skin.nodes + body.nodes.start, -1)
    return {
        "name": body.name,
        "triangles": encoded(skin.triangles, "<i4"),
        "lines": encoded(skin.lines, "<i4"),
        "nodes": encoded(nodes, "<i4"),
        "weights": encoded(skin.weights),
        "stressed": isinstance(body.flexible, SoftBody),
    }


def _spans(model: Model) -> tuple[Any, ...]:
    return (None, None, None) if model.periods is None else model.periods.spans


def _extent(model: Model, state: State, lines: Sequence[Link]) -> tuple[Array, float] | None:
    """Middle and radius of what moves with its springs and ropes, or of all where nothing does [m]; None for nothing.

    Emitters count with the places where bodies come from.
    """
    movable = [i for i, body in enumerate(model.bodies) if not body.fixed]
    chosen = movable or list(range(len(model.bodies)))
    there = np.isfinite(state.position[:, 0])
    points = [state.position[i] for i in chosen if there[i] and any(_bounded(model.bodies[i]))]
    points += [*state.node_position, *source_points(model)]
    points += [place for line in lines for place in line.places(state)]
    if not points:
        return None
    reach = max((size for i in chosen for size in _bounded(model.bodies[i])), default=0.0)
    low, high = np.min(points, axis=0), np.max(points, axis=0)
    return 0.5 * (low + high), float(np.linalg.norm(high - low)) * 0.5 + reach or 1.0


def _bounded(body: Body) -> list[float]:
    sizes = (placed.shape.bounding_radius() for placed in body.shapes)
    return [size for size in sizes if math.isfinite(size)]
