"""Starting points: the documents', ours, and warm starts."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from signorini.kernels.interior import starts as kernels
from signorini.math.sparse import Array
from signorini.problem.products import multiply
from signorini.solvers.cone_newton.rules import SMALLEST_SCALE, WARM_RULES
from signorini.solvers.cone_newton.scaling import ConePoint, Scaling
from signorini.solvers.cone_newton.standard_form import StandardForm
from signorini.solvers.cone_newton.system import RefinedSystem

StartName = Literal["robust", "cone", "nocedal", "dapuzzo"]
Start = tuple[Array, ConePoint]
"""(w, point)."""


WIDE = 1.0
"""Ends of intervals farther than this [units of impulse] do not take part in the choice of a cold start."""


def cold_start(form: StandardForm, newton: RefinedSystem, name: StartName) -> Start | None:
    """The starting point called `name`; None when the first factorisation fails."""
    far = np.maximum(form.end_impulses() - WIDE, 0.0)
    return _distant_start(form, newton, name, far) if far.any() else _named_start(form, newton, name)


def _named_start(form: StandardForm, newton: RefinedSystem, name: StartName) -> Start | None:
    if name == "dapuzzo":
        return _dapuzzo(form)
    if name == "nocedal":
        return _nocedal(form, newton)
    return _from_least_squares(form, newton, robust=name == "robust")


def _distant_start(form: StandardForm, newton: RefinedSystem, name: StartName, far: Array) -> Start | None:
    """A cold start that distant ends of intervals do not distort; `far` is how far they are beyond `WIDE`.

    It is that of the problem with the ends at `WIDE` at most. Then the impulses that count from an end are moved to
    where the end really is, and their slips are chosen as central as the rest.
    """
    moved = np.flatnonzero(far)
    b = form.b.copy()
    if form.E is not None:
        b[: len(far)] -= multiply(form.E, far)
    c = form.c - form.A.multiply_transposed(np.concatenate((far, np.zeros(form.A.rows - len(far)))))
    begin = _named_start(replace(form, c=c, b=b), newton, name)
    if begin is None:
        return None
    w, point = begin
    barrier = point.barrier
    point.x[moved] += far[moved]
    point.y[moved] = barrier / point.x[moved]
    return w, ConePoint.at(form.start, point.x, point.y)


def _from_least_squares(form: StandardForm, newton: RefinedSystem, robust: bool) -> Start | None:
    """Minimise `1/2 w'Hw + c'w + 1/2 |y|^2`, then push x and y = -x along the axes of their cones [Mangoni2018, 4.57].

    The thesis pushes by `1 + alpha` and only what lies outside. Ours pushes both by alpha plus their own size: the
    margin follows the units of the problem, and neither vector starts near the boundary.
    """
    m = form.cone_rows
    identity = Scaling.identity(form.start, form.A.rows)
    if not newton.factor(identity).ok:
        return None
    w, x = newton.solve(-form.c, form.b.copy())
    x = identity.turn_back(x)
    y = -x[:m]
    for vector in (x, y):
        outside = kernels.distance_outside(form.start, vector)
        if robust:
            margin = max(float(np.abs(vector[:m]).max()), SMALLEST_SCALE)
            kernels.shift(form.start, vector, max(outside, 0.0) + margin)
        elif outside > 0:
            kernels.shift(form.start, vector, 1.0 + outside)
        elif outside == 0:
            kernels.shift(form.start, vector, 1.0)
    return w, ConePoint.at(form.start, x, y)


def _nocedal(form: StandardForm, newton: RefinedSystem) -> Start | None:
    """One affine step from ones, then absolute values of at least 1 [MangoniTasora, eq. 21; Mangoni2018, eq. 4.23].

    A Lorentz block takes the absolute value of its normal and adds the length of its tangents.
    """
    m = form.cone_rows
    w, point = np.ones(form.A.width), _axes(form)
    point.x[m:] = 1.0
    point.rescale()
    if not newton.factor(point.scaling).ok:
        return None
    r1, slips = form.residuals(w, point.x)
    r2 = slips.copy()
    r2[:m] -= point.y
    right = -point.scaling.turn(r2) - point.scaling.from_scaled(point.z)
    _, dx = newton.solve(-r1, right)
    scaled = point.scaling.to_scaled(dx)
    x = point.x + point.scaling.turn_back(dx)
    y = point.y + point.scaling.turn_back(point.scaling.from_scaled(-point.z - scaled))[:m]
    x[m:] = 1.0
    for vector in (x, y):
        kernels.fold_into_cone(form.start, vector, 1.0)
    return w, ConePoint.at(form.start, x, y)


def _dapuzzo(form: StandardForm) -> Start:
    """y = max(1, slip of w = 1) and x = 1/y, block by block along the axes [MangoniTasora, eq. 22]."""
    w, point = np.ones(form.A.width), _axes(form)
    first = form.start[:-1]
    point.x[form.cone_rows :] = 1.0
    _, slips = form.residuals(w, np.zeros(form.A.rows))
    size = np.maximum(1.0, slips[first])
    point.y[first] = size
    point.x[first] = 1.0 / size
    return w, ConePoint.at(form.start, point.x, point.y)


def warm_start(form: StandardForm, w: Array, x: Array, shifted: bool) -> Start | None:
    """Start from an earlier solution (see `kernels.enter`), or None when it is too far from one of this problem."""
    x = x.copy()
    y = form.residuals(w, x)[1][: form.cone_rows].copy()
    trace = np.empty((form.blocks, 3))
    return (
        (w, ConePoint.of(form.start, x, y, trace))
        if kernels.enter(form.start, x, y, shifted, WARM_RULES, trace)
        else None
    )


def _axes(form: StandardForm) -> ConePoint:
    """x = y = e."""
    x, y = np.zeros(form.A.rows), np.zeros(form.cone_rows)
    x[form.start[:-1]] = 1.0
    y[form.start[:-1]] = 1.0
    return ConePoint.at(form.start, x, y)
