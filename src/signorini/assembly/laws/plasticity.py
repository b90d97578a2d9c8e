"""Plastic contacts: bonds that yield in tension, surfaces that are dented in compression.

The elastic compression of a contact is `epsilon = p - Phi`, p its plastic offset, and its force stays between `-F_c`
(while it is bonded) and the yield force `F_y`. Where it reaches a bound the offset flows, `p <- p + h y` with
`y = u - b + E lambda`:

- under pull the bound is the apex of the moved cone (`cohesion`), and the flow y > 0 is the opening that the cone
  leaves free. When the bond has been stretched by more than `cohesion_range`, it breaks.
- under push `lambda_n = h F_y` is prescribed (`pin`). Which contacts yield is found by solving again (`next_pinned`),
  as return mapping does.

Dissipation is never negative: a pull comes with y > 0, a push with y < 0. Friction with the convex cone opens a sliding
contact by `mu |y_t|`; that opening is no flow, because the impulse is not at the apex there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.assembly.laws.contact_snapshot import ContactSnapshot
from signorini.assembly.laws.lift import first_rows, lifts
from signorini.assembly.laws.memory import BONDED, BROKEN, CLOSED, YIELDING, LawMemory
from signorini.assembly.laws.terms import Terms
from signorini.math.sparse import Array
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.solution import Solution

ROUND_OFF = 1e-9
"""Share of the yield force that may be exceeded."""
SOLVER_NOISE = 1e-6
"""Impulses that change the slip by less than this share of it are none."""


@dataclass(frozen=True, eq=False)
class ContactResponse:
    """Response of the contacts in a solved step."""

    impulses: Array
    """On the bodies, along (normal, t1, t2) [N s], shape (contacts, 3)."""
    slip: Array
    """u, belts included [m/s], shape (contacts, 3)."""
    opening: Array
    """y of the unturned rows [m/s], shape (contacts, 3)."""
    closed: NDArray[np.bool_]
    """Which contacts are not at the apex of their cones."""

    @classmethod
    def of(
        cls, terms: Terms, slip: Array, problem: ContactProblem, solution: Solution, mobility: Array
    ) -> ContactResponse:
        """Of a step that was solved.

        Parameters
        ----------
        slip
            u after the step [m/s], shape (contacts, 3).
        mobility
            diag N of the normal rows [1/kg], shape (contacts,).
        """
        n = terms.count
        raw = first_rows(problem.cones, solution.contact_impulse, n)
        impulses = terms.impulses(raw)
        y = terms.openings(slip, impulses)
        lift = lifts(problem.cones, problem.slip_of(solution.velocity, solution.contact_impulse))[:n]
        free = np.maximum(y[:, 0] - lift, SOLVER_NOISE * (np.abs(y[:, 0]) + lift))
        return cls(impulses, slip, y, (raw[:, 0] * mobility > free) | terms.pinned)


def next_pinned(snapshot: ContactSnapshot, terms: Terms, response: ContactResponse) -> NDArray[np.bool_]:
    """Which contacts should have yielded: those above their yield force, and pinned ones that still compress."""
    limit = snapshot.h * snapshot.laws.yield_force
    pushed = response.impulses[:, 0] > limit * (1.0 + ROUND_OFF)
    return np.where(terms.pinned, response.opening[:, 0] < 0, pushed)


def remembered(snapshot: ContactSnapshot, terms: Terms, response: ContactResponse) -> LawMemory:
    """The contacts' memory after the step."""
    laws, old, h = snapshot.laws, snapshot.memory, snapshot.h
    y, bonded, closed = response.opening, snapshot.bonded, response.closed
    drawn = np.where(bonded & ~closed, h * np.maximum(y[:, 0], 0.0), 0.0)
    dent = np.where(terms.pinned, h * np.minimum(y[:, 0], 0.0), 0.0)
    stretch = np.where(bonded, old.stretch + drawn, 0.0)
    broken = bonded & (stretch > np.maximum(laws.cohesion_range, snapshot.tolerance))
    plastic = old.plastic + drawn + dent
    shear = old.shear + h * (response.slip[:, 1:] - y[:, 1:])
    sheared = closed & (laws.tangential_compliance > 0)
    mode = (
        BONDED * (bonded & ~broken)
        + BROKEN * (broken | (old.has(BROKEN) & ~bonded))
        + CLOSED * closed
        + YIELDING * terms.pinned
    )
    return LawMemory(
        old.identity,
        np.where(sheared[:, None], shear, 0.0),
        np.where(broken, np.minimum(plastic, 0.0), plastic),
        np.where(broken, 0.0, stretch),
        mode.astype(np.int64),
    )
