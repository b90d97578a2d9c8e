"""The interior step on a dense N, for both laws: turned matrices, predictor, corrector, centrality correctors, move.

A law brings a kind of system, a `NamedTuple`, and the kernel that solves it (`solved_by`). The workspaces of both laws
have the arrays that are named here.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numba import types

from signorini.kernels.compile import kernel
from signorini.kernels.dispatch import answers_for
from signorini.kernels.interior.lorentz3 import ROOT_HALF
from signorini.kernels.interior.scaling import from_scaled, initial_trace, turn_back
from signorini.kernels.interior.starts import distance_outside, make_central, natural_error, shift
from signorini.kernels.interior.steps import advance, centre, corrected


class StepRules(NamedTuple):
    """How a step is made; see `solvers/cone_newton/rules.py`."""

    fraction: float
    """Share of the way to the boundary of the cones."""
    correctors: int
    delta: float
    refinements: int
    worth_while: float
    enough: float
    longer: float
    pays: float
    central_low: float
    central_high: float
    least_centring: float
    stuck: float


KERNELS: dict[type, Any] = {}
"""What solves a kind of system."""


def direct(start, system, s, w, dx, sx, sy):
    """The direction for the scaled right-hand side s, with its scaled parts; the longest step, which may exceed 1."""
    return KERNELS[type(system)](start, system, s, w, dx, sx, sy)


def solved_by(kind: type, kernel_of_kind: Any) -> None:
    """Let kernels call `direct` for a kind of system.

    The type decides: a kernel that is handed over as an argument cannot be kept on disk.
    """
    KERNELS[kind] = kernel_of_kind

    @answers_for(direct)
    def choose(start, system, s, w, dx, sx, sy):
        if isinstance(system, types.NamedTuple) and system.instance_class is kind:

            def call(start, system, s, w, dx, sx, sy):
                return kernel_of_kind(start, system, s, w, dx, sx, sy)

            return call
        return None


@kernel
def step_rules(numbers):
    """`StepRules` from an array: to unbox a tuple of this size costs as much as a step of two contacts."""
    return StepRules(
        numbers[0], int(numbers[1]), numbers[2], int(numbers[3]), numbers[4], numbers[5], numbers[6], numbers[7],
        numbers[8], numbers[9], numbers[10], numbers[11],
    )  # fmt: skip


@kernel
def largest(x):
    """max |x|."""
    size = 0.0
    for i in range(len(x)):
        size = max(size, abs(x[i]))
    return size


@kernel
def copy_into(x, out):
    """out = x."""
    for i in range(len(x)):
        out[i] = x[i]


@kernel
def _turn_three_rows(sign, r1, r2, a0, a1, a2):
    """The rows of a usual contact into their eigenbasis, in place."""
    for j in range(len(a0)):
        dot = 2.0 * (r1 * a1[j] + r2 * a2[j])
        along = sign * (a1[j] - dot * r1)
        a2[j] -= dot * r2
        normal = a0[j]
        a0[j] = (normal + along) * ROOT_HALF
        a1[j] = (normal - along) * ROOT_HALF


@kernel
def _turn_rows(start, scaling, reflector, out):
    """out := Q' out, whole rows at a time, so that all loops run along memory."""
    for b in range(len(start) - 1):
        first, last = start[b], start[b + 1]
        if last - first == 1:
            continue
        sign = scaling[b, 2]
        if last - first == 3:
            _turn_three_rows(
                sign, reflector[first + 1], reflector[first + 2], out[first], out[first + 1], out[first + 2]
            )
            continue
        for j in range(out.shape[1]):
            dot = 0.0
            for k in range(first + 1, last):
                dot += reflector[k] * out[k, j]
            dot *= 2.0
            for k in range(first + 1, last):
                out[k, j] -= dot * reflector[k]
            normal, along = out[first, j], sign * out[first + 1, j]
            out[first, j] = (normal + along) * ROOT_HALF
            out[first + 1, j] = (normal - along) * ROOT_HALF


@kernel
def turn_dense(start, scaling, reflector, N, out):
    """out = Q'NQ: the rows of N', its transpose, the rows again."""
    n = len(N)
    for i in range(n):
        for j in range(n):
            out[i, j] = N[j, i]
    _turn_rows(start, scaling, reflector, out)
    for i in range(n):
        for j in range(i):
            out[i, j], out[j, i] = out[j, i], out[i, j]
    _turn_rows(start, scaling, reflector, out)


@kernel
def start_inside(start, x, y, margin, trace):
    """x and y, each pushed inside the cones and by the margin beyond."""
    shift(start, x, max(distance_outside(start, x), 0.0) + margin)
    shift(start, y, max(distance_outside(start, y), 0.0) + margin)
    initial_trace(start, x, y, trace)


@kernel
def enter_central(start, x, share, warm, w):
    """(w.x, w.y) near x, whose lawful slips are in w.lawful, as far inside the cones as `share` of its error."""
    copy_into(x, w.x)
    copy_into(w.lawful, w.y)
    size = max(largest(w.x), largest(w.y), warm.smallest_scale)
    error = natural_error(start, w.x, w.y)
    make_central(start, w.x, w.y, max(share * error, warm.least * size) ** 2, w.trace)


@kernel
def _centred(system, start, target, rules, longest, w):
    """Centrality correctors on the direction in (w.dx, w.s, w.sx, w.sy); the longest step after them."""
    for _ in range(rules.correctors):
        step = min(1.0, longest)
        if step > rules.enough:
            break
        trial = min(1.0, step + rules.longer)
        copy_into(w.s, w.other_s)
        centre(start, w.z, w.sx, w.sy, trial, trial, rules.central_low * target, rules.central_high * target, w.other_s)
        better = direct(start, system, w.other_s, w, w.other_dx, w.other_sx, w.other_sy)
        if min(1.0, better) < step + rules.pays * (trial - step):
            break
        longest = better
        copy_into(w.other_s, w.s)
        copy_into(w.other_dx, w.dx)
        copy_into(w.other_sx, w.sx)
        copy_into(w.other_sy, w.sy)
    return longest


@kernel
def predict_and_correct(system, start, least_sigma, rules, w):
    """Mehrotra's direction in (w.dx, w.s, w.sx, w.sy), centred; the longest step along it, the predictor's step."""
    barrier = 0.0
    for i in range(len(w.trace)):
        barrier += w.trace[i, 2] / len(w.trace)
    predicted = min(1.0, direct(start, system, w.z, w, w.dx, w.sx, w.sy))
    sigma = max((1.0 - predicted) ** 3, least_sigma)
    corrected(start, w.z, w.sx, w.sy, sigma * barrier, w.s)
    longest = direct(start, system, w.s, w, w.dx, w.sx, w.sy)
    target = max(sigma, rules.least_centring) * barrier
    return _centred(system, start, target, rules, longest, w), predicted


@kernel
def move(start, step, w, x, y):
    """Move x along w.dx (turned back already) and y along w.sy; False when that leaves the cones."""
    from_scaled(start, w.frames, w.sy, w.right)
    turn_back(start, w.frames, w.reflector, w.right, w.right)
    return advance(start, w.frames, w.z, w.sx, w.sy, w.dx, w.right, step, step, x, y, w.trace)
