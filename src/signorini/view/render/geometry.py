"""Balls and triangles of a model: in the frames of the bodies once, in the world for each picture."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase

import numpy as np
from numpy.typing import NDArray

from signorini.math.rotations import matrix
from signorini.math.sparse import Array, Indices
from signorini.model.model import Model
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.state import State
from signorini.view.flexible_parts import ROPE, soft_parts
from signorini.view.parts import FIXED, body_colours, placed_parts
from signorini.view.render.settings import PictureSettings

Flags = NDArray[np.bool_]
FAR = 10.0
"""Fixed bodies that reach this many times farther than the rest need not be seen whole."""


@dataclass(frozen=True, eq=False)
class Surfaces:
    """What is drawn at one instant, in the world."""

    ball: Array
    """Centre and radius [m], shape (balls, 4)."""
    ball_axis: Array
    """Axis that marks one half of a ball; 0 leaves it plain; shape (balls, 3)."""
    ball_paint: Array
    """Red, green, blue in [0, 1], shape (balls, 3)."""
    ball_body: Indices
    corner: Array
    """[m], shape (triangles, 3, 3)."""
    normal: Array
    """At the corners, shape (triangles, 3, 3)."""
    paint: Array
    """At the corners, shape (triangles, 3, 3)."""
    body: Indices
    """Of each triangle; flexible bodies are counted on from the rigid ones."""


@dataclass(frozen=True, eq=False)
class Geometry:
    """Balls and triangles of the rigid bodies, each in the frame of its body, fields as in `Surfaces`."""

    model: Model
    local: Surfaces
    shown: Flags
    """Whether a body is drawn, shape (bodies,)."""
    fixed: Flags
    colours: Array
    """Of the bodies, shape (bodies, 3)."""

    @classmethod
    def of(cls, model: Model, state: State, settings: PictureSettings) -> Geometry:
        """Collect the shapes of all bodies."""
        tints = body_colours(list(placed_parts(model, state)))
        names = model.bodies.names
        fixed = np.array([body.fixed for body in model.bodies], dtype=bool)
        colours = np.array([tints.get(k, FIXED) if free else FIXED for k, free in enumerate(~fixed)]).reshape(-1, 3)
        shown = np.array([not any(fnmatchcase(name, hidden) for hidden in settings.hide) for name in names], dtype=bool)
        return cls(model, _local(model, colours), shown, fixed, colours)

    def surfaces(
        self, state: State, tints: Array | None = None, keep: Flags | None = None, stress: float = 0.0
    ) -> Surfaces:
        """What is drawn at `state`.

        `tints` replace the colours of bodies, `keep` says which are drawn, `stress` [Pa] has the last colour.
        """
        local, turn = self.local, matrix(state.orientation)
        kept = self.shown if keep is None else self.shown & keep
        there = np.isfinite(state.position[:, 0])
        kept = kept if there.all() else kept & there
        balls, faces = kept[local.ball_body], kept[local.body]
        colours = self.colours if tints is None else tints
        who, owner = local.ball_body[balls], local.body[faces]
        centre = np.einsum("nij,nj->ni", turn[who], local.ball[balls, :3]) + state.position[who]
        R = turn[owner]
        rigid = Surfaces(
            ball=np.column_stack((centre, local.ball[balls, 3])),
            ball_axis=np.einsum("nij,nj->ni", turn[who], local.ball_axis[balls]),
            ball_paint=colours[who],
            ball_body=who,
            corner=np.einsum("nij,nkj->nki", R, local.corner[faces]) + state.position[owner][:, None],
            normal=np.einsum("nij,nkj->nki", R, local.normal[faces]),
            paint=np.repeat(colours[owner][:, None], 3, axis=1),
            body=owner,
        )
        return self._with_flexible(rigid, state, stress) if self.model.flexibles else rigid

    def _with_flexible(self, rigid: Surfaces, state: State, stress: float) -> Surfaces:
        parts = soft_parts(self.model, state, stress)
        balls = np.concatenate([np.column_stack((p.balls, np.full(len(p.balls), p.radius))) for p in parts])
        owners = np.concatenate([np.full(len(p.balls), p.index) for p in parts])
        faces = [p for p in parts if len(p.corners)]
        empty = np.zeros((0, 3, 3))
        return Surfaces(
            ball=np.concatenate((rigid.ball, balls)),
            ball_axis=np.concatenate((rigid.ball_axis, np.zeros((len(balls), 3)))),
            ball_paint=np.concatenate((rigid.ball_paint, np.tile(ROPE, (len(balls), 1)))),
            ball_body=np.concatenate((rigid.ball_body, owners)),
            corner=np.concatenate((rigid.corner, *(p.corners for p in faces), empty)),
            normal=np.concatenate((rigid.normal, *(p.normals for p in faces), empty)),
            paint=np.concatenate((rigid.paint, *(p.colours for p in faces), empty)),
            body=np.concatenate((rigid.body, *(np.full(len(p.corners), p.index) for p in faces))).astype(np.int64),
        )

    @property
    def size(self) -> int:
        """Points that `points` looks at."""
        nodes = sum(len(body.position) for body in self.model.flexibles)
        return len(_CORNERS) * len(self.local.ball) + 3 * len(self.local.corner) + 6 * nodes

    def points(self, state: State) -> Array:
        """Points around what moves, and around what is fixed and not much larger [m], shape (points, 3)."""
        found = self.surfaces(state)
        balls = (found.ball[:, None, :3] + found.ball[:, None, 3:] * _CORNERS).reshape(-1, 3)
        owner = np.concatenate((np.repeat(found.ball_body, len(_CORNERS)), np.repeat(found.body, 3)))
        points = np.concatenate((balls, found.corner.reshape(-1, 3)))
        bodies = len(self.fixed)
        moving = np.ones(len(owner), dtype=bool)
        moving[owner < bodies] = ~self.fixed[owner[owner < bodies]]
        if not moving.any() or moving.all():
            return points
        centre = points[moving].mean(axis=0)
        reach = np.linalg.norm(points[moving] - centre, axis=1).max()
        near = np.linalg.norm(points - centre, axis=1) < FAR * reach
        return np.asarray(points[moving | near])


_DIAGONALS = np.array([[x, y, z] for x in (-0.6, 0.6) for y in (-0.6, 0.6) for z in (-0.6, 0.6)])
_CORNERS = np.concatenate((_DIAGONALS, 1.02 * np.eye(3), -1.02 * np.eye(3)))
"""Points around a unit ball."""


def _local(model: Model, colours: Array) -> Surfaces:
    balls, marks, ball_body, corners, normals, body = [], [], [], [], [], []
    for index, each in enumerate(model.bodies):
        for placed in each.shapes:
            if isinstance(placed.shape, HalfSpace):
                continue
            drawing, turn = placed.shape.drawing(), matrix(placed.orientation)
            marked = float(not len(drawing.corners) and len(drawing.balls) == 1)
            for centre, radius in drawing.balls:
                balls.append([*(turn @ np.array(centre) + placed.position), radius])
                marks.append(marked * turn[:, 2])
                ball_body.append(index)
            corners.append(drawing.corners @ turn.T + placed.position)
            normals.append(drawing.normals @ turn.T)
            body.append(np.full(len(drawing.corners), index))
    who = np.array(ball_body, dtype=np.int64)
    owner = np.concatenate(body).astype(np.int64) if body else np.zeros(0, dtype=np.int64)
    return Surfaces(
        ball=np.array(balls).reshape(-1, 4),
        ball_axis=np.array(marks).reshape(-1, 3),
        ball_paint=colours[who],
        ball_body=who,
        corner=np.concatenate(corners) if corners else np.zeros((0, 3, 3)),
        normal=np.concatenate(normals) if normals else np.zeros((0, 3, 3)),
        paint=np.repeat(colours[owner][:, None], 3, axis=1),
        body=owner,
    )
