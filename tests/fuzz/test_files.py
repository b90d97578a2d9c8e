"""A short campaign of damaged files; `make fuzz MINUTES=10` runs a long one."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from files import SHARE, campaign


@pytest.mark.slow
def test_damaged_files_are_refused_or_sound() -> None:
    found = campaign(2000, 7, SHARE)
    assert found["files"] == 2000
    assert found["bad"] == []
