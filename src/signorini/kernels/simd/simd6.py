"""SIMD: blocks of six by six numbers, one row and column per velocity of a body.

The compiler vectorises long loops, not those of six iterations: a product of two blocks takes 82 to 140 ns as loops and
19 ns as written here. A block is 36 numbers in a row, `block[6 q + r]`.
All arguments are flat float64 arrays and the places in them where blocks or vectors begin.
"""

from __future__ import annotations

from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

SIX = ir.VectorType(ir.DoubleType(), 6)
PLACE = ir.IntType(64)
BLOCK = 36
"""Numbers in a block."""
FUSED = ("contract",)
"""Products and sums may be contracted to fused multiply-adds."""
WIDE = bool(llvm.get_host_cpu_features().get("avx512f", False))
"""Whether there are 32 registers of eight numbers: enough for two blocks and their sums at once."""


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
        """Load six numbers from there on."""
        found = self.builder.load(self.builder.bitcast(self._address(array, place, offset), SIX.as_pointer()))
        found.align = 8
        return found

    def put(self, vector: Any, array: int, place: Any, offset: int = 0) -> None:
        """Store six numbers there."""
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

    def total(self, vector: Any) -> Any:
        """The sum of six numbers: (0 + 3) + (1 + 4) + (2 + 5)."""
        three, nothing = ir.VectorType(ir.IntType(32), 3), ir.Constant(SIX, ir.Undefined)
        low, high = (
            self.builder.shuffle_vector(vector, nothing, ir.Constant(three, [k, k + 1, k + 2])) for k in (0, 3)
        )
        both = self.builder.fadd(low, high)
        a, b, c = (self.builder.extract_element(both, ir.Constant(ir.IntType(32), k)) for k in range(3))
        return self.builder.fadd(self.builder.fadd(a, b), c)

    def _address(self, array: int, place: Any, offset: int) -> Any:
        return self.builder.gep(self._arrays[array], [self.builder.add(place, ir.Constant(PLACE, offset))])


def _subtract_products(w: Writer, targets: list[Any], places: int, count: Any, a: Any, b: Any) -> None:
    """data[targets[k]] -= A'B_k, with the B_k one after another from `b` on: a number of A is read once for all."""
    builder = w.builder
    totals = [[cgutils.alloca_once_value(builder, w.six(0, t, 6 * p)) for p in range(6)] for t in targets]
    with cgutils.for_range(builder, count) as loop:
        place = w.number(places, loop.index, 0)
        left, right = builder.add(place, a), builder.add(place, b)
        sums = [[builder.load(total) for total in block] for block in totals]
        for q in range(6):
            rows = [w.six(0, right, BLOCK * k + 6 * q) for k in range(len(targets))]
            for p in range(6):
                factor = w.same(w.number(0, left, 6 * q + p))
                for block, row in zip(sums, rows, strict=True):
                    block[p] = w.minus(block[p], w.product(factor, row))
        for block, places_of in zip(sums, totals, strict=True):
            for total, place_of in zip(block, places_of, strict=True):
                builder.store(total, place_of)
    for target, places_of in zip(targets, totals, strict=True):
        for p in range(6):
            w.put(builder.load(places_of[p]), 0, target, 6 * p)


@intrinsic
def subtract_products(_typing, data, target, places, count, a, b):
    """data[target] -= A'B for the first `count` of `places`, one after another: blocks A and B, `a` and `b` behind it.

    The target stays in registers for all of them.
    """

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        w = Writer(context, builder, signature, arguments)
        _, target, _, count, a, b = arguments
        _subtract_products(w, [target], 2, count, a, b)
        return w.nothing

    place = types.int64
    return types.void(data, place, places, place, place, place), write


@intrinsic
def subtract_two_products(_typing, data, target, other, places, count, a, b):
    """The same for two targets, the second with the block behind B: both at once where registers suffice."""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        w = Writer(context, builder, signature, arguments)
        _, target, other, _, count, a, b = arguments
        if WIDE:
            _subtract_products(w, [target, other], 3, count, a, b)
        else:
            _subtract_products(w, [target], 3, count, a, b)
            _subtract_products(w, [other], 3, count, a, builder.add(b, ir.Constant(PLACE, BLOCK)))
        return w.nothing

    place = types.int64
    return types.void(data, place, place, places, place, place, place), write


@intrinsic
def divide(_typing, data, factor, x):
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
def subtract_transposed_times(_typing, data, block, v, target, source):
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
def add_row_products(_typing, data, block, v, source, sums):
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
def add_weighted_rows(_typing, data, target, values, a, b, stride, weight, row):
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


@intrinsic
def add_rows_product(_typing, data, target, left, a, right, b, stride):
    """data[target] += A'B for three rows of six at `a` of `left` and at `b` of `right`, `stride` apart."""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        w = Writer(context, builder, signature, arguments)
        _, target, _, a, _, b, stride = arguments
        rows = []
        for _ in range(3):
            rows.append((a, w.six(4, b)))
            a, b = builder.add(a, stride), builder.add(b, stride)
        for p in range(6):
            total = w.six(0, target, 6 * p)
            for place, vector in rows:
                total = w.plus(total, w.product(w.same(w.number(2, place, p)), vector))
            w.put(total, 0, target, 6 * p)
        return w.nothing

    place = types.int64
    return types.void(data, place, left, place, right, place, place), write


@intrinsic
def three_dots(_typing, values, a, stride, v, source):
    """Three rows of six at `a`, `stride` apart, times v[source]: three numbers."""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        w = Writer(context, builder, signature, arguments)
        _, a, stride, _, source = arguments
        vector, found = w.six(3, source), []
        for _ in range(3):
            found.append(w.total(w.product(w.six(0, a), vector)))
            a = builder.add(a, stride)
        return context.make_tuple(builder, signature.return_type, found)

    place = types.int64
    return types.UniTuple(types.float64, 3)(values, place, place, v, place), write


@intrinsic
def add_three_rows(_typing, values, a, stride, x0, x1, x2, v, target):
    """v[target] += x0 A0 + x1 A1 + x2 A2 for three rows of six at `a`, `stride` apart."""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        w = Writer(context, builder, signature, arguments)
        _, a, stride, *factors, _, target = arguments
        total = w.six(6, target)
        for factor in factors:
            total = w.plus(total, w.product(w.same(factor), w.six(0, a)))
            a = builder.add(a, stride)
        w.put(total, 6, target)
        return w.nothing

    place, number = types.int64, types.float64
    return types.void(values, place, place, number, number, number, v, place), write
