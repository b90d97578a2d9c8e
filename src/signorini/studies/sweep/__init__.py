"""Many runs of one scene: which parameters, on which machines, into which table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from signorini.studies.sweep.many_runs import sweep as sweep

__all__ = ["sweep"]


def __getattr__(name: str) -> Any:
    # Loaded on first use: a worker process sets itself up before anything heavy is imported.
    if name != "sweep":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from signorini.studies.sweep.many_runs import sweep

    globals()[name] = sweep
    return sweep
