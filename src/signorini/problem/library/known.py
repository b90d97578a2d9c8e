"""A contact problem together with its answer, and ways to make new ones from old."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp

from signorini.math.sparse import Array
from signorini.problem.cones import Cones
from signorini.problem.contact_problem import ContactProblem

GRAVITY = 9.81
"""[m/s2]"""
STEP = 0.01
"""Time step h of the library's problems [s]."""


@dataclass(frozen=True, eq=False)
class KnownProblem:
    """A `ContactProblem` whose answer is known in closed form; the derivation is in the docstring of its maker.

    Velocities are always unique, because H is positive definite. Impulses often are not: then `contact_impulse` or
    `joint_impulse` is None, and `example` still holds one valid choice.
    """

    name: str
    problem: ContactProblem
    velocity: Array | None
    """v, shape (n,); None where the constraints contradict one another."""
    contact_impulse: Array | None
    """lambda, shape (contact rows,); None where it is not unique."""
    joint_impulse: Array | None
    """gamma, shape (joint rows,); None where it is not unique."""
    objective: float
    """Least value of `1/2 v'Hv + c'v + 1/2 lambda'E lambda + sigma(-u)` [J] (sigma: see `Cones`); infinite where
    nothing is feasible."""
    example: tuple[Array, Array] | None
    """One pair (lambda, gamma) that solves the problem; None where nothing is feasible."""
    feasible: bool = True

    def __repr__(self) -> str:
        return f"KnownProblem({self.name}: {self.problem.contacts} contacts, {self.problem.joint_rows} joint rows)"


def known(
    problem: ContactProblem,
    velocity: Array,
    contact_impulse: Array | None = None,
    joint_impulse: Array | None = None,
    *,
    unique_contacts: bool = True,
    unique_joints: bool = True,
) -> KnownProblem:
    """The answer in full; None stands for no impulses of that kind."""
    lam = np.zeros(problem.contact_rows) if contact_impulse is None else np.asarray(contact_impulse, dtype=np.float64)
    gamma = np.zeros(problem.joint_rows) if joint_impulse is None else np.asarray(joint_impulse, dtype=np.float64)
    v = np.asarray(velocity, dtype=np.float64)
    energy = 0.5 * v @ (problem.H @ v) + problem.c @ v + 0.5 * lam @ (problem.E @ lam)
    energy += problem.cones.support(problem.slip_of(v, lam))
    return KnownProblem(
        name=problem.name,
        problem=problem,
        velocity=v,
        contact_impulse=lam if unique_contacts else None,
        joint_impulse=gamma if unique_joints else None,
        objective=float(energy),
        example=(lam, gamma),
    )


def contradictory(problem: ContactProblem) -> KnownProblem:
    """A problem that nothing satisfies."""
    return KnownProblem(problem.name, problem, None, None, None, math.inf, None, feasible=False)


def side_by_side(name: str, *parts: KnownProblem) -> KnownProblem:
    """Independent problems as one: matrices in diagonal blocks, answers one after another."""
    problems = [part.problem for part in parts]

    def diagonal(key: str) -> sp.csr_array:
        return sp.csr_array(sp.block_diag([getattr(p, key) for p in problems], format="csr"))

    def stacked(key: str) -> Array:
        return np.concatenate([getattr(p, key) for p in problems])

    joined = ContactProblem(
        H=diagonal("H"),
        c=stacked("c"),
        C=diagonal("C"),
        b_gamma=stacked("b_gamma"),
        D=diagonal("D"),
        b_lambda=stacked("b_lambda"),
        cones=Cones.join(*(p.cones for p in problems)),
        E=diagonal("E"),
        name=name,
    )
    examples = [part.example for part in parts if part.example is not None]
    velocities = [part.velocity for part in parts if part.velocity is not None]
    if len(examples) < len(parts) or len(velocities) < len(parts):
        return contradictory(joined)
    return known(
        joined,
        np.concatenate(velocities),
        np.concatenate([lam for lam, _ in examples]),
        np.concatenate([gamma for _, gamma in examples]),
        unique_contacts=all(part.contact_impulse is not None for part in parts),
        unique_joints=all(part.joint_impulse is not None for part in parts),
    )


def dual_only(part: KnownProblem) -> KnownProblem:
    """The same contacts by N and r alone, without velocities.

    The impulses are the same. The objective is `1/2 lambda'N lambda` (and `sigma(-u)`, see `Cones`): the slip
    u = N lambda + r is perpendicular to lambda, so the dual value `-(1/2 lambda'N lambda + r'lambda)` is that as well.
    """
    old = part.problem
    if old.joint_rows:
        raise ValueError(f"{part.name} has joints, which a dual-only problem cannot hold")
    problem = ContactProblem.from_delassus(old.N, old.r, old.cones, name=f"{part.name}, dual only")
    if part.example is None:
        return contradictory(problem)
    lam = part.example[0]
    return known(problem, np.zeros(0), lam, unique_contacts=part.contact_impulse is not None)


def with_contact_twice(part: KnownProblem, contact: int = 0) -> KnownProblem:
    """One contact listed twice: velocities stay, the two impulses share what one carried, in any way."""
    old = part.problem
    if part.velocity is None or part.example is None:
        raise ValueError(f"{part.name} has no answer to share between two contacts")
    if old.E.nnz:
        raise ValueError(f"{part.name} has compliant contacts, of which two are stiffer together than one")
    rows = np.arange(old.cones.start[contact], old.cones.start[contact + 1])
    both = np.concatenate([np.arange(old.contact_rows), rows])
    problem = ContactProblem(
        H=old.H,
        c=old.c,
        C=old.C,
        b_gamma=old.b_gamma,
        D=old.D[both],
        b_lambda=old.b_lambda[both],
        cones=Cones.join(old.cones, old.cones.take([contact])),
        name=f"{part.name}, contact {contact} twice",
    )
    lam, gamma = part.example
    shared = lam[both].copy()
    shared[rows] *= 0.25
    shared[old.contact_rows :] *= 0.75
    return known(
        problem, part.velocity, shared, gamma, unique_contacts=False, unique_joints=part.joint_impulse is not None
    )


def renamed(part: KnownProblem, name: str) -> KnownProblem:
    """The same under another name."""
    old = part.problem
    problem = ContactProblem(
        old.H, old.c, old.C, old.b_gamma, old.D, old.b_lambda, old.cones, old.E, name=name, skew=old.skew
    )
    return replace(part, name=name, problem=problem)
