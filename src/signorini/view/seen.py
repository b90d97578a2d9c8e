"""States and contacts as pictures show them: in one period of space, without bodies that are not in the scene."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from signorini.collision.contacts import Contacts
from signorini.math.sparse import Array
from signorini.model.model import Model
from signorini.model.state import State


def changes_places(model: Model) -> bool:
    """Whether bodies are shown elsewhere than they are."""
    return model.periods is not None or bool(model.emitters) or model.region is not None


def seen_state(model: Model, state: State) -> State:
    """The state with positions modulo the period, nan for bodies that are not in the scene."""
    return replace(state, position=model.seen_at(state.position)) if changes_places(model) else state


def seen_contacts(model: Model, state: State, contacts: Contacts) -> Contacts:
    """Contacts where the bodies are shown; across an end of the period both points are on the first body's side."""
    if model.periods is None or not contacts.count:
        return contacts
    shift = model.periods.shifts(state.position)
    point_a, point_b = contacts.point_a + shift[contacts.body_a], contacts.point_b + shift[contacts.body_b]
    axes, length = model.periods.axes, model.periods.length
    across = np.zeros_like(point_a)
    across[:, axes] = length * np.round((point_b - point_a)[:, axes] / length)
    return replace(contacts, point_a=point_a, point_b=point_b - across)


def source_points(model: Model) -> Array:
    """Where bodies come from: corners of the boxes of emitters [m], shape (points, 3)."""
    corners = [corner for emitter in model.emitters for corner in (emitter.low, emitter.high)]
    return np.array(corners, dtype=np.float64).reshape(-1, 3)


def middle_state(model: Model, a: State, b: State, mean: State) -> State:
    """`mean`, a state between two others, with the bodies that are there in one of these alone as in the first."""
    away = model.stored(a.position) | model.stored(b.position)
    return replace(mean, position=np.where(away[:, None], a.position, mean.position)) if away.any() else mean


def longest_arm(model: Model) -> float:
    """Distance from the centre of a body to its contacts at most, where space repeats itself [m]; else infinite."""
    return float("inf") if model.periods is None else 0.5 * float(model.periods.length.min())
