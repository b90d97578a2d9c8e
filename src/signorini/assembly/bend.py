"""Second-order terms of a step: how gaps, joints and slips change beyond first order.

The rows of a step are linear in its velocities. Over a step of h a gap becomes

    Phi(h) = Phi + h D v + bend,        bend = h^2 / 2 dD/dt v + O(h^3),

and likewise the errors of joints and what is left of the travel of limits. With b = -(Phi + bend) / h the contact is
closed at the *end* of the step: a curved edge does not sink in, and joints stay closed. The slip of a contact is taken
in the middle of the step; there it differs from the row D v by half of its change over the step.

The velocities of a step are those in its middle, at which the slip D v is -bend / h; on arrival it is +bend / h. A
contact or joint that keeps its bodies on a curved path therefore turns one into the other and does no work. Without the
bend, each step would push out the penetration of the last one, or dissipate energy. This is what the SHAKE scheme of
molecular dynamics does with rigid bonds.

Contacts do no positive work: a contact is never asked to separate faster than it approached before the step. What is
left of a penetration is corrected in the positions alone (`stepping.correction`).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from signorini.math.sparse import Array, Indices


@dataclass(frozen=True, eq=False)
class ContactBend:
    """The second-order terms of contacts; 0 for those of flexible bodies."""

    normal: Array
    """Of the gaps [m], shape (contacts,)."""
    slip: Array
    """Half the change of the tangential slips over the step [m/s], shape (contacts, 2)."""
    shallow: Array
    """Penetrations up to this are pushed out as velocity: they are the tolerance of solvers, or what round faces sink
    by (see `assembly.round_faces`); all of contacts along the way, whose gaps are exact at the end of the step for the
    last answer (see `stepping.swept_contacts`) [m], shape (contacts,)."""
    rest: float = 0.0
    """Penetrations up to this stay: they ask for no speed. Up to twice as much, what goes beyond does, so that errors
    of solvers do not add up; deeper ones are none of theirs, and stay too [m]. 0 where paths can bend.

    Balls at rest have more contacts than ways to move. If each of their gaps asked for its own small speed, impulses
    would have to build up until some contacts slide and all of these speeds are met: a pile would never come to rest,
    and its problems would be hard to solve. The contacts of bricks agree with one another once their gaps are closed,
    and their steps take fewer iterations with all gaps closed."""

    @property
    def rows(self) -> tuple[Array, Array, Array, float]:
        """As the kernels want them."""
        return self.normal, self.slip, self.shallow, self.rest


@dataclass(frozen=True, eq=False)
class Bend:
    """The second-order terms of one step."""

    joints: Array
    """Of the errors of joints [m or rad], shape (joint rows,)."""
    limits: Array
    """Of what is left of the travel of limits [m or rad], shape (limit rows,)."""
    contacts: ContactBend | None
    """None leaves contacts at first order."""
    stiff: bool = False
    """Whether the step is too long for the oscillations of light bodies between heavy ones (see
    `kernels.bodies.geometric_stiffness`): all bends are 0, and joints are closed in the positions alone."""
    loads: Array = field(default_factory=lambda: np.zeros(0))
    """Impulses of the joints in the last step [N s], shape (joint rows,), where a stiff step is unstable with the rows
    of its beginning: the change of their directions is taken implicitly (see `assembly.geometric`)."""
    tumbling: Indices = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """Places among the movable bodies of those that are turned to first order (see `stepping.tumbling`)."""


def passive(speed: Array, approach: Array, least: float) -> Array:
    """Separation speeds of contacts or limits, at most their approach speed before the step [m/s].

    Parameters
    ----------
    speed
        Requested: `-(Phi + bend) / h`, negative for a gap that may still close.
    approach
        Rate of the gap before the step, negative in approach [m/s].
    least
        A speed that is always allowed [m/s].
    """
    return np.minimum(speed, np.maximum(-approach, 0.0) + least)
