"""Removal of dependent joint rows before the solve."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import scipy.linalg as la

from signorini.math.sparse import Array, Indices
from signorini.problem.certificate import measure
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.solution import Guess, Solution, Status

if TYPE_CHECKING:
    from signorini.solvers.interior_point.solver import InteriorPoint

DEPENDENT = 1e-10
"""A row counts as dependent when less than this share of it is independent of the others."""


def independent_rows(problem: ContactProblem) -> Indices:
    """Joint rows that span all of them, in order, by QR with pivoting [Mangoni2018, 4.10].

    Of C alone: a contact that is a combination of others may still have to push where they cannot.
    """
    C = problem.C.toarray() / np.sqrt(np.maximum(problem.H.diagonal(), np.finfo(float).tiny))
    length = np.linalg.norm(C, axis=1)
    C /= np.where(length > 0, length, 1.0)[:, None]
    R, order = la.qr(C.T, mode="r", pivoting=True)
    left = np.abs(np.diagonal(R))
    return np.sort(order[: np.count_nonzero(left > DEPENDENT)])


def solve_purged(settings: InteriorPoint, problem: ContactProblem, guess: Guess | Solution | None) -> Solution:
    """Solve without the dependent joint rows, whose impulses are 0; the certificate measures all rows."""
    kept = independent_rows(problem)
    plain = replace(settings, purge=False)
    if len(kept) == problem.joint_rows:
        return plain.solve(problem, guess)
    smaller = ContactProblem(
        H=problem.H, c=problem.c, C=problem.C[kept], b_gamma=problem.b_gamma[kept], D=problem.D,
        b_lambda=problem.b_lambda, cones=problem.cones, E=problem.E, name=problem.name,
    )  # fmt: skip
    solution = plain.solve(smaller, _picked(guess, kept))
    impulse = np.zeros(problem.joint_rows)
    impulse[kept] = solution.joint_impulse
    certificate = measure(problem, solution.velocity, solution.contact_impulse, impulse)
    contradicts = solution.status is Status.SOLVED and certificate.error > settings.tolerance
    return replace(
        solution, joint_impulse=impulse, certificate=certificate,
        status=Status.INFEASIBLE if contradicts else solution.status,
        detail=f"{solution.detail}, {problem.joint_rows - len(kept)} dependent joint rows purged",
    )  # fmt: skip


def _picked(guess: Guess | Solution | None, kept: Indices) -> Guess | None:
    if guess is None:
        return None
    joint: Array | None = guess.joint_impulse
    return Guess(guess.contact_impulse, None if joint is None else np.asarray(joint)[kept], guess.velocity)
