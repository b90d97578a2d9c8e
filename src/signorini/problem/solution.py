"""What a solver returns: impulses, velocities, status, history and a certificate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from signorini.math.sparse import Array
from signorini.problem.certificate import Certificate


class Status(Enum):
    """How a solve ended; the value is a sentence for the user."""

    SOLVED = "solved: the certificate meets the tolerance"
    ITERATION_LIMIT = "iteration limit: raise max_iterations or loosen tolerance"
    TIME_LIMIT = "time limit: raise time_budget or loosen tolerance"
    STALLED = "stalled: round-off or degeneracy stops progress above the tolerance; the best iterate is returned"
    INFEASIBLE = "infeasible: the constraints contradict one another; look at the worst contact"
    DIVERGED = "diverged: the iterates left the range of finite numbers; the best iterate is returned"
    NO_SOLUTION = "no solution found: the exact Coulomb law may have none here; the best iterate is returned"
    STOPPED = "stopped: a rule that the user chose is met, the tolerance of the certificate is not"

    @property
    def ok(self) -> bool:
        """Whether the answer can be used as asked."""
        return self is Status.SOLVED


@dataclass(frozen=True, eq=False)
class Guess:
    """A starting point: the known parts of an earlier solution, None for the rest."""

    contact_impulse: Array | None = None
    """lambda [N s], shape (contact rows,)."""
    joint_impulse: Array | None = None
    """gamma [N s], shape (joint rows,)."""
    velocity: Array | None = None
    """v [m/s, rad/s], shape (n,)."""

    def __repr__(self) -> str:
        known = [name for name in ("contact_impulse", "joint_impulse", "velocity") if getattr(self, name) is not None]
        return f"Guess({', '.join(known) or 'nothing'})"


@dataclass(frozen=True, eq=False)
class History:
    """The course of a solve, one entry per recorded iteration."""

    iteration: Array
    """Iterations done (for first-order solvers: products with N or sweeps), shape (records,)."""
    residual: Array
    """The solver's own estimate of `Certificate.error` [-], shape (records,)."""
    seconds: Array
    """Wall time since the start of the solve [s], shape (records,)."""
    log: Mapping[str, Array] = field(default_factory=dict)
    """Further quantities of each record, by name, NaN where there are none; kept on request (`InteriorPoint.log`)."""

    def __repr__(self) -> str:
        last = f", last residual {float(self.residual[-1]):.1e}" if len(self.residual) else ""
        return f"History({len(self.residual)} records{last})"


@dataclass(frozen=True, eq=False)
class Solution:
    """The answer of one solver to one `ContactProblem`."""

    velocity: Array
    """v [m/s, rad/s], shape (n,); empty for a dual-only problem."""
    contact_impulse: Array
    """lambda [N s], shape (contact rows,)."""
    joint_impulse: Array
    """gamma [N s, N m s], shape (joint rows,)."""
    iterations: int
    """Iterations done."""
    status: Status
    """How it ended."""
    seconds: float
    """Wall time of the solve, the certificate included [s]."""
    history: History
    """Residual and time per iteration."""
    certificate: Certificate
    """Errors measured by `measure`, never by the solver."""
    solver: str
    """Name of the solver."""
    detail: str = ""
    """Further information: back end, system, threads."""
    attempts: tuple[str, ...] = ()
    """What the solver tried, in order, where it has more than one way."""
    rank: int = 0
    """Place in a fallback chain of the solver that answered; 0 for the first choice."""

    def __repr__(self) -> str:
        return (
            f"Solution({self.solver}: {self.status.name} after {self.iterations} iterations, "
            f"{self.seconds:.3g} s, error {self.certificate.error:.1e})"
        )
