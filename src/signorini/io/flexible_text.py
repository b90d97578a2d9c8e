"""Flexible bodies of a model as plain data, and back."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from signorini.model.flexible_body import FlexibleBody, HeldNodes
from signorini.model.material import Material
from signorini.model.model import Model

Plain = Callable[[Any], Any]
"""A dataclass, or a number or array, as JSON can hold it."""
Rebuilt = Callable[[Any], Any]

FIELDS = ("first", "position", "velocity", "group", "mask", "margin", "self_contact")


def flexible_parts(model: Model, part: Plain, value: Plain) -> dict[str, Any]:
    """The lists `flexibles`, `held` and `node_forces`; what is code is marked so by `part` and `value`."""
    return {
        "flexibles": [
            {
                "name": body.name,
                "flexible": value(body.flexible),
                "material": dataclasses.asdict(body.material),
                **{key: value(getattr(body, key)) for key in FIELDS},
            }
            for body in model.flexibles
        ],
        "held": [{"name": "held nodes", **part(held)} for held in model.held],
        "node_forces": [part(load) for load in model.node_forces],
    }


def add_flexible_parts(model: Model, content: dict[str, Any], value: Rebuilt, rebuilt: Rebuilt) -> None:
    """Put the parts of a text back into a model."""
    for item in content["flexibles"]:
        own = {key: value(item[key]) for key in FIELDS}
        body = FlexibleBody(
            name=item["name"], flexible=value(item["flexible"]), material=Material(**item["material"]), **own
        )
        model.flexibles.append(body)
    model.held.extend(_held(rebuilt(item)) for item in content["held"])
    model.node_forces.extend(rebuilt(item) for item in content["node_forces"])


def _held(held: HeldNodes) -> HeldNodes:
    return dataclasses.replace(held, nodes=np.asarray(held.nodes, dtype=np.int64))
