"""Prisms over outlines with holes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import signorini as sg
from signorini.model.shapes.polygon import Polygon, area
from signorini.shapes import extrude

L = [(0, 0), (2, 0), (2, 0.5), (0.5, 0.5), (0.5, 2), (0, 2)]
SQUARE = np.array([(0, 0), (4, 0), (4, 4), (0, 4)], dtype=float)


@pytest.mark.parametrize("outline", [L, L[::-1], [*L, L[0]]])
def test_a_bracket_is_closed_and_has_its_volume(outline: list[tuple[float, float]]) -> None:
    mesh = extrude(outline, height=0.3)
    assert mesh.is_watertight()
    solid = mesh.mass_properties()
    assert solid.volume == pytest.approx(0.3 * (2 * 0.5 + 0.5 * 1.5))
    assert solid.centre[2] == pytest.approx(0.0, abs=1e-15)
    assert len(mesh.convex_pieces()) == 2


def ring(radius: float, centre: tuple[float, float], corners: int = 12) -> np.ndarray:
    angle = 2 * np.pi * np.arange(corners) / corners
    return np.array(centre) + radius * np.column_stack((np.cos(angle), np.sin(angle)))


def test_holes_are_cut_out() -> None:
    holes = [ring(0.5, (1, 1)), ring(0.5, (3, 1)), ring(0.5, (1, 3))[::-1], ring(0.4, (3, 3), 5)]
    mesh = extrude(SQUARE, 2.0, holes)
    assert mesh.is_watertight()
    expected = 2.0 * (16 - sum(abs(area(hole)) for hole in holes))
    assert mesh.mass_properties().volume == pytest.approx(expected)


@given(st.lists(st.floats(0.2, 1.0), min_size=3, max_size=40), st.floats(0.0, 6.28), st.booleans())
def test_any_star_is_filled_exactly(radii: list[float], turn: float, hollow: bool) -> None:
    angle = turn + 2 * np.pi * np.arange(len(radii)) / len(radii)
    star = np.array(radii)[:, None] * np.column_stack((np.cos(angle), np.sin(angle)))
    # With three or four corners the star may leave no room for the hole.
    holes = [ring(0.02, (0.0, 0.0))] if hollow and len(radii) > 6 else []
    polygon = Polygon.of(star, holes)
    triangles = polygon.triangles()
    parts = [area(polygon.points[triangle]) for triangle in triangles]
    assert min(parts) >= 0
    assert sum(parts) == pytest.approx(abs(area(star)) - sum(abs(area(hole)) for hole in holes), rel=1e-9)


@pytest.mark.parametrize(
    ("outline", "holes", "message"),
    [
        ([(0, 0), (2, 1), (2, 0), (0, 3)], (), "crosses or touches itself"),
        ([(0, 0), (1, 0)], (), "three or more"),
        ([(0, 0), (1, 0), (2, 0)], (), "no area"),
        ([(0, 0), (1, 0), (np.nan, 1)], (), "not finite"),
        (SQUARE, [ring(0.5, (9, 9))], "outside of the outline"),
        (SQUARE, [ring(0.5, (4, 2))], "crosses or touches"),
        ([(0, 0, 0), (1, 0, 0), (0, 1, 0)], (), r"expected \(corners, 2\)"),
    ],
)
def test_wrong_outlines_are_refused(outline: object, holes: object, message: str) -> None:
    with pytest.raises(sg.SignoriniError, match=message):
        extrude(outline, 1.0, holes)


def test_a_bracket_falls_and_lies() -> None:
    model = sg.Model()
    model.add_fixed_body(sg.HalfSpace())
    model.add_body(extrude(L, 0.3), density=1000, position=(0, 0, 0.2))
    run = sg.Simulation(model, step=0.005).run(0.5)
    assert run.position(1)[-1, 2] == pytest.approx(0.15, abs=1e-6)
