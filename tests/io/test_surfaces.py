"""Surfaces from files: the same triangles in every format, with units, scales and repairs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import signorini as sg

trimesh = pytest.importorskip("trimesh", reason="trimesh is not installed: surfaces cannot be read")
KINDS = ("stl", "stl_ascii", "obj", "ply", "glb")


def written(folder: Path, kind: str, mesh: object = None) -> Path:
    solid = mesh or trimesh.creation.box((1.0, 2.0, 3.0))
    path = folder / f"part.{kind.split('_')[0]}"
    content = solid.export(file_type=kind)  # type: ignore[attr-defined]
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("kind", KINDS)
def test_every_format_gives_the_same_solid(tmp_path: Path, kind: str) -> None:
    mesh = sg.load_mesh(written(tmp_path, kind), unit="mm")
    assert isinstance(mesh, sg.TriangleMesh)
    assert mesh.is_watertight()
    assert mesh.mass_properties().volume == pytest.approx(6e-9)
    assert np.ptp(mesh.vertices, axis=0) == pytest.approx([1e-3, 2e-3, 3e-3])


def test_scales_mirrors_and_options(tmp_path: Path) -> None:
    path = written(tmp_path, "stl")
    mesh = sg.load_mesh(path, scale=(-1.0, 2.0, 1.0), concavity=0.1)
    assert isinstance(mesh, sg.TriangleMesh)
    assert mesh.mass_properties().volume == pytest.approx(12.0), "a mirrored surface stays right side out"
    assert mesh.concavity == 0.1
    for wrong in (0.0, (1.0, 0.0, 1.0), (1.0, 2.0), float("nan")):
        with pytest.raises(sg.SignoriniError, match="scale is"):
            sg.load_mesh(path, scale=wrong)
    with pytest.raises(sg.SignoriniError, match="unit is 'yd'"):
        sg.load_mesh(path, unit="yd")


def test_an_inverted_surface_is_turned(tmp_path: Path) -> None:
    solid = trimesh.creation.box((1.0, 1.0, 1.0))
    solid.invert()
    path = written(tmp_path, "ply", solid)
    inverted = sg.load_mesh(path)
    assert isinstance(inverted, sg.TriangleMesh)
    with pytest.raises(sg.SignoriniError, match="inside out"):
        inverted.mass_properties()
    turned = sg.load_mesh(path, repair=True)
    assert isinstance(turned, sg.TriangleMesh)
    assert turned.mass_properties().volume == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.stl", b"", "cannot be read|no triangles"),
        ("a.stl", b"\0" * 80 + b"\xff\xff\xff\x7f", "too short"),
        ("a.obj", b"v 0 0 0\nv 1 0 0\n", "no triangles|cannot be read"),
        ("a.ply", b"ply\nformat ascii 1.0\nelement vertex 999999999999\nend_header\n", "do not fit"),
        ("a.glb", b"glTF", "header cannot be read"),
        ("a.stl", None, "cannot be opened"),
        ("a.msh", None, "there is no such file"),
    ],
)
def test_damaged_files_are_refused(tmp_path: Path, name: str, content: bytes | None, message: str) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(sg.SignoriniError, match=message):
        sg.load_mesh(tmp_path / name)


def test_a_glb_does_not_reach_other_files(tmp_path: Path) -> None:
    path = written(tmp_path, "glb")
    raw = path.read_bytes()
    changed = raw.replace(b'"buffers":[{"byteLength"', b'"buffers":[{"uri":"/etc/x","byteLength"')
    assert changed != raw
    extra = len(changed) - len(raw)
    length = int.from_bytes(raw[12:16], "little") + extra
    path.write_bytes(changed[:12] + length.to_bytes(4, "little") + changed[16:])
    with pytest.raises(sg.SignoriniError, match="self-contained"):
        sg.load_mesh(path)
