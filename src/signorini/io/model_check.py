"""Checks a model that came from a file: what `Model.add_*` would have refused, and references that lead nowhere."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np

from signorini.model.body import Body
from signorini.model.checks import LARGEST, bits, finite, inertia_tensor, not_negative, numbers, positive
from signorini.model.coordinate import ANGLE, DISTANCE, DOT, OFFSET, TURN, WORLD, Coordinate, Frame
from signorini.model.emitter import Emitter
from signorini.model.flexible_body import FlexibleBody
from signorini.model.model import Model
from signorini.model.periods import Periods
from signorini.model.shapes.shape import Placed, Shape
from signorini.model.store import Region
from signorini.problem.errors import ModelError

KINDS = (OFFSET, DOT, TURN, ANGLE, DISTANCE)
UNIT = 1e-6
"""How far the length of a quaternion may be from 1."""
BODY_FIELDS = ("a", "b", "body")
"""Fields of joints, forces and points that hold the index of a body, or WORLD."""
INDEX_ARRAYS = ("nodes", "corners")
"""Fields that hold indices of nodes."""
PLAIN: dict[str, Any] = {"float": (int, float), "int": int, "str": str, "bool": bool}
"""Field types that are checked against their declaration."""
PARTS = ("joints", "limits", "dry_frictions", "stiff_forces", "forces", "held", "node_forces")


def check_model(model: Model) -> None:
    """Raise `ModelError` where a body, joint or force is not one that `Model` would have made."""
    names = [body.name for body in model.bodies] + [body.name for body in model.flexibles]
    if len(set(names)) != len(names) or not all(isinstance(name, str) and name for name in names):
        raise ModelError("bodies have no names of their own")
    for body in model.bodies:
        _check_body(body)
    for flexible in model.flexibles:
        _check_flexible(flexible)
    for override in model.pair_materials:
        for who in (override.first, override.second):
            if isinstance(who, int) and not 0 <= who < len(model.bodies):
                raise ModelError(f"a pair of materials names body {who}, expected 0 to {len(model.bodies) - 1}")
    for pair in model.excluded:
        whole = len(pair) == 2 and all(type(who) is int for who in pair)
        if not whole or not 0 <= pair[0] < pair[1] < len(model.bodies):
            raise ModelError(f"{pair} are excluded from contact, expected two bodies of {len(model.bodies)}")
    for key in PARTS:
        for part in getattr(model, key):
            _check_part(part, key, model)
    _check_regions(model)


def _check_regions(model: Model) -> None:
    """Emitters, the region and the periods."""
    for emitter in model.emitters:
        what = f"the emitter {emitter.name!r}"
        counts = (emitter.first, emitter.capacity, emitter.seed)
        if not isinstance(emitter, Emitter) or not all(type(count) is int and count >= 0 for count in counts):
            raise ModelError("an emitter is none, or has numbers that are none")
        if emitter.capacity < 1 or emitter.first + emitter.capacity > len(model.bodies):
            raise ModelError(f"{what} has {emitter.capacity} bodies from {emitter.first} on of {len(model.bodies)}")
        if not all(model.bodies[k].movable for k in emitter.bodies):
            raise ModelError(f"{what} has bodies that do not move freely")
        positive(emitter.rate, f"rate of {what}")
        finite(emitter.start, f"start of {what}")
        if not (isinstance(emitter.stop, float | int) and emitter.stop > emitter.start):
            raise ModelError(f"{what} stops at {emitter.stop!r}, before its start")
        for name in ("low", "high", "velocity", "angular_velocity"):
            _vector(np.array(getattr(emitter, name), dtype=np.float64), 3, f"{name} of {what}")
        if emitter.orientation is not None:
            _unit(np.array(emitter.orientation, dtype=np.float64), f"orientation of {what}")
    if model.region is not None:
        if not isinstance(model.region, Region):
            raise ModelError("the region is none")
        low, high = model.region.low, model.region.high
        model.remove_outside(low, high)
    if model.periods is not None:
        if not isinstance(model.periods, Periods):
            raise ModelError("the periods are none")
        model.periods = Periods.checked(model.periods.spans)


def _check_body(body: Body) -> None:
    what = f"body {body.name!r}"
    for name in ("position", "velocity", "angular_velocity", "surface_velocity", "center_of_mass"):
        _vector(getattr(body, name), 3, f"{name} of {what}")
    _unit(body.orientation, f"orientation of {what}")
    _contact_fields(body, what)
    for placed in body.shapes:
        _check_placed(placed, what)
    if not isinstance(body.fixed, bool):
        raise ModelError(f"{what} has fixed = {body.fixed!r}, expected true or false")
    if body.movable:
        positive(body.mass, f"mass of {what}")
        inertia_tensor(body.inertia, f"inertia of {what}")
        if body.inertia.shape != (3, 3):
            raise ModelError(f"inertia of {what} has shape {body.inertia.shape}, expected (3, 3)")
    elif math.isfinite(body.mass):
        raise ModelError(f"{what} does not move and has the mass {body.mass}, expected none")


def _check_placed(placed: Placed, what: str) -> None:
    if not isinstance(placed.shape, Shape):
        raise ModelError(f"{what} has a {type(placed.shape).__name__} where a shape is expected")
    _vector(placed.position, 3, f"position of a shape of {what}")
    _unit(placed.orientation, f"orientation of a shape of {what}")


def _check_flexible(body: FlexibleBody) -> None:
    what = f"flexible body {body.name!r}"
    count = len(body.flexible.translation)
    for name in ("position", "velocity"):
        values = getattr(body, name)
        if values.shape != (count, 3) or values.dtype != np.float64 or not np.isfinite(values).all():
            raise ModelError(f"{name} of {what} has shape {values.shape}, expected ({count}, 3) finite numbers")
    _contact_fields(body, what)


def _contact_fields(body: Body | FlexibleBody, what: str) -> None:
    bits(body.group, f"group of {what}")
    bits(body.mask, f"mask of {what}")
    if body.margin is not None:
        not_negative(body.margin, f"margin of {what}")


def _check_part(part: Any, what: str, model: Model) -> None:
    """A dataclass of `model/`, and those in it."""
    if isinstance(part, Frame):
        _vector(part.position, 3, f"a frame of {what}")
        _unit(part.orientation, f"a frame of {what}")
    elif isinstance(part, Coordinate):
        _check_coordinate(part, what)
    if not dataclasses.is_dataclass(part):
        return
    for field in dataclasses.fields(part):
        value = getattr(part, field.name)
        _check_type(value, field, what)
        if isinstance(value, tuple):
            for one in value:
                _check_part(one, what, model)
        if isinstance(value, np.ndarray):
            _check_array(value, field.name, what, model.node_count)
        elif field.name in BODY_FIELDS and not dataclasses.is_dataclass(value):
            if isinstance(value, bool) or not isinstance(value, int) or not WORLD <= value < len(model.bodies):
                raise ModelError(f"{what} name body {value!r}, expected {WORLD} to {len(model.bodies) - 1}")
        elif isinstance(value, float) and math.isnan(value):
            finite(value, f"{field.name} in {what}")
        elif dataclasses.is_dataclass(value):
            _check_part(value, what, model)


def _check_type(value: Any, field: dataclasses.Field[Any], what: str) -> None:
    """Fields that are declared as plain numbers, words or true and false hold such; numbers that can be squared."""
    wanted = PLAIN.get(str(field.type))
    if wanted is None:
        return
    if not isinstance(value, wanted) or (isinstance(value, bool) and wanted is not bool):
        raise ModelError(f"{what} have {field.name} = {value!r}, expected {field.type}")
    if wanted is not str and abs(value) > LARGEST and not (isinstance(value, float) and math.isinf(value)):
        raise ModelError(f"{what} have {field.name} = {value:g}, expected at most {LARGEST:g}")


def _check_array(values: Any, name: str, what: str, nodes: int) -> None:
    if name in INDEX_ARRAYS:
        if values.dtype.kind not in "iu" or (values.size and not 0 <= values.min() <= values.max() < nodes):
            raise ModelError(f"{what} have {name} that are not nodes of the model, which has {nodes}")
    elif values.dtype.kind not in "iufb" or not np.isfinite(values).all():
        raise ModelError(f"{what} have a {name} of {values.dtype}, expected finite numbers")


def _check_coordinate(part: Coordinate, what: str) -> None:
    axes = part.axes
    if part.kind not in KINDS or len(axes) != 2 or not all(isinstance(i, int) and 0 <= i <= 2 for i in axes):
        raise ModelError(f"{what} have a coordinate of kind {part.kind!r} with axes {axes!r}")
    for frame in (part.frame_a, part.frame_b):
        if not isinstance(frame, Frame):
            raise ModelError(f"{what} have a {type(frame).__name__} where a frame is expected")


def _vector(values: Any, size: int, what: str) -> None:
    found = numbers(values, what)
    if found.shape != (size,) or not np.isfinite(found).all():
        raise ModelError(f"{what} is {found.tolist()}, expected {size} finite numbers")


def _unit(values: Any, what: str) -> None:
    _vector(values, 4, what)
    if abs(float(np.linalg.norm(values)) - 1.0) > UNIT:
        raise ModelError(f"{what} is {np.asarray(values).tolist()}, expected a unit quaternion")
