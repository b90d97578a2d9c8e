"""Poses and inertias of URDF elements."""

from __future__ import annotations

import numpy as np

from signorini.io.robots.description import Inertial, Pose
from signorini.io.xml_tree import Element
from signorini.math.rotations import about, matrix, multiply
from signorini.math.sparse import Array


def origin(element: Element) -> Pose:
    """Of the child `origin`; rolls, pitches and yaws about fixed axes."""
    found = element.first("origin")
    if found is None:
        return Pose()
    return Pose(found.numbers("xyz", (0, 0, 0), 3), from_rpy(*found.numbers("rpy", (0, 0, 0), 3)))


def from_rpy(roll: float, pitch: float, yaw: float) -> Array:
    """Quaternion of turns about the fixed axes x, then y, then z [rad]."""
    x, y, z = np.eye(3)
    return multiply(multiply(about(z, yaw), about(y, pitch)), about(x, roll))


def inertial_of(link: Element) -> Inertial | None:
    """Of a link, in its frame; None without mass."""
    element = link.first("inertial")
    if element is None:
        return None
    mass, moments = element.first("mass"), element.first("inertia")
    if mass is None:
        raise element.error(f"of {link.name!r} has no mass element")
    kilograms = mass.number("value")
    if kilograms < 0:
        raise mass.error(f"of {link.name!r} is {kilograms:g}, expected a mass >= 0")
    tensor = np.zeros((3, 3))
    if moments is not None:
        for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)):
            tensor[i, j] = tensor[j, i] = moments.number(f"i{'xyz'[i]}{'xyz'[j]}", 0.0)
    pose = origin(element)
    R = matrix(pose.orientation)
    if kilograms == 0.0 and not tensor.any():
        return None
    return Inertial(kilograms, pose.position, R @ tensor @ R.T)
