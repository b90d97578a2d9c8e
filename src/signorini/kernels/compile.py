"""How every kernel is compiled: cached on disk, IEEE arithmetic, no Python objects."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba

from signorini.kernels.dispatch import KernelDispatcher

Kernel = Callable[..., Any]

OPTIONS = {"nopython": True, "boundscheck": None, "nogil": True, "error_model": "numpy"}
FOLDER = Path(__file__).parent
COMPILER = (Path(__file__), FOLDER / "dispatch.py", FOLDER / "bare.py")
IMPORTS = re.compile(r"^from signorini\.kernels\.?([\w.]*) import (\([^)]*\)|[^\n]*)", re.MULTILINE)


@cache
def _text(module: Path) -> str:
    return module.read_text()


@cache
def _imported(module: Path) -> frozenset[Path]:
    """The kernel files that a kernel file names in its imports."""
    found = set[Path]()
    for package, names in IMPORTS.findall(_text(module)):
        place = FOLDER.joinpath(*package.split("."))
        files = [place.with_suffix(".py"), *(place / f"{name}.py" for name in re.findall(r"\w+", names))]
        found.update(file for file in files if file.is_file())
    return frozenset(found)


@cache
def source_stamp(module: Path) -> tuple[str, int]:
    """Digest and size of a kernel file and of all those that it imports, directly or not."""
    files, waiting = set[Path](), [module]
    while waiting:
        file = waiting.pop()
        if file not in files:
            files.add(file)
            waiting.extend(_imported(file))
    text = "".join(_text(file) for file in sorted({*files, *COMPILER}))
    return hashlib.sha256(text.encode()).hexdigest(), len(text)


def _tied_to_sources(compiled: Any) -> Kernel:
    """Let a change of any file that a kernel is made of invalidate its cached machine code.

    numba looks at the file of a function alone, but its machine code holds that of the kernels it calls, which live in
    other files: after an update, callers would go on with the old ones. Contents count, not dates: a copy of the
    package keeps its cache.
    """
    file = getattr(getattr(compiled, "_cache", None), "_cache_file", None)
    if file is not None:
        file._source_stamp = source_stamp(Path(compiled.py_func.__code__.co_filename))
    function: Kernel = compiled
    return function


def is_cached(compiled: Any) -> bool:
    """Whether there is machine code of a kernel on disk, made from the present sources."""
    file = getattr(getattr(compiled, "_cache", None), "_cache_file", None)
    return file is None or bool(file._load_index())


def _compiled(function: Kernel, cached: bool = True, **options: Any) -> Kernel:
    if getattr(numba.config, "DISABLE_JIT", False):  # set by numba at import, unseen by type checkers
        return function
    return _tied_to_sources(KernelDispatcher(function, {**OPTIONS, **options}, cached))


def kernel(function: Kernel) -> Kernel:
    """Compile for one thread. No fast-math: kernels must give the same bits on every run.

    Division follows IEEE (`error_model="numpy"`): no hidden exceptions, shorter code, half the compilation time.
    """
    return _compiled(function)


def part_of_callers(function: Kernel) -> Kernel:
    """Compile for one thread, for kernels alone, which contain it: nothing of its own is kept on disk."""
    return _compiled(function, cached=False)


def fused_kernel(function: Kernel) -> Kernel:
    """Compile for one thread, with contraction of `a * b + c`: for the innermost loops of the first-order solvers.

    A fused product rounds once instead of twice; on one machine the bits are still the same on every run.
    """
    return _compiled(function, fastmath={"contract"})


def inlined(function: Kernel) -> Kernel:
    """Compile into its callers: for a few lines on arrays in an inner loop, where a call costs more than the work."""
    return _tied_to_sources(numba.njit(cache=True, nogil=True, inline="always")(function))


def largest_threads() -> int:
    """How many threads there are."""
    return int(getattr(numba.config, "NUMBA_NUM_THREADS", 1))  # set by numba at import, unseen by type checkers
