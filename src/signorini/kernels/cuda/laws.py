"""Contact laws of materials on the device: springs and bonds, one thread per contact.

The equations are those of `assembly.laws` (`springs`, `cohesion`, `plasticity`); nothing yields under push here.
"""

from __future__ import annotations

import math

from signorini.kernels.collision import frames
from signorini.kernels.cuda.door import cuda, on_device

FRICTION, COMPLIANCE, DAMPING, SHEAR_COMPLIANCE, SHEAR_DAMPING, COHESION, RANGE, HEALS, SPINNING, ROLLING = range(10)
"""Columns of the table of pairs."""
BONDED, BROKEN, CLOSED = 1.0, 2.0, 4.0
"""Bits of the mode, see `assembly.laws.memory`; kept as a number like the rest of the memory."""
SHEAR, PLASTIC, STRETCH, MODE = 0, 2, 3, 4
"""Rows of the memory of contacts: two shears, plastic part of the gap, stretch of the bond, mode."""
MEMORY = 5
SOLVER_NOISE = 1e-6
"""Impulses that change the slip by less than this share of it are none."""

rotation_entries, out_of_frame = on_device(frames.rotation_entries), on_device(frames.out_of_frame)


@cuda.jit(device=True)
def spin_along(orientation, spin, b, n):
    """World angular velocity of a body along n."""
    q = orientation[b]
    x, y, z = out_of_frame(rotation_entries(q[0], q[1], q[2], q[3]), spin[b, 0], spin[b, 1], spin[b, 2])
    return x * n[0] + y * n[1] + z * n[2]


@cuda.jit(device=True)
def has(mode, bit):
    """Whether a bit is set."""
    return (int(mode) & int(bit)) != 0


@cuda.jit(device=True)
def turn_shear(memory, i, bodies, normal, state, h):
    """Turn the shear of contact i as it turns about its normal: by the mean of the two bodies."""
    if memory[SHEAR, i] == 0.0 and memory[SHEAR + 1, i] == 0.0:
        return
    _, orientation, _, spin = state
    a, b = bodies[0, i], bodies[1, i]
    angle = 0.5 * h * (spin_along(orientation, spin, a, normal) + spin_along(orientation, spin, b, normal))
    c, s, x, y = math.cos(angle), math.sin(angle), memory[SHEAR, i], memory[SHEAR + 1, i]
    memory[SHEAR, i], memory[SHEAR + 1, i] = c * x - s * y, s * x + c * y


@cuda.jit
def terms(bodies, data, surface, table, memory, state, now, friction, offset, compliance, pull):
    """Friction, b along the three directions without known velocities, diagonal of E, and pull h F_c of each contact.

    table has one row per pair of surfaces; now is (step, fastest recovery, gap up to which contacts are closed).
    """
    h, fastest, tolerance = now
    surfaces = int(math.sqrt(float(len(table))) + 0.5)
    for i in range(cuda.grid(1), len(friction), cuda.gridsize(1)):
        law = table[surface[bodies[0, i]] * surfaces + surface[bodies[1, i]]]
        turn_shear(memory, i, bodies, (data[i, 6], data[i, 7], data[i, 8]), state, h)
        gap, mode = data[i, 9] - memory[PLASTIC, i], memory[MODE, i]
        new = (law[HEALS] > 0.0 or not has(mode, BROKEN)) and gap <= tolerance
        bonded = law[COHESION] > 0.0 and (new or has(mode, BONDED))
        e, d = law[COMPLIANCE], law[DAMPING]
        offset[0, i] = min(-gap / h, fastest)
        if e > 0.0:
            offset[0, i] = -gap / (h + d * e if bonded or gap < 0.0 else h)
        time = h + law[SHEAR_DAMPING] * law[SHEAR_COMPLIANCE]
        for c in range(2):
            offset[1 + c, i] = -memory[SHEAR + c, i] / time if law[SHEAR_COMPLIANCE] > 0.0 else 0.0
            compliance[1 + c, i] = law[SHEAR_COMPLIANCE] / (h * time)
        compliance[0, i] = e / (h * h + h * d * e)
        friction[i], pull[i] = law[FRICTION], h * law[COHESION] if bonded else 0.0


@cuda.jit
def remember(bodies, data, surface, table, now, impulse, opening, offset, compliance, mobility, pull, memory, energy):
    """The memory of contacts after a step, and the energy that they store [J].

    impulse and opening (y) are along the three directions, mobility is the normal diagonal of N without springs.
    """
    h, _, tolerance = now
    surfaces = int(math.sqrt(float(len(table))) + 0.5)
    for i in range(cuda.grid(1), len(energy), cuda.gridsize(1)):
        law = table[surface[bodies[0, i]] * surfaces + surface[bodies[1, i]]]
        y, bonded, old = opening[0, i], pull[i] > 0.0, memory[MODE, i]
        lift = law[FRICTION] * math.sqrt(opening[1, i] ** 2 + opening[2, i] ** 2)
        free = max(y - lift, SOLVER_NOISE * (abs(y) + lift))
        closed = (impulse[0, i] + pull[i]) * mobility[i] > free
        drawn = h * max(y, 0.0) if bonded and not closed else 0.0
        before, stretch = memory[PLASTIC, i], memory[STRETCH, i] + drawn if bonded else 0.0
        broken = bonded and stretch > max(law[RANGE], tolerance)
        plastic = before + drawn
        holds = bonded and not broken
        memory[PLASTIC, i] = min(plastic, 0.0) if broken else plastic
        memory[STRETCH, i] = 0.0 if broken else stretch
        mode = BONDED if holds else 0.0
        mode += BROKEN if broken or (has(old, BROKEN) and not bonded) else 0.0
        memory[MODE, i] = mode + (CLOSED if closed else 0.0)
        sheared, stored = closed and law[SHEAR_COMPLIANCE] > 0.0, 0.0
        for c in range(2):
            change = h * (offset[1 + c, i] - compliance[1 + c, i] * impulse[1 + c, i])
            memory[SHEAR + c, i] = memory[SHEAR + c, i] + change if sheared else 0.0
            if sheared:
                stored += memory[SHEAR + c, i] ** 2 / law[SHEAR_COMPLIANCE]
        distance = data[i, 9] + h * (y + offset[0, i] - compliance[0, i] * impulse[0, i])
        if law[COMPLIANCE] > 0.0:
            if closed or holds:
                stored += (before + h * y - distance) ** 2 / law[COMPLIANCE]
        elif holds:
            stored += 2.0 * law[COHESION] * max(distance - memory[PLASTIC, i], 0.0)
        energy[i] = 0.5 * stored
