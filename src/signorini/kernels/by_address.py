"""Kernels that call one another by address: each is compiled once, and what calls it is not compiled with it.

numba compiles a kernel together with all kernels that it names. A kernel that only strings large ones together takes
their addresses instead, as numbers (`Convention.entry`): it is compiled in a moment, and each of the large ones is
loaded when it is needed.
"""

from __future__ import annotations

import ctypes
import functools
import time
from collections.abc import Sequence
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.extending import intrinsic

WORD = ir.IntType(64)


class Convention:
    """Types of the arguments and of the answer of kernels that may be called by address.

    `call`, for kernels: `call(address, (argument, ...))`.
    """

    def __init__(self, arguments: Sequence[Any], answer: Any, kernel: Any = None) -> None:
        self.arguments, self.answer, self.kernel = tuple(arguments), answer, kernel
        self.call = self._make_call()
        self._entries: dict[Any, int] = {}

    def entry(self, kernel: Any = None) -> int:
        """The address of a kernel, by default of the one this was made for; it is compiled or loaded once."""
        kernel = self.kernel if kernel is None else kernel
        if kernel not in self._entries:
            self._entries[kernel] = self._loaded(kernel)
        return self._entries[kernel]

    def _loaded(self, kernel: Any) -> int:
        kernel.compile(self.arguments)
        compiled = kernel.overloads[self.arguments]
        if compiled.signature.return_type != self.answer:
            raise TypeError(f"{kernel} returns {compiled.signature.return_type}, expected {self.answer}")
        return int(compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name))

    def _make_call(self) -> Any:
        expected, answer = self.arguments, self.answer

        @intrinsic
        def call(_context: Any, address: Any, given: Any) -> Any:
            if tuple(given.types) != expected:
                wrong = [f"{a} is no {b}" for a, b in zip(given.types, expected, strict=False) if a != b]
                raise TypingError(f"called by address with {len(given.types)} arguments: {'; '.join(wrong)}")

            def codegen(context: Any, builder: Any, _signature: Any, values: Any) -> Any:
                kind = context.call_conv.get_function_type(answer, expected)
                function, parts = (
                    builder.inttoptr(values[0], kind.as_pointer()),
                    cgutils.unpack_tuple(builder, values[1]),
                )
                status, result = context.call_conv.call_function(builder, function, answer, expected, parts)
                with cgutils.if_unlikely(builder, status.is_error):
                    context.call_conv.return_status_propagate(builder, status)
                return result

            return answer(types.int64, given), codegen

        return call


@functools.cache
def clock_entry() -> int:
    """The address of the system's clock, 0 where it has none of this kind."""
    function = getattr(ctypes.CDLL(None), "clock_gettime", None) if hasattr(time, "CLOCK_MONOTONIC") else None
    return 0 if function is None else int(ctypes.cast(function, ctypes.c_void_p).value or 0)


CLOCK = int(getattr(time, "CLOCK_MONOTONIC", 0))


@intrinsic
def seconds_now(_context: Any, address: Any) -> Any:
    """Time of the clock at an address [s], 0 without one."""

    def codegen(_: Any, builder: Any, _signature: Any, values: Any) -> Any:
        room = cgutils.alloca_once_value(builder, ir.Constant(ir.ArrayType(WORD, 2), [0, 0]))
        builder.store(ir.Constant(ir.ArrayType(WORD, 2), [0, 0]), room)
        there = builder.icmp_signed("!=", values[0], ir.Constant(WORD, 0))
        with builder.if_then(there):
            kind = ir.FunctionType(ir.IntType(32), [ir.IntType(32), room.type])
            builder.call(builder.inttoptr(values[0], kind.as_pointer()), [ir.Constant(ir.IntType(32), CLOCK), room])
        parts = [builder.load(cgutils.gep(builder, room, 0, k)) for k in range(2)]
        whole, rest = (builder.sitofp(part, ir.DoubleType()) for part in parts)
        return builder.fadd(whole, builder.fmul(rest, ir.Constant(ir.DoubleType(), 1e-9)))

    return types.float64(types.int64), codegen
