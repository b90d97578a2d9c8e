"""Pictures are drawn for whatever a study may hand over: one curve, many, none, odd numbers."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from signorini.problem.errors import FileError
from signorini.problem.solution import History
from signorini.view.convergence import Curve, draw_convergence
from signorini.view.curves import Curve as Line
from signorini.view.curves import Panel, draw_panels
from signorini.view.force_distance import draw_force_distance
from signorini.view.profile import draw_profile
from signorini.view.style import check_picture_path, colour_of

pytestmark = pytest.mark.slow  # whole simulations, pictures or programs

PNG = b"\x89PNG"


def history(records: int, last: float = 1e-9) -> History:
    return History(
        np.arange(records, dtype=float), np.geomspace(1.0, last, records), 1e-3 * np.arange(1.0, records + 1)
    )


@pytest.mark.parametrize("problems", [1, 12])
@pytest.mark.parametrize("solvers", [["apgd"], ["interior-point", "a-new-one"]])
def test_convergence_is_drawn(problems: int, solvers: list[str], tmp_path: Path) -> None:
    curves = [Curve(f"problem {k}", s, history(5 + 60 * k)) for k in range(problems) for s in solvers]
    draw_convergence(curves, tmp_path / "a.png", 1e-8)
    assert (tmp_path / "a.png").read_bytes().startswith(PNG)
    draw_convergence(curves, tmp_path / "a.svg", 1e-8)
    text = (tmp_path / "a.svg").read_text()
    assert all(name in text for name in solvers)


def test_odd_histories_are_drawn(tmp_path: Path) -> None:
    odd = History(np.array([0.0, 1.0, 2.0]), np.array([np.inf, np.nan, 0.0]), np.zeros(3))
    single = History(np.array([1.0]), np.array([1e-16]), np.array([1e-4]))
    empty = History(np.zeros(0), np.zeros(0), np.zeros(0))
    pictures = []
    for curves in ([odd, single], [empty], [odd, single, empty] * 6):
        path = tmp_path / f"{len(pictures)}.png"
        draw_convergence([Curve("p", "apgd", h) for h in curves], path, 1e-8)
        pictures.append(path.read_bytes())
        assert pictures[-1].startswith(PNG)
    assert len(set(pictures)) == 3, "what is there is drawn"


def test_profile_is_drawn(tmp_path: Path) -> None:
    ratios = {"apgd": np.array([1.0, 3.0, math.inf]), "projected-sor": np.array([1.0, 1.0, 2e7])}
    draw_profile(ratios, tmp_path / "p.svg", "3 problems")
    text = (tmp_path / "p.svg").read_text()
    assert "projected-sor" in text
    assert "3 problems" in text
    draw_profile({}, tmp_path / "none.pdf", "nothing")
    assert (tmp_path / "none.pdf").read_bytes().startswith(b"%PDF")


def test_paths_are_checked_before_the_work(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"ending '.gif', expected a picture: .png"):
        check_picture_path(tmp_path / "a.gif")
    with pytest.raises(FileError, match="no directory"):
        check_picture_path(tmp_path / "absent" / "a.png")


def test_solvers_have_different_colours() -> None:
    names = ["interior-point", "projected-sor", "apgd", "clarabel"]
    assert len({colour_of(name) for name in names}) == len(names)


@pytest.mark.parametrize("count", [1, 4])
def test_force_over_distance_is_drawn(count: int, tmp_path: Path) -> None:
    cycles = {f"law {k}": (np.linspace(0, 1e-3, 5), np.linspace(9, 0, 5)) for k in range(count)}
    draw_force_distance(cycles, tmp_path / "laws.svg")
    text = (tmp_path / "laws.svg").read_text()
    assert all(name in text for name in cycles)
    assert "distance [mm]" in text


def test_panels_show_their_legends(tmp_path: Path) -> None:
    curves = [Line(np.arange(3.0), np.arange(3.0), "measured"), Line(np.arange(3.0), np.ones(3), "exact", known=True)]
    draw_panels(
        [Panel("a long title that needs two lines to be read", "x", "y", curves, equal=True)], tmp_path / "p.svg"
    )
    text = (tmp_path / "p.svg").read_text()
    assert "measured" in text
    assert "exact" in text
