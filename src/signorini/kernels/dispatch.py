"""Two forms of every kernel: machine code for Python, and code to be linked into other kernels.

numba gives each function that a kernel calls all that Python would need to call it too: code that unpacks arguments,
optimised machine code, a file in the cache. Most of ours are called by other kernels alone, and their callers contain
a copy anyway. So each kernel here is a pair: what Python calls, and a twin that other kernels see, which ends as
intermediate code. Both are compiled when they are first needed. A first run takes about a third less time so.
"""

from __future__ import annotations

from typing import Any

from numba.core import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.registry import CPUDispatcher


class LinkedLibrary(JITCodeLibrary):
    """Intermediate code of one kernel and of those it calls; its caller optimises it and makes machine code."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


class LinkedCompiler(Compiler):
    """numba's usual passes, up to intermediate code."""

    def __init__(self, typing: Any, target: Any, library: Any, args: Any, result: Any, flags: Any, names: Any) -> None:
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        super().__init__(typing, target, library, args, result, flags, names)
        self.state.library = LinkedLibrary(self.state.targetctx.codegen(), "linked")


class LinkedDispatcher(CPUDispatcher):
    """The twin of a kernel that other kernels call."""

    def add_overload(self, compiled: Any) -> None:
        """Keep what was compiled for one signature, under a key of its own in place of a machine address."""
        named = compiled._replace(entry_point=object())
        self.targetctx.insert_user_function(named.entry_point, named.fndesc, [named.library])
        self.overloads[tuple(named.signature.args)] = named


class KernelDispatcher(CPUDispatcher):
    """A kernel as Python calls it; kernels that name it get its twin."""

    def __init__(self, function: Any, options: dict[str, Any]) -> None:
        super().__init__(function, targetoptions=options)
        self.linked = LinkedDispatcher(function, targetoptions=options, pipeline_class=LinkedCompiler)
        self.enable_caching()

    @property
    def _numba_type_(self) -> Any:
        return types.Dispatcher(self.linked)
