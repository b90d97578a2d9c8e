"""Compilation on a second core while the first run after an installation gets ready."""

from __future__ import annotations

import os
import subprocess
import sys


def compile_in_background(solver: str) -> None:
    """Let another process compile the loops of a solver, if they never were and there is a core to spare.

    It begins with what this process needs last, and both share the cache on disk. Nobody waits for it.
    """
    from signorini.kernels.compile import is_cached
    from signorini.kernels.interior.dense_path import interior_step
    from signorini.solvers import SOLVERS

    if solver not in SOLVERS or is_cached(interior_step) or (os.cpu_count() or 1) < 2:
        return
    # -P: without it Python would look for modules in the current folder first, and run a numpy.py that lies there.
    command = [sys.executable, "-P", "-m", "signorini.studies.warm_up", solver]
    subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
