"""Which kernel finds the contacts of which pair of kinds.

A kernel is a function `(shapes, placed, first, second, limits, found, k) -> k` that appends the contacts of the pairs
(first, second) to `found` from place k on and returns the next free place.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import NamedTuple

from signorini.kernels.collision.conventions import BOX, CAPSULE, CYLINDER, HALF_SPACE, SPHERE


class PairKernel(NamedTuple):
    """Where the kernel of a pair of kinds is, and how many contacts a pair may have."""

    module: str
    name: str
    most: int


PAIR_KERNELS = {
    (SPHERE, SPHERE): PairKernel("round", "sphere_sphere", 1),
    (SPHERE, CAPSULE): PairKernel("round", "sphere_capsule", 1),
    (CAPSULE, CAPSULE): PairKernel("round", "capsule_capsule", 2),
    (SPHERE, BOX): PairKernel("box", "sphere_box", 1),
    (CAPSULE, BOX): PairKernel("capsule_box", "capsule_box", 3),
    (BOX, BOX): PairKernel("box_box", "box_box", 10),
    (SPHERE, HALF_SPACE): PairKernel("plane", "sphere_half_space", 1),
    (CAPSULE, HALF_SPACE): PairKernel("plane", "capsule_half_space", 2),
    (BOX, HALF_SPACE): PairKernel("plane", "box_half_space", 8),
    (CYLINDER, HALF_SPACE): PairKernel("plane", "cylinder_half_space", 21),
}
"""By (smaller kind, larger kind). Kernels are looked up, and so compiled, when the first such pair comes near."""


@cache
def pair_kernel(kinds: tuple[int, int]) -> Callable[..., int]:
    """The compiled function of a pair of kinds."""
    entry = PAIR_KERNELS[kinds]
    return getattr(import_module(f"signorini.kernels.collision.{entry.module}"), entry.name)  # type: ignore[no-any-return]
