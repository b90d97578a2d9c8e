"""How paths bend in a step: what gaps, joints and slips change by beyond first order.

The rows of a step are linear in its velocities. Over a step of h a gap becomes

    Phi(h) = Phi + h D v + bend,        bend = h^2 / 2 dD/dt v + O(h^3),

and likewise the errors of joints and what is left of the travel of limits. With b = -(Phi + bend) / h the contact is
closed at the *end* of the step, where it is: a curved edge does not sink in, and joints stay shut. The slip of a
contact is taken in the middle of the step; there it differs from the row D v by half of its change over the step.

The velocities of a step are those in its middle, at which the slip D v is -bend / h; on arrival it is +bend / h. A
contact or joint that keeps its bodies on a curved path therefore turns one into the other and does no work. Without
the bend it would push out in each step what sank in in the last one, or take the energy away. This is what the SHAKE
scheme of molecular dynamics does with rigid bonds.

Contacts do no positive work: where the velocities before the step approach by less than a contact is to part with, it
parts with no more than that. What is left of a penetration is corrected in the positions alone (`stepping.correction`).
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
    """Whether the step is too long for the swings of light bodies between heavy ones (see
    `kernels.bodies.geometric_stiffness`): all bends are 0, and joints are shut in the positions alone."""
    loads: Array = field(default_factory=lambda: np.zeros(0))
    """Impulses of the joints in the last step [N s], shape (joint rows,), where a stiff step is unstable with the rows
    of its beginning: the change of their directions is taken implicitly (see `assembly.geometric`)."""
    tumbling: Indices = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """Places among the movable bodies of those that are turned to first order (see `stepping.tumbling`)."""


def passive(speed: Array, approach: Array, least: float) -> Array:
    """Speeds at which contacts or limits are to part, no more than they approached with before the step [m/s].

    Parameters
    ----------
    speed
        Asked for: `-(Phi + bend) / h`, negative for a gap that may still close.
    approach
        Rate of the gap before the step, negative in approach [m/s].
    least
        A speed that is always granted [m/s].
    """
    return np.minimum(speed, np.maximum(-approach, 0.0) + least)
