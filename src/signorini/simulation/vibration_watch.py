"""Warns where the steps of implicit Euler, and no damping of a material, take the energy of vibrations.

Of a linear elastic body a step takes `V(x0) - V(x1) - F(x1) . (x1 - x0) = (x1 - x0)' K (x1 - x0) / 2` beyond what its
forces do.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, field

from signorini.assembly.explicit_limit import longest_step
from signorini.model.flexible_body import FlexibleBody
from signorini.model.model import Model
from signorini.model.state import State
from signorini.stepping.step import DviStep

EVERY = 4
"""Only every n-th step is looked at: elastic energy costs as much as elastic forces."""
MUCH = 0.05
"""Lost energy that is worth a warning, as a share of the largest kinetic energy of the body."""
MOVES = 0.5
"""Bodies whose largest kinetic energy is below this share of their largest elastic energy come to rest under loads."""


@dataclass
class VibrationWatch:
    """Follows the elastic bodies without damping that are stepped by implicit Euler, and warns once."""

    bodies: list[FlexibleBody]
    moved: dict[str, float] = field(default_factory=dict)
    """Body -> largest kinetic energy so far [J]."""
    stored: dict[str, float] = field(default_factory=dict)
    """Body -> largest elastic energy so far [J]."""
    lost: dict[str, float] = field(default_factory=dict)
    """Body -> energy that steps took so far [J]."""

    @classmethod
    def of(cls, model: Model) -> VibrationWatch | None:
        """For the default steps of a model; None where nothing has to be watched."""
        bodies = [body for body in model.flexibles if body.flexible.elastic_weights.new == 1.0 and not _is_damped(body)]
        return cls(bodies) if bodies else None

    def check(self, before: State, step: DviStep) -> None:
        """Look at a step and the state that it began with."""
        if step.number % EVERY or not step.status.ok:
            return
        for body in self.bodies:
            nodes, flexible, name = body.nodes, body.flexible, body.name
            x0, x1, v = before.node_position[nodes], step.state.node_position[nodes], step.state.node_velocity[nodes]
            speed = v.reshape(-1)
            moving = max(self.moved.get(name, 0.0), 0.5 * float(speed @ (flexible.mass @ speed)))
            old, new = flexible.energy(x0), flexible.energy(x1)
            taken = old - new - float(flexible.force(x1, 0.0 * v) @ (x1 - x0).reshape(-1))
            lost, stored = self.lost.get(name, 0.0) + EVERY * max(taken, 0.0), max(self.stored.get(name, 0.0), new)
            self.moved[name], self.stored[name], self.lost[name] = moving, stored, lost
            if lost > MUCH * moving and moving > MOVES * stored:
                self._warn(body, step, lost / moving)
                self.bodies = []
                return

    def _warn(self, body: FlexibleBody, step: DviStep, share: float) -> None:
        limit = longest_step(body)
        explicit = f", or 'explicit' with steps up to {limit:.2g} s" if math.isfinite(limit) else ""
        warnings.warn(
            f"t = {step.state.time:g} s: steps have taken {share:.0%} of the largest kinetic energy of {body.name!r} "
            "out of its vibrations, though its material has no damping: elastic_step='euler', the default, does so. "
            f"To keep that energy: elastic_step='trapezoidal'{explicit}; if it is to die out: stiffness_damping=...",
            stacklevel=2,
        )


def _is_damped(body: FlexibleBody) -> bool:
    dv = body.flexible.tangent(body.position, body.velocity)[1]
    return bool(dv.data.any())
