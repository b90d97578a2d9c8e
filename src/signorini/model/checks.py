"""Checks of what a user types: each error says what was found and what was expected."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from signorini.math.sparse import Array
from signorini.problem.errors import ModelError

SHORTEST_QUATERNION = 1e-9
"""Below this norm a quaternion is taken for zero: its direction would be round-off."""
LEAST_DIRECTION = 1e-100
"""Directions shorter than this, or longer than its inverse, are refused: their squares over- or underflow."""
LARGEST = 1e60
"""Sizes, masses and the like beyond this are refused: volumes and moments would overflow."""
UNIT = 4e-16
"""Directions whose length is this near to 1 have length 1."""
ROUND_OFF = 1e-9
"""Relative slack of symmetry and of the triangle inequality of inertias."""


def positive(value: float, what: str) -> float:
    """A finite number > 0."""
    number = _number(value, what)
    if not (math.isfinite(number) and number > 0):
        raise ModelError(f"{what} is {number}, expected a finite number > 0")
    return _not_absurd(number, what)


def finite(value: float, what: str) -> float:
    """A finite number."""
    number = _number(value, what)
    if not math.isfinite(number):
        raise ModelError(f"{what} is {number}, expected a finite number")
    return number


def not_negative(value: float, what: str) -> float:
    """A finite number >= 0."""
    number = _number(value, what)
    if not (math.isfinite(number) and number >= 0):
        raise ModelError(f"{what} is {number}, expected a finite number >= 0")
    return number


def vector(value: Any, what: str, size: int = 3) -> Array:
    """A fresh finite vector of `size` numbers."""
    result = numbers(value, what)
    if result.shape != (size,):
        raise ModelError(f"{what} has shape {result.shape}, expected ({size},)")
    if not all(map(math.isfinite, result.tolist())):
        raise ModelError(f"{what} is {result.tolist()}, expected {size} finite numbers")
    return result


def finite_vector(value: Any, what: str) -> Array:
    """A fresh, read-only vector of finite numbers of any length."""
    result = numbers(value, what)
    if result.ndim != 1:
        raise ModelError(f"{what} has shape {result.shape}, expected a row of numbers")
    if not np.isfinite(result).all():
        k = int(np.argmin(np.isfinite(result)))
        raise ModelError(f"{what}: number {k} is {result[k]}, expected a finite one")
    result.setflags(write=False)
    return result


def unit_vector(value: Any, what: str) -> Array:
    """A direction, scaled to length 1."""
    result = vector(value, what)
    largest = float(np.abs(result).max())
    if largest == 0.0:
        raise ModelError(f"{what} is the zero vector, expected a direction such as (0, 0, 1)")
    if not LEAST_DIRECTION < largest < 1.0 / LEAST_DIRECTION:
        raise ModelError(f"{what} is {result.tolist()}, too large or too small for a direction such as (0, 0, 1)")
    length = float(np.linalg.norm(result))
    # What was scaled before stays as it is: directions of a record come back bit for bit.
    return result if abs(length - 1.0) <= UNIT else result / length


def bits(value: Any, what: str) -> int:
    """A bit field of 64 bits: the most that loops over pairs compare."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise ModelError(f"{what} is {value!r}, expected an integer of bits")
    if not -(2**63) <= int(value) < 2**63:
        raise ModelError(f"{what} is {value}, expected an integer of 64 bits")
    return int(value)


def quaternion(value: Any, what: str) -> Array:
    """A rotation (w, x, y, z), scaled to length 1."""
    result = vector(value, what, size=4)
    _not_absurd(float(np.abs(result).max()), what)
    length = math.sqrt(float(result @ result))
    if length < SHORTEST_QUATERNION:
        raise ModelError(f"{what} is {result.tolist()}, expected a non-zero (w, x, y, z); no rotation is (1, 0, 0, 0)")
    return result / length


def positive_sizes(value: Any, what: str, size: int = 3) -> tuple[float, ...]:
    """`size` finite numbers > 0."""
    result = vector(value, what, size)
    if result.min() <= 0:
        raise ModelError(f"{what} is {result.tolist()}, expected {size} numbers > 0")
    _not_absurd(float(result.max()), what)
    return tuple(result.tolist())


def points(value: Any, what: str) -> Array:
    """Finite points, shape (n, 3); a fresh, read-only array."""
    result = numbers(value, what)
    if result.ndim != 2 or result.shape[1] != 3:
        raise ModelError(f"{what} has shape {result.shape}, expected (points, 3)")
    bad = np.flatnonzero(~np.isfinite(result).all(axis=1))
    if len(bad):
        raise ModelError(f"{what}: point {bad[0]} is {result[bad[0]].tolist()}, expected finite numbers")
    result.setflags(write=False)
    return result


def numbers(value: Any, what: str) -> Array:
    """A fresh float64 array of any shape."""
    try:
        return np.array(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ModelError(f"{what} is {value!r}, expected numbers") from error


def inertia_tensor(value: Any, what: str) -> Array:
    """Symmetric positive definite, and one that a distribution of mass can have; three numbers are its diagonal."""
    given = numbers(value, what)
    if given.shape == (3,):
        given = np.diag(given)
    if given.shape != (3, 3):
        raise ModelError(f"{what} has shape {given.shape}, expected (3, 3), or (3,) for the diagonal")
    if not np.isfinite(given).all():
        raise ModelError(f"{what} is {given.tolist()}, expected finite numbers")
    if np.abs(given - given.T).max() > ROUND_OFF * np.abs(given).max():
        raise ModelError(f"{what} is {given.tolist()}, expected a symmetric matrix")
    symmetric = np.asarray(0.5 * (given + given.T))
    low, middle, high = np.linalg.eigvalsh(symmetric).tolist()
    if low <= 0:
        raise ModelError(f"{what} has principal moments {low:g}, {middle:g}, {high:g}, expected all > 0")
    if high > (low + middle) * (1 + ROUND_OFF):
        raise ModelError(
            f"{what} has principal moments {low:g}, {middle:g}, {high:g}: no solid has one larger than the sum of the "
            "other two; check the units, and that the moments are about the centre of mass"
        )
    return symmetric


def _not_absurd(number: float, what: str) -> float:
    """The number, if its powers are finite too."""
    if number > LARGEST:
        raise ModelError(f"{what} is {number:g}, expected a number below {LARGEST:g}: check the units")
    return number


def _number(value: Any, what: str) -> float:
    try:
        return float(value)
    except (TypeError, ValueError) as error:
        raise ModelError(f"{what} is {value!r}, expected a number") from error
