"""Damaged files end in a clear error or a sound model; see `tests/fuzz/robots.py`."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

pytest.importorskip("trimesh", reason="trimesh is not installed: no meshes to damage")
ROBOTS = Path(__file__).parents[2] / "fuzz" / "robots.py"
SPEC = importlib.util.spec_from_file_location("robots", ROBOTS)
assert SPEC is not None
assert SPEC.loader is not None
robots = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(robots)


def test_the_undamaged_files_load(tmp_path: Path) -> None:
    folder = tmp_path / "robot"
    folder.mkdir()
    robots.originals(folder)
    with pytest.warns(UserWarning, match="starts at 0.1"):
        robots.load(folder, "robot.urdf")
    with pytest.warns(UserWarning, match="its body has one material"):
        robots.load(folder, "model.xml")


@pytest.mark.parametrize("first", range(0, 300, 100))
def test_damaged_files_are_refused_or_loaded(first: int) -> None:
    outcomes, wrong = robots.campaign(first, 100)
    assert not wrong, "\n".join(wrong)
    assert outcomes["loaded"] > 10
    assert outcomes["refused"] > 10
