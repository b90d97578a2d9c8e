"""The interface of a simulation for controllers."""

from __future__ import annotations

import copy
import pickle
import warnings
from dataclasses import replace
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from signorini.io.checkpoint import Checkpoint
from signorini.kernels.bodies.tree import TreeMotion
from signorini.math.cached import cached_property
from signorini.math.rotations import cross_matrix, matrix, rotate
from signorini.math.sparse import Array
from signorini.model.checks import vector
from signorini.model.model import ORIGIN, Model
from signorini.model.parts import BodyLike
from signorini.model.state import State
from signorini.problem.errors import ModelError, SimulationError
from signorini.simulation.control.contact_forces import ContactForces
from signorini.simulation.control.joint_readings import JointReadings
from signorini.simulation.control.motors import Motors
from signorini.simulation.control.snapshot import Snapshot
from signorini.simulation.control.tree import Tree
from signorini.simulation.control.wrenches import Wrenches, world_arm
from signorini.stepping.step import Step

CoordinateKind = Literal["joints", "bodies"]


class FrameAt(NamedTuple):
    """A point of a body and the axes of the body, now, in the world."""

    position: Array
    """[m], shape (3,)."""
    rotation: Array
    """From the body to the world, shape (3, 3)."""
    velocity: Array
    """Of the point [m/s], shape (3,)."""
    angular_velocity: Array
    """In the world [rad/s], shape (3,)."""


class Elsewhere(Protocol):
    """Another owner of the steps of a simulation, such as a `Batch`."""

    def catch_up(self) -> None:
        """Hand the last step taken there to the simulation."""

    def changed(self) -> None:
        """Steps there are to go on from where the simulation is now."""


class ControlLoop:
    """Readings, targets, wrenches, Jacobians, mass matrix, snapshots: the part of `Simulation` for controllers.

    Points of a body are given in the frame in which its shapes were given to `add_body` [m].
    """

    model: Model
    device: str
    wrenches: Wrenches
    """Forces and torques on bodies, held until they are set again; see `Wrenches`."""
    elsewhere: Elsewhere | None = None
    """Another owner of the steps of this simulation."""
    _last_step: Step | None

    # --- called by Simulation ---------------------------------------------------------------------------------------

    @property
    def state(self) -> State:
        """Now."""
        raise NotImplementedError

    @property
    def step(self) -> float:
        """h [s]."""
        raise NotImplementedError

    @property
    def step_size(self) -> float:
        """Old name of `step`."""
        warnings.warn("Simulation.step_size is now .step; it goes with the next release", DeprecationWarning, 2)
        return self.step

    def checkpoint(self) -> Checkpoint:
        """All that the next step depends on except for what a controller has set."""
        raise NotImplementedError

    def _start_from(self, checkpoint: Checkpoint) -> None:
        """Go on from there."""
        raise NotImplementedError

    def _restart(self, state: State | None) -> None:
        """From the beginning, or a state, with step 1."""
        raise NotImplementedError

    _first: State
    """Where the simulation began."""
    _first_setpoints: tuple[tuple[float, float], ...]
    """What the setpoints of the model were then."""
    _chosen: dict[str, Any]
    """Settings that it was made with."""

    def _catch_up(self) -> None:
        """Synchronise with the last step if it was taken elsewhere."""
        if self.elsewhere is not None:
            self.elsewhere.catch_up()

    def _changed(self) -> None:
        """Announce that the next step does not follow the last one taken elsewhere."""
        if self.elsewhere is not None:
            self.elsewhere.changed()

    @property
    def _step(self) -> Step | None:
        """The last one."""
        self._catch_up()
        return self._last_step

    @_step.setter
    def _step(self, step: Step | None) -> None:
        self._last_step = step

    @property
    def last_step(self) -> Step | None:
        """The step that led to the present state; None before the first, and after `restore` and `reset`."""
        return self._step

    # --- joints, motors, forces -----------------------------------------------------------------------------------

    @cached_property
    def joints(self) -> JointReadings:
        """Angles, positions and rates of the joints now, as arrays."""
        return JointReadings(self.model, lambda: self.state)

    @cached_property
    def motors(self) -> Motors:
        """Targets of motors and servos, as arrays."""
        return Motors(self.model)

    @property
    def motor_efforts(self) -> Array:
        """Mean effort of each of `motors` in the last step, on body b of its joint [N m or N], shape (motors,)."""
        return self.motors.efforts(self._step, self.step)

    def apply_force(
        self, body: BodyLike, force: ArrayLike = ORIGIN, *, point: ArrayLike | None = None, torque: ArrayLike = ORIGIN
    ) -> None:
        """Push a body in the next step alone: a force [N] at a `point` of it and a torque [N m].

        Force and torque are in the axes of the world; without a point the force acts at the centre of mass. Pushes of
        one step add up. For those that last see `wrenches`.
        """
        if self.device != "cpu":
            raise SimulationError("a simulation on a GPU knows no forces but weight and contact; take device='cpu'")
        push, turn, arm = vector(force, "force"), vector(torque, "torque"), np.zeros(3)
        if point is not None:
            index = self.model.body_index(body)
            arm = world_arm(self.model.bodies[index], self.state.orientation[index], vector(point, "point"))
        self.wrenches.add_once(body, push, turn, arm)

    @property
    def contact_forces(self) -> ContactForces:
        """Of every contact of the last step."""
        self._catch_up()
        if self._contact_forces is None:
            found = ContactForces.none() if self._step is None else ContactForces.of(self._step, self.step)
            self._contact_forces = found
        return self._contact_forces

    _contact_forces: ContactForces | None = None

    def contact_force(self, body: BodyLike | None = None, other: BodyLike | None = None) -> Array:
        """Mean force of contacts in the last step [N], world: on a body, from the other one alone if it is given.

        Shape (3,); without a body the forces on all of them, shape (bodies, 3).
        """
        forces = self.contact_forces
        if body is None:
            return forces.of_bodies(len(self.model.bodies) + len(self.model.flexibles))[: len(self.model.bodies)]
        index = self.model.body_index(body)
        return forces.on(index) if other is None else forces.between(index, self.model.body_index(other))

    # --- kinematics and dynamics ----------------------------------------------------------------------------------

    def frame(self, body: BodyLike, point: ArrayLike = ORIGIN) -> FrameAt:
        """Where a point of a body is now, and how it moves."""
        index, state = self.model.body_index(body), self.state
        turn = state.orientation[index]
        arm = world_arm(self.model.bodies[index], turn, vector(point, "point"))
        spin = rotate(turn, state.angular_velocity[index])
        velocity = state.velocity[index] + np.cross(spin, arm)
        return FrameAt(state.position[index] + arm, matrix(turn), velocity, spin)

    def jacobian(self, body: BodyLike, point: ArrayLike = ORIGIN, coordinates: CoordinateKind = "joints") -> Array:
        """Velocity of a point and angular velocity of its body, in the world, over velocities; shape (6, nv).

        In `joints` coordinates these are the `tree.rate` of a model without loops; in those of `bodies`, the velocities
        of all bodies in the order of the model, 6 each (linear in the world, angular in the body frame).
        """
        index, state = self.model.body_index(body), self.state
        arm = world_arm(self.model.bodies[index], state.orientation[index], vector(point, "point"))
        if coordinates == "joints":
            J = self._tree_motion().jacobian[index]
            return np.vstack((J[:3] - cross_matrix(arm) @ J[3:], J[3:]))
        if coordinates != "bodies":
            raise ModelError(f"coordinates are {coordinates!r}, expected 'joints' or 'bodies'")
        out, R = np.zeros((6, 6 * len(self.model.bodies))), matrix(state.orientation[index])
        out[:3, 6 * index : 6 * index + 3] = np.eye(3)
        out[:3, 6 * index + 3 : 6 * index + 6] = -cross_matrix(arm) @ R
        out[3:, 6 * index + 3 : 6 * index + 6] = R
        return out

    @cached_property
    def tree(self) -> Tree:
        """Joint coordinates of a model without loops: their names and order."""
        return Tree(self.model)

    @property
    def rate(self) -> Array:
        """Rates of the joint coordinates of `tree` now, shape (nv,)."""
        return self._tree_motion().rate

    def mass_matrix(self) -> Array:
        """M of `M q'' + c = tau` in joint coordinates now, for models without loops; shape (nv, nv)."""
        return self.tree.mass_matrix(self.state)

    def bias_forces(self) -> Array:
        """c of `M q'' + c = tau` now: Coriolis, centrifugal and gyroscopic forces and weight; shape (nv,)."""
        return self.tree.bias_forces(self.state)

    def _tree_motion(self) -> TreeMotion:
        return self.tree.motion(self.state)

    # --- there and back -------------------------------------------------------------------------------------------

    def snapshot(self) -> Snapshot:
        """A copy of all that later steps depend on, targets and wrenches included."""
        now = self.checkpoint()
        kept = replace(now, state=now.state.copy(), memory=copy.deepcopy(now.memory))
        return Snapshot(kept, self.motors.settings(), self.wrenches.copies(), self.contact_forces)

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a snapshot: what follows is, bit for bit, what followed it. For a plain state see `reset`."""
        if not isinstance(snapshot, Snapshot):
            raise SimulationError(
                f"restore got {snapshot!r}, expected sim.snapshot(); for a state take sim.reset(state)"
            )
        now = snapshot.checkpoint
        self._start_from(replace(now, state=now.state.copy(), memory=copy.deepcopy(now.memory)))
        self.motors.put(snapshot.setpoints)
        self.wrenches.put(*snapshot.wrenches)
        self._step, self._contact_forces = None, snapshot.contacts

    def reset(self, state: State | None = None) -> None:
        """Back to the start, or to a `state`, whose time counts as 0: no steps done, no wrenches, first targets."""
        self._restart(state)
        self.motors.put(self._first_setpoints)
        self.wrenches.clear()
        self._step, self._contact_forces = None, None

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled and copied as the model, the settings and a snapshot; everything else is rebuilt."""
        check_copied(self.model)
        return _rebuilt, (type(self), self.model, self._chosen, self._first, self.snapshot())


def _rebuilt(kind: Any, model: Model, chosen: dict[str, Any], first: State, snapshot: Snapshot) -> Any:
    """The simulation that was pickled."""
    made = kind(model, **{**chosen, "state": first})
    made.restore(snapshot)
    return made


def check_copied(model: Model) -> None:
    """`SimulationError` where the model holds functions that cannot be copied."""
    try:
        pickle.dumps(model)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise SimulationError(
            f"the model holds what cannot be pickled or copied ({error}): functions of motors, motions and loads must "
            "be defined at the top of a module, or be objects such as Sine(1, 2) or Setpoint()"
        ) from None
