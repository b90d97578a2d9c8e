"""The frames of a run as the page reads them: poses, nodes, stress, contacts, curves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from signorini.assembly.frames import world_impulses
from signorini.collision.contacts import Contacts
from signorini.io.diagnostics import STATUSES, Rows
from signorini.math.sparse import Array
from signorini.model.model import Model
from signorini.model.state import State
from signorini.simulation.run import Run
from signorini.view.flexible_parts import stress_scale, stresses_of
from signorini.view.seen import seen_contacts
from signorini.view.web.scene import encoded

MOST_FRAMES = 1500
"""Frames of a page; of longer runs every second, third, ... is taken."""
MOST_CONTACTS = 2_000_000
"""Contacts of a page; with more, none are drawn."""
STICKS = 1.0 - 1e-3
"""Share of the friction cone below which a contact sticks."""


def curves_of(rows: Rows) -> dict[str, list[float]]:
    """Diagnostics of steps."""
    total = rows["kinetic"] + rows["potential"] + rows["contact_energy"]
    numbers = {name: rows[name] for name in ("time", "iterations", "residual", "penetration", "kinetic", "potential")}
    return {name: _finite(values) for name, values in {**numbers, "total": total}.items()}


def failures_of(rows: Rows) -> list[float]:
    """Times of steps that were not solved [s]."""
    return [float(t) for t, status in zip(rows["time"], rows["status"], strict=True) if not STATUSES[status].ok]


def contact_rows(contacts: Contacts, impulse: Array) -> Array:
    """Point, impulse on body a in the world, whether it slides, both bodies; shape (contacts, 9)."""
    push = world_impulses(contacts.normal, impulse)
    slides = np.hypot(impulse[:, 1], impulse[:, 2]) > STICKS * contacts.friction * impulse[:, 0]
    return np.column_stack((contacts.point_a, push, slides, contacts.body_a, contacts.body_b))


def packed(
    model: Model, states: Sequence[State], contacts: Iterable[Array], rows: Rows, stress_top: float | None = None
) -> dict[str, Any]:
    """Some frames, ready for JSON; a stress of `stress_top` [Pa] has the last colour, by default the most of them."""
    poses = np.array([np.hstack((model.seen_at(state.position), state.orientation)) for state in states])
    listed = list(contacts)
    top = stress_scale(model, states) if stress_top is None else stress_top
    stress = np.array([_stress(model, state, top) for state in states])
    return {
        "times": [state.time for state in states],
        "poses": encoded(poses),
        "nodes": encoded(np.array([state.node_position for state in states])),
        "stress": encoded(stress),
        "contact_counts": [len(each) for each in listed],
        "contacts": encoded(np.concatenate(listed) if listed else np.zeros((0, 9))),
        "curves": curves_of(rows),
        "failed": failures_of(rows),
    }


def frames_of(run: Run, model: Model) -> dict[str, Any]:
    """The frames of a whole run, thinned where there are very many."""
    chosen = range(0, len(run.times), max(1, -(-len(run.times) // MOST_FRAMES)))
    states = [run.state(k) for k in chosen]
    found = [run.contacts(k) for k in chosen]
    none = np.zeros((0, 9))
    if sum(each.contacts.count for each in found) > MOST_CONTACTS:
        listed = [none] * len(found)
    else:
        seen = [seen_contacts(model, state, each.contacts) for state, each in zip(states, found, strict=True)]
        listed = [contact_rows(contacts, each.impulse) for contacts, each in zip(seen, found, strict=True)]
    return packed(model, states, listed, run.diagnostics)


def sizes_of(states: Sequence[State], contacts: Sequence[Array]) -> dict[str, float]:
    """What lengths and colours are relative to: a large impulse [N s] and the fastest body [m/s]."""
    sizes = [np.linalg.norm(each[:, 3:6], axis=1) for each in contacts if len(each)]
    impulse = float(np.percentile(np.concatenate(sizes), 99.0)) if sizes else 0.0
    fastest = max((float(np.linalg.norm(state.velocity, axis=1).max(initial=0.0)) for state in states), default=0.0)
    return {"impulse": impulse, "fastest": fastest}


def _stress(model: Model, state: State, top: float) -> Array:
    """Share of the largest stress at the points of all skins."""
    each = stresses_of(model, state)
    share = np.concatenate(each) if each else np.zeros(0)
    return np.clip(share / top, 0.0, 1.0) if top > 0 else np.zeros(len(share))


def _finite(values: Any) -> list[float]:
    return [float(v) if np.isfinite(v) else 0.0 for v in values]
