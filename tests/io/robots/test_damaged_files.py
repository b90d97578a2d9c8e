"""Damaged files end in a clear error or a sound model; see `mutations.py`."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

pytest.importorskip("trimesh", reason="trimesh is not installed: no meshes to damage")
SPEC = importlib.util.spec_from_file_location("mutations", Path(__file__).with_name("mutations.py"))
assert SPEC is not None
assert SPEC.loader is not None
mutations = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(mutations)


def test_the_undamaged_files_load(tmp_path: Path) -> None:
    folder = tmp_path / "robot"
    folder.mkdir()
    mutations.originals(folder)
    with pytest.warns(UserWarning, match="starts at 0.1"):
        mutations.load(folder, "robot.urdf")
    with pytest.warns(UserWarning, match="its body has one material"):
        mutations.load(folder, "model.xml")


@pytest.mark.parametrize("first", range(0, 300, 100))
def test_damaged_files_are_refused_or_loaded(first: int) -> None:
    outcomes, wrong = mutations.campaign(first, 100)
    assert not wrong, "\n".join(wrong)
    assert outcomes["loaded"] > 10
    assert outcomes["refused"] > 10
