"""Springs and dampers of penalty contacts: those of the settings, or what the materials of a pair say.

A pair whose materials say nothing has the law of `Penalty`. Others replace parts of it, e.g. [m/N], d [N s/m], E*:

    compliance e, damping d     F_n = delta / e + d w
    young, damping d            F_n = 4/3 E* sqrt(R) delta^(3/2) + d w
    tangential_compliance, ...  k_t = 1 / e_t, its damper likewise
    restitution r               zeta such that a ball leaves with r times the speed it came with (`damping_ratio`)
    cohesion F_c over a range   less F_c, fading where the surfaces part, F_c (1 - gap / range); friction as without it
    static_friction             instead of `friction` at contacts that did not slip at the beginning of the step
    surface_velocity            of belts, added to the slip

Forces are functions of the state at the end of a step, so a bond pulls on approach too. Laws that ask for the past
of a contact (yield, bonds that do not heal or have no range), for torques or for a grain are refused.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from signorini.assembly.laws.belt import surface_velocities
from signorini.assembly.laws.hertz import Hertz
from signorini.assembly.laws.sides import sum_over_sides
from signorini.collision.contacts import Contacts
from signorini.math.rotations import rotate
from signorini.math.sparse import Array
from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.pair_table import PairTable, is_plain
from signorini.model.state import State
from signorini.problem.errors import ModelError

if TYPE_CHECKING:
    from signorini.stepping.smooth.penalty import Penalty

REFUSED = ("yield_force", "rolling_friction", "spinning_friction", "cross_friction", "tangential_restitution")
"""Parameters of materials that penalty contacts do not know."""
HERTZ_DAMPING = 0.5 * math.sqrt(5.0)
"""`m x'' + c x^(1/4) x' + K x^(3/2) = 0` is a damped linear oscillator in x^(5/4), with the damping ratio over this."""


@dataclass(frozen=True, eq=False)
class PenaltySprings:
    """Of the contacts of one state, one entry each."""

    stiffness: Array
    """[N/m], of Hertz's law [N/m^(3/2)]."""
    hertz: NDArray[np.bool_]
    """Which go with delta^(3/2)."""
    damping: Array
    """[N s/m], times delta^(1/4) where `fading` [N s/m^(5/4)]."""
    fading: NDArray[np.bool_]
    tangential_stiffness: Array
    """[N/m], times delta^(1/2) where `shallow` [N/m^(3/2)]."""
    shallow: NDArray[np.bool_]
    tangential_damping: Array
    """[N s/m]; negative: `-2 zeta sqrt(m)`, to be multiplied by the root of the stiffness."""
    friction: Array
    """mu [-]."""
    pull: Array
    """F_c [N]."""
    reach: Array
    """Gap over which it fades [m]; 1 where there is no pull."""

    def normal(self, delta: Array, approach: Array) -> tuple[Array, Array, Array]:
        """Push [N] and its derivatives by delta [N/m] and by the speed of approach [N s/m]; the pull is not in it."""
        k, hertz, c = self.stiffness, self.hertz, self.damping
        depth = np.maximum(delta, 0.0)
        soft = np.where(self.fading, depth**0.25, 1.0)
        force = np.where(hertz, k * depth**1.5, k * depth) + c * soft * approach
        slope = np.where(hertz, 1.5 * k * np.sqrt(depth), k)
        deep = np.where(delta > 0.0, delta, 1.0)
        slope = slope + np.where(self.fading, 0.25 * c * soft / deep * approach, 0.0)
        pushing = (force > 0.0) & (delta > 0.0)
        return np.where(pushing, force, 0.0), np.where(pushing, slope, 0.0), np.where(pushing, c * soft, 0.0)

    def pulls(self, delta: Array) -> tuple[Array, Array]:
        """Of bonds: the force along the normal, not positive [N], and its derivative by delta [N/m]."""
        apart = delta < 0.0
        left = np.where(apart, np.maximum(1.0 + delta / self.reach, 0.0), 1.0)
        return -self.pull * left, np.where(apart & (left > 0.0), -self.pull / self.reach, 0.0)

    def sideways(self, delta: Array) -> tuple[Array, Array]:
        """Stiffness [N/m] and damping [N s/m] of the tangential springs."""
        k = self.tangential_stiffness * np.where(self.shallow, np.sqrt(np.maximum(delta, 0.0)), 1.0)
        given = self.tangential_damping
        return k, np.where(given >= 0.0, given, -given * np.sqrt(k))


@dataclass(frozen=True, eq=False)
class PenaltyLaws:
    """What the contacts of a model take from the settings and from materials."""

    settings: Penalty
    table: PairTable | None
    """None where all materials have friction alone."""
    curvature: Hertz | None
    """None where no surface is elastic."""
    belts: Array | None
    """Surface velocities of bodies, in their frames [m/s], shape (bodies, 3)."""
    sticky: bool = False
    """Whether any surface sticks harder than it slides."""
    pulling: bool = False
    """Whether any surface has bonds."""

    @classmethod
    def of(cls, settings: Penalty, model: Model) -> PenaltyLaws:
        """Raises `ModelError` for laws that penalty contacts do not know."""
        belts = surface_velocities(model)
        if is_plain(model):
            return cls(settings, None, None, belts)
        materials = [body.material for _, _, body in model.bodies.kinds]
        materials += [pair.material for pair in model.pair_materials] + [body.material for body in model.flexibles]
        for material in materials:
            _check(material)
        sticky = any(material.static_friction is not None for material in materials)
        pulling = any(material.cohesion > 0 for material in materials)
        return cls(settings, PairTable.of(model), Hertz.of(model), belts, sticky, pulling)

    def near(self, contacts: Contacts) -> NDArray[np.bool_]:
        """Which contacts have a force."""
        if not self.pulling or self.table is None:
            return contacts.gap < 0.0
        laws = self.table.laws(contacts.body_a, contacts.body_b)
        return np.asarray(contacts.gap < np.where(laws.cohesion > 0, laws.cohesion_range, 0.0))

    def springs(self, contacts: Contacts, mass: Array, sticks: NDArray[np.bool_]) -> PenaltySprings:
        """Of contacts between these reduced masses [kg]; `sticks` are those that have their static friction."""
        plain = self._plain(contacts, mass)
        if self.table is None:
            return plain
        laws = self.table.laws(contacts.body_a, contacts.body_b)
        young, e = laws.hertz > 0, laws.compliance
        soft = young | (e > 0)
        stiff = np.divide(1.0, e, out=plain.stiffness.copy(), where=soft)
        if self.curvature is not None:
            stiff = np.where(young, self.curvature.stiffness(laws, contacts), stiff)
        hertz = np.where(soft, young, plain.hertz)
        zeta = np.array([self._zeta(r) for r in laws.restitution.tolist()])
        dampers = 2.0 * np.sqrt(mass)
        sheared = laws.tangential_compliance > 0
        shear = np.divide(1.0, laws.tangential_compliance, out=self.settings.tangential * stiff, where=sheared)
        return replace(
            plain,
            stiffness=stiff,
            hertz=hertz,
            damping=np.where(soft, laws.damping, zeta * dampers * np.sqrt(stiff)),
            fading=hertz & ~soft,
            tangential_stiffness=shear,
            shallow=hertz & ~sheared,
            tangential_damping=np.where(sheared, laws.tangential_damping, -zeta * dampers),
            friction=np.where(sticks, laws.static_friction, laws.friction),
            pull=laws.cohesion,
            reach=np.where(laws.cohesion > 0, laws.cohesion_range, 1.0),
        )

    def belt(self, contacts: Contacts, state: State) -> Array:
        """What belts add to the velocity of a against b, normal part included [m/s], shape (contacts, 3)."""
        if self.belts is None:
            return np.zeros((contacts.count, 3))
        return sum_over_sides(rotate(state.orientation, self.belts), contacts, -1.0)

    def stick_speed(self, contacts: Contacts) -> Array:
        """Slips below this stick, shape (contacts,) [m/s]."""
        assert self.table is not None
        return self.table.laws(contacts.body_a, contacts.body_b).stick_speed

    def static_friction(self, contacts: Contacts) -> Array:
        """mu of what sticks, shape (contacts,) [-]."""
        assert self.table is not None
        return self.table.laws(contacts.body_a, contacts.body_b).static_friction

    def _zeta(self, restitution: float) -> float:
        if restitution == 0.0:
            return self.settings.damping
        return damping_ratio(restitution) * (HERTZ_DAMPING if self.settings.law == "hertz" else 1.0)

    def _plain(self, contacts: Contacts, mass: Array) -> PenaltySprings:
        given, n = self.settings, contacts.count
        k, hertz = np.full(n, given.stiffness), np.full(n, given.law == "hertz")
        return PenaltySprings(
            k, hertz, 2.0 * given.damping * np.sqrt(mass * k), hertz, given.tangential * k, hertz,
            -2.0 * given.damping * np.sqrt(mass), contacts.friction, np.zeros(n), np.ones(n),
        )  # fmt: skip


def _check(material: Material) -> None:
    for name in REFUSED:
        if getattr(material, name):
            raise ModelError(f"a material has {name}, which penalty contacts do not know; take integrator='dvi'")
    if material.cohesion > 0 and (material.cohesion_range == 0 or not material.heals):
        raise ModelError(
            "cohesion of penalty contacts fades over a range and pulls again whenever surfaces are near: give "
            "cohesion_range > 0 [m] and heals=True, or take integrator='dvi'"
        )


@cache
def damping_ratio(restitution: float) -> float:
    """zeta of `x'' + 2 zeta x' + x = 0` that leaves with this share of its speed where its force becomes 0."""
    from scipy.optimize import brentq

    if restitution >= 1.0:
        return 0.0
    return float(np.exp(brentq(lambda x: _left(math.exp(x)) - math.log(restitution), -30.0, 30.0, xtol=1e-12)))


def _left(zeta: float) -> float:
    """Logarithm of the share of the speed [Schwager2007]."""
    if abs(zeta - 1.0) < 1e-9:
        return -2.0
    if zeta < 1.0:
        s = math.sqrt(1.0 - zeta * zeta)
        return -zeta / s * (math.pi - math.atan2(2.0 * zeta * s, 1.0 - 2.0 * zeta * zeta))
    q = math.sqrt(zeta * zeta - 1.0)
    return -zeta / q * 2.0 * math.log(zeta + q)
