"""Small working arrays on the stack: they cost nothing, and kernels that have no others count no references.

They live until the kernel that made them returns: it must not return them. Their number must not grow in a loop, and
their length stays in the thousands: stacks of threads are a few megabytes.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

WORD, BYTES, ALIGNMENT = ir.IntType(64), 8, 16


def _made(context: Any, builder: Any, kind: Any, lengths: list[Any]) -> Any:
    """An array of 8-byte numbers with these lengths."""
    count, strides = ir.Constant(WORD, 1), list[Any]()
    for length in reversed(lengths):
        strides.insert(0, builder.mul(count, ir.Constant(WORD, BYTES)))
        count = builder.mul(count, length)
    array, item = context.make_array(kind)(context, builder), context.get_data_type(kind.dtype)
    room = builder.alloca(item, size=count)
    room.align = ALIGNMENT
    populate_array(
        array, data=room, shape=lengths, strides=strides, itemsize=ir.Constant(WORD, BYTES), meminfo=None
    )  # fmt: skip
    return array._getvalue(), room, builder.mul(count, ir.Constant(WORD, BYTES))


@intrinsic
def vector(_context: Any, _length: Any) -> Any:
    """A vector of float64 with any contents."""
    kind = types.Array(types.float64, 1, "C")
    return kind(types.int64), lambda context, builder, _, given: _made(context, builder, kind, [given[0]])[0]


@intrinsic
def matrix(_context: Any, _rows: Any, _columns: Any) -> Any:
    """A matrix of float64 with any contents."""
    kind = types.Array(types.float64, 2, "C")
    return kind(types.int64, types.int64), lambda context, builder, _, given: _made(
        context, builder, kind, list(given)
    )[0]


@intrinsic
def cube(_context: Any, _layers: Any, _rows: Any, _columns: Any) -> Any:
    """An array of float64 with three dimensions and any contents."""
    kind = types.Array(types.float64, 3, "C")
    return kind(types.int64, types.int64, types.int64), lambda context, builder, _, given: _made(
        context, builder, kind, list(given)
    )[0]


@intrinsic
def integers(_context: Any, _length: Any) -> Any:
    """A vector of int64 with any contents."""
    kind = types.Array(types.int64, 1, "C")
    return kind(types.int64), lambda context, builder, _, given: _made(context, builder, kind, [given[0]])[0]


@intrinsic
def zeros(_context: Any, _length: Any) -> Any:
    """A vector of float64, all 0."""
    kind = types.Array(types.float64, 1, "C")

    def codegen(context: Any, builder: Any, _: Any, given: Any) -> Any:
        array, room, size = _made(context, builder, kind, [given[0]])
        cgutils.memset(builder, room, size, 0)
        return array

    return kind(types.int64), codegen
