"""Certificates of infeasibility: impulses that grow without bound."""

from __future__ import annotations

import numpy as np

from signorini.kernels.interior import starts as interior_starts
from signorini.kernels.linalg.dense import dot
from signorini.math.sparse import Array
from signorini.problem.products import multiply
from signorini.solvers.cone_newton.rules import LARGE_STEP, RAY, RAY_ACCURACY, RAY_ROUND_OFF, RAY_WORK
from signorini.solvers.cone_newton.standard_form import StandardForm
from signorini.solvers.linear.refinement import largest


def is_proof(form: StandardForm, ray: Array) -> bool:
    """Whether a direction in the cones (then joints) proves by Farkas' lemma that the constraints are infeasible.

    An exact proof is a direction d in the cones with `A'd = 0`, `E d = 0` and `b'd > 0`: impulses that move nothing
    and yet do work on what is asked for. With round-off, `|A'd|^2 + d'E d = e^2` in place of 0 says that velocities
    (or compliant impulses) that meet the constraints are at least `b'd / e` large, in units of the largest slip
    without impulses; RAY_ACCURACY bounds that. In the Delassus form E = N, whose own round-off hides all below it.
    """
    ray = ray / largest(ray)
    # Long products by BLAS would wait for its other threads.
    work = float(dot(form.b, ray, 0, len(ray)))
    if not work > RAY_WORK:
        return False
    push = form.A.multiply_transposed(ray)
    energy, rounding = float(dot(push, push, 0, len(push))), 0.0
    if form.E is not None:
        cone = ray[: form.cone_rows]
        energy += float(cone @ multiply(form.E, cone))
        rounding = float(np.abs(cone) @ (abs(form.E) @ np.abs(cone)))
    return energy < max((RAY_ACCURACY * work) ** 2, RAY_ROUND_OFF * rounding)


def is_ray(form: StandardForm, x: Array, dx: Array) -> bool:
    """Whether large impulses x, or a large step dx, are a proof.

    The proximal term lets contradictory impulses grow by the same amount in every step, so that steps show a small
    contradiction long before sums do.
    """
    if largest(x) >= RAY and is_proof(form, x):
        return True
    if not largest(dx) > LARGE_STEP:
        return False
    ray = dx.copy()
    interior_starts.push_into_cone(form.start, ray, 0.0)
    return largest(ray) > LARGE_STEP and is_proof(form, ray)


def is_joint_ray(form: StandardForm, dx: Array) -> bool:
    """Whether the step of the joint impulses alone is a proof, the contacts set aside."""
    ray = np.zeros_like(dx)
    ray[form.cone_rows :] = dx[form.cone_rows :]
    return largest(ray) > LARGE_STEP and is_proof(form, ray)


def without_ray(form: StandardForm, x: Array, dx: Array) -> Array:
    """x without its part along the joint impulses of dx, which move nothing."""
    ray = dx[form.cone_rows :]
    cleaned = x.copy()
    cleaned[form.cone_rows :] -= float(ray @ x[form.cone_rows :]) / float(ray @ ray) * ray
    return cleaned
