"""Tables of arrays handed to kernels as one array of addresses.

A call from Python takes 0.2 us per array, and a step has a hundred of them. Tables that stay where they are between
calls are written down once, as addresses, lengths and numbers, in one array of integers; a kernel makes its
`NamedTuple`s from that (`table`), and hands the array on instead of large ones, which take long to compile. The owner
of an arena keeps its arrays alive and in place.

The fields of a table are declared once, by `declare`: "f1" is an array of float64 with one dimension, "i2" one of int64
with two, "b1" one of booleans, "j1" one of int32; "f", "i" and "b" are numbers; a declared `NamedTuple` stands for
itself, a tuple for a tuple.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

Field = Any
"""A word as above, a declared `NamedTuple`, or a tuple of fields."""
ITEMS = {"f": types.float64, "i": types.int64, "j": types.int32, "b": types.boolean}
DTYPES = {"f": np.dtype(np.float64), "i": np.dtype(np.int64), "b": np.dtype(np.bool_)}
DECLARED: dict[Any, tuple[Field, ...]] = {}
WORD = ir.IntType(64)


def declare(kind: Any, *fields: Field) -> Any:
    """Declare the fields of a `NamedTuple`; its numba type."""
    DECLARED[kind] = fields
    return type_of(kind)


def type_of(word: Field) -> Any:
    """The numba type of a field."""
    if isinstance(word, tuple):
        return types.BaseTuple.from_types([type_of(part) for part in word])
    if word in DECLARED:
        return types.BaseTuple.from_types([type_of(part) for part in DECLARED[word]], word)
    return ITEMS[word] if word in ITEMS else types.Array(ITEMS[word[0]], int(word[1]), "C")


def size_of(word: Field) -> int:
    """How many integers a packed field takes."""
    parts: Any = word if isinstance(word, tuple) else DECLARED.get(word)
    if parts is not None:
        return sum(size_of(part) for part in parts)
    return 1 if word in ITEMS else 1 + int(word[1])


def places_of(kind: Any, at: int = 0) -> Any:
    """A table of a declared kind whose entries are the places of its fields in an arena that has it at a place."""
    sizes = [size_of(word) for word in DECLARED[kind]]
    return kind(*(at + sum(sizes[:k]) for k in range(len(sizes))))


@dataclass
class Arena:
    """Tables packed one after the other; `words` is what kernels get."""

    numbers: list[int] = field(default_factory=list)
    kept: list[Any] = field(default_factory=list)
    """Arrays whose addresses are stored."""

    def add(self, value: Any) -> int:
        """Pack a table of a declared kind; its place."""
        at = len(self.numbers)
        self._pack(DECLARED[type(value)], value)
        return at

    @property
    def words(self) -> Any:
        """All that was packed, int64."""
        return np.array(self.numbers, dtype=np.int64)

    def _pack(self, fields: Sequence[Field], values: Sequence[Any]) -> None:
        for word, value in zip(fields, values, strict=True):
            if isinstance(word, tuple) or word in DECLARED:
                self._pack(DECLARED.get(word, word), value)
            elif word == "i":
                self.numbers.append(int(value))
            elif word == "f":
                self.numbers.append(int(np.float64(value).view(np.int64)))
            else:
                self._pack_array(word, value)

    def _pack_array(self, word: str, array: Any) -> None:
        kind, dimensions = DTYPES[word[0]], int(word[1])
        if array.dtype != kind or array.ndim != dimensions or not (array.flags.c_contiguous and array.flags.writeable):
            raise TypeError(f"an array of {array.dtype} and shape {array.shape} where {word} was declared")
        self.kept.append(array)
        self.numbers += [array.ctypes.data, *array.shape]


@intrinsic
def table(_context: Any, words: Any, at: Any, kind: Any) -> Any:
    """The table of a declared kind at a place of an arena."""
    made = type_of(kind.instance_class)

    def codegen(context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        reader = _Reader(context, builder, context.make_array(words)(context, builder, values[0]).data, values[1])
        return reader.read(made)

    return made(words, at, kind), codegen


@intrinsic(prefer_literal=True)
def array_at(_context: Any, words: Any, _at: Any, word: Any) -> Any:
    """The array at a place of an arena, declared by a word such as "f1"."""
    made = type_of(word.literal_value)

    def codegen(context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        data = context.make_array(words)(context, builder, values[0]).data
        return _Reader(context, builder, data, values[1]).read(made)

    return made(words, types.int64, word), codegen


class _Reader:
    """Writes the instructions that read a table."""

    def __init__(self, context: Any, builder: Any, base: Any, at: Any) -> None:
        self.context, self.builder, self.base, self.at, self.place = context, builder, base, at, 0

    def read(self, made: Any) -> Any:
        if isinstance(made, types.Array):
            return self._array(made)
        if made == types.float64:
            return self.builder.bitcast(self._next(), ir.DoubleType())
        if made == types.int64:
            return self._next()
        return self.context.make_tuple(self.builder, made, [self.read(part) for part in made.types])

    def _next(self) -> Any:
        place = self.builder.add(self.at, ir.Constant(WORD, self.place))
        self.place += 1
        return self.builder.load(self.builder.gep(self.base, [place]))

    def _array(self, made: Any) -> Any:
        array = self.context.make_array(made)(self.context, self.builder)
        size = self.context.get_abi_sizeof(self.context.get_data_type(made.dtype))
        address, shape = self._next(), [self._next() for _ in range(made.ndim)]
        strides: list[Any] = []
        step = ir.Constant(WORD, size)
        for length in reversed(shape):
            strides.insert(0, step)
            step = self.builder.mul(step, length)
        populate_array(
            array, data=self.builder.inttoptr(address, array.data.type), shape=shape, strides=strides,
            itemsize=ir.Constant(WORD, size), meminfo=None,
        )  # fmt: skip
        return array._getvalue()
