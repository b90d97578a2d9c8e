"""A model as JSON text and back, as far as it is data: functions (motions, forces) have to be given again."""

from __future__ import annotations

import dataclasses
import json
import math
from importlib import import_module
from typing import Any

import numpy as np

from signorini.model.body import Body
from signorini.model.component import Joint
from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.pair_material import PairOverride
from signorini.model.shapes.shape import Placed
from signorini.problem.errors import FileError, ModelError

OURS = "signorini.model."
"""Classes are looked up below this package only: a file cannot name code to run."""


def to_text(model: Model) -> str:
    """JSON of bodies, joints, gravity; numbers come back bit for bit."""
    shapes: dict[int, int] = {}
    table: list[Any] = []
    bodies = [_body(body, shapes, table) for body in model.bodies]
    content = {
        "gravity": model.gravity.tolist(),
        "margin": model.margin,
        "shapes": table,
        "bodies": bodies,
        "joints": [_plain(joint) for joint in model.joints],
        "forces": len(model.forces),
        "pairs": [[_partner(who) for who in (p.first, p.second, p.material)] for p in model.pair_materials],
        "impact": model.impact,
    }
    return json.dumps(content, allow_nan=False)


def from_text(text: str) -> Model:
    """The model; raises `ModelError` when it has functions, which a text cannot hold."""
    content = json.loads(text)
    moved = [body["name"] for body in content["bodies"] if body["motion"]]
    if moved or content["forces"]:
        what = f"body {moved[0]!r} has a motion" if moved else "it has forces"
        raise ModelError(f"the model cannot be rebuilt from its record because {what}, a function; pass model=...")
    model = Model(gravity=content["gravity"], margin=content["margin"], impact=content.get("impact", "newton"))
    shapes = [_rebuilt(item) for item in content["shapes"]]
    for item in content["bodies"]:
        model._append(_rebuilt_body(item, shapes))  # checked when it was first made
    model.joints.extend(_rebuilt_joint(item) for item in content["joints"])
    for first, second, material in content.get("pairs", ()):
        one, other = (who if isinstance(who, int) else _material(who) for who in (first, second))
        model.pair_materials.append(PairOverride(one, other, _material(material)))
    return model


def _partner(who: Material | int) -> Any:
    return dataclasses.asdict(who) if isinstance(who, Material) else who


def _material(fields: dict[str, Any]) -> Material:
    return Material(**{key: _tuples(value) for key, value in fields.items()})


def _body(body: Body, shapes: dict[int, int], table: list[Any]) -> dict[str, Any]:
    places = []
    for placed in body.shapes:
        key = id(placed.shape)
        if key not in shapes:
            shapes[key] = len(table)
            table.append(_plain(placed.shape))
        places.append([shapes[key], placed.position.tolist(), placed.orientation.tolist()])
    return {
        "name": body.name,
        "shapes": places,
        "mass": body.mass if math.isfinite(body.mass) else None,
        "inertia": body.inertia.tolist() if np.all(np.isfinite(body.inertia)) else None,
        **{key: getattr(body, key).tolist() for key in VECTORS},
        **{key: getattr(body, key) for key in SCALARS},
        "material": dataclasses.asdict(body.material),
        "motion": body.motion is not None,
    }


VECTORS = ("position", "orientation", "velocity", "angular_velocity", "surface_velocity")
SCALARS = ("fixed", "group", "mask", "margin")


def _rebuilt_body(item: dict[str, Any], shapes: list[Any]) -> Body:
    immovable = item["mass"] is None
    known: dict[str, Any] = {key: np.array(item[key]) for key in VECTORS} | {key: item[key] for key in SCALARS}
    return Body(
        name=item["name"],
        shapes=tuple(Placed(shapes[k], np.array(x), np.array(q)) for k, x, q in item["shapes"]),
        mass=math.inf if immovable else item["mass"],
        inertia=np.where(np.eye(3) > 0, math.inf, 0.0) if item["inertia"] is None else np.array(item["inertia"]),
        material=_material(item["material"]),
        **known,
    )


def _rebuilt_joint(item: dict[str, Any]) -> Joint:
    joint: Joint = _rebuilt(item)
    return joint


def _plain(thing: Any) -> Any:
    """A dataclass of numbers and arrays as {"class": "module:name", "fields": ...}."""
    kind = type(thing)
    fields = {field.name: _number(getattr(thing, field.name)) for field in dataclasses.fields(thing) if field.init}
    return {"class": f"{kind.__module__}:{kind.__name__}", "fields": fields}


def _number(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return {"array": value.tolist(), "type": value.dtype.str}
    return value.item() if isinstance(value, np.generic) else value


def _rebuilt(item: dict[str, Any]) -> Any:
    module, name = str(item["class"]).split(":")
    if not module.startswith(OURS):
        raise FileError(f"the record names the class {item['class']!r}, expected one of {OURS}*; it is damaged")
    fields = {
        key: np.array(value["array"], dtype=value["type"]) if isinstance(value, dict) else _tuples(value)
        for key, value in item["fields"].items()
    }
    return getattr(import_module(module), name)(**fields)


def _tuples(value: Any) -> Any:
    return tuple(_tuples(part) for part in value) if isinstance(value, list) else value
