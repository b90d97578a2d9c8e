"""What a worker process of this machine does before its first run. Imports nothing heavy."""

from __future__ import annotations

import os
import signal
import threading
from multiprocessing.connection import Connection

ONE_THREAD = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")
"""Variables that keep libraries to one thread per worker: the workers share the cores."""


def prepare_worker(lifeline: Connection) -> None:
    """Leave Ctrl-C to the parent, and end when the other end of `lifeline` closes: by the parent, or with it.

    A worker that waits for work would not notice by itself that its parent was killed.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        lifeline.poll(None)
        os._exit(1)

    threading.Thread(target=watch, name="parent watch", daemon=True).start()
