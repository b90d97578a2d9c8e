"""Products of canonical sparse matrices with vectors, without the overhead of general operators."""

from __future__ import annotations

import numpy as np

from signorini.kernels.linalg import csr
from signorini.math.sparse import Array, Csr
from signorini.problem.errors import ProblemError


def multiply(A: Csr, x: Array) -> Array:
    """A x."""
    return add_product(A, x, np.zeros(A.shape[0]))


def add_product(A: Csr, x: Array, out: Array) -> Array:
    """`out` after `out += A x`."""
    csr.add_product(A.indptr, A.indices, A.data, checked(x, A.shape[1]), out)
    return out


def add_transposed_product(A: Csr, x: Array, out: Array) -> Array:
    """`out` after `out += A' x`."""
    csr.add_transposed_product(A.indptr, A.indices, A.data, checked(x, A.shape[0]), out)
    return out


def multiply_magnitudes(A: Csr, x: Array) -> Array:
    """|A| |x|."""
    out = np.zeros(A.shape[0])
    csr.add_product(A.indptr, A.indices, np.abs(A.data), np.abs(checked(x, A.shape[1])), out)
    return out


def checked(x: Array, size: int, name: str = "vector") -> Array:
    """`x` as kernels need it; they do not check bounds, so a short vector would read beyond its end."""
    if x.shape != (size,):
        raise ProblemError(f"the {name} has shape {x.shape}, expected ({size},)")
    return np.ascontiguousarray(x, dtype=np.float64)


def asymmetry(matrix: Csr) -> float:
    """`max |A - A'| / max |A|` of a canonical matrix, 0 for an empty one."""
    size, difference = csr.symmetry(matrix.indptr, matrix.indices, matrix.data)
    return float(difference / size) if size > 0 else 0.0
