"""Contacts that only the answer of a step brings within reach.

Detection takes what lies within the margins of its gaps. An answer may bring in more: bodies that are hit reach a
neighbour that was too far away, bodies that turn bring in other corners, flexible bodies bend. The contacts that are
missing join the problem of the step, and it is solved again.
"""

from __future__ import annotations

from dataclasses import dataclass

from signorini.collision.contacts import Contacts
from signorini.math.sparse import Array, Indices
from signorini.model.state import State
from signorini.stepping.body_motion import NONE, BodyMotion
from signorini.stepping.late_contacts import LateContacts
from signorini.stepping.new_contacts import Approach, Look, NewContacts
from signorini.stepping.swept_contacts import Sweep, SweptContacts, without_repeats
from signorini.stepping.tumbling import tumbling, turns_far


@dataclass(frozen=True, eq=False)
class ContactRecheck:
    """Finds the contacts that a step needs beyond those of its beginning."""

    motion: BodyMotion
    new_contacts: NewContacts
    """Finds contacts with bodies that changed their velocities by more than the margins allow for."""
    swept: SweptContacts
    """Finds contacts that turning bodies meet on their way through the step."""
    late: LateContacts | None
    """Finds contacts of flexible bodies that show only at the end of the step; None without such bodies."""
    look: Look | None = None
    """A quick test that says whether it is certain that no contact is missing; None always searches."""

    def contacts(
        self, start: State, known: Contacts, swept: Contacts, velocity: Array, approach: Approach,
        tumbling: Indices = NONE,
    ) -> tuple[Contacts, Contacts] | None:  # fmt: skip
        """All contacts and those along the way, with what an answer brings within reach; None if nothing is missing.

        `velocity` is the mean one of the step, `approach` how fast known contacts still approach beyond what is allowed
        [m/s].
        """
        if self.look is not None and not swept.count and self.look(start, known, velocity, approach()):
            return None
        contacts = self._new(start, known, velocity, approach)
        if contacts is not None and swept.count:
            contacts = without_repeats(contacts, known, swept)
        if contacts is not None:
            return contacts, swept
        detector = self.new_contacts.detector
        if detector.is_idle or not detector.can_turn:
            return None
        return self.swept_contacts(start, known, swept, velocity, tumbling)

    def swept_contacts(
        self, start: State, known: Contacts, swept: Contacts, velocity: Array, tumbling: Indices
    ) -> tuple[Contacts, Contacts] | None:
        """With the contacts that turning bodies meet along the way of an answer."""
        motion = self.motion
        moving = self.new_contacts.moving(start, velocity)
        end = motion.advance(start.time + motion.h, start, velocity, tumbling)
        far = turns_far(motion.masses, start, velocity, motion.h) if motion.turns_freely else None
        return self.swept.add_to(known, swept, Sweep(moving, end, motion.h, far))

    def tumbling(self, start: State, velocity: Array, swept: Contacts) -> Indices:
        """Bodies that are to be turned to first order; see `stepping.tumbling`."""
        motion = self.motion
        if not motion.turns_freely or not swept.count:
            return NONE
        return tumbling(motion.masses, turns_far(motion.masses, start, velocity, motion.h), swept)

    def _new(self, start: State, known: Contacts, velocity: Array, approach: Approach) -> Contacts | None:
        h = self.motion.h
        if self.new_contacts.may_miss(start, velocity, h):
            more = self.new_contacts.add_to(known, start, velocity, h, h * approach())
            if more is not None:
                return more
        if self.late is None:
            return None
        return self.late.add_to(known, start, self.motion.advance(start.time + h, start, velocity), h)
