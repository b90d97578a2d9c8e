"""One step of Newton's method on `x = P(x - slip)`, P the projection on the cones."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from signorini.kernels.interior import steps as interior_steps
from signorini.math.sparse import Array
from signorini.solvers.cone_newton.scaling import Scaling
from signorini.solvers.cone_newton.standard_form import StandardForm
from signorini.solvers.cone_newton.system import RefinedSystem

OPEN = 0.5 / interior_steps.SMALLEST_SLOPE
"""Slope that replaces 0: no impulse in this direction."""


def projected_step(
    form: StandardForm, newton: RefinedSystem, w: Array, x: Array, z: Array
) -> tuple[Array, Array] | None:
    """(w, x) after one step with the slopes that P has at z, usually `x - slip`; None when the factorisation fails.

    P is homogeneous, so that `P(z) = P'(z) z`: with slopes tau, the new point meets `x = tau (x - slip)`, that is
    `slip + theta x = 0` with `theta = (1 - tau)/tau`. Written for the step, nothing but the slips themselves is on the
    right where contacts stick: impulses may be as large as they like.
    """
    scaling = Scaling.identity(form.start, len(x))
    interior_steps.linearise_projection(
        form.start, z, np.zeros_like(z), scaling.frames, scaling.reflector, scaling.theta, np.empty_like(z)
    )
    if not newton.factor(scaling).ok:
        return None
    r1, slips = form.residuals(w, x)
    dw, dx = newton.solve(-r1, -scaling.turn(slips) - scaling.theta * scaling.turn(x))
    # The step is turned, not x itself: where contacts stick, round-off of their normals would leak into the tangents.
    x = x + scaling.turn_back(dx)
    x[: form.cone_rows][_open_rows(form, scaling.theta)] = 0.0
    return w + dw, x


def _open_rows(form: StandardForm, theta: Array) -> NDArray[np.bool_]:
    """Cone rows without impulse; round-off of an old one might count as a push."""
    least = np.minimum.reduceat(theta[: form.cone_rows], form.start[:-1])
    return np.asarray(np.repeat(least > OPEN, np.diff(form.start)))
