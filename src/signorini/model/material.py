"""Surface properties: the parameters of the contact laws."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

import numpy as np

from signorini.model.checks import LEAST_DIRECTION
from signorini.problem.errors import ModelError

Combine = Literal["min", "max", "mean", "geometric", "product"]
"""How two surfaces make the number of their pair."""


@dataclass(frozen=True)
class Material:
    """What a surface is made of, as far as contact is concerned; the laws are on the page on contact laws.

    Two surfaces in contact make a pair, which has a material of its own: either the one given by
    `Model.set_pair_material`, or `combined(a, b)`.

    Parameters
    ----------
    friction
        Coulomb coefficient of sliding mu [-].
    static_friction
        Coefficient of sticking [-], not below `friction`; None: the same.
    cross_friction
        Coefficient of sliding across `direction` [-]; then `friction` is that along it.
    direction
        Grain of the surface in the frame of its body, for `cross_friction`; its part in the contact plane counts.
    stick_speed
        Surfaces that slip more slowly than this stick, as far as `static_friction` is concerned [m/s]; at steps
        below 5 ms the limit goes with the square of the step.
    rolling_friction
        Torque against rolling, per normal force [m].
    spinning_friction
        Torque against spinning about the normal, per normal force [m].
    restitution
        Share e of the speed (Newton) or of the impulse (Poisson) that an impact gives back, 0 to 1 [-].
    tangential_restitution
        Share of the slip before an impact that friction turns round, as far as its cone allows, 0 to 1 [-].
    rest_speed
        Impacts slower than this do not bounce [m/s].
    compliance
        Approach per normal force [m/N]; 0 is rigid.
    damping
        Of the compliant normal direction [N s/m].
    young
        Young's modulus of an elastic surface [Pa]: balls press into it by Hertz's law; None is rigid.
    poisson
        Its Poisson's ratio [-].
    tangential_compliance
        Shear per tangential force [m/N]; 0 is rigid.
    tangential_damping
        Of the compliant tangential directions [N s/m].
    cohesion
        Largest pull that a closed contact holds [N].
    cohesion_range
        How far a contact stretches at that pull before it breaks [m]; 0 breaks at once.
    heals
        Whether a broken contact holds again after it has closed.
    yield_force
        Push beyond which the contact is dented for good [N]; None: never.
    combine
        Rule for friction, restitution and cohesion of a pair; the default gives way to any other.
    """

    friction: float = 0.4
    static_friction: float | None = None
    cross_friction: float | None = None
    direction: tuple[float, float, float] | None = None
    stick_speed: float = 1e-4
    rolling_friction: float = 0.0
    spinning_friction: float = 0.0
    restitution: float = 0.0
    tangential_restitution: float = 0.0
    rest_speed: float = 0.01
    compliance: float = 0.0
    damping: float = 0.0
    young: float | None = None
    poisson: float = 0.3
    tangential_compliance: float = 0.0
    tangential_damping: float = 0.0
    cohesion: float = 0.0
    cohesion_range: float = 0.0
    heals: bool = True
    yield_force: float | None = None
    combine: Combine = "min"

    def __repr__(self) -> str:
        chosen = ((field.name, getattr(self, field.name), field.default) for field in fields(self))
        given = [f"{name}={value!r}" for name, value, default in chosen if name == "friction" or value != default]
        return f"Material({', '.join(given)})"

    def __post_init__(self) -> None:
        for field in fields(self):
            value: Any = getattr(self, field.name)
            if isinstance(value, np.number):  # such as float32: JSON and comparisons know Python's numbers alone
                object.__setattr__(self, field.name, value.item())
        for name in NOT_NEGATIVE:
            _check(name, getattr(self, name))
        for name in ("static_friction", "cross_friction", "yield_force", "young"):
            if getattr(self, name) is not None:
                _check(name, getattr(self, name))
        if self.restitution > 1:
            raise ModelError(f"restitution is {self.restitution}, expected 0 to 1: more would make energy")
        self._check_tangential_restitution()
        if self.static_friction is not None and self.static_friction < self.friction:
            raise ModelError(
                f"friction is {self.friction} and static_friction is {self.static_friction}: sliding cannot be harder "
                "than starting to slide; give static_friction >= friction"
            )
        if self.combine not in get_args(Combine):
            raise ModelError(f"combine is {self.combine!r}, expected one of {', '.join(get_args(Combine))}")
        self._check_grain()
        self._check_springs()

    def _check_tangential_restitution(self) -> None:
        value = self.tangential_restitution
        if value > 1:
            raise ModelError(f"tangential_restitution is {value}, expected 0 to 1: more would make energy")
        if value > 0 and self.restitution == 0:
            raise ModelError(
                f"tangential_restitution is {value} but restitution is 0: only impacts that bounce turn the slip "
                "round; give restitution > 0"
            )

    def _check_grain(self) -> None:
        if (self.cross_friction is None) != (self.direction is None):
            raise ModelError("cross_friction and direction belong together: give both, or neither")
        if self.direction is None:
            return
        try:
            grain = tuple(float(x) for x in self.direction)
        except (TypeError, ValueError) as error:
            raise ModelError(f"direction is {self.direction!r}, expected three numbers such as (1, 0, 0)") from error
        if len(grain) != 3 or not all(map(math.isfinite, grain)) or not any(grain):
            raise ModelError(f"direction is {self.direction}, expected three finite numbers, not all 0")
        if not LEAST_DIRECTION < max(map(abs, grain)) < 1.0 / LEAST_DIRECTION:
            raise ModelError(f"direction is {self.direction}, too large or too small for one such as (1, 0, 0)")
        object.__setattr__(self, "direction", grain)
        if self.static_friction is not None and self.friction == 0:
            raise ModelError("static_friction with a direction needs friction > 0: their ratio holds across it too")

    def _check_springs(self) -> None:
        for spring, damper in (("compliance", "damping"), ("tangential_compliance", "tangential_damping")):
            elastic = spring == "compliance" and self.young is not None
            if getattr(self, damper) > 0 and getattr(self, spring) == 0 and not elastic:
                raise ModelError(f"{damper} is {getattr(self, damper)} but {spring} is 0: give {spring} > 0 [m/N]")
        if self.restitution > 0 and self.compliance > 0:
            raise ModelError(
                f"restitution is {self.restitution} and compliance is {self.compliance}: a compliant contact bounces "
                "by its spring and damping; drop one of them"
            )
        self._check_elastic()
        if self.cohesion_range > 0 and self.cohesion == 0:
            raise ModelError(f"cohesion_range is {self.cohesion_range} but cohesion is 0; give cohesion > 0 [N]")
        if self.yield_force == 0:
            raise ModelError("yield_force is 0: such a contact carries nothing; expected a number > 0 [N], or None")

    def _check_elastic(self) -> None:
        if self.young is None:
            return
        if self.young == 0 or not self.poisson <= 0.5:
            raise ModelError(f"young is {self.young} and poisson is {self.poisson}, expected > 0 Pa and 0 to 0.5")
        for name in ("restitution", "compliance", "yield_force"):
            if getattr(self, name):
                raise ModelError(f"young and {name} are given: Hertz's law goes with cohesion alone; drop one of them")

    @property
    def plain(self) -> bool:
        """Whether the surface has friction alone, combined by the default rule."""
        return all(getattr(self, field.name) == field.default for field in fields(self) if field.name not in PLAIN)

    @property
    def plane_strain_modulus(self) -> float:
        """E / (1 - nu^2) [Pa]; infinite for rigid surfaces."""
        return math.inf if self.young is None else self.young / (1.0 - self.poisson**2)

    @property
    def reach(self) -> float:
        """How far apart two such surfaces may be and still pull [m]."""
        return self.cohesion_range + self.cohesion * self.compliance


NOT_NEGATIVE = (
    "friction", "stick_speed", "rolling_friction", "spinning_friction", "restitution", "tangential_restitution",
    "rest_speed", "compliance", "poisson",
    "damping", "tangential_compliance", "tangential_damping", "cohesion", "cohesion_range",
)  # fmt: skip
PLAIN = ("friction", "stick_speed", "rest_speed", "heals", "poisson")
"""What a material without further laws may have."""


def _check(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not (math.isfinite(value) and value >= 0):
        raise ModelError(f"{name} is {value}, expected a finite number >= 0")
