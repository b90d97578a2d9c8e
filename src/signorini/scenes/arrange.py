"""Where to put bodies at the start: lattices with jitter, close packings."""

from __future__ import annotations

import numpy as np

from signorini.math.sparse import Array
from signorini.problem.errors import ModelError

X, Y, Z = np.eye(3)
"""Axes of the world."""
ROOM = 1.06
"""Pitch of a lattice over the diameter of what is put there, at least."""


def lattice(count: int, diameter: float, size: tuple[float, float], seed: int, lift: float = 0.0) -> Array:
    """Centres of `count` balls in layers of a square lattice above a rectangle, jittered but apart.

    Parameters
    ----------
    diameter
        Of the (largest) ball [m].
    size
        Sides of the rectangle, which begins at the origin [m].
    lift
        Height of the lowest point of the balls above z = 0, before the jitter [m].

    Returns
    -------
    Array
        [m], shape (count, 3).
    """
    across = [int(side / (ROOM * diameter)) for side in size]
    if min(across) < 1:
        raise ModelError(f"a box of {size[0]:g} m x {size[1]:g} m has no room for balls of {diameter:g} m in diameter")
    pitch = np.array([size[0] / across[0], size[1] / across[1], min(s / n for s, n in zip(size, across, strict=True))])
    pitch[2] = min(pitch[2], 1.2 * diameter)
    per_layer = across[0] * across[1]
    layers = -(-count // per_layer)
    z, y, x = np.indices((layers, across[1], across[0])).reshape(3, -1)[:, :count]
    slack = 0.45 * (pitch - diameter)
    jitter = np.random.default_rng(seed).uniform(-1.0, 1.0, (count, 3)) * slack
    centres = np.column_stack([x + 0.5, y + 0.5, z + 0.5]) * pitch + jitter
    centres[:, 2] += lift
    return np.asarray(centres)


def close_packing(across: int, layers: int, diameter: float) -> Array:
    """Centres of balls at rest in a box of `across` diameters: square layers, each in the hollows of the one below.

    Returns
    -------
    Array
        [m], shape (balls, 3): layers of `across`^2 and `(across - 1)`^2 balls in turn.
    """
    centres = []
    for layer in range(layers):
        inner = layer % 2
        places = (np.arange(across - inner) + 0.5 + 0.5 * inner) * diameter
        y, x = np.meshgrid(places, places, indexing="ij")
        z = np.full(x.size, 0.5 * diameter + layer * diameter / np.sqrt(2.0))
        centres.append(np.column_stack([x.ravel(), y.ravel(), z]))
    return np.concatenate(centres)


def random_quaternions(count: int, seed: int) -> Array:
    """Uniformly distributed orientations, shape (count, 4)."""
    q = np.random.default_rng(seed).normal(size=(count, 4))
    return np.asarray(q / np.linalg.norm(q, axis=1, keepdims=True))
