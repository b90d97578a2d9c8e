"""The work that impulses do on the bodies in a step.

Impulses lambda along rows D change the momentum by `M (v - v0) = D' lambda + ...`, and so the kinetic energy by

    1/2 v'M v - 1/2 v0'M v0 = (v + v0)/2 . M (v - v0) = lambda . D (v + v0)/2 + ...:

the work of each row is its impulse times the mean of its rates before and after them, exactly. Rows are those of the
movable bodies: what moving floors and driven bodies do to them counts as work of contacts, friction and joints. Weight
is part of the energy; so is what springs store, which is taken off their work. Joints that tie movable bodies and
fixed ones do none: what their rows do beyond second order is left to the remainder, with the corrections of positions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from signorini.assembly.assemble import Assembler
from signorini.assembly.mechanics import applied_forces
from signorini.assembly.stiff_forces import stiff_terms
from signorini.kernels.bodies import gyroscopic
from signorini.kernels.bodies.momentum import average
from signorini.kernels.threads.team import team
from signorini.math.rotations import conjugate, rotate
from signorini.math.sparse import Array
from signorini.model.component import StiffForce
from signorini.model.forces.servo import Servo
from signorini.model.model import Model
from signorini.model.motors.coordinate_motor import CoordinateMotor
from signorini.model.motors.drive import Drive
from signorini.model.motors.pose import PrescribedPose
from signorini.model.state import State
from signorini.problem.products import multiply
from signorini.stepping.contact_model import Detected, StepSolution
from signorini.stepping.step import Reactions, Work


def driving_rows(model: Model, rows: int, state: State) -> NDArray[np.bool_]:
    """Which rows of joints may do work: motors, and joints of bodies with a motion; shape (rows,)."""
    driven, out = {body for body, _ in model.motions}, np.zeros(rows, dtype=np.bool_)
    first = 0
    for joint in model.joints:
        last = first + len(joint.rows(state).error)
        out[first:last] = isinstance(joint, CoordinateMotor | PrescribedPose) or bool(driven & set(joint.bodies))
        first = last
    return out


class WorkMeter:
    """Measures the work in the steps of one model."""

    def __init__(self, assembler: Assembler, h: float, curved: bool, measured: Callable[[State], State]) -> None:
        """`measured` returns the state at which the energy of springs is measured at the end of a step."""
        self._assembler, self._h, self._measured, model = assembler, h, measured, assembler.model
        self._driving = driving_rows(model, assembler.layout.sizes[0], model.initial_state())
        self._inverse_diagonal = assembler.masses.inverse_diagonal if curved and assembler.flexible is None else None

    def later(
        self, start: State, detected: Detected, answer: StepSolution, reactions: Reactions, end: State
    ) -> Callable[[], Work]:
        """The work in the step, evaluated when it is read if contacts alone did it; that of forces and joints, whose
        functions may change meanwhile, now."""
        model, layout = self._assembler.model, self._assembler.layout
        if not (any(layout.sizes) or model.forces or model.stiff_forces):
            return partial(self.work, start, detected, answer, reactions, end)
        done = self.work(start, detected, answer, reactions, end)
        return lambda: done

    def work(self, start: State, detected: Detected, answer: StepSolution, reactions: Reactions, end: State) -> Work:
        """In the step from `start` to `end`."""
        assembler, masses = self._assembler, self._assembler.masses
        velocity = np.ascontiguousarray(answer.solution.velocity)
        mean = np.empty(len(velocity))
        average(team(len(mean)), self._before(start, detected), velocity, mean)
        normal, *tangents = self._contacts(start, answer, mean)
        limits = brakes = motors = 0.0
        if len(reactions.limits):
            limits = float(reactions.limits @ multiply(assembler.limits(start).matrix, mean))
        if len(reactions.frictions):
            brakes = float(reactions.frictions @ multiply(assembler.frictions(start).matrix, mean))
        if self._driving.any():
            motors = float((reactions.joints * multiply(answer.problem.C, mean))[self._driving].sum())
        given = forces = servos = springs = stored = 0.0
        if assembler.model.forces:
            given, forces = self._applied(start, mean[: 6 * len(masses.movable)].reshape(-1, 6))
        if assembler.model.stiff_forces:
            servos, springs = self._stiff(start, mean, answer.solution.velocity)
            stored = self._stored(end) - self._stored(start)
        friction = float(sum(tangents))
        return Work(float(normal), friction, limits, brakes, motors + given + servos, forces + springs + stored)

    def _contacts(self, start: State, answer: StepSolution, mean: Array) -> tuple[float, float, float]:
        """Of contacts along their normals and both tangents."""
        rows, count = answer.problem.rows, answer.contacts.count
        if rows.shape[0] != 3 * count or not answer.problem.cones.is_plain:
            # Rows of limits and brakes, or of laws in variables of their own.
            rows, _ = self._assembler.contact_rows(start, answer.contacts, np.zeros(3 * count))
        if rows.rigid is not None:
            return rows.rigid.work(mean, answer.impulses)
        slips = rows.slips(mean, np.zeros(3 * count)).reshape(-1, 3)
        normal, one, other = np.einsum("ij,ij->j", answer.impulses, slips)
        return float(normal), float(one), float(other)

    def _stored(self, end: State) -> float:
        """In springs at the end of a step [J]."""
        measured = self._measured(end)
        return float(sum(force.energy(measured) for force in self._assembler.model.stiff_forces))

    def _before(self, start: State, detected: Detected) -> Array:
        """Velocities when impulses act: bodies whose gyroscopic torque is in the momentum have turned freely."""
        masses = self._assembler.masses
        turning = masses.wobbling if detected.bend is None else detected.bend.tumbling
        if not len(turning):
            return masses.velocity_of(start)
        spin, new = start.angular_velocity[masses.movable_rows].copy(), start.copy()
        gyroscopic.rotate_freely(turning, masses.inertia, self._h, spin)
        new.angular_velocity[masses.movable] = spin
        return masses.velocity_of(new)

    def _applied(self, start: State, mean: Array) -> tuple[float, float]:
        """Of motors that give an effort, and of other forces."""
        model, movable = self._assembler.model, self._assembler.masses.movable
        drives = [force for force in model.forces if isinstance(force, Drive)]
        others = [force for force in model.forces if not isinstance(force, Drive)]
        out = []
        for some in (drives, others):
            force, torque = applied_forces(model, some, start) if some else (None, None)
            if force is None or torque is None:
                out.append(0.0)
                continue
            own = rotate(conjugate(start.orientation[movable]), torque[movable])
            out.append(self._h * float((force[movable] * mean[:, :3]).sum() + (own * mean[:, 3:]).sum()))
        return out[0], out[1]

    def _stiff(self, start: State, mean: Array, velocity: Array) -> tuple[float, float]:
        """Of servos, and of springs and dampers."""
        forces = self._assembler.model.stiff_forces
        servos = [force for force in forces if isinstance(force, Servo)]
        others = [force for force in forces if not isinstance(force, Servo)]
        return self._impulsive(servos, start, mean, velocity), self._impulsive(others, start, mean, velocity)

    def _impulsive(self, forces: Sequence[StiffForce], start: State, mean: Array, velocity: Array) -> float:
        if not forces:
            return 0.0
        stiff, push = stiff_terms(forces, self._assembler.masses, start, self._h, self._inverse_diagonal)
        return float(mean @ (push - multiply(stiff, velocity)))
