"""The door to the GPU: numba's CUDA compiler, CuPy for sorts and sums, scalar kernels compiled for the device.

With `NUMBA_ENABLE_CUDASIM=1` numba simulates the device in Python and numpy stands in for CuPy: enough for tests.
"""

from __future__ import annotations

import types
from importlib import import_module
from typing import Any

import numba
import numpy as np

vars(np).setdefault("row_stack", np.vstack)  # numba-cuda 0.30 asks for a name that numpy 2.5 removed

cuda: Any = import_module("numba.cuda")

SIMULATED = bool(vars(numba.config).get("ENABLE_CUDASIM", False))
xp: Any = np if SIMULATED else import_module("cupy")
"""Arrays of the device."""

BLOCK, TOGETHER = 128, 256
"""Threads of a block, and of one whose kernel waits for all others: fewer blocks, shorter waits."""

BYTES_PER_BODY = 3500
"""Of a pile with three contacts per body, measured on a million and ten million spheres."""
MOST_RATIO = 4
"""Of the speeds in single and double precision, on GPUs made for double precision."""

_made: dict[Any, Any] = {}


def on_device(function: Any) -> Any:
    """A scalar kernel of another room as a device function; the kernels that it calls are taken along."""
    if function not in _made:
        plain = function.py_func
        names = {name: plain.__globals__[name] for name in plain.__code__.co_names if name in plain.__globals__}
        names = {name: on_device(value) if hasattr(value, "py_func") else value for name, value in names.items()}
        copied = types.FunctionType(
            plain.__code__,
            {"__builtins__": __builtins__, **names},
            plain.__name__,
            plain.__defaults__,
            plain.__closure__,
        )
        copied.__module__, copied.__qualname__ = __name__, plain.__qualname__
        _made[function] = cuda.jit(device=True)(copied)
    return _made[function]


def launch(kernel: Any, count: int, *arguments: Any) -> None:
    """Run a kernel whose threads share `count` items (grid-stride loops)."""
    if count:
        blocks, threads = (1, 2) if SIMULATED else ((count + BLOCK - 1) // BLOCK, BLOCK)
        kernel[int(min(blocks, 1 << 20)), threads](*arguments)


def launch_together(kernel: Any, *arguments: Any) -> None:
    """Run a kernel whose blocks wait for one another (`cg.this_grid().sync()`): as many as the device holds at once."""
    if SIMULATED:
        kernel[1, 2](*arguments)
        return
    if kernel not in _made:
        kernel.compile(numba_signature(kernel, arguments))
        overload = next(iter(kernel.overloads.values()))
        _made[kernel] = int(overload.max_cooperative_grid_blocks(TOGETHER))
    kernel[_made[kernel], TOGETHER](*arguments)


def numba_signature(kernel: Any, arguments: tuple[Any, ...]) -> Any:
    """Types of the arguments."""
    return tuple(kernel.typeof_pyval(argument) for argument in arguments)


def device_trouble(wanted: int = 0) -> str:
    """Why there is no GPU to work with, in words; empty where there is one with so many bytes to spare."""
    if SIMULATED:
        return ""
    if not cuda.is_available():
        return "no NVIDIA GPU was found; is its driver installed (nvidia-smi shows it)?"
    device = cuda.get_current_device()
    if device.compute_capability < (6, 0):
        return f"the GPU {device.name} has compute capability {device.compute_capability}, expected 6.0 or more"
    free = int(xp.cuda.runtime.memGetInfo()[0]) + int(xp.get_default_memory_pool().free_bytes())
    return memory_trouble(wanted, free)


def memory_trouble(wanted: int, free: int) -> str:
    """What is wrong where fewer bytes are free than wanted, in words."""
    if wanted <= free:
        return ""
    return f"the model wants some {wanted:,} bytes ({BYTES_PER_BODY:,} per body), the GPU has {free:,} free"


def slow_doubles() -> int:
    """How many times as slow as single precision a GPU is in double precision, where that is much; else 0."""
    if SIMULATED:
        return 0
    ratio = int(xp.cuda.Device().attributes.get("SingleToDoublePrecisionPerfRatio", 2))
    return ratio if ratio > MOST_RATIO else 0


def view(array: Any) -> Any:
    """A device array as numba's own, which kernels take without a look at it; memory is shared."""
    return array if SIMULATED else cuda.as_cuda_array(array)


def to_host(array: Any) -> Any:
    """As a numpy array."""
    return np.array(array) if SIMULATED else xp.asnumpy(array)
