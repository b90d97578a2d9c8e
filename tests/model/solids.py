"""Every shape with a volume, in a pose that hides nothing, with a test of membership written on its own."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import signorini as sg
from signorini.math.sparse import Array, Indices
from signorini.model.shapes.shape import Shape

Contains = Callable[[Array], Array]

TETRAHEDRON = np.array([[0.2, 0.1, -0.3], [1.4, 0.3, 0.0], [0.0, 1.1, 0.2], [0.4, 0.2, 0.9]])


def corners(low: Array, high: Array) -> Array:
    """Of a box, shape (8, 3)."""
    return np.array(np.meshgrid(*zip(low, high, strict=True), indexing="ij")).reshape(3, 8).T


def boxes_mesh(boxes: list[tuple[list[float], list[float]]]) -> tuple[Array, Indices]:
    """Vertices and triangles of boxes given by two corners each."""
    vertices, triangles = [], []
    for low, high in boxes:
        hull = sg.ConvexHull(corners(np.array(low), np.array(high)))
        triangles.append(hull.triangles + 8 * len(vertices))
        vertices.append(hull.vertices)
    return np.vstack(vertices), np.vstack(triangles)


def in_capsule(x: Array) -> Array:
    beyond = np.maximum(np.abs(x[:, 2]) - 0.6, 0.0)
    return x[:, 0] ** 2 + x[:, 1] ** 2 + beyond**2 <= 0.16


def in_cone(x: Array) -> Array:
    radius = 0.7 * (0.75 - x[:, 2]) / 1.5
    return (np.abs(x[:, 2]) <= 0.75) & (np.hypot(x[:, 0], x[:, 1]) <= radius)


def in_tetrahedron(x: Array) -> Array:
    weights = np.linalg.solve((TETRAHEDRON[1:] - TETRAHEDRON[0]).T, (x - TETRAHEDRON[0]).T)
    return (weights >= 0).all(axis=0) & (weights.sum(axis=0) <= 1)


def in_boxes(x: Array) -> Array:
    first = ((x >= [0.0, 0.0, 0.0]) & (x <= [0.5, 1.0, 0.25])).all(axis=1)
    second = ((x >= [0.5, -0.5, 0.5]) & (x <= [1.0, 0.0, 1.0])).all(axis=1)
    return first | second


SOLIDS: dict[str, tuple[Shape, Contains]] = {
    "sphere": (sg.Sphere(0.8), lambda x: (x**2).sum(axis=1) <= 0.64),
    "box": (sg.Box((0.5, 1.0, 1.5)), lambda x: (np.abs(x) <= [0.25, 0.5, 0.75]).all(axis=1)),
    "capsule": (sg.Capsule(0.4, 1.2), in_capsule),
    "cylinder": (
        sg.Cylinder(0.5, 1.3),
        lambda x: (np.abs(x[:, 2]) <= 0.65) & (np.hypot(x[:, 0], x[:, 1]) <= 0.5),
    ),
    "cone": (sg.shapes.Cone(0.7, 1.5), in_cone),
    "ellipsoid": (sg.shapes.Ellipsoid((0.3, 0.6, 0.9)), lambda x: ((x / [0.3, 0.6, 0.9]) ** 2).sum(axis=1) <= 1),
    "hull": (sg.ConvexHull(TETRAHEDRON), in_tetrahedron),
    "mesh": (
        sg.TriangleMesh(*boxes_mesh([([0, 0, 0], [0.5, 1, 0.25]), ([0.5, -0.5, 0.5], [1, 0, 1])])),
        in_boxes,
    ),
}
