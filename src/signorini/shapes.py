"""Less common shapes, and what a shape of one's own derives from; `Sphere`, `Box` and others are at the top level."""

from __future__ import annotations

from signorini.model.shapes.cone import Cone as Cone
from signorini.model.shapes.convex_form import ConvexShape as ConvexShape
from signorini.model.shapes.ellipsoid import Ellipsoid as Ellipsoid
from signorini.model.shapes.extrude import extrude as extrude
from signorini.model.shapes.height_field import HeightField as HeightField
from signorini.model.shapes.shape import Shape as Shape

__all__ = ["Cone", "ConvexShape", "Ellipsoid", "HeightField", "Shape", "extrude"]
