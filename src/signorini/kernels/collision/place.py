"""From the state of the bodies to shapes in the world: poses, bounding volumes, speeds."""

from __future__ import annotations

from math import sqrt

import numpy as np

from signorini.kernels.collision.conventions import SPHERE
from signorini.kernels.collision.frames import out_of_frame, rotation_entries
from signorini.kernels.compile import kernel
from signorini.kernels.threads.parts import first_of, parts_of, shared

LEAST = 512
"""Shapes of a part."""


@kernel
def place_sphere(s, shapes, position, velocity, out):
    """A sphere whose centre is the body's: neither rotation nor spin matters."""
    body, radius = shapes.body[s], shapes.param[s, 0]
    for c in range(3):
        out.origin[s, c] = position[body, c]
        out.bounds[s, c] = position[body, c]
        out.bounds[s, 3 + c] = radius
        out.bounds[s, 6 + c] = velocity[body, c]
    out.bounds[s, 9], out.bounds[s, 10] = radius, 0.0


@kernel
def place_general(s, shapes, position, orientation, velocity, angular_velocity, out):
    """Any shape at any local pose."""
    body = shapes.body[s]
    q, p = orientation[body], shapes.orientation[s]
    turn = rotation_entries(q[0], q[1], q[2], q[3])
    r = rotation_entries(
        q[0] * p[0] - q[1] * p[1] - q[2] * p[2] - q[3] * p[3],
        q[0] * p[1] + q[1] * p[0] + q[2] * p[3] - q[3] * p[2],
        q[0] * p[2] - q[1] * p[3] + q[2] * p[0] + q[3] * p[1],
        q[0] * p[3] + q[1] * p[2] - q[2] * p[1] + q[3] * p[0],
    )
    ox, oy, oz = out_of_frame(turn, shapes.position[s, 0], shapes.position[s, 1], shapes.position[s, 2])
    cx, cy, cz = out_of_frame(r, shapes.centre[s, 0], shapes.centre[s, 1], shapes.centre[s, 2])
    wx, wy, wz = out_of_frame(turn, angular_velocity[body, 0], angular_velocity[body, 1], angular_velocity[body, 2])
    lever = (ox + cx, oy + cy, oz + cz)
    swing = (wy * lever[2] - wz * lever[1], wz * lever[0] - wx * lever[2], wx * lever[1] - wy * lever[0])
    local = (ox, oy, oz)
    square = 0.0
    for c in range(3):
        out.origin[s, c] = position[body, c] + local[c]
        out.bounds[s, c] = position[body, c] + lever[c]
        out.bounds[s, 6 + c] = velocity[body, c] + swing[c]
        h = abs(r[3 * c]) * shapes.half[s, 0] + abs(r[3 * c + 1]) * shapes.half[s, 1]
        out.bounds[s, 3 + c] = h + abs(r[3 * c + 2]) * shapes.half[s, 2] + shapes.rounding[s]
        square += shapes.half[s, c] * shapes.half[s, c]
    for c in range(9):
        out.rotation[s, c] = r[c]
    reach = sqrt(square) + shapes.rounding[s]
    out.spin[s] = sqrt(wx * wx + wy * wy + wz * wz)
    out.bounds[s, 9], out.bounds[s, 10] = reach, 0.0 if shapes.kind[s] == SPHERE else out.spin[s] * reach


@kernel
def place_part(part, parts, shapes, centred, position, orientation, velocity, angular_velocity, out):
    """`place` of one part of the shapes."""
    for s in range(first_of(part, parts, len(centred)), first_of(part + 1, parts, len(centred))):
        if centred[s]:
            place_sphere(s, shapes, position, velocity, out)
        else:
            place_general(s, shapes, position, orientation, velocity, angular_velocity, out)


place_by_team = shared(place_part)


@kernel
def place(team, shapes, centred, position, orientation, velocity, angular_velocity, out):
    """Fill `out` for all shapes; `centred` marks spheres about their body's origin."""
    parts = parts_of(len(centred), LEAST)
    place_by_team(team, parts, (parts, shapes, centred, position, orientation, velocity, angular_velocity, out))


@kernel
def half_space(param, placed, s):
    """Outward normal of a half-space and its offset: points with n . x <= offset are in it."""
    o, m = placed.origin[s], param[s]
    nx, ny, nz = out_of_frame(placed.rotation[s], m[0], m[1], m[2])
    return nx, ny, nz, nx * o[0] + ny * o[1] + nz * o[2]


@shared
@kernel
def speed_part(part, parts, bounds, filters, sums):
    """Sums of the velocities of movable shapes and their number, of one part of the shapes."""
    count, mx, my, mz = 0, 0.0, 0.0, 0.0
    for s in range(first_of(part, parts, len(bounds)), first_of(part + 1, parts, len(bounds))):
        if filters[s, 3]:
            count += 1
            mx, my, mz = mx + bounds[s, 6], my + bounds[s, 7], mz + bounds[s, 8]
    sums[part, 0], sums[part, 1], sums[part, 2], sums[part, 3] = mx, my, mz, count


@shared
@kernel
def swelling_part(part, parts, bounds, margin, mean, step, fall, swelling):
    """`swellings` of one part of the shapes."""
    for s in range(first_of(part, parts, len(bounds)), first_of(part + 1, parts, len(bounds))):
        x, y, z = bounds[s, 6] - mean[0], bounds[s, 7] - mean[1], bounds[s, 8] - mean[2]
        own = margin[s, 0] if margin[s, 0] >= 0 else 0.5 * margin[s, 1]
        swelling[s] = own + step * (sqrt(x * x + y * y + z * z) + bounds[s, 10]) + 0.5 * fall


@kernel
def swellings(team, bounds, margin, filters, step, fall, swelling):
    """Half of the widest contact envelope of each shape [m]: swelling[i] + swelling[j] bounds that of the pair.

    Speeds are relative to the mean of all movable shapes, because common motion is no approach.
    """
    parts = parts_of(len(bounds), LEAST)
    sums, total = np.empty((parts, 4)), np.zeros(4)
    speed_part(team, parts, (parts, bounds, filters, sums))
    for part in range(parts):
        total += sums[part]
    mean = total[:3] / max(total[3], 1.0)
    swelling_part(team, parts, (parts, bounds, margin, mean, step, fall, swelling))
