"""Angles and positions of joints, and their rates, as arrays: what a controller reads."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from signorini.kernels.bodies.coordinate_rates import coordinate_rates
from signorini.math.sparse import Array
from signorini.model.coordinate import Coordinates
from signorini.model.joints.framed import Framed
from signorini.model.model import Model
from signorini.model.state import State
from signorini.problem.errors import ModelError, suggestion


class JointReadings:
    """Joints that turn or slide, in the order of the model: `sim.joints.position`, `sim.joints.velocity`.

    The coordinate of a joint is its angle [rad], known within two turns, or for a slide its position [m]; a joint that
    does both is read by its angle. All are 0 where the model was built.
    """

    def __init__(self, model: Model, now: Callable[[], State]) -> None:
        joints = [joint for joint in model.joints if isinstance(joint, Framed) and (joint.TURNS or joint.SLIDES)]
        coordinates = [joint.angle if joint.TURNS else joint.slide for joint in joints]
        self.names = tuple(joint.name for joint in joints)
        """In the order of the arrays."""
        self.coordinates = tuple(coordinates)
        """In the same order."""
        self._table, self._now = Coordinates.of(coordinates), now

    def __repr__(self) -> str:
        return f"JointReadings({len(self.names)} joints)"

    @property
    def position(self) -> Array:
        """[rad or m], shape (joints,)."""
        return self._table.evaluate(self._now())[0]

    @property
    def velocity(self) -> Array:
        """[rad/s or m/s], shape (joints,)."""
        state = self._now()
        jacobian = self._table.evaluate(state)[1]
        return np.asarray(coordinate_rates(self._table.body, jacobian, state.velocity, state.angular_velocity))

    def index(self, name: str) -> int:
        """Place of a joint in the arrays."""
        if name not in self.names:
            raise ModelError(
                f"no joint named {name!r} turns or slides{suggestion(name, list(self.names), 'there are')}"
            )
        return self.names.index(name)
