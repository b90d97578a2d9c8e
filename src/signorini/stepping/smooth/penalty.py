"""Contact by a penalty law, for integrators of smooth dynamics."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from signorini.assembly.frames import contact_frames
from signorini.collision.contacts import Contacts
from signorini.collision.detector import Detector
from signorini.math.cached import cached_property
from signorini.math.rotations import matrix
from signorini.math.sparse import Array, Indices
from signorini.math.tangent import skew
from signorini.model.component import ForceTerm
from signorini.model.model import Model
from signorini.model.state import State
from signorini.problem.errors import SolverError
from signorini.stepping.smooth.penalty_springs import PenaltyLaws

LAWS = ("hooke", "hertz")
AT_CAP = 1e-6
"""Relative distance from Coulomb's cap within which a tangential spring is at it: it is put there exactly."""
NO_STRETCH = (np.zeros(0, dtype=np.int64), np.zeros((0, 3)))


@dataclass(frozen=True)
class Penalty:
    """Springs and dampers where bodies overlap by delta, approaching at speed w, with m the reduced mass of the pair::

        hooke   F_n = k delta + 2 zeta sqrt(m k) w
        hertz   F_n = k delta^(3/2) + 2 zeta sqrt(m k) delta^(1/4) w
        F_t = -(k_t xi + 2 zeta sqrt(m k_t) u_t), at most mu F_n, with k_t = tangential k, of hertz times delta^(1/2)

    never pulling (F_n >= 0). xi is the stretch of a tangential spring that follows the contact by its identity and
    slips where the cap of Coulomb is reached. With these dampers restitution depends on zeta alone, not on speed.
    Materials replace what they say something about, see `penalty_springs`.
    """

    name: ClassVar[str] = "penalty"

    stiffness: float = 1e6
    """k [N/m], of hertz [N/m^(3/2)]."""
    law: str = "hooke"
    """`hooke` or `hertz`."""
    damping: float = 0.1
    """zeta, share of critical damping [-]."""
    tangential: float = 2.0 / 7.0
    """Tangential over normal stiffness [-]; 2/7 gives a ball equal periods of both."""

    def __post_init__(self) -> None:
        if self.law not in LAWS:
            raise SolverError(f"law is {self.law!r}, expected one of {', '.join(LAWS)}")
        if not (math.isfinite(self.stiffness) and self.stiffness > 0):
            raise SolverError(f"stiffness is {self.stiffness}, expected a number > 0 such as 1e6 [N/m]")
        if not (math.isfinite(self.damping) and self.damping >= 0):
            raise SolverError(f"damping is {self.damping}, expected a share of critical damping >= 0 such as 0.1")
        if not (math.isfinite(self.tangential) and self.tangential > 0):
            raise SolverError(f"tangential is {self.tangential}, expected a ratio of stiffnesses > 0 such as 2/7")


@dataclass(frozen=True, eq=False)
class PenaltyForces:
    """Forces of all contacts that overlap at one state."""

    contacts: Contacts
    """Those that overlap."""
    force: Array
    """On body a, world [N], shape (contacts, 3)."""
    stretch: Array
    """Of the tangential springs, world [m], shape (contacts, 3)."""
    terms: tuple[ForceTerm, ...]

    def impulses(self, h: float) -> Array:
        """Force times h in the axes (normal, t1, t2) of each contact [N s], shape (contacts, 3)."""
        return np.asarray(h * np.einsum("ckj,cj->ck", contact_frames(self.contacts.normal), self.force))


@dataclass(frozen=True, eq=False)
class PenaltyStep:
    """The contact forces of one step, as a function of the state at its end."""

    laws: PenaltyLaws
    detector: Detector
    inverse_mass: Array
    """Of bodies, then of flexible bodies [1/kg]."""
    h: float
    """[s]."""
    identity: Indices
    """Of springs stretched at the beginning of the step, rising, shape (springs,)."""
    stretch: Array
    """[m], world, shape (springs, 3)."""
    start: State | None = None
    """Of the step; with static friction, contacts that slip there slide."""

    def __call__(self, state: State) -> Sequence[ForceTerm]:
        """For `Dynamics.effort`."""
        return self.at(state).terms

    def at(self, state: State) -> PenaltyForces:
        """Forces, derivatives and new stretches."""
        found = self.detector.detect(state, 0.0)
        contacts = found.taken(self.laws.near(found))
        n, count = contacts.normal, contacts.count
        if count == 0:
            return PenaltyForces(contacts, np.zeros((0, 3)), np.zeros((0, 3)), ())
        columns, B = _velocity_maps(contacts, state)
        u = np.einsum("cij,cj->ci", B, np.where(columns < 0, 0.0, state.velocities[columns]))
        delta = -contacts.gap
        springs = self.laws.springs(contacts, self._reduced_mass(contacts), self._sticks(contacts))
        push, by_depth, by_speed = springs.normal(delta, -np.einsum("ci,ci->c", n, u))
        pull, fades = springs.pulls(delta)
        N = n[:, :, None] * n[:, None, :]
        P = np.eye(3) - N
        k, c = springs.sideways(delta)
        u = u + self.laws.belt(contacts, state)
        stretch = np.einsum("cij,cj->ci", P, self._carried(contacts) + self.h * u)
        slide = np.einsum("cij,cj->ci", P, u)
        trial = -(k[:, None] * stretch + c[:, None] * slide)
        size, cap = np.linalg.norm(trial, axis=1), springs.friction * push
        slips = size > cap
        safe = np.where(size > 0, size, 1.0)
        t = trial / safe[:, None]
        drag = np.where(slips[:, None], cap[:, None] * t, trial)
        held = np.where(k > 0, k, 1.0)
        stretch = np.where(slips[:, None], -(drag + c[:, None] * slide) / held[:, None], stretch)
        stretch = np.where(delta[:, None] > 0.0, stretch, 0.0)
        # Derivatives by displacement and by velocity of the contact point; a sliding force follows the normal one.
        along = np.where(slips, springs.friction, 0.0)[:, None, None] * t[:, :, None] * n[:, None, :]
        across = np.where(slips[:, None, None], (cap / safe)[:, None, None] * (P - t[:, :, None] * t[:, None, :]), P)
        root = np.where(springs.tangential_damping < 0.0, 0.25, 0.0) * c
        deep = springs.shallow & (delta > 0.0) & ~slips
        softer = (0.5 * k[:, None] * stretch + root[:, None] * slide) / np.where(deep, delta, 1.0)[:, None]
        sinking = np.where(deep[:, None], softer, 0.0)
        dx = -by_depth[:, None, None] * (N + along) - fades[:, None, None] * N + sinking[:, :, None] * n[:, None, :]
        du = -by_speed[:, None, None] * (N + along) - (k * self.h + c)[:, None, None] * across
        force = (push + pull)[:, None] * n + drag
        parts = (np.einsum("cij,ci->cj", B, force), *(np.einsum("cki,ckl,clj->cij", B, d, B) for d in (dx, du)))
        return PenaltyForces(
            contacts, force, stretch, tuple(_term(columns[i], *(part[i] for part in parts)) for i in range(count))
        )

    def _sticks(self, contacts: Contacts) -> NDArray[np.bool_]:
        """Which contacts have their static friction: all but those that slip at the beginning of the step."""
        if not self.laws.sticky or self.start is None:
            return np.ones(contacts.count, dtype=np.bool_)
        return ~np.isin(contacts.identity, self._slipping)

    @cached_property
    def _slipping(self) -> Indices:
        """Identities of the contacts that slip at the beginning of the step: their springs are at the cap, and they
        move; a spring that is being stretched moves too, but below its cap."""
        state = self.start
        assert state is not None
        found = self.detector.detect(state, 0.0)
        contacts = found.taken(self.laws.near(found))
        if not contacts.count:
            return contacts.identity
        n, delta = contacts.normal, -contacts.gap
        columns, B = _velocity_maps(contacts, state)
        u = np.einsum("cij,cj->ci", B, np.where(columns < 0, 0.0, state.velocities[columns]))
        springs = self.laws.springs(contacts, self._reduced_mass(contacts), np.zeros(contacts.count, dtype=np.bool_))
        push, k, c = springs.normal(delta, -np.einsum("ci,ci->c", n, u))[0], *springs.sideways(delta)
        u = u + self.laws.belt(contacts, state)
        slide = u - np.einsum("ci,ci->c", n, u)[:, None] * n
        drag = np.linalg.norm(k[:, None] * self._carried(contacts) + c[:, None] * slide, axis=1)
        moves = np.linalg.norm(slide, axis=1) > self.laws.stick_speed(contacts)
        kinetic, static = springs.friction * push, self.laws.static_friction(contacts) * push
        slid = (np.abs(drag - kinetic) <= AT_CAP * kinetic) | (drag >= (1.0 - AT_CAP) * static)
        return np.asarray(contacts.identity[moves & slid])

    def _carried(self, contacts: Contacts) -> Array:
        """Stretches at the beginning of the step, 0 for new contacts."""
        out = np.zeros((contacts.count, 3))
        if len(self.identity):
            at = np.minimum(np.searchsorted(self.identity, contacts.identity), len(self.identity) - 1)
            same = self.identity[at] == contacts.identity
            out[same] = self.stretch[at[same]]
        return out

    def _reduced_mass(self, contacts: Contacts) -> Array:
        return np.asarray(1.0 / (self.inverse_mass[contacts.body_a] + self.inverse_mass[contacts.body_b]))


def inverse_masses(model: Model) -> Array:
    """1/mass of bodies, then of flexible bodies, 0 for those that do not move freely [1/kg]."""
    rigid = [1.0 / body.mass if body.movable else 0.0 for body in model.bodies]
    return np.array([*rigid, *(1.0 / body.mass for body in model.flexibles)])


def _term(columns: Indices, force: Array, dq: Array, dv: Array) -> ForceTerm:
    """Without the unused columns."""
    used = columns >= 0
    both = np.ix_(used, used)
    return ForceTerm(columns[used], force[used], dq[both], dv[both])


def _velocity_maps(contacts: Contacts, state: State) -> tuple[Indices, Array]:
    """Velocity of a against b where they touch: the columns of both, -1 for none, and the shares of these.

    Shapes (contacts, k) and (contacts, 3, k); k is 12, or 24 where flexible bodies take part.
    """
    point = 0.5 * (contacts.point_a + contacts.point_b)
    bodies, rigid = len(state.position), contacts.rigid
    width = 6 if rigid == contacts.count else 12
    columns = np.full((contacts.count, 2, width), -1, dtype=np.int64)
    B = np.zeros((contacts.count, 3, 2, width))
    for side, (body, sign) in enumerate(((contacts.body_a, 1.0), (contacts.body_b, -1.0))):
        solid = np.flatnonzero(body < bodies)
        R = matrix(state.orientation[body[solid]])
        local = np.einsum("cji,cj->ci", R, point[solid] - state.position[body[solid]])
        columns[solid, side, :6] = 6 * body[solid][:, None] + np.arange(6)
        B[solid, :, side, :3] = sign * np.eye(3)
        B[solid, :, side, 3:6] = -sign * R @ skew(local)
        for i in np.flatnonzero(body >= bodies):
            nodes, weights = contacts.sides.nodes[i - rigid, side], contacts.sides.weights[i - rigid, side]
            for m in np.flatnonzero(nodes >= 0):
                columns[i, side, 3 * m : 3 * m + 3] = 6 * bodies + 3 * nodes[m] + np.arange(3)
                B[i, :, side, 3 * m : 3 * m + 3] = sign * weights[m] * np.eye(3)
    return columns.reshape(contacts.count, -1), B.reshape(contacts.count, 3, -1)
