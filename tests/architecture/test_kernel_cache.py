"""Cached machine code must not outlive the kernels it was made from."""

from __future__ import annotations

from pathlib import Path

from signorini.kernels import compile as compiling
from signorini.kernels.cones import residuals


def test_callers_are_tied_to_the_sources_of_all_kernels() -> None:
    """`contact_errors` holds the code of `natural_map`, which lives in another file."""
    assert residuals.contact_errors._cache._cache_file._source_stamp == compiling.STAMP
    newest = max(path.stat().st_mtime for path in Path(compiling.__file__).parent.rglob("*.py"))
    assert compiling.STAMP[0] == newest
