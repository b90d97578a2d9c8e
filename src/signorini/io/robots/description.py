"""A robot as its file describes it: links in a tree, joints, shapes, and what acts between them.

Readers of URDF and MJCF make it, `build_model` turns it into a `Model`. Lengths in m, angles in rad, masses in kg.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from signorini.io.robots.report import LoadReport
from signorini.io.xml_tree import Element
from signorini.math.rotations import IDENTITY, conjugate, matrix, multiply, rotate
from signorini.math.sparse import Array
from signorini.model.material import Material
from signorini.model.shapes.shape import Shape

JointKind = Literal["hinge", "slide", "ball", "free", "planar"]
NO_LIMITS = (-np.inf, np.inf)


@dataclass(frozen=True, eq=False)
class Pose:
    """Of one frame in another."""

    position: Array = field(default_factory=lambda: np.zeros(3))
    """[m], shape (3,)."""
    orientation: Array = field(default_factory=lambda: IDENTITY.copy())
    """Unit quaternion (w, x, y, z)."""

    def __matmul__(self, inner: Pose) -> Pose:
        """The pose of `inner`, which is given in this frame, in the frame of this."""
        turned = multiply(self.orientation, inner.orientation)
        return Pose(self.at(inner.position), turned / np.linalg.norm(turned))

    def at(self, point: Array) -> Array:
        """A point of this frame in the outer one."""
        return np.asarray(self.position + rotate(self.orientation, point))

    def along(self, direction: Array) -> Array:
        """A direction of this frame in the outer one."""
        return rotate(self.orientation, direction)

    @property
    def inverse(self) -> Pose:
        """The outer frame in this one."""
        back = conjugate(self.orientation)
        return Pose(-rotate(back, self.position), back)


@dataclass(frozen=True, eq=False)
class Inertial:
    """Mass, its centre, and the inertia about it."""

    mass: float
    center: Array
    """In the frame of the link [m]."""
    tensor: Array
    """About the centre, axes of the link [kg m2], shape (3, 3)."""

    def moved(self, pose: Pose) -> Inertial:
        """The same in the frame that `pose` is given in."""
        R = matrix(pose.orientation)
        return Inertial(self.mass, pose.at(self.center), R @ self.tensor @ R.T)


def summed(parts: Sequence[Inertial]) -> Inertial:
    """Of several in one frame (parallel-axis theorem)."""
    mass = sum(part.mass for part in parts)
    if mass <= 0.0:
        return Inertial(0.0, np.zeros(3), np.zeros((3, 3)))
    center = np.asarray(sum(part.mass * part.center for part in parts)) / mass
    tensor = np.zeros((3, 3))
    for part in parts:
        arm = part.center - center
        tensor += part.tensor + part.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return Inertial(float(mass), center, tensor)


@dataclass(frozen=True, eq=False)
class Geom:
    """A shape that collides."""

    element: Element
    name: str
    shape: Shape
    pose: Pose
    """In the frame of the link."""
    material: Material
    contype: int = 1
    conaffinity: int = 1
    """Two geoms collide where a bit of the one's contype is among the other's conaffinity."""
    priority: int = 0
    """Of two geoms that touch, the one of higher priority gives the friction."""


@dataclass(frozen=True, eq=False)
class LinkJoint:
    """One joint between a link and its parent; it moves the link by q - ref."""

    element: Element
    name: str
    kind: JointKind
    axis: Array
    """Unit vector in the frame of the link."""
    anchor: Array
    """In the frame of the link [m]."""
    limits: tuple[float, float] = NO_LIMITS
    """Of q [rad or m]."""
    ref: float = 0.0
    """q where the link stands as the file places it."""
    stiffness: float = 0.0
    """[N m/rad or N/m]."""
    spring_rest: float = 0.0
    """q without spring force."""
    damping: float = 0.0
    """[N m s/rad or N s/m]."""
    friction: float = 0.0
    """Largest dry friction [N m or N]."""

    @property
    def is_plain(self) -> bool:
        """Whether it only guides."""
        free = self.limits == NO_LIMITS
        return free and not (self.stiffness or self.damping or self.friction)


@dataclass(frozen=True, eq=False)
class Link:
    """A rigid part; without joints it is fixed to its parent."""

    element: Element
    name: str
    parent: str | None
    """None is the world."""
    pose: Pose
    """In the frame of the parent, all joints at their `ref`."""
    joints: tuple[LinkJoint, ...] = ()
    """In the order in which they move the link."""
    inertial: Inertial | None = None
    geoms: tuple[Geom, ...] = ()


@dataclass(frozen=True, eq=False)
class JointRelation:
    """`sum_i a_i q_i = constant`."""

    element: Element
    name: str
    terms: tuple[tuple[str, float], ...]
    """(joint, a_i)."""
    constant: float


@dataclass(frozen=True, eq=False)
class PointTie:
    """A point of one link stays in a point of another; with `welded` the links do not turn against each other."""

    element: Element
    name: str
    first: str | None
    second: str | None
    """Links; None is the world."""
    point: Array
    """In the frame of the first link [m]."""
    welded: bool = False
    relative: Pose | None = None
    """Of the second link in the first one; None: as they stand."""


@dataclass(frozen=True, eq=False)
class JointDrive:
    """`gain u + bias + k q + r dq/dt` along the joint, where u is the control."""

    element: Element
    name: str
    joints: tuple[tuple[str, float], ...]
    """(joint, gear)."""
    gain: float
    bias: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Constant, slope over the length (gear q), slope over its rate."""
    control_range: tuple[float, float] = NO_LIMITS
    force_range: tuple[float, float] = NO_LIMITS


@dataclass(frozen=True, eq=False)
class SiteDrive:
    """A force and torque `gear u` in the axes of a site."""

    element: Element
    name: str
    link: str
    pose: Pose
    """Of the site in the link."""
    gear: Array
    """Force and torque [N and N m per unit of control], shape (6,)."""
    control_range: tuple[float, float] = NO_LIMITS


@dataclass(frozen=True, eq=False)
class SiteRope:
    """A tendon through sites: a rope, a spring, or both."""

    element: Element
    name: str
    stops: tuple[tuple[str | None, Array], ...]
    """(link, point in it [m])."""
    longest: float = np.inf
    """[m]."""
    stiffness: float = 0.0
    damping: float = 0.0
    rest: float | None = None
    """Length without force [m]; None: as it is."""


@dataclass(frozen=True, eq=False)
class PairFriction:
    """Two links whose contact has a material of its own."""

    element: Element
    first: str | None
    second: str | None
    material: Material


@dataclass(frozen=True, eq=False)
class Description:
    """All that a file says."""

    name: str
    links: tuple[Link, ...]
    """Parents before children."""
    report: LoadReport
    gravity: Array = field(default_factory=lambda: np.array([0.0, 0.0, -9.81]))
    """[m/s2]."""
    step: float | None = None
    """Time step given in the file [s]."""
    relations: tuple[JointRelation, ...] = ()
    ties: tuple[PointTie, ...] = ()
    drives: tuple[JointDrive | SiteDrive, ...] = ()
    ropes: tuple[SiteRope, ...] = ()
    exclusions: tuple[tuple[str | None, str | None], ...] = ()
    """Links that do not collide with each other."""
    frictions: tuple[PairFriction, ...] = ()
    poses: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Joint values by name, of named poses: numbers, quaternions of balls, (position, quaternion) of free joints."""
