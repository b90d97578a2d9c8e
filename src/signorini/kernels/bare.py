"""Kernels that own no memory are compiled without numba's counting of references.

numba counts the references of every array that a function touches, also of those that its caller holds anyway: atomic
additions, and calls that do nothing for arrays of an arena. In the step of a small mechanism that took a third of the
time. A kernel that neither makes nor returns arrays needs none of it: its caller owns them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import ir, types
from numba.core.compiler_machinery import AnalysisPass, register_pass
from numba.core.extending import _Intrinsic

BORROWING = frozenset({"getattr", "static_getitem", "getitem", "cast", "phi", "null", "build_tuple", "getiter",
                       "iternext", "pair_first", "pair_second", "exhaust_iter", "typed_getitem"})  # fmt: skip
"""Operations whose arrays are parts of arrays that there are already."""
TUPLE: Any = types.BaseTuple
READING = (len, tuple, np.searchsorted)
"""Functions that make no arrays of those that they are given."""


def holds_arrays(kind: Any) -> bool:
    """Whether values of a type hold arrays."""
    if isinstance(kind, TUPLE):
        return any(map(holds_arrays, kind.types))
    return isinstance(kind, (types.Array, types.ArrayIterator, types.Pair)) or not is_plain(kind)


def is_plain(kind: Any) -> bool:
    """Whether values of a type are numbers, names of functions and the like, or tuples and arrays of numbers."""
    if isinstance(kind, TUPLE):
        return all(map(is_plain, kind.types))
    if isinstance(kind, types.Array):
        return isinstance(kind.dtype, (types.Number, types.Boolean))
    if isinstance(kind, types.Pair):
        return is_plain(kind.first_type) and is_plain(kind.second_type)
    known = (types.Number, types.Boolean, types.NoneType, types.Omitted, types.RangeType, types.RangeIteratorType,
             types.ArrayIterator, types.UniTupleIter, types.Callable, types.NumberClass, types.SliceType, types.Module,
             types.StringLiteral, types.EllipsisType, types.NamedTupleClass, types.DType)  # fmt: skip
    return isinstance(kind, known)


def owns_no_memory(function: Any, typemap: Any, calltypes: Any, answer: Any) -> bool:
    """Whether a typed function neither makes nor returns arrays."""
    if holds_arrays(answer) or not all(is_plain(kind) for kind in typemap.values()):
        return False
    for block in function.blocks.values():
        for statement in block.body:
            if isinstance(statement, (ir.Raise, ir.StaticRaise, ir.DelItem, ir.SetAttr, ir.Yield)):
                return False
            if isinstance(statement, (ir.SetItem, ir.StaticSetItem)) and holds_arrays(typemap[statement.value.name]):
                return False
            if isinstance(statement, ir.Assign) and not _borrows(statement, typemap, calltypes):
                return False
    return True


def _borrows(statement: Any, typemap: Any, calltypes: Any) -> bool:
    """Whether an assignment makes no array."""
    value, kind = statement.value, typemap[statement.target.name]
    if not isinstance(value, ir.Expr):
        return isinstance(value, (ir.Arg, ir.Var, ir.Const, ir.Global, ir.FreeVar))
    if value.op == "call":
        return _call_borrows(value, typemap, calltypes, kind)
    if value.op == "getitem" and holds_arrays(typemap[value.index.name]):
        return False
    if value.op == "binop" and isinstance(kind, TUPLE):
        return True  # one tuple after the other
    return value.op in BORROWING or not (
        holds_arrays(kind) or any(holds_arrays(typemap[var.name]) for var in value.list_vars())
    )


def _call_borrows(call: Any, typemap: Any, calltypes: Any, kind: Any) -> bool:
    called, given = typemap[call.func.name], calltypes[call].args
    if isinstance(called, types.Dispatcher):
        return not holds_arrays(kind)
    if isinstance(called, types.BoundFunction):
        return called.typing_key == "array.reshape"
    if isinstance(called, types.NamedTupleClass):
        return True
    key = getattr(called, "typing_key", None)
    if isinstance(key, _Intrinsic):
        # Arrays of own intrinsics belong to an arena or to the stack; kernels called by address may make some.
        return key._name != "call" or not holds_arrays(kind)
    return key in READING or not (holds_arrays(kind) or any(holds_arrays(part) for part in given))


@register_pass(mutates_CFG=False, analysis_only=True)
class WithoutReferences(AnalysisPass):
    """Turns counting of references off where a function owns no memory."""

    _name = "without_references"

    def __init__(self) -> None:
        AnalysisPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """Look at one function."""
        if owns_no_memory(state.func_ir, state.typemap, state.calltypes, state.return_type):
            state.targetctx = state.targetctx.subtarget(enable_nrt=False)
        return False
