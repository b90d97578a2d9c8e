"""Warns where the convex relaxation of friction gives wrong motion with a perfect certificate.

The relaxed law parts a sliding contact at `mu |u_t|`. Where contacts oppose one another, as in a slot or between jaws,
there is no room for that: the missing room becomes normal force, and friction brakes or jams what should slide.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from signorini.collision.contacts import Contacts
from signorini.math.sparse import Array, Indices
from signorini.model.model import Model
from signorini.stepping.step import DviStep

OPPOSED = 0.5
"""Normal impulses of sliding contacts oppose one another on a body where less than this share of them is left."""
EVERY = 8
"""Only every n-th step is checked, to keep the cost in large piles small."""
WRONG = 0.05
"""Scaled error of the exact law from which a step is worth a warning [-]."""


@dataclass
class RelaxationWatch:
    """Checks the steps of a simulation under the convex law and warns once."""

    model: Model
    warned: bool = False

    def check(self, step: DviStep) -> None:
        """Warn where sliding contacts oppose one another on a body and the exact law is missed by far."""
        if self.warned or not step.contacts.count or step.number % EVERY:
            return
        slides = sliding(step)
        if not slides.any():
            return
        body = opposed_body(step.contacts, np.where(slides, step.outcome.impulses[:, 0], 0.0), len(self.model.bodies))
        if body is None or not step.solution.certificate.coulomb.scaled > WRONG:
            return
        self.warned = True
        others = sorted({self.model.name_of(int(k)) for k in _partners(step.contacts, slides, body)})
        where = f"t = {step.state.time:g} s: {self.model.name_of(body)!r} slides between {', '.join(map(repr, others))}"
        warnings.warn(
            f"{where}: law='convex' has no room for contacts that oppose one another, and brakes or jams them; "
            "use law='coulomb'",
            stacklevel=2,
        )


def sliding(step: DviStep) -> Array:
    """Which contacts push and slide, shape (contacts,)."""
    count = step.contacts.count
    cones = step.problem.cones
    first = cones.start[:count]
    slip = step.solution.certificate.answer.slip
    wide = cones.dims[:count] > 1
    lift = np.zeros(count)
    lift[wide] = step.contacts.friction[wide] * np.abs(slip[first[wide] + 1])
    third = cones.dims[:count] > 2
    lift[third] = step.contacts.friction[third] * np.hypot(slip[first[third] + 1], slip[first[third] + 2])
    return np.asarray((step.outcome.impulses[:, 0] > 0.0) & (lift > 0.0))


def opposed_body(contacts: Contacts, push: Array, rigid: int) -> int | None:
    """The body with the largest normal impulses `push` [N s] that nearly cancel on it; None without any."""
    bodies = int(max(contacts.body_a.max(), contacts.body_b.max(), rigid - 1)) + 1
    net, gross = np.zeros((bodies, 3)), np.zeros(bodies)
    for side, sign in ((contacts.body_a, 1.0), (contacts.body_b, -1.0)):
        gross += np.bincount(side, push, bodies)
        for axis in range(3):
            net[:, axis] += np.bincount(side, sign * push * contacts.normal[:, axis], bodies)
    cancels = (gross > 0.0) & (np.linalg.norm(net, axis=1) < OPPOSED * gross)
    return int(np.argmax(np.where(cancels, gross, 0.0))) if cancels.any() else None


def _partners(contacts: Contacts, slides: Array, body: int) -> Indices:
    """Whom a body slides on."""
    mine = slides.astype(bool) & ((contacts.body_a == body) | (contacts.body_b == body))
    return np.asarray(np.where(contacts.body_a == body, contacts.body_b, contacts.body_a)[mine])
