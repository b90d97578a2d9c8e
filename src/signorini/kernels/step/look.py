"""Whether an answer of the general step is complete: the quick looks of the compiled one."""

from __future__ import annotations

import numpy as np

from signorini.kernels.arena import table
from signorini.kernels.bodies.momentum import largest_change
from signorini.kernels.bodies.poses import advance_part
from signorini.kernels.compile import kernel
from signorini.kernels.step.calls import StepTables
from signorini.kernels.step.detect import place_shapes
from signorini.kernels.step.recheck import may_cross, meets, moving
from signorini.kernels.step.tables import State


@kernel
def is_complete(words, entries, position, orientation, velocity, spin, identity, v, approach):
    """Whether it is certain that a step with velocities v brings about no contacts but those with these identities."""
    tables = table(words, 0, StepTables)
    scene, bodies, h = tables.scene, tables.bodies, tables.rules.h
    if len(scene.candidates.first) + len(scene.planes) == 0:
        return True
    state, new = State(position, orientation, velocity, spin), v.reshape(-1, 6)
    started = moving(bodies, state, v)
    place_shapes(scene, started)
    change = largest_change(np.empty(0, np.int64), bodies.movable, bodies.reach, velocity, spin, new)
    if 2.0 * h * change > scene.margin and meets(scene, entries, identity, started, h, approach, tables.look):
        return False
    end = State(position.copy(), orientation.copy(), started.velocity, started.spin)
    advance_part(0, 1, bodies.movable, new, h, end.position, end.orientation, end.velocity, end.spin)
    return not may_cross(scene, entries, started, end, h, tables.look)
