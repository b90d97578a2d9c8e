"""Run as a program: reads a mesh file with meshio and writes its points and cells to the standard output (npz).

Readers of foreign formats may loop for ever, or ask for more memory than there is, where a file is damaged. In a
process of its own, with limits, that is an error like any other. This file imports nothing of the package.

    python mesh_process.py FILE MEGABYTES SECONDS FORMAT...
"""

from __future__ import annotations

import contextlib
import io
import resource
import sys
from typing import Any

import numpy as np


def main(path: str, megabytes: int, seconds: int, formats: list[str]) -> None:
    """Print the arrays `points`, and `kind-k`, `cells-k` of every block of cells."""
    resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    import meshio

    mesh, problems = None, []
    for name in formats:
        try:
            with contextlib.redirect_stdout(io.StringIO()):  # meshio prints its warnings
                mesh = meshio.read(path, file_format=name)
            break
        except (Exception, SystemExit) as error:
            problems.append(str(error).strip() or type(error).__name__)
    if mesh is None:
        sys.exit(" ".join(problems[-1].split())[:300])
    arrays: dict[str, Any] = {"points": np.asarray(mesh.points, dtype=np.float64)}
    for k, block in enumerate(mesh.cells):
        arrays[f"kind-{k}"] = np.array(str(block.type))
        arrays[f"cells-{k}"] = np.asarray(block.data, dtype=np.int64)
    content = io.BytesIO()
    np.savez(content, allow_pickle=False, **arrays)
    sys.stdout.buffer.write(content.getvalue())


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:])
