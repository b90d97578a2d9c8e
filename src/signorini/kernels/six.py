"""Blocks of six by six numbers, one row and column per velocity of a body, on the processor's vectors.

The compiler vectorises long loops, not those of six turns, and leaves four fifths of the processor idle: a product of
two blocks takes 82 to 140 ns as loops and 19 ns as written here. A block is 36 numbers in a row, `block[6 q + r]`.
All arguments are flat float64 arrays and the places in them where blocks or vectors begin.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

SIX = ir.VectorType(ir.DoubleType(), 6)
PLACE = ir.IntType(64)
FUSED = ("contract",)
"""A product and the sum it goes into may be rounded once."""


class Writer:
    """Writes the instructions of one function: arrays by their number among its arguments."""

    def __init__(self, context: Any, builder: Any, signature: Any, arguments: Any) -> None:
        self.builder, self.arguments = builder, arguments
        self._arrays = {
            number: make_array(kind)(context, builder, argument).data
            for number, (kind, argument) in enumerate(zip(signature.args, arguments, strict=True))
            if isinstance(kind, types.Array)
        }
        self.nothing = context.get_dummy_value()

    def number(self, array: int, place: Any, offset: int) -> Any:
        """array[place + offset]."""
        return self.builder.load(self._address(array, place, offset))

    def six(self, array: int, place: Any, offset: int = 0) -> Any:
        """Six numbers from there on."""
        found = self.builder.load(self.builder.bitcast(self._address(array, place, offset), SIX.as_pointer()))
        found.align = 8
        return found

    def put(self, vector: Any, array: int, place: Any, offset: int = 0) -> None:
        """Six numbers to there."""
        address = self.builder.bitcast(self._address(array, place, offset), SIX.as_pointer())
        self.builder.store(vector, address).align = 8

    def same(self, number: Any) -> Any:
        """The number six times."""
        nothing, first = ir.Constant(SIX, ir.Undefined), ir.Constant(ir.IntType(32), 0)
        alone = self.builder.insert_element(nothing, number, first)
        return self.builder.shuffle_vector(alone, nothing, ir.Constant(ir.VectorType(ir.IntType(32), 6), [0] * 6))

    def product(self, x: Any, y: Any) -> Any:
        """x y."""
        return self.builder.fmul(x, y, flags=FUSED)

    def plus(self, x: Any, y: Any) -> Any:
        """x + y."""
        return self.builder.fadd(x, y, flags=FUSED)

    def minus(self, x: Any, y: Any) -> Any:
        """x - y."""
        return self.builder.fsub(x, y, flags=FUSED)

    def _address(self, array: int, place: Any, offset: int) -> Any:
        return self.builder.gep(self._arrays[array], [self.builder.add(place, ir.Constant(PLACE, offset))])


@intrinsic
def subtract_product(_typing, data, target, a, b):  # type: ignore[no-untyped-def]
    """data[target] -= A'B, of blocks at those places."""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        w = Writer(context, builder, signature, arguments)
        _, target, a, b = arguments
        rows = [w.six(0, b, 6 * q) for q in range(6)]
        for p in range(6):
            total = w.six(0, target, 6 * p)
            for q in range(6):
                total = w.minus(total, w.product(w.same(w.number(0, a, 6 * q + p)), rows[q]))
            w.put(total, 0, target, 6 * p)
        return w.nothing

    return types.void(data, types.int64, types.int64, types.int64), write


@intrinsic
def divide(_typing, data, factor, x):  # type: ignore[no-untyped-def]
    """X := U'^-1 X for the upper triangular block U at `factor`, whose diagonal holds its inverse."""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        w = Writer(context, builder, signature, arguments)
        _, factor, x = arguments
        rows = [w.six(0, x, 6 * q) for q in range(6)]
        for q in range(6):
            rows[q] = w.product(rows[q], w.same(w.number(0, factor, 7 * q)))
            for p in range(q + 1, 6):
                rows[p] = w.minus(rows[p], w.product(w.same(w.number(0, factor, 6 * q + p)), rows[q]))
            w.put(rows[q], 0, x, 6 * q)
        return w.nothing

    return types.void(data, types.int64, types.int64), write


@intrinsic
def subtract_transposed_times(_typing, data, block, v, target, source):  # type: ignore[no-untyped-def]
    """v[target] -= B'v[source] for the block B of `data`."""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        w = Writer(context, builder, signature, arguments)
        _, block, _, target, source = arguments
        total = w.six(2, target)
        for q in range(6):
            total = w.minus(total, w.product(w.same(w.number(2, source, q)), w.six(0, block, 6 * q)))
        w.put(total, 2, target)
        return w.nothing

    return types.void(data, types.int64, v, types.int64, types.int64), write


@intrinsic
def add_row_products(_typing, data, block, v, source, sums):  # type: ignore[no-untyped-def]
    """sums[6 q + r] += B[q, r] v[source + r] for the block B of `data`: B v, before its rows are summed up."""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        w = Writer(context, builder, signature, arguments)
        _, block, _, source, _ = arguments
        vector, start = w.six(2, source), ir.Constant(PLACE, 0)
        for q in range(6):
            w.put(w.plus(w.six(4, start, 6 * q), w.product(w.six(0, block, 6 * q), vector)), 4, start, 6 * q)
        return w.nothing

    return types.void(data, types.int64, v, types.int64, sums), write


@intrinsic
def add_weighted_rows(_typing, data, target, values, a, b, stride, weight, row):  # type: ignore[no-untyped-def]
    """data[target] += A'WB for three rows of six at `a` and `b` of `values`, `stride` apart, and their weights."""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        w = Writer(context, builder, signature, arguments)
        _, target, _, a, b, stride, _, row = arguments
        rows = []
        for k in range(3):
            rows.append((a, w.product(w.same(w.number(6, row, k)), w.six(2, b))))
            a, b = builder.add(a, stride), builder.add(b, stride)
        for p in range(6):
            total = w.six(0, target, 6 * p)
            for place, vector in rows:
                total = w.plus(total, w.product(w.same(w.number(2, place, p)), vector))
            w.put(total, 0, target, 6 * p)
        return w.nothing

    place = types.int64
    return types.void(data, place, values, place, place, place, weight, place), write
