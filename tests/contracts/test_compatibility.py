"""The table of docs/smooth-dynamics.md, 'What works with what': every cell is run and is what the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from signorini.studies.compatibility import FIRST_ORDER, INTEGRATORS, JOINTED, SOLVERS, TOUCHING, cell

pytestmark = pytest.mark.slow  # whole simulations

PAGE = Path(__file__).parents[2] / "docs" / "smooth-dynamics.md"


def documented() -> dict[tuple[str, str], str]:
    """(solver, column of the page) -> word."""
    lines = [line for line in PAGE.read_text().splitlines() if line.startswith("|")]
    head = next(k for k, line in enumerate(lines) if "smooth: joints" in line)
    columns = [word.strip() for word in lines[head].strip("|").split("|")]
    found = {}
    for line in lines[head + 2 : head + 2 + len(SOLVERS)]:
        words = [word.strip() for word in line.strip("|").split("|")]
        for column, word in zip(columns[1:], words[1:], strict=True):
            found[words[0].strip("`"), column] = word
    return found


WORDS = documented()


def column(integrator: str, problem: str) -> str:
    return f"{'dvi' if integrator == 'dvi' else 'smooth'}: {problem}"


CELLS = [
    pytest.param(solver, integrator, problem, id=f"{solver}-{integrator}-{problem}",
                 marks=[pytest.mark.slow] if solver in FIRST_ORDER and integrator not in ("hht", "dvi") else [])
    for solver in SOLVERS
    for integrator in INTEGRATORS
    for problem in (*JOINTED, *(TOUCHING if integrator == "dvi" else ()))
]  # fmt: skip


def test_the_page_has_every_cell() -> None:
    asked = {(solver, column(i, p)) for solver in SOLVERS for i in INTEGRATORS for p in JOINTED}
    assert set(WORDS) == asked | {(solver, column("dvi", p)) for solver in SOLVERS for p in TOUCHING}
    assert set(WORDS.values()) <= {"works", "refused", "reported"}


@pytest.mark.parametrize(("solver", "integrator", "problem"), CELLS)
def test_cell(solver: str, integrator: str, problem: str) -> None:
    found = cell(solver, integrator, problem)
    if found.verdict == "absent":
        assert "pip install" in found.words
        pytest.skip(f"{solver} is not installed")
    assert found.verdict == WORDS[solver, column(integrator, problem)], found
    if found.verdict == "refused":
        assert re.search(r"\d contacts, and the solver 'linear' is for joints alone; use .*interior-point", found.words)
    if found.verdict == "reported":
        assert found.off < 1e-6, "the motion is right, if not to the tolerance"
