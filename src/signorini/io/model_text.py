"""A model as JSON text and back, as far as it is data: Python functions (motions, forces) have to be given again."""

from __future__ import annotations

import dataclasses
import json
import math
from importlib import import_module
from typing import Any

import numpy as np

from signorini.io.flexible_text import add_flexible_parts, flexible_parts
from signorini.io.model_check import check_model
from signorini.model.body import Body
from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.pair_material import PairOverride
from signorini.model.shapes.shape import KNOWN, Placed
from signorini.problem.errors import FileError, ModelError

PARTS = ("joints", "limits", "dry_frictions", "stiff_forces", "forces")
"""Lists of a model that hold joints, springs and the like."""
SAME = 1e-9
"""Numbers that differ by less are taken for those of one model, built on two machines."""
CODE = {"code": True}
"""Stands for a Python function."""
OURS = ("signorini.model.", "signorini.fe.")
"""Classes are looked up below these packages only: a file cannot name code to run."""


def to_text(model: Model) -> str:
    """JSON of bodies, joints, springs, gravity; numbers come back bit for bit."""
    shapes: dict[int, int] = {}
    table: list[Any] = []
    bodies = [_body(body, shapes, table) for body in model.bodies]
    content = {
        "gravity": model.gravity.tolist(),
        "margin": model.margin,
        "shapes": table,
        "bodies": bodies,
        **{key: [_part(part) for part in getattr(model, key)] for key in PARTS},
        **flexible_parts(model, _nameless, _number),
        "pairs": [[_partner(who) for who in (p.first, p.second, p.material)] for p in model.pair_materials],
        "excluded": sorted(model.excluded),
        "impact": model.impact,
        "emitters": [_plain(emitter) for emitter in model.emitters],
        "region": None if model.region is None else _plain(model.region),
        "periods": None if model.periods is None else _plain(model.periods),
    }
    return json.dumps(content, allow_nan=False)


def from_text(text: str) -> Model:
    """The model, checked; raises `ModelError` when it has functions, which a text cannot hold."""
    content = parsed(text)
    code = functions_in(content)
    if code:
        raise ModelError(f"the model cannot be rebuilt from its record because {code[0]}, a function; pass model=...")
    model = Model(gravity=content["gravity"], margin=content["margin"], impact=content["impact"])
    shapes = [_rebuilt(item) for item in content["shapes"]]
    for item in content["bodies"]:
        model._append(_rebuilt_body(item, shapes))
    for key in PARTS:
        for item in content[key]:
            model._keep(getattr(model, key), _rebuilt(item))
    add_flexible_parts(model, content, _value, _rebuilt)
    for first, second, material in content["pairs"]:
        one, other = (who if isinstance(who, int) else _material(who) for who in (first, second))
        model.pair_materials.append(PairOverride(one, other, _material(material)))
    # Records made before pairs could be excluded name none.
    model.excluded |= {tuple(pair) for pair in content.get("excluded", ())}
    # Nor had they emitters, regions or periods.
    model.emitters += [_rebuilt(item) for item in content.get("emitters", ())]
    model.region, model.periods = (
        None if content.get(key) is None else _rebuilt(content[key]) for key in ("region", "periods")
    )
    check_model(model)
    return model


def functions_in(content: dict[str, Any]) -> list[str]:
    """What in a model is a Python function, which a text cannot hold; in words."""
    code = [f"body {body['name']!r} has a motion" for body in content["bodies"] if body["motion"]]
    code += [f"{item['name']!r} has code" for key in PARTS for item in content[key] if _has_code(item)]
    code += [f"flexible body {b['name']!r} has code" for b in content["flexibles"] if _has_code(b["flexible"])]
    code += [f"{key} have code" for key in ("held", "node_forces") for item in content[key] if _has_code(item)]
    return code


def same_model(model: Model, text: str) -> bool:
    """Whether a model equals the one described by a text, apart from its functions and round-off."""
    return _alike(parsed(to_text(model)), parsed(text))


def parsed(text: str) -> Any:
    """JSON without the numbers that it does not have; raises `ValueError`."""

    def refuse(word: str) -> None:
        raise ValueError(f"{word} is no number of JSON")

    return json.loads(text, parse_constant=refuse)


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


VECTORS = ("position", "orientation", "velocity", "angular_velocity", "surface_velocity", "center_of_mass")
SCALARS = ("fixed", "group", "mask", "margin")


def _rebuilt_body(item: dict[str, Any], shapes: list[Any]) -> Body:
    immovable = item["mass"] is None
    # Records made before there was a center_of_mass have none.
    vectors: dict[str, Any] = {key: np.array(item.get(key, (0.0, 0.0, 0.0))) for key in VECTORS}
    known = vectors | {key: item[key] for key in SCALARS}
    return Body(
        name=item["name"],
        shapes=tuple(Placed(shapes[k], np.array(x), np.array(q)) for k, x, q in item["shapes"]),
        mass=math.inf if immovable else item["mass"],
        inertia=np.where(np.eye(3) > 0, math.inf, 0.0) if item["inertia"] is None else np.array(item["inertia"]),
        material=_material(item["material"]),
        **known,
    )


def _part(part: Any) -> dict[str, Any]:
    """A joint, spring or the like; one of the user's own making is code."""
    ours = dataclasses.is_dataclass(part) and type(part).__module__.startswith(OURS)
    return {"name": part.name, **(_plain(part) if ours else CODE)}


def _nameless(part: Any) -> dict[str, Any]:
    """Held nodes and loads on nodes, which have no name of their own."""
    return _plain(part) if type(part).__module__.startswith(OURS) else dict(CODE)


def _plain(thing: Any) -> Any:
    """A dataclass of numbers, arrays and such dataclasses as {"class": "module:name", "fields": ...}."""
    kind = type(thing)
    fields = {field.name: _number(getattr(thing, field.name)) for field in dataclasses.fields(thing) if field.init}
    return {"class": f"{kind.__module__}:{kind.__name__}", "fields": fields}


def _number(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return {"array": value.tolist(), "type": value.dtype.str}
    if isinstance(value, tuple):
        return [_number(part) for part in value]
    if isinstance(value, float) and math.isinf(value):
        return {"infinite": 1 if value > 0 else -1}
    if dataclasses.is_dataclass(value) and type(value).__module__.startswith(OURS) and not callable(value):
        return _plain(value)
    if callable(value):
        return CODE
    return value.item() if isinstance(value, np.generic) else value


def _has_code(item: Any) -> bool:
    if isinstance(item, list):
        return any(_has_code(part) for part in item)
    if not isinstance(item, dict):
        return False
    return "code" in item or any(_has_code(part) for part in item.get("fields", {}).values())


def _rebuilt(item: dict[str, Any]) -> Any:
    return _class(str(item["class"]))(**{key: _value(value) for key, value in item["fields"].items()})


def _class(path: str) -> Any:
    module, name = path.split(":")
    if path in KNOWN:
        return KNOWN[path]
    found = getattr(import_module(module), name, None) if module.startswith(OURS) else None
    # Names that a module has imported are not its classes: a record may not call what it likes.
    if not (isinstance(found, type) and dataclasses.is_dataclass(found) and found.__module__ == module):
        raise FileError(
            f"the record names the class {path!r}, expected one of {OURS[0]}* or a Shape that is defined: "
            "import the module that defines it first, or the record is damaged"
        )
    return found


def _value(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_value(part) for part in value)
    if not isinstance(value, dict):
        return value
    if "infinite" in value:
        return math.inf * value["infinite"]
    return _rebuilt(value) if "class" in value else np.array(value["array"], dtype=value["type"])


def _alike(one: Any, other: Any) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        return all(_alike(one[key], other[key]) for key in one.keys() & other.keys())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_alike, one, other))
    if isinstance(one, float) and isinstance(other, float | int):
        return math.isclose(one, other, rel_tol=SAME, abs_tol=SAME)
    return bool(one == other)


def _tuples(value: Any) -> Any:
    return tuple(_tuples(part) for part in value) if isinstance(value, list) else value
