"""Every example of the gallery runs and gives the answer that its text promises."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

import signorini as sg
from signorini.scenes import find_scene

FOLDER = Path(__file__).resolve().parent.parent / "examples" / "gallery"
EXAMPLES = sorted(FOLDER.glob("*.py"))
pytestmark = pytest.mark.slow


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"gallery_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module
    spec.loader.exec_module(module)
    return module


def test_there_are_enough_of_them() -> None:
    assert len(EXAMPLES) >= 24
    page = (FOLDER.parents[1] / "docs" / "gallery.md").read_text()
    for path in EXAMPLES:
        assert f"gallery/{path.stem}.png" in page, f"{path.stem} is not on the page: run docs/make_gallery.py"


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path: Path) -> None:
    module, scene = load(path), find_scene(str(path))
    run = sg.Simulation(scene.build(), step=scene.step, integrator=scene.integrator).run(scene.duration)
    assert run.status.ok, run.message
    assert run.summary()["failures"] == 0
    module.check(run)
