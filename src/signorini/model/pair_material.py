"""The material of a pair of surfaces."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from signorini.model.material import Material
from signorini.problem.errors import ModelError

if TYPE_CHECKING:
    pass

RULES: dict[str, Callable[[float, float], float]] = {
    "min": min,
    "max": max,
    "mean": lambda a, b: 0.5 * (a + b),
    "geometric": lambda a, b: math.sqrt(a * b),
    "product": lambda a, b: a * b,
}
"""By the names of `Material.combine`."""
FIRST, SECOND = 0, 1
"""Which surface of a pair has the grain."""


@dataclass(frozen=True)
class PairOverride:
    """A material given for a pair."""

    first: Material | int
    """A material, or the index of a body."""
    second: Material | int
    material: Material
    """Its direction, if any, is in the frame of the body of `first`."""

    def side(self, a: Surface, b: Surface) -> int | None:
        """FIRST where a plays `first` and b `second`, SECOND the other way round, None where they do not fit."""
        if a.is_(self.first) and b.is_(self.second):
            return FIRST
        return SECOND if a.is_(self.second) and b.is_(self.first) else None

    @property
    def bodies(self) -> int:
        """How many of the two are bodies: the more, the more it counts."""
        return isinstance(self.first, int) + isinstance(self.second, int)


@dataclass(frozen=True)
class Surface:
    """A body as a partner in contact; bodies that no override names share theirs."""

    material: Material
    body: int | None
    """Its index, where an override names it."""

    @classmethod
    def of(cls, index: int, material: Material, named: frozenset[int]) -> Surface:
        """Of a body of a model; `named` are those that overrides speak of."""
        return cls(material, index if index in named else None)

    def is_(self, wanted: Material | int) -> bool:
        """Whether an override means this surface."""
        return self.body == wanted if isinstance(wanted, int) else self.material == wanted


@dataclass(frozen=True)
class PairMaterial:
    """A pair's material, and which of the two surfaces has its grain."""

    material: Material
    grain: int = FIRST


def pair_material(a: Surface, b: Surface, overrides: tuple[PairOverride, ...]) -> PairMaterial:
    """The last override that fits, those that name bodies first; else the combination of the two."""
    for bodies in (2, 1, 0):
        for item in reversed(overrides):
            side = item.side(a, b)
            if item.bodies == bodies and side is not None:
                return PairMaterial(item.material, side)
    return combined(a.material, b.material)


def combined(a: Material, b: Material) -> PairMaterial:
    """The pair of two surfaces.

    Coefficients and restitution follow the rule, and so do lengths and cohesion, whose product would have no meaning:
    there it is the geometric mean. Springs are in series: compliances add up, relaxation times (compliance times
    damping) are averaged by compliance. The weaker surface yields; a bond heals when both do. A compliant pair has no
    restitution: its spring bounces. Only one of the two may have a grain, which then rules the friction of the pair.
    """
    if b.direction is not None and a.direction is None:
        return PairMaterial(combined(b, a).material, SECOND)
    rule = _rule(a, b)
    scalar = RULES[rule]
    length = RULES["geometric" if rule == "product" else rule]
    compliance, shear = a.compliance + b.compliance, a.tangential_compliance + b.tangential_compliance
    friction, static = _frictions(a, b, scalar)
    yields = [m.yield_force for m in (a, b) if m.yield_force is not None]
    cohesion = length(a.cohesion, b.cohesion)
    hertz = _hertz(a, b)
    bounce = 0.0 if compliance > 0 or hertz is not None else scalar(a.restitution, b.restitution)
    back = scalar(a.tangential_restitution, b.tangential_restitution) if bounce > 0 else 0.0
    return PairMaterial(
        Material(
            friction=friction,
            static_friction=None if static <= friction else static,
            cross_friction=a.cross_friction,
            direction=a.direction,
            stick_speed=max(a.stick_speed, b.stick_speed),
            rolling_friction=length(a.rolling_friction, b.rolling_friction),
            spinning_friction=length(a.spinning_friction, b.spinning_friction),
            restitution=bounce,
            tangential_restitution=back,
            rest_speed=max(a.rest_speed, b.rest_speed),
            compliance=compliance,
            damping=max(a.damping, b.damping) if hertz else _series(a.compliance, a.damping, b.compliance, b.damping),
            young=hertz,
            poisson=0.0,
            tangential_compliance=shear,
            tangential_damping=_series(
                a.tangential_compliance, a.tangential_damping, b.tangential_compliance, b.tangential_damping
            ),
            cohesion=cohesion,
            cohesion_range=length(a.cohesion_range, b.cohesion_range) if cohesion > 0 else 0.0,
            heals=a.heals and b.heals,
            yield_force=min(yields, default=None),
            combine="min",
        )
    )


def _hertz(a: Material, b: Material) -> float | None:
    """E* of two elastic surfaces, or of an elastic and a rigid one [Pa]; None where both are rigid."""
    if a.young is None and b.young is None:
        return None
    for one in (a, b):
        if one.compliance or one.yield_force is not None:
            raise ModelError(
                "an elastic surface (young=...) touches one with compliance or yield_force: Hertz's law goes with "
                "cohesion alone; give the pair a material of its own by set_pair_material"
            )
    return 1.0 / (1.0 / a.plane_strain_modulus + 1.0 / b.plane_strain_modulus)


def _frictions(a: Material, b: Material, scalar: Callable[[float, float], float]) -> tuple[float, float]:
    """Kinetic and static coefficient of the pair; a grain, which only `a` may have, rules both."""
    if a.direction is None:
        return scalar(a.friction, b.friction), scalar(_static(a), _static(b))
    if b.direction is not None:
        raise ModelError(
            "two surfaces with a grain (cross_friction and direction) touch, and no rule combines them; say "
            "model.set_pair_material(a, b, Material(...))"
        )
    return a.friction, _static(a)


def _static(material: Material) -> float:
    return material.friction if material.static_friction is None else material.static_friction


def _series(compliance_a: float, damping_a: float, compliance_b: float, damping_b: float) -> float:
    """Damping of two springs with dampers in a row: exact where their relaxation times are equal."""
    total = compliance_a + compliance_b
    if total == 0:
        return 0.0
    time = (compliance_a * compliance_a * damping_a + compliance_b * compliance_b * damping_b) / total
    return time / total


def _rule(a: Material, b: Material) -> str:
    if a.combine == b.combine or b.combine == "min":
        return a.combine
    if a.combine == "min":
        return b.combine
    raise ModelError(
        f"two surfaces that touch want to combine by {a.combine!r} and by {b.combine!r}; give both the same rule, or "
        "say model.set_pair_material(a, b, Material(...))"
    )
