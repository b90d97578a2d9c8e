"""Kernels count references of the arrays that they make, and of no others.

numba counts the references of every array that a function touches, also of those that its caller holds anyway: atomic
additions, and calls that do nothing for arrays of an arena. In the step of a small mechanism that took almost half of
the time. Here, arrays that are arguments, or parts of arguments, are held by the caller for as long as the kernel runs.
An array that is made once in a call, outside of loops, is held until the kernel returns, and so are its parts. All of
these are used without counting. What is made in loops is counted as numba does it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numba.core import ir, types
from numba.core.analysis import compute_cfg_from_blocks
from numba.core.compiler_machinery import register_pass
from numba.core.datamodel.registry import default_manager
from numba.core.extending import _Intrinsic
from numba.core.lowering import Lower
from numba.core.typed_passes import BaseNativeLowering

BORROWING = frozenset({"getattr", "static_getitem", "getitem", "cast", "phi", "null", "build_tuple", "getiter",
                       "iternext", "pair_first", "pair_second", "exhaust_iter", "typed_getitem", "undef"})  # fmt: skip
"""Operations whose arrays are parts of arrays that there are already."""
TUPLE: Any = types.BaseTuple
READING = (len, tuple, np.searchsorted)
"""Functions that make no arrays of those that they are given."""


@cache
def holds_arrays(kind: Any) -> bool:
    """Whether values of a type hold arrays, or methods or iterators of arrays."""
    return bool(default_manager[kind].contains_nrt_meminfo())


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


@dataclass(frozen=True)
class Lifetimes:
    """How long the arrays of a function live, by the names of its variables."""

    held: dict[str, set[int]]
    """Those made once and held until the function returns, and the blocks that are reached from there on."""
    borrowed: set[str]
    """Arguments, arrays that are held, and parts of both."""

    @staticmethod
    def of(blocks: Any, typemap: Any, calltypes: Any) -> Lifetimes | None:
        """Of the blocks of a typed function; None where references cannot be followed."""
        unusual = (ir.DelItem, ir.SetAttr, ir.Yield)
        if any(isinstance(each, unusual) for block in blocks.values() for each in block.body) or not all(
            is_plain(kind) for kind in typemap.values()
        ):
            return None
        made, parts = _origins(blocks, typemap, calltypes)
        held, graph = dict[str, set[int]](), compute_cfg_from_blocks(blocks)
        after = {label: _reached(graph, label) for label in blocks}
        for name, labels in made.items():
            if name not in parts and len(labels) == 1 and labels[0] not in after[labels[0]]:
                held[name] = {labels[0], *after[labels[0]]}
        borrowed = {name for name in parts if name not in made}
        while lost := {name for name in borrowed if not all(each in borrowed or each in held for each in parts[name])}:
            borrowed -= lost
        return Lifetimes(held, borrowed)


def _reached(graph: Any, label: int) -> set[int]:
    """Blocks that may be run after a block; itself among them where it is in a loop."""
    found, waiting = set[int](), [label]
    while waiting:
        new = {after for after, _ in graph.successors(waiting.pop())} - found
        found |= new
        waiting.extend(new)
    return found


def _origins(blocks: Any, typemap: Any, calltypes: Any) -> tuple[dict[str, list[int]], dict[str, set[str]]]:
    """Variables that get arrays made for them, and in which blocks; those that get parts, and of which ones.

    What is returned counts as made twice: its reference goes to the caller.
    """
    made, parts = dict[str, list[int]](), dict[str, set[str]]()
    for label, block in blocks.items():
        for statement in block.body:
            if isinstance(statement, ir.Return):
                made[statement.value.name] = [label, label]
            if not isinstance(statement, ir.Assign) or not holds_arrays(typemap[statement.target.name]):
                continue
            name = statement.target.name
            if borrows(statement, typemap, calltypes):
                used = {var.name for var in statement.list_vars()} - {name}
                parts.setdefault(name, set()).update(each for each in used if holds_arrays(typemap[each]))
            else:
                made.setdefault(name, []).append(label)
    return made, parts


def borrows(statement: Any, typemap: Any, calltypes: Any) -> bool:
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


INNER: dict[Any, Any] = {}
"""numba's own functions, compiled without counting."""


class CountingLower(Lower):
    """Writes the instructions of a function; those of statements that only borrow arrays count no references."""

    def init(self) -> None:
        """Find out what is held and borrowed."""
        super().init()
        self._lifetimes = Lifetimes.of(self.blocks, self.fndesc.typemap, self.fndesc.calltypes)
        self._singly_assigned_vars -= set(self._lifetimes.held if self._lifetimes else ())
        self._labels = {id(block): label for label, block in self.blocks.items()}
        self._bare = self.context.subtarget(enable_nrt=False, cached_internal_func=INNER)

    def lower_inst(self, inst: Any) -> None:
        """Write a statement."""
        known, counting = self._lifetimes, self.context
        if known is not None:
            if isinstance(inst, ir.Del) and (inst.value in known.held or inst.value in known.borrowed):
                return
            if isinstance(inst, ir.Return):
                self._give_back(known.held)
            if isinstance(inst, ir.Assign) and self._only_borrows(inst, known.borrowed):
                self.context = self._bare
        try:
            super().lower_inst(inst)
        finally:
            self.context = counting

    def _only_borrows(self, statement: Any, borrowed: set[str]) -> bool:
        """Whether an assignment needs no counting."""
        name, typemap = statement.target.name, self.fndesc.typemap
        if holds_arrays(typemap[name]):
            return name in borrowed
        return borrows(statement, typemap, self.fndesc.calltypes)

    def _give_back(self, held: dict[str, set[int]]) -> None:
        """References to what is held, where a block ends the function."""
        label = self._labels[id(self._cur_ir_block)]
        for name, reached in held.items():
            if label in reached:
                self.decref(self.typeof(name), self.loadvar(name))


@register_pass(mutates_CFG=True, analysis_only=False)
class CountingLowering(BaseNativeLowering):
    """Takes the place of numba's `NativeLowering`."""

    _name: Any = "counting_lowering"

    @property
    def lowering_class(self) -> Any:
        """What writes the instructions."""
        return CountingLower
