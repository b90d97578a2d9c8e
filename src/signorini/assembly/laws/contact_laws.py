"""All contact laws of a model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.assembly.assemble import contact_offsets
from signorini.assembly.bend import ContactBend
from signorini.assembly.laws.belt import belt_slip, surface_velocities
from signorini.assembly.laws.cohesion import pulls
from signorini.assembly.laws.contact_snapshot import ContactSnapshot
from signorini.assembly.laws.friction import coefficients
from signorini.assembly.laws.grain import turns
from signorini.assembly.laws.hertz import Hertz
from signorini.assembly.laws.memory import LawMemory
from signorini.assembly.laws.patches import Patches
from signorini.assembly.laws.rolling import rolling_rows
from signorini.assembly.laws.springs import compliance, offsets, places, turned
from signorini.assembly.laws.terms import Terms
from signorini.assembly.masses import Masses
from signorini.collision.contacts import Contacts
from signorini.math.sparse import Array, Indices
from signorini.model.model import Model
from signorini.model.pair_table import PairTable, is_plain
from signorini.model.state import State
from signorini.problem.contact_problem import ContactProblem


@dataclass(frozen=True, eq=False)
class ContactLaws:
    """Makes the terms of each step."""

    table: PairTable
    belts: Array | None
    """Surface velocities of all bodies, in their frames [m/s], shape (bodies, 3)."""
    tolerance: float
    """Gaps up to this one are closed [m]."""
    exact: bool
    """Whether the solver takes the exact Coulomb law, in which sliding contacts do not lift."""
    place: Indices
    """Of each body among the movable ones, -1 for others, shape (bodies,)."""
    hertz: Hertz | None = None
    """None where no surface is elastic."""
    patches: Patches | None = None
    """Of flexible bodies; None where no law asks for them."""

    @classmethod
    def of(cls, model: Model, masses: Masses, tolerance: float, exact: bool = False) -> ContactLaws | None:
        """Of a model; None where contacts are rigid with friction alone."""
        belts = surface_velocities(model)
        if is_plain(model) and belts is None:
            return None
        patches = Patches.of(model, masses)
        return cls(PairTable.of(model), belts, tolerance, exact, masses.place, Hertz.of(model), patches)

    def known(self, plain: ContactProblem, contacts: Contacts, state: State, h: float, fastest: float) -> Array:
        """What known velocities of bodies and belts add to b [m/s], shape (contacts, 3)."""
        n = contacts.count
        out = (plain.b_lambda[: 3 * n] - contact_offsets(contacts, h, fastest)).reshape(n, 3)
        out[:, 1:] -= belt_slip(self.belts, contacts, state)
        return out

    def snapshot(
        self,
        contacts: Contacts,
        state: State,
        memory: LawMemory | None,
        slip: Array,
        h: float,
        fastest: float,
        bend: ContactBend | None = None,
    ) -> ContactSnapshot:
        """The contacts with their laws and memory; `slip` is that at the beginning of the step, (contacts, 3)."""
        identity = contacts.identity
        known = LawMemory.fresh(identity) if memory is None else turned(memory.at(identity), contacts, state, h)
        laws = self.table.laws(contacts.body_a, contacts.body_b)
        if self.hertz is not None:
            laws = self.hertz.laws(laws, contacts, known.plastic - contacts.gap - h * slip[:, 0])
        return ContactSnapshot(contacts, laws, known, slip, h, self.tolerance, fastest, bend)

    def terms(self, snapshot: ContactSnapshot, state: State, pinned: NDArray[np.bool_]) -> Terms:
        """Of the step, with these contacts yielding."""
        laws, h = snapshot.laws, snapshot.h
        rigid = self.surfaces(snapshot, state)
        normal, shear = (
            compliance(laws.compliance, laws.damping, h, places(snapshot)[0]),
            compliance(laws.tangential_compliance, laws.tangential_damping, h),
        )
        pull, offset = np.where(pinned, 0.0, pulls(snapshot)), offsets(snapshot)
        # A spring by Hertz's law carries the pull of its bond too (see `hertz`).
        offset[:, 0] -= np.where(laws.hertz > 0, normal * pull, 0.0)
        return Terms(
            friction=rigid.friction,
            turn=rigid.turn,
            offset=offset,
            compliance=np.column_stack((normal, shear, shear)),
            pull=pull,
            pinned=pinned,
            push=np.where(pinned, h * laws.yield_force, 0.0),
            lift=rigid.lift,
            rolling=rigid.rolling,
        )

    def surfaces(self, snapshot: ContactSnapshot, state: State) -> Terms:
        """Friction alone, of all kinds, at the level of velocities: what acts in an impact."""
        n = snapshot.count
        mu, turn = turns(snapshot, state, *coefficients(snapshot), self.patches)
        lift = np.zeros(n) if self.exact else mu * np.sqrt((snapshot.slip[:, 1:] ** 2).sum(axis=1))
        rolling = rolling_rows(snapshot, state, self.place, self.patches)
        none, nobody = np.zeros(n), np.zeros(n, dtype=np.bool_)
        return Terms(mu, turn, np.zeros((n, 3)), np.zeros((n, 3)), none, nobody, none, lift, rolling)


def slips(plain: ContactProblem, known: Array, velocity: Array) -> Array:
    """u along (normal, t1, t2), belts included [m/s], shape (contacts, 3)."""
    n = len(known)
    return np.asarray(plain.rows.slips(velocity, np.zeros(plain.contact_rows))[: 3 * n].reshape(n, 3) - known)
