"""Bodies between two solves: velocities without contact, and poses after a step."""

from __future__ import annotations

import math

from signorini.kernels.bodies import gyroscopic as cpu
from signorini.kernels.bodies import poses
from signorini.kernels.cuda.door import cuda, on_device

part, turn = on_device(cpu._part), on_device(poses.turn)
TURN_PER_PART, MOST_PARTS = cpu.TURN_PER_PART, cpu.MOST_PARTS


@cuda.jit
def free_velocities(rank, weight, inertia, turning, velocity, spin, fall, h, z):
    """Whitened velocities without contact, after weight and free rotation; inertia has three principal moments."""
    start, w = cuda.local.array(3, "f8"), cuda.local.array(3, "f8")
    full = cuda.local.array((3, 3), "f8")
    for b in range(cuda.grid(1), len(rank), cuda.gridsize(1)):
        k = rank[b]
        if k < 0:
            continue
        for c in range(3):
            start[c] = spin[b, c]
        if turning[b]:
            for c in range(3):
                for d in range(3):
                    full[c, d] = inertia[b, c] if c == d else 0.0
            speed = math.sqrt(start[0] ** 2 + start[1] ** 2 + start[2] ** 2)
            parts = int(min(math.ceil(h * speed / TURN_PER_PART), MOST_PARTS))
            for _ in range(parts):
                if not part(full, h / parts, start, w):
                    break
                for c in range(3):
                    start[c] = w[c]
        for c in range(3):
            z[k, c] = (velocity[b, c] + fall[c]) / weight[b, 0]
            z[k, 4 + c] = start[c] / weight[b, 3 + c]
        z[k, 3], z[k, 7] = 0.0, 0.0


@cuda.jit
def advance(rank, weight, z, h, position, orientation, velocity, spin):
    """x += h v, q <- q exp(h w) of movable bodies with the velocities of z, as `poses.advance` does."""
    for b in range(cuda.grid(1), len(rank), cuda.gridsize(1)):
        k = rank[b]
        if k < 0:
            continue
        for c in range(3):
            velocity[b, c], spin[b, c] = z[k, c] * weight[b, 0], z[k, 4 + c] * weight[b, 3 + c]
            position[b, c] += h * velocity[b, c]
        turn(orientation, b, 0.5 * h * spin[b, 0], 0.5 * h * spin[b, 1], 0.5 * h * spin[b, 2])


@cuda.jit
def energies(weight, gravity, position, velocity, spin, kinetic, potential):
    """Of each body [J]; 0 for those that do not move freely."""
    for b in range(cuda.grid(1), len(kinetic), cuda.gridsize(1)):
        kinetic[b], potential[b] = 0.0, 0.0
        if weight[b, 0] == 0.0:
            continue
        mass = 1.0 / (weight[b, 0] * weight[b, 0])
        for c in range(3):
            turned = spin[b, c] / weight[b, 3 + c]
            kinetic[b] += 0.5 * (mass * velocity[b, c] ** 2 + turned * turned)
            potential[b] -= mass * gravity[c] * position[b, c]
