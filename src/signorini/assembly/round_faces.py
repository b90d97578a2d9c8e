"""Uniform pressure under flat round faces.

How a rigid face shares its load among more than three points is not determined by statics, but friction that resists
spinning depends on it. The contacts of a round face have a small compliance, in inverse proportion to the area they
represent, so that pressure is linear over the loaded part of the face: uniform under a centred load. In the normal row
of a contact with the share s of the area, between bodies of masses m_a and m_b,

    E = SOFTNESS * (1 / m_a + 1 / m_b) / s

so that a face at rest sinks in by `SOFTNESS h^2 g`, 4e-9 m at steps of 2 ms.
"""

from __future__ import annotations

import numpy as np

from signorini.assembly.laws.pin import with_diagonal
from signorini.assembly.masses import Masses
from signorini.collision.contacts import Contacts
from signorini.math.sparse import Array, Indices
from signorini.problem.contact_problem import ContactProblem

SOFTNESS = 1e-4
"""Of a whole face, relative to the mobility of its body: much above the tolerance of solvers, much below what moves a
body."""


def with_even_pressure(problem: ContactProblem, contacts: Contacts, masses: Masses) -> ContactProblem:
    """The problem with round faces that press evenly; itself where no contact is part of one."""
    if contacts.share is None:
        return problem
    points = np.flatnonzero(contacts.share > 0)
    mobility = _mobility(contacts.body_a[points], masses) + _mobility(contacts.body_b[points], masses)
    softness = SOFTNESS * mobility / contacts.share[points]
    return problem.changed(E=with_diagonal(problem.E, problem.cones.start[points], softness))


def _mobility(body: Indices, masses: Masses) -> Array:
    """1 / m of each body, 0 for those that the step does not move [1/kg]."""
    place = masses.place[body]
    return np.where(place < 0, 0.0, 1.0 / masses.mass[np.maximum(place, 0)])
