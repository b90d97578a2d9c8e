"""The tutorial and the notebooks run as they stand, and say what is so."""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

ROOT = Path(__file__).parent.parent
NOTEBOOKS = ROOT / "examples" / "notebooks"


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """In an empty folder, without a screen."""
    monkeypatch.chdir(tmp_path)
    mpl.use("Agg")
    yield
    plt.close("all")


def run_blocks(blocks: list[str], name: str) -> dict[str, Any]:
    """The names that the blocks leave behind."""
    names: dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)
        warnings.filterwarnings("ignore", module="matplotlib")
        for block in blocks:
            exec(compile(block, name, "exec"), names)
    return names


def page(name: str) -> dict[str, Any]:
    text = (ROOT / "docs" / "tutorial" / f"{name}.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    assert len(blocks) > 2
    return run_blocks(blocks, f"{name}.md")


def notebook(name: str) -> dict[str, Any]:
    cells = json.loads((NOTEBOOKS / f"{name}.ipynb").read_text())["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert len(code) > 2
    assert all(not cell["outputs"] for cell in cells if cell["cell_type"] == "code"), (
        "notebooks are kept without output"
    )
    return run_blocks(code, f"{name}.ipynb")


def test_first_contact() -> None:
    names = page("first-contact")
    assert names["height"] == pytest.approx(0.1, abs=1e-9)
    assert names["force"][2] == pytest.approx(names["weight"], rel=1e-9)
    speed, hit = names["speed"], names["hit"]
    assert speed[hit] == pytest.approx(-0.7 * speed[hit - 1], rel=0.02)
    assert names["slid"](0.4) == pytest.approx(0.0, abs=1e-9)
    assert names["slid"](0.2) == pytest.approx(names["expected"], rel=0.01)


def test_gripper() -> None:
    names = page("gripper")
    assert names["heights"][-1] - names["heights"][0] == pytest.approx(0.15, abs=2e-3)
    assert names["grip"] == pytest.approx(12.0, rel=0.05)
    assert names["step"].status.ok


def test_flexible_clip() -> None:
    names = page("flexible-clip")
    assert names["force"][names["top"]] == pytest.approx(names["theory"], rel=0.1)
    assert names["run"].times[names["top"]] == pytest.approx(0.3, abs=0.03)
    assert abs(names["force"][-1]) < 0.05


def test_own_solver() -> None:
    names = page("own-solver")
    assert names["mine"].certificate.scaled < 1e-3
    assert names["theirs"].certificate.scaled < 1e-9
    assert names["difference"] < 0.05
    assert names["own"].time == pytest.approx(0.2)


def test_notebook_first_contact() -> None:
    names = notebook("first_contact")
    names["viewer"].close()
    assert names["ratios"] == pytest.approx([0.49] * 3, abs=0.01)


def test_notebook_friction_laws() -> None:
    names = notebook("friction_laws")
    error, lift = names["error"], names["lift"]
    assert max(lift["coulomb"]) < 1e-9
    assert min(lift["convex"]) == pytest.approx((0.3 * 2.0) ** 2 / (2 * 9.81), rel=0.25)
    for law in ("coulomb", "convex"):
        assert error[law][-1] < 0.15 * error[law][0], "it converges with the step"


def test_notebook_reading_a_run() -> None:
    names = notebook("reading_a_run")
    assert names["through"].count == 45
    mean = names["mean"]
    assert np.nansum(mean.density) * 0.4 * 0.4 * 0.1 == pytest.approx(names["through"].total_mass, rel=1e-6)
    assert {"time"} < set(names["table"])


def test_notebooks_are_in_the_documentation() -> None:
    text = (ROOT / "docs" / "notebooks.md").read_text()
    assert {path.name for path in NOTEBOOKS.glob("*.ipynb")} == set(re.findall(r"notebooks/(\w+\.ipynb)>", text))
