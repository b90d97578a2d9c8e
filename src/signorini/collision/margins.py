"""Checks of contact envelopes: one far beyond the bodies makes a contact of every pair of faces."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from signorini.kernels.collision.conventions import HALF_SPACE
from signorini.model.body import Body
from signorini.model.flexible_body import FlexibleBody
from signorini.model.shapes.descriptor import BoundingBox
from signorini.model.shapes.shape import Shape
from signorini.problem.errors import ModelError

LARGEST_RIGID = 100.0
"""Envelope of a rigid body, in sizes of the largest shape."""
FEW = 50
"""Up to this many rigid shapes, a contact of every pair is harmless."""
LARGEST_FLEXIBLE = 1.0
"""Envelope of a flexible body and of what touches it, in its own sizes: each of its facets counts."""


def check_rigid_margins(
    bodies: Iterable[Body], shapes: Iterable[Shape], boxes: list[BoundingBox], usual: float | None
) -> None:
    """Raise `ModelError` where an envelope is far larger than all of many shapes; `usual` is that of the model [m]."""
    sizes = [_size(box) for shape, box in zip(shapes, boxes, strict=True) if shape.kind != HALF_SPACE]
    if len(sizes) <= FEW:
        return
    for body in bodies:
        _check(usual if body.margin is None else body.margin, max(sizes), LARGEST_RIGID, body.name)


def check_flexible_margins(flexibles: Iterable[FlexibleBody], asked: float, usual: float | None) -> None:
    """The same for flexible bodies; `asked` is the largest envelope of the rigid bodies, < 0 without one [m]."""
    for body in flexibles:
        own = usual if body.margin is None else body.margin
        margin = max(asked, -1.0 if own is None else own)
        size = float(np.linalg.norm(np.ptp(body.flexible.skin.points(body.flexible.rest), axis=0)))
        _check(margin, size, LARGEST_FLEXIBLE, body.name)


def _check(margin: float | None, size: float, most: float, name: str) -> None:
    if margin is not None and margin > most * size:
        raise ModelError(
            f"margin of {name!r} is {margin:g} m, and the size is {size:.3g} m: nearly everything would be in contact "
            f"with everything; expected at most {most * size:.3g} m, such as {0.02 * size:.2g} m, or None"
        )


def _size(box: BoundingBox) -> float:
    return 2.0 * (float(np.linalg.norm(box.half)) + box.rounding)
