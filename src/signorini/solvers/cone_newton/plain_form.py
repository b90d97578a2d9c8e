"""The contact problem in its own units: what the documents' starting points and step lengths were made for."""

from __future__ import annotations

import numpy as np

from signorini.math.sparse import identity
from signorini.problem.contact_problem import ContactProblem
from signorini.solvers.cone_newton.block_rows import BlockRows
from signorini.solvers.cone_newton.cone_map import cone_map
from signorini.solvers.cone_newton.standard_form import StandardForm


def plain_form(problem: ContactProblem) -> StandardForm:
    """The standard form without scaling by mass, by contact and by size: w are the velocities, x the impulses in SI.

    Coulomb cones become Lorentz cones all the same, by the factor 1/mu in their normals.
    """
    cones = cone_map(problem.cones, split=True)
    rows, root = cones.factored_rows(problem.D)
    joints = np.ones(problem.joint_rows)
    drift = problem.C @ problem.free_velocity - problem.b_gamma
    return StandardForm(
        cones=cones,
        A=BlockRows.stacked(rows, problem.C, cones.start, np.concatenate((root, joints))),
        b=np.concatenate((cones.transposed(problem.b_lambda), problem.b_gamma)),
        c=problem.c.copy(),
        H=problem.H,
        E=cones.congruence(problem.E) if problem.E.nnz else None,
        r=np.concatenate((cones.transposed(problem.r), drift)),
        scale=1.0,
        joint_scale=joints,
        G=identity(problem.velocities),
        touched=np.arange(problem.velocities),
        free=-problem.c,
    )
