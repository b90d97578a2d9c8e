"""A step that was taken by one compiled call; its parts are made on access."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from signorini.collision.contacts import Contacts
from signorini.kernels.step import record as place
from signorini.kernels.step.tables import RowTable, Sparse
from signorini.kernels.step.work import KINDS
from signorini.math.cached import cached_property
from signorini.math.sparse import Array, Csr, assembled
from signorini.model.layout import Layout
from signorini.model.state import State
from signorini.problem.certificate import measure
from signorini.problem.cones import Cones
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.mass_matrix import MassMatrix
from signorini.problem.solution import History, Solution, Status
from signorini.stepping.compiled.step_record import ProblemParts, StepRecord
from signorini.stepping.step import DviStep, Reactions, StepOutcome, Work

TIMED = ("detect", "assemble", "solve", "advance")
"""Stages whose time is taken."""


@dataclass(frozen=True, eq=False)
class Origin:
    """What all compiled steps of a simulation share."""

    rows: RowTable
    mass: MassMatrix
    """Of the bodies, without springs."""
    solver: str
    layout: Layout


class CompiledStep(DviStep):
    """A `DviStep` that is read from a record."""

    record: StepRecord
    """The record of the compiled call."""
    way: str = "compiled"

    def __init__(
        self, origin: Origin, record: StepRecord, number: int, began: float, potential: float, iterations: int
    ) -> None:
        """`began` is the time at the beginning of the step [s]."""
        self.__dict__.update(
            origin=origin, record=record, number=number, began=began, potential=potential, _iterations=iterations,
            _head=record.numbers[: place.STAGES_AT].tolist(),
        )  # fmt: skip

    @property
    def state(self) -> State:
        """After the step."""
        return self.record.state

    @property
    def contacts(self) -> Contacts:
        """At the beginning of the step."""
        return self.record.contacts

    @cached_property
    def outcome(self) -> StepOutcome:
        """How it was solved."""
        return StepOutcome(self.iterations, self.residual, Status.SOLVED, 0, self.impulses, self.reactions)

    @property
    def kinetic(self) -> float:
        """Kinetic energy of the movable bodies after the step [J]."""
        return self.__dict__["_head"][place.KINETIC]  # type: ignore[no-any-return]

    @cached_property
    def seconds(self) -> dict[str, float]:
        """Wall time per stage [s]."""
        spent = self.record.numbers[place.STAGES_AT : place.STAGES_AT + 4].tolist()
        return dict(zip(TIMED, spent, strict=True))

    @property
    def layout(self) -> Layout:
        """Joint, limit and friction that each row belongs to."""
        return self.__dict__["origin"].layout  # type: ignore[no-any-return]

    @cached_property
    def impulses(self) -> Array:
        """Along (normal, t1, t2) [N s], shape (contacts, 3)."""
        return self.record.contact_impulse

    @property
    def iterations(self) -> int:
        """Factorisations of all solves, 1 at least."""
        return max(int(self.__dict__["_iterations"]), 1)

    @property
    def residual(self) -> float:
        """Error of the certificate [-]."""
        return self.__dict__["_head"][place.ERROR]  # type: ignore[no-any-return]

    @cached_property
    def work(self) -> Work:
        """Of impulses on the bodies."""
        return Work(*self.record.numbers[place.WORK_AT : place.WORK_AT + KINDS].tolist())

    @property
    def is_read_later(self) -> bool:
        """A record whose parts are made on access."""
        return True

    @property
    def status(self) -> Status:
        """Solved: others are left to the general step."""
        return Status.SOLVED

    @cached_property
    def reactions(self) -> Reactions:
        """Impulses of all joints, limits and brakes."""
        found = self.record
        return Reactions(found.joint_impulse, found.limit_impulse, found.friction_impulse)

    @property
    def penetration(self) -> float:
        """Deepest at the beginning of the step [m]."""
        return self.__dict__["_head"][place.DEEPEST]  # type: ignore[no-any-return]

    @property
    def struck(self) -> bool:
        """Whether its velocities are those after impacts without restitution."""
        return bool(self.record.integers[place.STRUCK])

    @property
    def is_finite(self) -> bool:
        """Energies hold all velocities and positions of movable bodies; poses turn by finite spins."""
        head = self.__dict__["_head"]
        return math.isfinite(head[place.KINETIC] + head[place.WEIGHT])

    @property
    def energy(self) -> float:
        """Kinetic plus potential [J]."""
        kinetic: float = self.__dict__["_head"][place.KINETIC]
        return kinetic + self.potential

    @property
    def contact_energy(self) -> float:
        """None: contacts that store energy are left to the general step [J]."""
        return 0.0

    @property
    def largest_spin(self) -> float:
        """Largest component of any angular velocity after the step [rad/s]."""
        return self.__dict__["_head"][place.FASTEST_SPIN]  # type: ignore[no-any-return]

    @cached_property
    def problem(self) -> ContactProblem:
        """The contact problem of the step, as the general step poses it."""
        origin: Origin = self.__dict__["origin"]
        p = ProblemParts.of(self.record, origin.rows)
        n, blocks = len(p.momentum), len(p.mu)
        if blocks == self.record.contact_count:
            cones = Cones.unchecked(p.mu)
        else:
            ends = None if np.isinf(p.ends[:, 1]).all() else (p.ends[:, 0], p.ends[:, 1])
            dims = np.diff(p.start)
            cones = Cones(dims, p.mu) if ends is None else Cones(dims, p.mu, *ends)
        H = Csr(origin.mass.csr + Csr(p.stiff)) if len(p.stiff) else origin.mass
        name = f"t = {self.__dict__['began']:.6g} s"
        return ContactProblem(
            H, -p.momentum, _matrix(p.C, n), p.b_gamma, _matrix(p.D, n), p.b_lambda, cones, name=name
        )  # fmt: skip

    @cached_property
    def solution(self) -> Solution:
        """Its solution, with its certificate measured."""
        record, seconds = self.record, sum(self.seconds.values())
        certificate = measure(self.problem, record.velocity, record.impulse, record.joint_impulse, "coulomb")
        history = History(np.array([float(self.iterations)]), np.array([self.residual]), np.array([seconds]))
        answer, name = certificate.answer, self.__dict__["origin"].solver
        return Solution(
            answer.velocity, answer.contact_impulse, answer.joint_impulse, self.iterations, Status.SOLVED, seconds,
            history, certificate, name, "compiled step",
        )  # fmt: skip


def _matrix(parts: Sparse, columns: int) -> Csr:
    return assembled(parts.data, parts.indices, parts.indptr, (len(parts.indptr) - 1, columns))
