"""Packings of equal spheres, roughly cubes."""

from __future__ import annotations

import math

import numpy as np

from signorini.math.sparse import Array

RADIUS, DENSITY, FRICTION = 0.035, 1000.0, 0.4
"""[m], [kg/m3], [-]."""


def packing(count: int, kind: str, shuffled: bool) -> Array:
    """Centres of a hexagonal close or cubic packing with gaps of a thousandth of a radius, roughly a cube.

    A sphere of the one touches twelve others, of the other six: contacts are half as many.
    """
    side = round(count ** (1 / 3))
    i, j, k = np.meshgrid(np.arange(side), np.arange(side), np.arange(math.ceil(count / side**2)), indexing="ij")
    d = 2.002 * RADIUS
    x, y, z = d * i, d * j, d * k
    if kind == "close":
        x, y, z = x + 0.5 * d * ((j + k) % 2), math.sqrt(3) / 2 * (y + (k % 2) / 3 * d), math.sqrt(6) / 3 * z
    rng = np.random.default_rng(0)
    centres = np.stack([x, y, z], axis=-1).reshape(-1, 3) + 1.001 * RADIUS
    centres += 5e-4 * RADIUS * rng.uniform(-1, 1, centres.shape)
    return centres[rng.permutation(len(centres))] if shuffled else centres
