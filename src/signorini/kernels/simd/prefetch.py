"""Software prefetch, for scattered accesses that the hardware prefetcher cannot predict."""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

TO_READ, TO_WRITE, KEEP, DATA = 0, 1, 3, 1
"""Arguments of LLVM's `prefetch`: access, locality (all cache levels), data rather than instructions."""
FIRST = np.uint64(0)
"""The first number of a row."""


def _prefetching(purpose):
    """Code generator of a prefetch."""

    def generate(context, builder, signature, arguments):
        kind = signature.args[0]
        view = context.make_array(kind)(context, builder, arguments[0])
        place = cgutils.get_item_pointer(context, builder, kind, view, list(arguments[1:]), wraparound=False)
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        shape = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        prefetch = builder.module.declare_intrinsic("llvm.prefetch", [byte], shape)
        builder.call(prefetch, [builder.bitcast(place, byte), number(purpose), number(KEEP), number(DATA)])
        return context.get_dummy_value()

    return generate


@intrinsic
def prefetch(typing, array, i, j):
    """Prefetch the cache line of array[i, j], i and j unsigned, for reading; changes nothing but the time."""
    return types.void(array, i, j), _prefetching(TO_READ)


@intrinsic
def prefetch_for_write(typing, array, i, j):
    """The same for writing."""
    return types.void(array, i, j), _prefetching(TO_WRITE)


@intrinsic
def prefetch_scalar(typing, array, i):
    """`prefetch` in an array of one dimension."""
    return types.void(array, i), _prefetching(TO_READ)
