"""Meshes that are not convex as convex pieces: exact for polyhedra, within a stated tolerance for round ones."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import signorini as sg
from signorini.math.rotations import about, matrix
from signorini.math.sparse import Array
from signorini.model.shapes.closed_surface import ClosedSurface
from signorini.problem.errors import ModelError

from .non_convex import (
    OUTLINES,
    L,
    Surface,
    area,
    blob,
    blob_radius,
    hook,
    in_pieces,
    in_prism,
    prism,
    torus,
    voxels,
)
from .solids import boxes_mesh, corners

RNG = np.random.default_rng(0)


def volumes(pieces: list[sg.ConvexHull]) -> float:
    return sum(piece.mass_properties().volume for piece in pieces)


def samples(vertices: Array, count: int = 3000) -> Array:
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    return np.random.default_rng(1).uniform(low - 0.05 * (high - low), high + 0.05 * (high - low), (count, 3))


@pytest.mark.parametrize(("name", "pieces"), [("L", 2), ("U", 3), ("plus", 3), ("star", 6), ("gear", 17)])
def test_prisms_are_cut_exactly(name: str, pieces: int) -> None:
    """`pieces` is how many are found: 2, 3 and 3 are the least; 6 and 9 would be."""
    outline = OUTLINES[name]
    mesh = sg.TriangleMesh(*prism(outline))
    found = mesh.decomposition()
    assert volumes(list(found.pieces)) == pytest.approx(area(outline), rel=1e-12)
    assert found.volume_excess == pytest.approx(0, abs=1e-12)
    assert found.protrusion == 0
    assert len(found.pieces) <= pieces
    x = samples(mesh.vertices)
    np.testing.assert_array_equal(in_pieces(x, list(found.pieces)), in_prism(x, outline))


CUBES: dict[str, Any] = {
    "notch": lambda i, j, k: (i, j, k) != (2, 1, 2),
    "corner": lambda i, j, k: (i, j, k) != (2, 2, 2),
    "hole": lambda i, j, k: (i, j) != (1, 1),
    "cavity": lambda i, j, k: (i, j, k) != (1, 1, 1),
    "sponge": lambda i, j, k: (i, j, k).count(1) < 2,
    "touching edges": lambda i, j, k: (i + j + k) % 2 == 0,
    "random": lambda i, j, k: math.sin(17 * i + 5 * j * j + 31 * k) > -0.3,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CUBES)
@pytest.mark.parametrize("turned", [False, True])
def test_blocks_of_cubes_are_cut_exactly(name: str, turned: bool) -> None:
    full = np.array([[[CUBES[name](i, j, k) for k in range(3)] for j in range(3)] for i in range(3)])
    vertices, triangles = voxels(full)
    R = matrix(about(np.array([1.0, 2.0, -0.5]), 0.7)) if turned else np.eye(3)
    shift = np.array([4.0, -5.0, 6.0]) if turned else np.zeros(3)
    found = sg.TriangleMesh(vertices @ R.T + shift, triangles).decomposition()
    assert volumes(list(found.pieces)) == pytest.approx(full.sum(), rel=1e-11)
    assert found.protrusion == pytest.approx(0, abs=1e-12)
    assert len(found.pieces) <= full.sum()
    x = RNG.uniform(-0.3, 3.3, (2000, 3))
    place = np.floor(x).astype(int)
    known = ((place >= 0) & (place < 3)).all(axis=1)
    known[known] = full[tuple(place[known].T)]
    np.testing.assert_array_equal(in_pieces(x @ R.T + shift, list(found.pieces)), known)


def test_separate_parts_are_cut_one_by_one() -> None:
    one, other = prism(L), prism(OUTLINES["U"])
    vertices = np.vstack((one[0], other[0] + [5.0, 0.0, 0.0]))
    mesh = sg.TriangleMesh(vertices, np.vstack((one[1], other[1] + len(one[0]))))
    assert [round(p.mass_properties().volume, 9) for p in mesh.convex_pieces()].count(0.5) == 1
    assert len(mesh.convex_pieces()) == 5
    assert volumes(mesh.convex_pieces()) == pytest.approx(0.75 + 5.0)


def test_box_around_a_box_shaped_cavity() -> None:
    """The inner surface is a part of its own, inside out; one in no other part is refused."""
    vertices, triangles = boxes_mesh([([0, 0, 0], [3, 3, 3]), ([1, 1, 1], [2, 2, 2])])
    triangles = np.vstack((triangles[:12], triangles[12:, ::-1]))
    pieces = sg.TriangleMesh(vertices, triangles).convex_pieces()
    assert volumes(pieces) == pytest.approx(26)
    x = samples(vertices)
    box, hole = ((x > 0) & (x < 3)).all(axis=1), ((x > 1) & (x < 2)).all(axis=1)
    np.testing.assert_array_equal(in_pieces(x, pieces), box & ~hole)
    vertices[8:] += 10.0
    with pytest.raises(ModelError, match=r"part 1 .* inside out"):
        sg.TriangleMesh(vertices, triangles).convex_pieces()


ROUND: dict[str, tuple[Surface, float | None]] = {
    "torus": (torus(1.0, 0.3, 50, 10), None),
    "fine torus": (torus(1.0, 0.3, 32, 8), 0.015),
    "hook": (hook(), 0.02),
    "blob": (blob(10, 20), 0.05),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ROUND)
def test_round_solids_stand_out_by_no_more_than_they_say(name: str) -> None:
    surface, concavity = ROUND[name]
    mesh = sg.TriangleMesh(*surface, concavity=concavity)
    found = mesh.decomposition()
    pieces, solid = list(found.pieces), ClosedSurface.of(*surface)
    allowed = concavity or 0.01 * solid.size
    assert 0 < found.protrusion <= allowed
    assert 2 <= len(pieces) <= 64
    assert found.volume_excess == pytest.approx(volumes(pieces) - mesh.mass_properties().volume, rel=1e-6)
    x = samples(mesh.vertices, 8000)
    inside, covered = solid.holds(x), in_pieces(x, pieces, 1e-9)
    assert covered[inside].all()
    out = x[covered & ~inside]
    assert solid.height(out).max(initial=0.0) <= allowed


@pytest.mark.slow
def test_coarse_rings_are_cut_exactly_between_their_segments() -> None:
    mesh = sg.TriangleMesh(*torus(1.0, 0.3, 12, 6))
    found = mesh.decomposition()
    assert len(found.pieces) == 12
    assert found.protrusion == 0
    assert volumes(list(found.pieces)) == pytest.approx(mesh.mass_properties().volume, rel=1e-12)


@pytest.mark.slow
def test_pieces_of_a_torus_leave_its_hole_open() -> None:
    """Known without the mesh: in the ideal torus, and nothing on its axis."""
    mesh = sg.TriangleMesh(*torus(1.0, 0.3, 48, 12), concavity=0.02)
    found, x = mesh.decomposition(), samples(mesh.vertices, 6000)
    ring = np.hypot(np.hypot(x[:, 0], x[:, 1]) - 1.0, x[:, 2])
    flat = 0.3 * (1 - math.cos(math.pi / 12)) + 1.3 * (1 - math.cos(math.pi / 48))
    assert in_pieces(x[ring < 0.3 - flat], list(found.pieces)).all()
    assert ring[in_pieces(x, list(found.pieces))].max() <= 0.3 + found.protrusion + flat
    # A full turn in 16 pieces: the chord of each stands out into the hole by the sagitta.
    assert found.protrusion == pytest.approx(0.7 * (1 - math.cos(math.pi / len(found.pieces))), rel=0.3)


@pytest.mark.slow
def test_mass_is_that_of_the_mesh_not_of_the_pieces() -> None:
    surface = torus(1.0, 0.3, 32, 12)
    body = sg.Model().add_body(sg.TriangleMesh(*surface, concavity=0.05), density=2.0)
    fixed = sg.TriangleMesh(*surface).mass_properties()
    assert body.mass == pytest.approx(2.0 * fixed.volume)
    np.testing.assert_allclose(body.inertia, 2.0 * fixed.inertia, atol=1e-12)
    assert body.mass < 2.0 * sum(placed.shape.mass_properties().volume for placed in body.shapes)


@pytest.mark.slow
def test_pieces_are_made_once_and_always_the_same() -> None:
    surface = hook()
    mesh = sg.TriangleMesh(*surface)
    assert mesh.decomposition() is mesh.decomposition()
    again = sg.TriangleMesh(*surface).decomposition()
    assert all((a.vertices == b.vertices).all() for a, b in zip(mesh.convex_pieces(), again.pieces, strict=True))


@pytest.mark.slow
@settings(max_examples=8, deadline=None)
@given(st.sampled_from(["L", "U", "plus", "star"]), st.floats(-3, 3), st.floats(-1, 1), st.floats(-1, 1))
def test_rigid_motions_move_the_pieces(name: str, angle: float, x: float, y: float) -> None:
    vertices, triangles = prism(OUTLINES[name])
    R, shift = matrix(about(np.array([x, y, 1.0]), angle)), np.array([7.0, -3.0, 2.0])
    there = sg.TriangleMesh(vertices, triangles).decomposition()
    moved = sg.TriangleMesh(vertices @ R.T + shift, triangles).decomposition()
    assert len(moved.pieces) == len(there.pieces)
    points = samples(vertices, 1000)
    np.testing.assert_array_equal(
        in_pieces(points @ R.T + shift, list(moved.pieces)), in_pieces(points, list(there.pieces))
    )


@pytest.mark.slow
def test_size_does_not_matter() -> None:
    vertices, triangles = torus(1.0, 0.3, 24, 10)
    one, small = (sg.TriangleMesh(s * vertices, triangles).decomposition() for s in (1.0, 1e-4))
    assert len(one.pieces) == len(small.pieces)
    assert small.protrusion == pytest.approx(1e-4 * one.protrusion)
    assert small.volume_excess == pytest.approx(1e-12 * one.volume_excess)


@pytest.mark.slow
def test_larger_concavity_gives_fewer_pieces() -> None:
    surface = prism(OUTLINES["gear"])
    exact, rough = sg.TriangleMesh(*surface), sg.TriangleMesh(*surface, concavity=0.12)
    assert len(rough.convex_pieces()) < len(exact.convex_pieces())
    assert 0 < rough.decomposition().protrusion <= 0.12


@pytest.mark.slow
def test_what_cannot_be_done_is_reported() -> None:
    surface = torus(1.0, 0.3, 20, 8)
    with pytest.raises(ModelError, match=r"expected at most 8 pieces and 0.001 m: pass .*convexify=True") as error:
        sg.TriangleMesh(*surface, concavity=0.001, max_pieces=8).convex_pieces()
    told = re.search(r"concavity=([\d.]+), max_pieces=(\d+)\)", str(error.value))
    assert told is not None
    settings = {"concavity": float(told[1]), "max_pieces": int(told[2])}
    found = sg.TriangleMesh(*surface, **settings).decomposition()  # type: ignore[arg-type]
    assert found.protrusion <= settings["concavity"]
    assert len(found.pieces) <= settings["max_pieces"]
    with pytest.raises(ModelError, match=r"part 0 .* is open: close it"):
        sg.TriangleMesh(surface[0], surface[1][1:]).convex_pieces()
    [hull] = sg.TriangleMesh(*surface, convexify=True).convex_pieces()
    assert hull.mass_properties().volume > 1.5 * sg.TriangleMesh(*surface).mass_properties().volume
    assert sg.TriangleMesh(*surface, convexify=True).decomposition().protrusion > 0.5


@pytest.mark.slow
def test_surface_that_runs_through_itself_is_refused() -> None:
    """A rod bent to a loop whose ends overlap: one closed part that counts the overlap twice."""
    vertices, triangles = torus(1.0, 0.3, 24, 10)
    far = vertices[:, 0] < -0.5
    vertices = np.where(far[:, None], vertices + np.array([1.8, 0, 0]), vertices)
    with pytest.raises(ModelError, match="runs through itself"):
        sg.TriangleMesh(vertices, triangles).convex_pieces()


@pytest.mark.parametrize(
    ("given", "message"),
    [({"concavity": 0}, "concavity .* > 0"), ({"max_pieces": 0}, "max_pieces"), ({"max_pieces": 1.5}, "max_pieces")],
)
def test_bad_settings_are_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        sg.TriangleMesh(*prism(L), **given)


def test_height_above_a_box_is_known() -> None:
    """The measure of the measure: signed distances from a box in closed form."""
    hull = sg.ConvexHull(corners(-np.ones(3), np.ones(3)))
    surface = ClosedSurface.of(hull.vertices, hull.triangles)
    x = RNG.uniform(-2, 2, (500, 3))
    off = np.abs(x) - 1
    known = np.linalg.norm(np.maximum(off, 0), axis=1) + np.minimum(off.max(axis=1), 0)
    np.testing.assert_allclose(surface.height(x), known, atol=1e-14)
    np.testing.assert_array_equal(surface.holds(x), known < 0)
    np.testing.assert_allclose(blob_radius(np.array([[0, 0, 1.0]])), 1.0)
