"""Atomic access to shared numbers, waiting, and calls by address."""

from __future__ import annotations

import platform
import sys

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from signorini.kernels.dispatch import linked_form

WORD, BYTE = ir.IntType(64), ir.IntType(8)
ORDER = "seq_cst"
JOB = ir.FunctionType(ir.VoidType(), [BYTE.as_pointer(), WORD])
"""Type of a job: (address of the arguments, number of the part)."""
NUMBER = types.int64
MACHINE = platform.machine()


def _word(context, builder, kind, array, i):
    """Where array[i] lies."""
    view = context.make_array(kind)(context, builder, array)
    return cgutils.get_item_pointer(context, builder, kind, view, [i], wraparound=False)


@intrinsic
def load(typing, array, i):
    """Load array[i] with acquire semantics."""

    def generate(context, builder, signature, arguments):
        return builder.load_atomic(_word(context, builder, signature.args[0], *arguments), ORDER, 8)

    return NUMBER(array, NUMBER), generate


@intrinsic
def store(typing, array, i, value):
    """array[i] = value with release semantics."""

    def generate(context, builder, signature, arguments):
        place = _word(context, builder, signature.args[0], *arguments[:2])
        builder.store_atomic(arguments[2], place, ORDER, 8)
        return context.get_dummy_value()

    return types.void(array, NUMBER, NUMBER), generate


@intrinsic
def add(typing, array, i, value):
    """array[i] += value; returns the previous value."""

    def generate(context, builder, signature, arguments):
        place = _word(context, builder, signature.args[0], *arguments[:2])
        return builder.atomic_rmw("add", place, arguments[2], ORDER)

    return NUMBER(array, NUMBER, NUMBER), generate


@intrinsic
def swap(typing, array, i, old, new):
    """array[i] = new if it is `old`; returns whether it was."""

    def generate(context, builder, signature, arguments):
        place = _word(context, builder, signature.args[0], *arguments[:2])
        return builder.extract_value(builder.cmpxchg(place, *arguments[2:], ORDER, ORDER), 1)

    return types.boolean(array, NUMBER, NUMBER, NUMBER), generate


@intrinsic
def pause(typing):
    """Hint of a spin loop: gives the other hardware thread of this core a moment."""

    def generate(context, builder, signature, arguments):
        if MACHINE in ("x86_64", "AMD64"):
            shape = ir.FunctionType(ir.VoidType(), [])
            builder.call(cgutils.get_or_insert_function(builder.module, shape, "llvm.x86.sse2.pause"), [])
        return context.get_dummy_value()

    return types.void(), generate


def _library_call(name, *numbers):
    """Code generator of a call of the C library with constant numbers."""
    whole = ir.IntType(32)

    def generate(context, builder, signature, arguments):
        if sys.platform != "win32":
            shape = ir.FunctionType(whole, [whole] * len(numbers))
            function = cgutils.get_or_insert_function(builder.module, shape, name)
            builder.call(function, [whole(number) for number in numbers])
        return context.get_dummy_value()

    return generate


@intrinsic
def nap(typing):
    """Sleep for some 100 us."""
    return types.void(), _library_call("usleep", 50)


@intrinsic
def address_of(typing, arguments):
    """Address of a copy of a tuple, good until the function that asks returns."""

    def generate(context, builder, signature, values):
        place = cgutils.alloca_once_value(builder, values[0])
        return builder.ptrtoint(place, WORD)

    return NUMBER(arguments), generate


def job_of(function):
    """An intrinsic: the address of `function(part, *arguments)` as a `JOB`, for arguments of the type of a tuple.

    Kernels do not raise, so no errors are propagated.
    """

    linked = linked_form(function)

    @intrinsic
    def job(typing, arguments):
        wanted = types.Dispatcher(linked).get_call_type(typing, (NUMBER, *arguments.types), {})
        compiled = linked.get_compile_result(wanted)

        def generate(context, builder, signature, values):
            context.active_code_library.add_linking_library(compiled.library)
            return builder.ptrtoint(_unpacking(context, builder.module, compiled.fndesc, signature.args[0]), WORD)

        return NUMBER(arguments), generate

    return job


def _unpacking(context, module, described, kinds):
    """A `JOB` that calls a compiled function with the numbers of a tuple."""
    job = ir.Function(module, JOB, module.get_unique_name(f"job.{described.mangled_name}"))
    job.linkage = "internal"
    builder = ir.IRBuilder(job.append_basic_block())
    whole = builder.load(builder.bitcast(job.args[0], context.get_value_type(kinds).as_pointer()))
    passed = [job.args[1]]
    for k, (kind, wanted) in enumerate(zip(kinds.types, described.argtypes[1:], strict=True)):
        passed.append(context.cast(builder, builder.extract_value(whole, k), kind, wanted))
    function = context.declare_function(module, described)
    context.call_conv.call_function(builder, function, described.restype, described.argtypes, passed)
    builder.ret_void()
    return job


@intrinsic
def call_job(typing, job, arguments, part):
    """Call a `JOB` by its address."""

    def generate(context, builder, signature, values):
        function = builder.inttoptr(values[0], JOB.as_pointer())
        builder.call(function, [builder.inttoptr(values[1], BYTE.as_pointer()), values[2]])
        return context.get_dummy_value()

    return types.void(NUMBER, NUMBER, NUMBER), generate
