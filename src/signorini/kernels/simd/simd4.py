"""SIMD: packs of four doubles, added and multiplied by one instruction.

Compilers vectorise loops, but not the straight-line code of a contact, so the packs are explicit here. A pack is a
tuple of four numbers in numba and a vector in LLVM, which removes the conversions between the two. Products and sums
may be contracted to fused multiply-adds, as in `fused_kernel`.
"""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

FOUR, THREE = types.UniTuple(types.float64, 4), types.UniTuple(types.float64, 3)
VECTOR, NUMBER = ir.VectorType(ir.DoubleType(), 4), ir.IntType(32)
UNKNOWN, ZEROS = ir.Constant(VECTOR, ir.Undefined), ir.Constant(VECTOR, [0.0] * 4)
BYTES = 8
"""Vectors begin at any number of an array."""
MAY_FUSE = ("contract",)


def _vector(builder, four):
    """LLVM's form of numba's tuple."""
    vector = UNKNOWN
    for k in range(4):
        vector = builder.insert_element(vector, builder.extract_value(four, k), NUMBER(k))
    return vector


def _numbers(context, builder, vector, kind=FOUR):
    """numba's tuple of the first numbers of a vector."""
    numbers = cgutils.get_null_value(context.get_value_type(kind))
    for k in range(kind.count):
        numbers = builder.insert_value(numbers, builder.extract_element(vector, NUMBER(k)), k)
    return numbers


def _chosen(builder, x, y, places):
    """Numbers of x (places 0 to 3) and y (4 to 7)."""
    return builder.shuffle_vector(x, y, ir.Constant(ir.VectorType(NUMBER, 4), places))


def _place(context, builder, kind, array, i, j):
    """Where array[i, j] lies, as the place of a vector."""
    view = context.make_array(kind)(context, builder, array)
    place = cgutils.get_item_pointer(context, builder, kind, view, [i, j], wraparound=False)
    return builder.bitcast(place, VECTOR.as_pointer())


@intrinsic
def load(typing, array, i, j):
    """array[i, j:j + 4], i and j unsigned."""

    def generate(context, builder, signature, arguments):
        vector = builder.load(_place(context, builder, signature.args[0], *arguments))
        vector.align = BYTES
        return _numbers(context, builder, vector)

    return FOUR(array, i, j), generate


@intrinsic
def store(typing, x, array, i, j):
    """array[i, j:j + 4] = x, i and j unsigned."""

    def generate(context, builder, signature, arguments):
        place = _place(context, builder, signature.args[1], *arguments[1:])
        builder.store(_vector(builder, arguments[0]), place).align = BYTES
        return context.get_dummy_value()

    return types.void(x, array, i, j), generate


@intrinsic
def times(typing, x, y):
    """x * y."""

    def generate(context, builder, signature, arguments):
        x, y = (_vector(builder, four) for four in arguments)
        return _numbers(context, builder, builder.fmul(x, y, flags=MAY_FUSE))

    return FOUR(x, y), generate


@intrinsic
def plus(typing, x, y):
    """x + y."""

    def generate(context, builder, signature, arguments):
        x, y = (_vector(builder, four) for four in arguments)
        return _numbers(context, builder, builder.fadd(x, y, flags=MAY_FUSE))

    return FOUR(x, y), generate


@intrinsic
def plus_times(typing, z, x, y):
    """z + x * y."""

    def generate(context, builder, signature, arguments):
        z, x, y = (_vector(builder, four) for four in arguments)
        return _numbers(context, builder, builder.fadd(z, builder.fmul(x, y, flags=MAY_FUSE), flags=MAY_FUSE))

    return FOUR(z, x, y), generate


@intrinsic
def spread(typing, number):
    """The same number four times."""

    def generate(context, builder, signature, arguments):
        first = builder.insert_element(UNKNOWN, arguments[0], NUMBER(0))
        return _numbers(context, builder, _chosen(builder, first, UNKNOWN, [0, 0, 0, 0]))

    return FOUR(number), generate


@intrinsic
def without_last(typing, x):
    """x with 0 in the last place, whatever was there."""

    def generate(context, builder, signature, arguments):
        return _numbers(context, builder, _chosen(builder, _vector(builder, arguments[0]), ZEROS, [0, 1, 2, 4]))

    return FOUR(x), generate


@intrinsic
def sums(typing, x, y, z):
    """The sums of the numbers of x, of y and of z, each as `(x0 + x1) + (x2 + x3)`."""

    def generate(context, builder, signature, arguments):
        x, y, z = (_vector(builder, four) for four in arguments)
        xy = builder.fadd(_chosen(builder, x, y, [0, 4, 2, 6]), _chosen(builder, x, y, [1, 5, 3, 7]))
        zz = builder.fadd(_chosen(builder, z, z, [0, 0, 2, 2]), _chosen(builder, z, z, [1, 1, 3, 3]))
        whole = builder.fadd(_chosen(builder, xy, zz, [0, 1, 4, 5]), _chosen(builder, xy, zz, [2, 3, 6, 7]))
        return _numbers(context, builder, whole, THREE)

    return THREE(x, y, z), generate
