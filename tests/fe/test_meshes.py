"""Structured meshes, their surfaces, and errors about bad ones."""

from __future__ import annotations

import math

import numpy as np
import pytest

from signorini.fe.cable import Cable
from signorini.fe.materials.elastic import Elastic
from signorini.fe.materials.neo_hookean import NeoHookean
from signorini.fe.mesh import Mesh, oriented, without_loose_nodes
from signorini.fe.soft_body import SoftBody
from signorini.problem.errors import ModelError

from .bodies import KINDS, box

TETRA = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]])
MESHES = {
    **{f"box-{kind}": box((1.0, 0.5, 0.25), (4, 3, 2), kind) for kind in KINDS},
    **{f"cylinder-{kind}": Mesh.cylinder(0.3, 1.0, around=16, along=3, kind=kind) for kind in KINDS[:2]},
    **{f"ball-{kind}": Mesh.ball(0.5, across=4, kind=kind) for kind in KINDS[:2]},
}


@pytest.mark.parametrize("name", MESHES)
def test_surface_is_closed_and_looks_outwards(name: str) -> None:
    """Every edge is met once in either direction; the divergence theorem gives the volume of the cells."""
    mesh = MESHES[name]
    surface = mesh.surface
    edges = {tuple(edge) for edge in surface[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2).tolist()}
    assert len(edges) == 3 * len(surface)
    assert all((b, a) in edges for a, b in edges)
    p = mesh.points[surface]
    assert np.einsum("ti,ti->", p[:, 0], np.cross(p[:, 1], p[:, 2])) / 6 == pytest.approx(mesh.volume, rel=1e-12)


def test_volumes() -> None:
    for name in ("tetra", "hexahedron", "tetra10"):
        assert MESHES[f"box-{name}"].volume == pytest.approx(0.125, rel=1e-13)
    # A prism over a regular polygon of 16 corners.
    assert MESHES["cylinder-tetra"].volume == pytest.approx(8 * 0.09 * math.sin(math.pi / 8), rel=1e-12)
    errors = [1 - Mesh.ball(0.5, n).volume / (math.pi / 6) for n in (2, 4, 8)]
    assert errors[0] > 3.5 * errors[1] > 12 * errors[2] > 0


def on_ball(x: np.ndarray) -> np.ndarray:
    return 0.5 * x / np.linalg.norm(x, axis=1)[:, None]


def test_curved_quadratic_ball() -> None:
    """Chords leave the volume of a ball short to second order, curved cells to higher order."""
    exact = math.pi / 6
    chords = [1 - Mesh.ball(0.5, n).quadratic().volume / exact for n in (2, 4)]
    curved = [abs(1 - Mesh.ball(0.5, n).quadratic(on_ball).volume / exact) for n in (2, 4)]
    assert curved[0] < 0.1 * chords[0]
    assert curved[1] < 0.03 * chords[1]
    assert curved[0] > 7 * curved[1]
    mesh = Mesh.ball(0.5, 4).quadratic(on_ball)
    np.testing.assert_allclose(np.linalg.norm(mesh.points[np.unique(mesh.surface)], axis=1), 0.5, rtol=1e-12)


def test_projection_that_does_not_fit() -> None:
    with pytest.raises(ModelError, match="one for each"):
        Mesh.ball(0.5, 2).quadratic(lambda x: x[:3])
    with pytest.raises(ModelError, match="finite"):
        Mesh.ball(0.5, 2).quadratic(lambda x: x * np.nan)


def test_counts() -> None:
    assert repr(Mesh.box((1, 1, 1), (26, 12, 3))) == "Mesh(1404 nodes, 5616 cells of kind tetra)"
    assert len(Mesh.box((1, 1, 1), (3, 4, 5), "hexahedron").cells) == 60
    assert len(Mesh.box((1, 1, 1), (2, 2, 2)).quadratic().points) == 125


def test_nodes_where() -> None:
    mesh = MESHES["box-tetra"]
    assert len(mesh.nodes_where(lambda x: x[:, 0] < -0.499)) == 12
    with pytest.raises(ModelError, match="expected 60 truth values"):
        mesh.nodes_where(lambda x: x[:, 0])


def test_inverted_cells_are_found() -> None:
    with pytest.raises(ModelError, match=r"all 1 cells are inverted.*oriented"):
        Mesh(TETRA[:4], [[0, 2, 1, 3]])
    mesh = Mesh.box((1, 1, 1), (2, 2, 2))
    pulled = mesh.points.copy()
    pulled[13] += [0.0, 0.0, 1.2]
    with pytest.raises(ModelError, match=r"cell \d+ \(nodes .*\) is inverted: its volume is -"):
        Mesh(pulled, mesh.cells)
    fixed = Mesh(TETRA[:4], oriented(TETRA[:4], np.array([[0, 2, 1, 3]])))
    assert fixed.volume == pytest.approx(1 / 6)
    for name in ("box-hexahedron", "box-tetra10"):
        whole = MESHES[name]
        mirrored = whole.points * [1, 1, -1]
        assert Mesh(mirrored, oriented(mirrored, whole.cells)).volume == pytest.approx(whole.volume)


def test_flat_cells_are_found() -> None:
    flat = TETRA[:4] * [1, 1, 1e-13]
    with pytest.raises(ModelError, match="is flat"):
        Mesh(flat, [[0, 1, 2, 3]])


def test_loose_nodes_are_found() -> None:
    with pytest.raises(ModelError, match=r"node 4 and 0 more belong to no cell.*without_loose_nodes"):
        Mesh(TETRA, [[0, 1, 2, 3]])
    points, cells = without_loose_nodes(TETRA, np.array([[1, 2, 3, 4]]))
    assert len(points) == 4
    assert Mesh(points, oriented(points, cells)).volume == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ([[0, 1, 2, 7]], "names node 7, expected 0 to 4"),
        ([[0, 1, 2, -1]], "names node -1"),
        ([[0, 1, 2, 2]], "cell 0 names a node twice"),
        ([[0, 1, 2]], r"cells have shape \(1, 3\), expected .* 4 \(tetra\)"),
        ([[0.5, 1, 2, 3]], "fractions"),
        ([], "cells have shape"),
        ([[0, 1, 2, 3], [1, 2, 3, 4], [1, 2, 3, 0]], "is there 2 times|inverted"),
    ],
)
def test_bad_cells(cells: list[list[float]], words: str) -> None:
    with pytest.raises(ModelError, match=words):
        Mesh(TETRA, cells)  # type: ignore[arg-type]


def test_faces_of_three_cells_are_found() -> None:
    points = np.vstack((TETRA[:4], [[0.2, 0.2, -1.0], [0.3, 0.2, -1.5]]))
    cells = oriented(points, np.array([[0, 1, 2, 3], [0, 1, 2, 4], [0, 1, 2, 5]]))
    with pytest.raises(ModelError, match=r"face of nodes \[0, 1, 2\] belongs to 3 cells"):
        Mesh(points, cells)


def test_repeated_cells_are_found() -> None:
    with pytest.raises(ModelError, match="is there 2 times"):
        Mesh(TETRA[:4], [[0, 1, 2, 3], [1, 2, 0, 3]])


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"young": 0.0}, "Young's modulus is 0.0, expected a finite number > 0"),
        ({"young": -1.0}, "Young's modulus is -1.0"),
        ({"young": math.nan}, "Young's modulus"),
        ({"poisson": 0.5}, "Poisson's ratio is 0.5, expected more than -1 and less than 0.5.*take 0.49"),
        ({"poisson": -1.0}, "Poisson's ratio"),
        ({"density": 0.0}, "density is 0.0"),
        ({"density": "heavy"}, "density is 'heavy'"),
    ],
)
def test_bad_materials(changes: dict[str, float], words: str) -> None:
    with pytest.raises(ModelError, match=words):
        Elastic(**{"young": 1e6, "poisson": 0.3, "density": 1e3, **changes})


def test_rubber_that_shrinks_is_refused() -> None:
    with pytest.raises(ModelError, match="take Elastic"):
        NeoHookean(young=1e6, poisson=-0.2, density=1e3)


def test_bad_bodies() -> None:
    mesh, material = Mesh.box((1, 1, 1), (1, 1, 1)), Elastic(young=1e6, poisson=0.3, density=1e3)
    with pytest.raises(ModelError, match="mesh is"):
        SoftBody("cube.msh", material)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="material is"):
        SoftBody(mesh, 1e6)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="stiffness_damping is -1"):
        SoftBody(mesh, material, stiffness_damping=-1.0)
    with pytest.raises(ModelError, match="mass_matrix is 'diagonal', expected one of lumped, consistent"):
        SoftBody(mesh, material, mass_matrix="diagonal")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Mesh.box((1, 0, 1), (1, 1, 1)), "size of the box"),
        (lambda: Mesh.box((1, 1, 1), (1, 0, 1)), "divisions of the box"),
        (lambda: Mesh.box((1, 1, 1), (1, 1.5, 1)), "whole numbers"),
        (lambda: Mesh.box((1, 1, 1), (1, 1, 1), "wedge"), "kind is 'wedge', expected one of tetra, hexahedron"),
        (lambda: Mesh.cylinder(0.1, 1.0, around=6), "multiple of 4"),
        (lambda: Mesh.ball(-1.0), "radius of the ball"),
        (lambda: Mesh.ball(1.0, 0), "expected 1 or more"),
        (lambda: Mesh.box((1, 1, 1), (1, 1, 1), "hexahedron").quadratic(), "no quadratic form"),
        (lambda: Cable.straight(1.0, 0, radius=0.1, young=1.0, density=1.0), "0 elements"),
        (lambda: Cable.through([[0, 0, 0]], radius=0.1, young=1.0, density=1.0), "1 points"),
        (lambda: Cable.through([[0, 0, 0], [0, 0, 0]], radius=0.1, young=1.0, density=1.0), "the same"),
        (lambda: Cable.straight(1.0, 2, radius=0.0, young=1.0, density=1.0), "radius of the cable"),
    ],
)
def test_bad_shapes(make: object, words: str) -> None:
    with pytest.raises(ModelError, match=words):
        make()  # type: ignore[operator]
