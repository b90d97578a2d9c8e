"""Whether an answer is complete: quick looks of the compiled step, and of the general one."""

from __future__ import annotations

import numpy as np

from signorini.kernels.arena import table
from signorini.kernels.bodies.momentum import change_part
from signorini.kernels.bodies.poses import advance_part
from signorini.kernels.by_address import Convention
from signorini.kernels.compile import kernel
from signorini.kernels.step.detect import place_shapes
from signorini.kernels.step.packed import AT, F1, I1, LOOK_ENTRY, STATE, B, F, LookRules, Scene
from signorini.kernels.step.recheck import may_cross, meets, moving
from signorini.kernels.step.tables import BodyTable, State, StepRules


@kernel
def looks_complete(words, entries, identity, state, end, v, change, approach):
    """Whether it is certain that an answer brings about no contacts but those with these identities.

    `change` and `approach` are those of `Finished`.
    """
    scene, look = table(words, AT.scene, Scene), table(words, AT.look, LookRules)
    h = table(words, AT.rules, StepRules).h
    started = moving(table(words, AT.bodies, BodyTable), state, v)
    place_shapes(scene, started)
    if 2.0 * h * change > scene.margin and meets(scene, entries, identity, started, h, approach, look):
        return False
    return not may_cross(scene, entries, started, end, h, look)


LOOK = Convention((I1, I1, I1, STATE, STATE, F1, F, F), B, looks_complete)
call_look = LOOK.call


@kernel
def is_complete(words, entries, position, orientation, velocity, spin, identity, v, approach):
    """Whether it is certain that a step with velocities v brings about no contacts but those with these identities."""
    if entries[LOOK_ENTRY] == 0:
        return True
    bodies, h, new = table(words, AT.bodies, BodyTable), table(words, AT.rules, StepRules).h, v.reshape(-1, 6)
    # Copies: arrays of Python may be read-only, which is another type.
    state = State(position.copy(), orientation.copy(), velocity.copy(), spin.copy())
    end = State(position.copy(), orientation.copy(), velocity.copy(), spin.copy())
    advance_part(0, 1, bodies.movable, new, h, end.position, end.orientation, end.velocity, end.spin)
    change = np.empty(1)
    change_part(0, 1, bodies.movable, bodies.reach, velocity, spin, new, change)
    arguments = (words, entries, identity.copy(), state, end, v.copy(), change[0], approach)
    return call_look(entries[LOOK_ENTRY], arguments)
