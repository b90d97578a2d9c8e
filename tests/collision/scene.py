"""Small scenes for the tests of collision detection."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from signorini.collision.contacts import Contacts
from signorini.collision.detector import Detector
from signorini.model.model import Model
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.height_field import HeightField
from signorini.model.shapes.triangle_mesh import TriangleMesh

UPRIGHT = (1.0, 0.0, 0.0, 0.0)
NOWHERE = (0.0, 0.0, 0.0)
FAR = 1e3
"""Margin that reports every pair [m]."""

numbers = st.floats(-1.0, 1.0, allow_nan=False, width=32)
vectors = st.tuples(numbers, numbers, numbers).map(np.array)
quaternions = (
    st.tuples(numbers, numbers, numbers, numbers)
    .map(np.array)
    .filter(lambda q: np.linalg.norm(q) > 0.1)
    .map(lambda q: q / np.linalg.norm(q))
)
directions = vectors.filter(lambda v: np.linalg.norm(v) > 0.1).map(lambda v: v / np.linalg.norm(v))


def model_of(*bodies: tuple[Any, ...], margin: float | None = FAR, gravity: Any = NOWHERE) -> Model:
    """Bodies given as (shape, position, quaternion); half-spaces and surfaces are fixed."""
    model = Model(gravity=gravity, margin=margin)
    for shape, *pose in bodies:
        position, orientation = [*pose, NOWHERE, UPRIGHT][:2] if len(pose) != 1 else (pose[0], UPRIGHT)
        if isinstance(shape, HalfSpace | TriangleMesh | HeightField):
            model.add_fixed_body(shape, position=position, orientation=orientation)
        else:
            model.add_body(shape, mass=1.0, inertia=np.eye(3), position=position, orientation=orientation)
    return model


def contacts_of(*bodies: tuple[Any, ...], margin: float | None = FAR, method: str = "auto") -> Contacts:
    """The contacts of bodies at rest."""
    model = model_of(*bodies, margin=margin)
    return Detector(model, method).detect(model.initial_state(), 0.0)


def check(contacts: Contacts) -> None:
    """What holds for all contacts."""
    assert np.allclose(np.linalg.norm(contacts.normal, axis=1), 1.0, atol=1e-12)
    off = contacts.point_a - contacts.point_b - contacts.gap[:, None] * contacts.normal
    assert np.abs(off).max(initial=0.0) < 1e-12
    assert (contacts.body_a < contacts.body_b).all()
    assert (np.diff(contacts.identity) > 0).all()


def assert_mirrored(
    one: Contacts, other: Contacts, tolerance: float = 1e-9, points: float = 2e-6, normals: float = 1e-6
) -> None:
    """The contacts of two bodies do not depend on which comes first (but for where parallel edges are nearest)."""
    assert one.count == other.count
    left = sorted(zip(one.point_a.round(6).tolist(), one.gap.tolist(), strict=True))
    right = sorted(zip(other.point_b.round(6).tolist(), other.gap.tolist(), strict=True))
    for (p, g), (q, h) in zip(left, right, strict=True):
        assert np.allclose(p, q, atol=points) or one.count == 1
        assert abs(g - h) < tolerance
    assert np.allclose(one.normal.mean(axis=0), -other.normal.mean(axis=0), atol=normals)
