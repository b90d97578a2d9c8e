"""The pages on modelling say what is true: their code runs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE, LAWS, JOINTS = DOCS / "modelling.md", DOCS / "contact-laws.md", DOCS / "joints.md"


def test_code_of_the_page_runs() -> None:
    names: dict[str, Any] = {}
    for code in re.findall(r"```python\n(.*?)```", PAGE.read_text(), flags=re.DOTALL):
        exec(code, names)
    assert [body.name for body in names["model"].bodies] == [
        "container",
        "ball",
        "box-2",
        "compound-3",
        "triangle-mesh-4",
        "ground",
        "table",
    ]
    assert names["state"].position.shape == (7, 3)


def test_code_of_the_page_on_contact_laws_runs() -> None:
    names: dict[str, Any] = {}
    for code in re.findall(r"```python\n(.*?)```", LAWS.read_text(), flags=re.DOTALL):
        exec(code, names)
    assert names["run"].summary()["failures"] == 0


def test_code_of_the_page_on_joints_runs() -> None:
    names: dict[str, Any] = {}
    for code in re.findall(r"```python\n(.*?)```", JOINTS.read_text(), flags=re.DOTALL):
        exec(code, names)
    assert names["run"].limit_impulse("rope")[-1, 0] / 0.002 == pytest.approx(2.4 * 9.81, rel=1e-6)
