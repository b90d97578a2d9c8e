"""Two forms of every kernel: machine code for Python, and code to be linked into other kernels.

numba gives each function that a kernel calls all that Python would need to call it too: code that unpacks arguments,
optimised machine code, a file in the cache. Most of ours are called by other kernels alone, and their callers contain
a copy anyway. So each kernel here is a pair: what Python calls, and a twin that other kernels see, which ends as
intermediate code. Both are compiled when they are first needed. A first run takes about a third less time so.

A compilation makes hundreds of thousands of objects that stay, and the cyclic garbage collector would go through them
again and again: it pauses meanwhile.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.registry import CPUDispatcher
from numba.core.typed_passes import NativeLowering
from numba.extending import overload

from signorini.kernels.bare import CountingLowering


@contextmanager
def collector_paused() -> Iterator[None]:
    """Without cyclic garbage collection, which goes on afterwards if it was on."""
    collected = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collected:
            gc.enable()


class LinkedLibrary(JITCodeLibrary):
    """Intermediate code of one kernel and of those it calls; its caller optimises it and makes machine code."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


class KernelCompiler(CompilerBase):
    """numba's usual passes, but for references, which are counted where they have to be."""

    def define_pipelines(self) -> list[Any]:
        """The passes."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [(CountingLowering if kind is NativeLowering else kind, why) for kind, why in passes.passes]
        passes.finalize()
        return [passes]


def answers_for(function: Any) -> Any:
    """Decorator: chooses by types the kernel that kernels call under the name of a function (numba's `overload`)."""
    options: Any = {"pipeline_class": KernelCompiler}
    return overload(function, jit_options=options)


class LinkedCompiler(KernelCompiler):
    """The same up to intermediate code."""

    def __init__(self, typing: Any, target: Any, library: Any, args: Any, result: Any, flags: Any, names: Any) -> None:
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        super().__init__(typing, target, library, args, result, flags, names)
        self.state.library = LinkedLibrary(self.state.targetctx.codegen(), "linked")


class LinkedDispatcher(CPUDispatcher):
    """The twin of a kernel that other kernels call."""

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """How a call is typed: by the types of the arguments, not by their values, which would mean a copy for each."""
        named = {name: types.unliteral(kind) for name, kind in kws.items()}
        return super().get_call_template(tuple(types.unliteral(kind) for kind in args), named)

    def add_overload(self, compiled: Any) -> None:
        """Keep what was compiled for one signature, under a key of its own in place of a machine address."""
        named = compiled._replace(entry_point=object())
        self.targetctx.insert_user_function(named.entry_point, named.fndesc, [named.library])
        self.overloads[tuple(named.signature.args)] = named


class KernelDispatcher(CPUDispatcher):
    """A kernel as Python calls it; kernels that name it get its twin."""

    def __init__(self, function: Any, options: dict[str, Any], cached: bool = True) -> None:
        super().__init__(function, targetoptions=options, pipeline_class=KernelCompiler)
        self.linked = LinkedDispatcher(function, targetoptions=options, pipeline_class=LinkedCompiler)
        if cached:
            self.enable_caching()

    def compile(self, sig: Any) -> Any:
        """Machine code for a signature, from the cache or new."""
        with collector_paused():
            return super().compile(sig)

    @property
    def _numba_type_(self) -> Any:
        return types.Dispatcher(self.linked)


def linked_form(function: Any) -> Any:
    """What kernels call under the name of a kernel; Python's function itself where nothing is compiled."""
    return getattr(function, "linked", function)
