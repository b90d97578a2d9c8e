"""A few kills and faults; `make fuzz MINUTES=10` makes many."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.slow
def test_faults_leave_whole_records() -> None:
    """In a process of its own: it forks, which test runners with threads do not like."""
    script = Path(__file__).with_name("kills.py")
    done = subprocess.run([sys.executable, str(script), "16", "3", "120"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
