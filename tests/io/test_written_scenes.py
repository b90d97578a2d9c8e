"""Runs written for other programs are read back by other libraries and show the same bodies in the same places."""

from __future__ import annotations

import json
import struct
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

import signorini as sg
from signorini.io.gltf import save_gltf
from signorini.math.rotations import matrix

meshio = pytest.importorskip("meshio", reason="meshio is not installed: nothing reads the files back")


def scene() -> sg.Model:
    model = sg.Model()
    model.add_fixed_body(sg.HalfSpace(), name="floor")
    model.add_body(sg.Box((0.2, 0.3, 0.4)), density=1000, position=(0, 0, 0.2), name="box")
    model.add_body(sg.Sphere(0.1), density=500, position=(0, 0, 0.55), angular_velocity=(1, 2, 3), name="ball")
    return model


def soft_scene() -> sg.Model:
    model = scene()
    mesh = sg.flexible.Mesh.box((0.4, 0.1, 0.1), (4, 1, 1))
    body = sg.flexible.SoftBody(mesh, sg.materials.Elastic(1e5, 0.3, 1000.0))
    model.add_flexible(body, position=(1, 0, 0.5), name="beam")
    return model


def test_one_state_holds_every_body(tmp_path: Path) -> None:
    model = scene()
    (path,) = sg.save_vtk(tmp_path / "a.vtu", model, model.initial_state())
    grid = meshio.read(path)
    (triangles,) = (block.data for block in grid.cells if block.type == "triangle")
    body = grid.cell_data["body"][0].ravel()
    assert set(body.tolist()) == {0, 1, 2}
    box = grid.points[np.unique(triangles[body == 1])]
    assert box.min(axis=0) == pytest.approx([-0.1, -0.15, 0.0])
    assert box.max(axis=0) == pytest.approx([0.1, 0.15, 0.4])
    ball = np.unique(triangles[body == 2])
    arms = grid.points[ball] - [0, 0, 0.55]
    assert grid.point_data["velocity"][ball] == pytest.approx(np.cross([1, 2, 3], arms))


def test_a_run_is_a_series_with_contacts(tmp_path: Path) -> None:
    model = scene()
    run = sg.Simulation(model, step=0.01).run(0.2)
    files = sg.save_vtk(tmp_path / "run.pvd", model, run, every=5)
    sets = ET.parse(files[0]).findall(".//DataSet")
    assert [float(item.attrib["timestep"]) for item in sets[::2]] == pytest.approx([0, 0.05, 0.1, 0.15, 0.2])
    last = meshio.read(tmp_path / "run-00004.vtu")
    box = np.unique(last.cells_dict["triangle"][last.cell_data["body"][0].ravel() == 1])
    centre = last.points[box].mean(axis=0)
    assert centre == pytest.approx(run.position("box")[-1], abs=1e-12)
    moved = run.position("box")[-1] - run.position("box")[0]
    assert last.point_data["displacement"][box].mean(axis=0) == pytest.approx(moved, abs=1e-12)
    contacts = meshio.read(tmp_path / "run-contacts-00004.vtu")
    first, second = (contacts.point_data[key].ravel() for key in ("body_a", "body_b"))
    floor = (first == 0) | (second == 0)
    weight = 9.81 * sum(body.mass for body in model.bodies[1:])
    sign = np.where(first == 0, -1.0, 1.0)
    assert (sign * contacts.point_data["force"][:, 2])[floor].sum() == pytest.approx(weight, rel=1e-3)


def test_flexible_and_rigid_bodies_share_a_grid(tmp_path: Path) -> None:
    model = soft_scene()
    (path,) = sg.save_vtk(tmp_path / "a.vtu", model, model.initial_state())
    grid = meshio.read(path)
    assert {block.type for block in grid.cells} == {"triangle", "tetra"}
    assert grid.point_data["von_mises"].max() == pytest.approx(0.0, abs=1e-6)
    numbers = {number for block in grid.cell_data["body"] for number in block.ravel().tolist()}
    assert numbers == {0, 1, 2, 3}


def header_of(path: Path) -> dict[str, object]:
    raw = path.read_bytes()
    magic, version, total = struct.unpack_from("<4sII", raw)
    assert (magic, version, total) == (b"glTF", 2, len(raw))
    length = struct.unpack_from("<I", raw, 12)[0]
    found: dict[str, object] = json.loads(raw[20 : 20 + length])
    return found


def test_a_glb_shows_the_bodies_where_they_are(tmp_path: Path) -> None:
    trimesh = pytest.importorskip("trimesh", reason="trimesh is not installed: nothing reads the file back")
    model = scene()
    run = sg.Simulation(model, step=0.01).run(0.1)
    still = save_gltf(tmp_path / "last.glb", model, run.state())
    shown = trimesh.load_scene(still)
    turn = matrix(np.array([0.5**0.5, -(0.5**0.5), 0.0, 0.0]))
    for name in ("box", "ball"):
        transform, geometry = shown.graph[name]
        points = shown.geometry[geometry].vertices @ transform[:3, :3].T + transform[:3, 3]
        middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
        assert middle == pytest.approx(turn @ run.position(name)[-1], abs=1e-3)


def test_a_glb_is_animated_and_self_contained(tmp_path: Path) -> None:
    model = soft_scene()
    run = sg.Simulation(model, step=0.01).run(0.05)
    header = header_of(save_gltf(tmp_path / "run.glb", model, run))
    assert "uri" not in json.dumps(header)
    (animation,) = header["animations"]  # type: ignore[misc]
    nodes = [node["name"] for node in header["nodes"]]  # type: ignore[attr-defined, index]
    moved = {(nodes[c["target"]["node"]], c["target"]["path"]) for c in animation["channels"]}  # type: ignore[index]
    assert moved == {
        ("box", "translation"), ("box", "rotation"), ("ball", "translation"), ("ball", "rotation"), ("beam", "weights"),
    }  # fmt: skip
    times = header["accessors"][animation["samplers"][0]["input"]]  # type: ignore[index]
    assert (times["count"], times["max"]) == (6, [pytest.approx(0.05)])


def test_wrong_targets_are_refused(tmp_path: Path) -> None:
    model = scene()
    with pytest.raises(sg.SignoriniError, match=r"expected '\.glb'"):
        save_gltf(tmp_path / "a.gltf", model, model.initial_state())
    with pytest.raises(sg.SignoriniError, match="nothing to write"):
        save_gltf(tmp_path / "a.glb", sg.Model(), sg.Model().initial_state())
    with pytest.raises(sg.SignoriniError, match="nothing to write"):
        sg.save_vtk(tmp_path / "a.vtu", sg.Model(), sg.Model().initial_state())
