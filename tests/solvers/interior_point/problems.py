"""Problems and points that the tests of the interior point share."""

from __future__ import annotations

import itertools

import numpy as np
import scipy.sparse as sp

from signorini.math.sparse import Array, Indices
from signorini.problem.cones import Cones
from signorini.problem.contact_problem import ContactProblem


def changed(p: ContactProblem, **parts: object) -> ContactProblem:
    """The problem with some parts replaced."""
    names = ("c", "C", "b_gamma", "D", "b_lambda", "cones", "E")
    old: dict[str, object] = {name: getattr(p, name) for name in names}
    old["H"] = p.H if p.velocities else None
    return ContactProblem(**(old | parts))  # type: ignore[arg-type]


def dual(p: ContactProblem) -> ContactProblem:
    """The same contacts without velocities."""
    return ContactProblem.from_delassus(p.N, p.r, p.cones)


def repeated(p: ContactProblem, contact: int, times: int) -> ContactProblem:
    """One contact listed `times` more."""
    rows = np.arange(p.cones.start[contact], p.cones.start[contact + 1])
    every = np.concatenate([np.arange(p.contact_rows), *[rows] * times])
    more = Cones(np.repeat(p.cones.dims[contact], times), np.repeat(p.cones.friction[contact], times))
    return changed(p, D=p.D[every], b_lambda=p.b_lambda[every], cones=Cones.join(p.cones, more), E=None)


def stack(ratio: float, penetration: float = 0.0, mu: float = 0.3) -> ContactProblem:
    """A mass `ratio` on a mass 1 on the ground, three velocities each, one time step under gravity."""
    mass = np.array([1.0, ratio])
    D = np.kron([[1.0, 0.0], [-1.0, 1.0]], np.eye(3))
    c = np.zeros(6)
    c[::3] = 0.0981 * mass
    b = np.zeros(6)
    b[::3] = penetration
    return ContactProblem(
        H=sp.diags_array(np.repeat(mass, 3)), c=c, D=D, b_lambda=b, cones=Cones.coulomb(np.full(2, mu))
    )


def opposed(p: ContactProblem, apart: float) -> ContactProblem:
    """Every contact and its mirror image, which asks for the contrary by the velocity `apart`."""
    normal = np.zeros(p.contact_rows)
    normal[p.cones.start[:-1]] = apart
    return changed(
        p,
        D=sp.vstack([p.D, -p.D]),
        b_lambda=np.concatenate([p.b_lambda, normal - p.b_lambda]),
        cones=Cones.join(p.cones, p.cones),
        E=None,
    )


def inside(rng: np.random.Generator, start: Indices, margin: float = 0.3) -> Array:
    """A random point well inside the self-dual cones."""
    x = rng.normal(size=int(start[-1]))
    for first, last in itertools.pairwise(start):
        x[first] = np.linalg.norm(x[first + 1 : last]) + margin + rng.uniform(0.0, 2.0)
    return x
