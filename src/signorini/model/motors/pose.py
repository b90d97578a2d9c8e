"""A body that is led along a prescribed motion, and what that takes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from signorini.model.body import Motion
from signorini.model.component import JointRows
from signorini.model.coordinate import Frame
from signorini.model.joints.fixed import Fixed
from signorini.model.motion import velocity_at
from signorini.model.state import State


@dataclass(frozen=True, eq=False)
class PrescribedPose:
    """The frame of a body follows `motion(t)`: 6 rows, those of a fixed joint to an invisible body that moves so.

    Unlike a kinematic body it keeps its mass, and its impulses tell what moves it; against contact it is as firm.
    """

    name: str
    body: int
    frame: Frame
    """What follows the motion, in the body."""
    motion: Motion
    """Time [s] -> (position, quaternion)."""

    @property
    def bodies(self) -> tuple[int, ...]:
        """The body alone."""
        return (self.body,)

    def rows(self, state: State) -> JointRows:
        """Six rows: three offsets and three turns, in the axes of the moving frame."""
        position, orientation = self.motion(state.time)
        lead = Frame(np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]))
        pair = State(
            state.time,
            np.stack((position, state.position[self.body])),
            np.stack((orientation, state.orientation[self.body])),
            np.zeros((2, 3)),
            np.zeros((2, 3)),
        )
        rows = Fixed(self.name, 0, 1, lead, self.frame).rows(pair)
        rate = rows.jacobian[:, :6] @ np.concatenate(velocity_at(self.motion, state.time))
        return JointRows(6 * self.body + np.arange(6), rows.jacobian[:, 6:], rows.error, rate)
