"""A nut on a thread."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from signorini.math.cached import cached_property
from signorini.model.component import JointRows
from signorini.model.joints.cylindrical import Cylindrical
from signorini.model.joints.framed import Framed
from signorini.model.joints.rack import Rack
from signorini.model.state import State


@dataclass(frozen=True, eq=False)
class Screw(Framed):
    """A cylindrical joint whose slide follows its angle, `x = pitch theta / 2 pi`: 1 freedom, 5 rows."""

    KIND: ClassVar[str] = "screw joint"
    TURNS: ClassVar[bool] = True
    SLIDES: ClassVar[bool] = True

    pitch: float
    """Advance in one turn [m]; negative for a left-hand thread."""

    @cached_property
    def _sleeve(self) -> Cylindrical:
        return Cylindrical(self.name, self.a, self.b, self.frame_a, self.frame_b)

    @cached_property
    def _thread(self) -> Rack:
        return Rack(self.name, self.angle, self.slide, self.pitch / (2.0 * math.pi))

    def rows(self, state: State) -> JointRows:
        """Four rows of the cylindrical joint, one of the thread."""
        sleeve, thread = self._sleeve.rows(state), self._thread.rows(state)
        last = thread.jacobian[:, np.searchsorted(thread.columns, sleeve.columns)]
        return JointRows(
            sleeve.columns,
            np.vstack((sleeve.jacobian, last)),
            np.concatenate((sleeve.error, thread.error)),
            np.zeros(5),
        )
