"""The page on modelling says what is true: its code runs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

PAGE = Path(__file__).resolve().parents[2] / "docs" / "modelling.md"


def test_code_of_the_page_runs() -> None:
    names: dict[str, Any] = {}
    for code in re.findall(r"```python\n(.*?)```", PAGE.read_text(), flags=re.DOTALL):
        exec(code, names)
    assert [body.name for body in names["model"].bodies] == [
        "container",
        "ball",
        "box-2",
        "compound-3",
        "ground",
        "table",
    ]
    assert names["state"].position.shape == (6, 3)
