"""Expressions over a run, such as `max(force(box)) / 9.81`: arithmetic over channels, no code.

Only what is listed here is understood. Names in calls of channels are names of bodies and joints: `position(bar)` and
`position(ball-3)`; those that Python cannot read, such as `ball 3`, are put in quotes.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from signorini.math.sparse import Array
from signorini.problem.errors import StudyError, suggestion
from signorini.simulation.run import Run

OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}
PARTS = {"x": 0, "y": 1, "z": 2}
OLD_NAMES = ("kinetic", "potential")
PER_STEP = (
    "time",
    "contacts",
    "iterations",
    "residual",
    "penetration",
    "kinetic_energy",
    "potential_energy",
    "contact_energy",
    *OLD_NAMES,
)
"""Channels with one value per step, without an argument."""
STILL = 1e-2
"""A run has settled when a quantity stays within this share of its largest distance from its last value."""


def _vectors(name: str) -> Callable[[Run, str], Array]:
    def channel(run: Run, body: str) -> Array:
        values: Array = getattr(run, name)(body)
        return values

    return channel


def _speed(run: Run, body: str) -> Array:
    return np.asarray(np.linalg.norm(run.velocity(body), axis=1))


def _force(run: Run, *bodies: str) -> Array:
    """Size of the contact force on a body, from one other body if two are named [N], shape (frames,)."""
    return np.asarray(np.linalg.norm(run.contact_force(*bodies), axis=1))


def _joint_force(run: Run, joint: str) -> Array:
    """Size of all reactions of a joint [N, or N m where rows are moments], shape (frames,)."""
    return np.asarray(np.linalg.norm(run.joint_force(joint), axis=1))


CHANNELS: dict[str, Callable[..., Array]] = {
    "position": _vectors("position"),
    "velocity": _vectors("velocity"),
    "angular_velocity": _vectors("angular_velocity"),
    "orientation": _vectors("orientation"),
    "speed": _speed,
    "force": _force,
    "joint_force": _joint_force,
    "angle": lambda run, joint: run.joint_coordinate(joint),
    "rate": lambda run, joint: run.joint_rate(joint),
}


def _settling_time(values: Array, times: Array) -> float:
    away = np.abs(values - values[-1])
    outside = np.flatnonzero(away > STILL * away.max(initial=0.0))
    return float(times[min(outside[-1] + 1, len(times) - 1)]) if len(outside) else float(times[0])


REDUCTIONS: dict[str, Callable[[Array], Any]] = {
    "max": np.max,
    "min": np.min,
    "mean": np.mean,
    "sum": np.sum,
    "rms": lambda values: np.sqrt(np.mean(np.square(values))),
    "first": lambda values: values[0],
    "last": lambda values: values[-1],
    "abs": np.abs,
    "sqrt": np.sqrt,
    "norm": lambda values: np.linalg.norm(values, axis=-1),
}


class Expression:
    """A checked expression; calling it with a run gives a number.

    Raises `StudyError` when it is made, if it holds anything that is not understood.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        try:
            self._tree = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError) as error:
            raise StudyError(
                f"{text!r} is no expression; write for example max(speed(box)) or last(position('ball 3').z)"
            ) from error
        self._check(self._tree)

    def __call__(self, run: Run) -> float:
        value = self._value(self._tree, run)
        if np.ndim(value) != 0:
            raise StudyError(
                f"{self.text!r} is not one number but an array of shape {np.shape(value)}; take a component (.z) and "
                "reduce it, as in max(...) or last(...)"
            )
        return float(value)

    def _check(self, node: ast.expr) -> None:
        match node:
            case ast.Constant(value=int() | float()):
                pass
            case ast.BinOp(op=op, left=left, right=right) if type(op) in OPERATORS:
                self._check(left)
                self._check(right)
            case ast.UnaryOp(op=op, operand=operand) if type(op) in OPERATORS:
                self._check(operand)
            case ast.Attribute(value=value, attr=attr) if attr in PARTS:
                self._check(value)
            case ast.Name(id=name):
                if name not in PER_STEP:
                    raise self._unknown(name, PER_STEP)
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
                self._check_call(name, arguments)
            case _:
                raise StudyError(f"{ast.unparse(node)!r} in {self.text!r} is not understood; {self._what()}")

    def _check_call(self, name: str, arguments: list[ast.expr]) -> None:
        if name in CHANNELS:
            most = 2 if name == "force" else 1
            if not 1 <= len(arguments) <= most or any(_label(a) is None for a in arguments):
                example = f"{name}(box) or {name}('ball 3')"
                raise StudyError(f"{name} in {self.text!r} needs the name of a body or joint, such as {example}")
        elif name in REDUCTIONS or name == "settling_time":
            if len(arguments) != 1:
                raise StudyError(f"{name} in {self.text!r} takes one argument, such as {name}(speed(box))")
            self._check(arguments[0])
        else:
            raise self._unknown(name, (*CHANNELS, *REDUCTIONS, "settling_time"))

    def _unknown(self, name: str, known: tuple[str, ...]) -> StudyError:
        return StudyError(f"{name!r} in {self.text!r} is unknown{suggestion(name, known, 'choose from')}")

    @staticmethod
    def _what() -> str:
        return f"there are numbers, + - * / **, {', '.join((*PER_STEP, *CHANNELS, *REDUCTIONS))}, .x .y .z"

    def _value(self, node: ast.expr, run: Run) -> Any:
        match node:
            case ast.Constant(value=value):
                return value
            case ast.BinOp(op=op, left=left, right=right):
                return OPERATORS[type(op)](self._value(left, run), self._value(right, run))
            case ast.UnaryOp(op=op, operand=operand):
                return OPERATORS[type(op)](self._value(operand, run))
            case ast.Attribute(value=inner, attr=attr):
                return self._value(inner, run)[..., PARTS[attr]]
            case ast.Name(id=name):
                return run.diagnostics[name]
            case ast.Call(func=ast.Name(id=name), args=arguments) if name in CHANNELS:
                return CHANNELS[name](run, *(_label(a) for a in arguments))
            case ast.Call(func=ast.Name(id=name), args=[argument]):
                values = self._value(argument, run)
                if name != "settling_time":
                    return REDUCTIONS[name](values)
                times = run.times if len(values) == len(run.times) else run.diagnostics["time"]
                return _settling_time(values, times)
        raise AssertionError(node)  # `_check` has refused all else


def _label(node: ast.expr) -> str | None:
    """The name that an argument of a channel is."""
    match node:
        case ast.Name(id=name) | ast.Constant(value=str(name)):
            return name
        case ast.BinOp(op=ast.Sub(), left=left, right=ast.Name() | ast.Constant(value=int()) as right):
            first = _label(left)
            return None if first is None else f"{first}-{ast.unparse(right)}"
    return None
