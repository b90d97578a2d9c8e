"""A step that was taken by compiled calls: its problem and its solution are made when somebody looks at them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from signorini.kernels.step.finish import Finished
from signorini.kernels.step.prepare import Prepared
from signorini.kernels.step.tables import Sparse
from signorini.math.sparse import Array, Csr, assembled
from signorini.problem.certificate import measure
from signorini.problem.cones import Cones
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.mass_matrix import MassMatrix
from signorini.problem.solution import History, Solution, Status
from signorini.stepping.step import DviStep


@dataclass(frozen=True, eq=False)
class CompiledAnswer:
    """What the compiled calls left: enough to make the problem and its solution."""

    prepared: Prepared
    finished: Finished
    impulse: Array
    """lambda, shape (contact rows,)."""
    momentum: Array
    """-c, shape (n,)."""
    mass: MassMatrix
    """Of the bodies, without springs."""
    stiff: Array
    """What springs add to H, shape (n, n); empty without any."""
    contacts: int
    iterations: int
    seconds: float
    solver: str
    time: float
    """At the beginning of the step [s]."""

    def problem(self) -> ContactProblem:
        """As the general step poses it."""
        p, n = self.prepared, len(self.momentum)
        blocks = len(p.mu)
        dims, plain = np.diff(p.start), np.isinf(p.ends[:, 1])
        if blocks == self.contacts:
            cones = Cones.unchecked(p.mu)
        else:
            ends = None if plain.all() else (p.ends[:, 0], p.ends[:, 1])
            cones = Cones(dims, p.mu) if ends is None else Cones(dims, p.mu, *ends)
        C, D = _matrix(p.C, n), _matrix(p.D, n)
        H = Csr(self.mass.csr + Csr(self.stiff)) if len(self.stiff) else self.mass
        return ContactProblem(H, -self.momentum, C, p.b_gamma, D, p.b_lambda, cones, name=f"t = {self.time:.6g} s")

    def solution(self, problem: ContactProblem) -> Solution:
        """With its certificate measured."""
        found, error = self.finished, self.finished.error
        certificate = measure(problem, found.v, self.impulse, found.gamma, "coulomb")
        history = History(np.array([float(self.iterations)]), np.array([error]), np.array([self.seconds]))
        answer = certificate.answer
        return Solution(
            answer.velocity, answer.contact_impulse, answer.joint_impulse, self.iterations, Status.SOLVED,
            self.seconds, history, certificate, self.solver, "compiled step",
        )  # fmt: skip


class CompiledStep(DviStep):
    """A `DviStep` whose problem and solution are made when they are asked for."""

    answer: CompiledAnswer
    """What the compiled calls left."""

    def __init__(self, answer: CompiledAnswer, **fields: object) -> None:
        """From the other fields of a `DviStep`."""
        for name, value in {**fields, "earlier": (), "answer": answer}.items():
            object.__setattr__(self, name, value)

    @cached_property
    def problem(self) -> ContactProblem:
        """The contact problem of the step."""
        return self.answer.problem()

    @cached_property
    def solution(self) -> Solution:
        """Its solution."""
        return self.answer.solution(self.problem)


def _matrix(parts: Sparse, columns: int) -> Csr:
    return assembled(parts.data, parts.indices, parts.indptr, (len(parts.indptr) - 1, columns))
