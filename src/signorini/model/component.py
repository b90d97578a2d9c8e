"""What adds forces to the model or rows to its constraints.

All of it speaks of the velocities of *everything*: 6 columns per body of the model, fixed ones included (linear in the
world, angular in the body frame), then 3 per node of the flexible bodies. A displacement in these columns is `dx` in
the world and, for orientations, `q <- q exp(dtheta)` with dtheta in the body frame.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from signorini.math.sparse import Array, Csr, Indices
from signorini.model.skin import Skin
from signorini.model.state import State


@dataclass(frozen=True, eq=False)
class JointRows:
    """Linearised constraint rows over the velocities that they touch."""

    columns: Indices
    """Columns (see the module), each once, shape (k,)."""
    jacobian: Array
    """d error / d displacement, shape (rows, k)."""
    error: Array
    """Psi of a joint: position error; Phi of a limit: what is left until it strikes [m or rad], shape (rows,)."""
    rate: Array
    """Partial d error / d t of rheonomic rows [m/s or rad/s], shape (rows,)."""


@dataclass(frozen=True, eq=False)
class FrictionRows:
    """Set-valued friction: the impulse of a row opposes its slip, at most `h * limit`, and holds it where it can."""

    columns: Indices
    """Columns (see the module), each once, shape (k,)."""
    jacobian: Array
    """Slip over velocities, shape (rows, k)."""
    rate: Array
    """Prescribed slip at zero velocity, as of a driven clutch [m/s or rad/s], shape (rows,)."""
    limit: Array
    """Largest force [N] or torque [N m] of each row, >= 0, shape (rows,)."""
    error: Array | None = None
    """What is left until rows that form a cone act [m], shape (rows,); None: nothing."""
    coefficient: float | None = None
    """Of a cone of Coulomb that the rows form, normal first [-], the same at all times; None: each row is bounded by
    its limit."""


@dataclass(frozen=True, eq=False)
class ForceTerm:
    """A generalised force (world force, body-frame torque) and its derivatives."""

    columns: Indices
    """Columns (see the module), each once, shape (k,)."""
    force: Array
    """F [N or N m], shape (k,)."""
    dq: Array
    """dF / d displacement, shape (k, k)."""
    dv: Array
    """dF / d velocity, shape (k, k)."""
    elastic: bool = False
    """Whether it is that of a spring, whose energy steps to second order keep."""


class Joint(Protocol):
    """Bilateral constraint: `error = 0`."""

    @property
    def name(self) -> str:
        """For messages and records."""

    @property
    def bodies(self) -> tuple[int, ...]:
        """Indices of the bodies it ties; pairs of them do not collide."""

    def rows(self, state: State) -> JointRows:
        """The joint's rows at a state; as many at every state."""


class Limit(Protocol):
    """Unilateral constraint: `error >= 0`."""

    @property
    def name(self) -> str:
        """For messages and records."""

    def rows(self, state: State) -> JointRows:
        """The limit's rows at a state; as many at every state."""


class DryFriction(Protocol):
    """Friction in a joint, a brake, a clutch."""

    @property
    def name(self) -> str:
        """For messages and records."""

    def rows(self, state: State) -> FrictionRows:
        """The rows at a state; as many at every state."""


class Force(Protocol):
    """An applied force, explicit in the step."""

    def add(self, state: State, force: Array, torque: Array) -> None:
        """Add to `force` (world [N]) and `torque` (world [N m]), both of shape (bodies, 3)."""


@runtime_checkable
class SmoothForce(Force, Protocol):
    """An applied force whose derivatives are known: Newton's method of smooth dynamics and of statics uses them."""

    @property
    def name(self) -> str:
        """For messages and records."""

    def term(self, state: State) -> ForceTerm:
        """Force and derivatives at a state; the same columns at every state."""


class StiffForce(Protocol):
    """A force with derivatives, implicit in the step: springs, dampers, bushings, actuators."""

    @property
    def name(self) -> str:
        """For messages and records."""

    def term(self, state: State) -> ForceTerm:
        """Force and derivatives at a state; the same columns at every state."""

    def energy(self, state: State) -> float:
        """Stored energy [J]; 0 for forces that store none."""


class NodeForce(Protocol):
    """A load on nodes of flexible bodies, explicit in the step."""

    def add(self, state: State, force: Array) -> None:
        """Add to `force` (world [N]), shape (nodes, 3), nodes as in `State.node_position`."""


@dataclass(frozen=True)
class ElasticWeights:
    """Where the first-order step takes elastic forces: at `q + h (new v - old v_old)`."""

    new: float
    """Of the velocity at the end of the step [-]."""
    old: float
    """Of that at its beginning [-]."""


class Flexible(Protocol):
    """A deformable body of nodes, 3 velocities each; solids and cables of finite elements are its kinds.

    Where it is in the world, and which nodes of `State.node_position` are its own, is known to `FlexibleBody`. All
    matrices have the pattern of `mass` at every state.
    """

    @property
    def rest(self) -> Array:
        """Nodes of the rest shape, in its own frame [m], shape (nodes, 3)."""

    @property
    def translation(self) -> Array:
        """How far each node moves when the body moves by 1, shape (nodes,): 1 for points, 0 for slopes."""

    @property
    def skin(self) -> Skin:
        """What touches others."""

    @property
    def mass(self) -> Csr:
        """Consistent or lumped mass [kg], shape (3 nodes, 3 nodes)."""

    @property
    def elastic_weights(self) -> ElasticWeights:
        """Where the first-order step takes elastic forces."""

    def force(self, position: Array, velocity: Array) -> Array:
        """Internal force with damping [N], shape (3 nodes,); gravity is added by the step."""

    def tangent(self, position: Array, velocity: Array) -> tuple[Csr, Csr]:
        """dF/dq and dF/dv, symmetric and negative semidefinite, shape (3 nodes, 3 nodes)."""

    def exact_tangent(self, position: Array) -> Csr:
        """dF/dq of the elastic force, symmetric; for Newton's method."""

    def energy(self, position: Array) -> float:
        """Elastic energy [J]."""
