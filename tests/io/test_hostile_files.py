"""Files that reach other files, claim too much, or name what is not there: refused before data are read."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import signorini as sg
from signorini.io.record_target import RecordTarget
from signorini.io.solid_files import FORMATS
from signorini.problem.cones import Cones
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.errors import FileError

DATA = Path(__file__).parent / "data"
Change = Callable[[h5py.File, str, Path], None]


def external_link(file: h5py.File, name: str, secret: Path) -> None:
    del file[name]
    file[name] = h5py.ExternalLink(str(secret), "/x")


def soft_link(file: h5py.File, name: str, secret: Path) -> None:
    file["elsewhere"] = file[name][()]
    del file[name]
    file[name] = h5py.SoftLink("/elsewhere")


def external_storage(file: h5py.File, name: str, secret: Path) -> None:
    shape, kind = file[name].shape, file[name].dtype
    del file[name]
    file.create_dataset(name, shape, dtype=kind, external=[(str(secret), 0, int(np.prod(shape)) * kind.itemsize)])


def virtual(file: h5py.File, name: str, secret: Path) -> None:
    shape, kind = file[name].shape, file[name].dtype
    del file[name]
    layout = h5py.VirtualLayout(shape=shape, dtype=kind)
    layout[...] = h5py.VirtualSource(str(secret), "/x", shape=shape)
    file.create_virtual_dataset(name, layout)


def bomb(file: h5py.File, name: str, secret: Path) -> None:
    """Claims 16 GB and stores nothing."""
    kind, rest = file[name].dtype, file[name].shape[1:]
    del file[name]
    rows = 2**31 // max(1, int(np.prod(rest)))
    file.create_dataset(
        name, (rows, *rest), maxshape=(None, *rest), dtype=kind, chunks=(1024, *rest), compression="gzip"
    )


CHANGES: list[Change] = [external_link, soft_link, external_storage, virtual, bomb]


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "secret.h5"
    with h5py.File(path, "w") as file:
        file["x"] = np.arange(10000.0)
    return path


@pytest.mark.parametrize("name", ["frames/position", "contacts/friction", "steps", "checkpoint/0/position"])
@pytest.mark.parametrize("change", CHANGES)
def test_record(tmp_path: Path, secret: Path, name: str, change: Change) -> None:
    path = tmp_path / "run.h5"
    shutil.copy(DATA / "record-v4.h5", path)
    if change is bomb and name.startswith("checkpoint"):
        pytest.skip("its size is known")
    with h5py.File(path, "r+") as file:
        change(file, name, secret)
    with pytest.raises(FileError, match=r"in the file itself|claims"):
        sg.Run.load(path)


@pytest.mark.parametrize("name", ["fclib_global/vectors/mu", "fclib_global/M/x"])
@pytest.mark.parametrize("change", CHANGES)
def test_problem(tmp_path: Path, secret: Path, name: str, change: Change) -> None:
    path = tmp_path / "problem.hdf5"
    problem = ContactProblem(H=np.eye(6), c=np.ones(6), D=np.eye(6), cones=Cones.coulomb(np.full(2, 0.5)))
    sg.save_problem(problem, path)
    with h5py.File(path, "r+") as file:
        change(file, name, secret)
    with pytest.raises(FileError, match=r"in the file itself|claims"):
        sg.load_problem(path)


def test_filters_that_would_load_a_library_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    shutil.copy(DATA / "record-v4.h5", path)
    with h5py.File(path, "r+") as file:
        data = file["frames/position"]
        shape, kind = data.shape, data.dtype
        del file["frames/position"]
        properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        properties.set_chunk(shape)
        properties.set_filter(32004, h5py.h5z.FLAG_OPTIONAL)  # LZ4, a plug-in
        space = h5py.h5s.create_simple(shape)
        h5py.h5d.create(file.id, b"frames/position", h5py.h5t.py_create(kind), space, properties)
    with pytest.raises(FileError, match="packed by filter 32004"):
        sg.Run.load(path)


# --- the model of a record -----------------------------------------------------------------------------------------


def changed_model(path: Path, change: Callable[[Any], None]) -> None:
    with h5py.File(path, "r+") as file:
        content = json.loads(bytes(np.asarray(file["model"][()])).decode())
        change(content)
        del file["model"]
        file["model"] = np.frombuffer(json.dumps(content).encode(), dtype=np.uint8)


def set_at(*place: Any) -> Callable[[Any], Callable[[Any], None]]:
    def with_value(value: Any) -> Callable[[Any], None]:
        def change(content: Any) -> None:
            for key in place[:-1]:
                content = content[key]
            content[place[-1]] = value

        return change

    return with_value


@pytest.mark.parametrize(
    "change",
    [
        set_at("joints", 0, "fields", "a")(10**6),
        set_at("joints", 0, "fields", "b")(-7),
        set_at("limits", 0, "fields", "coordinate", "fields", "b")(99),
        set_at("limits", 0, "fields", "coordinate", "fields", "kind")(77),
        set_at("limits", 0, "fields", "coordinate", "fields", "axes")([0, 9]),
        set_at("bodies", 1, "mass")(-1.0),
        set_at("bodies", 1, "inertia")([[1.0]]),
        set_at("bodies", 1, "position")([0.0, 0.0]),
        set_at("bodies", 1, "orientation")([2.0, 0.0, 0.0, 0.0]),
        set_at("bodies", 1, "group")(2**80),
        set_at("bodies", 1, "name")("floor"),
        set_at("bodies", 1, "shapes", 0, 0)(55),
        set_at("shapes", 0, "class")("signorini.model.model:re"),
        set_at("shapes", 0, "class")("os:system"),
        set_at("gravity")([0.0]),
        set_at("limits", 0, "fields", "coordinate", "fields", "frame_a")(10**39),
        set_at("limits", 0, "fields", "low")("../../etc/passwd"),
        set_at("limits", 0, "fields", "high")(10**39 * 10**39),
        set_at("limits")(""),  # fewer than the impulses of the checkpoint
    ],
)
def test_model_that_leads_nowhere_is_refused(tmp_path: Path, change: Callable[[Any], None]) -> None:
    path = tmp_path / "run.h5"
    shutil.copy(DATA / "record-v4.h5", path)
    changed_model(path, change)
    with pytest.raises(sg.SignoriniError):
        sg.Simulation.resume(path)


@pytest.mark.parametrize("name", ["position", "velocity", "impulse", "joint_impulse"])
@pytest.mark.parametrize("value", [1e308, -1e308])
def test_checkpoint_that_no_step_can_compute_with_is_refused(tmp_path: Path, name: str, value: float) -> None:
    """Its numbers are finite, but their squares are not."""
    path = tmp_path / "run.h5"
    shutil.copy(DATA / "record-v4.h5", path)
    with h5py.File(path, "r+") as file:
        for slot in ("0", "1"):
            data = file[f"checkpoint/{slot}/{name}"]
            data[...] = np.where(np.arange(data.size).reshape(data.shape) == 0, value, data[()])
    with pytest.raises(FileError, match=f"'{name}' of the checkpoint"):
        sg.Simulation.resume(path)


def test_names_that_a_module_imported_are_no_classes(tmp_path: Path) -> None:
    """Else a record could import, and so run, any module."""
    path = tmp_path / "run.h5"
    shutil.copy(DATA / "record-v4.h5", path)
    item = {"class": "signorini.model.shapes.mesh_pieces:import_module", "fields": {"name": "antigravity"}}
    changed_model(path, set_at("shapes", 0)(item))
    with pytest.raises(FileError, match="names the class"):
        sg.Simulation.resume(path)


# --- meshes --------------------------------------------------------------------------------------------------------


def test_meshes_do_not_take_in_other_files(tmp_path: Path) -> None:
    secret = tmp_path / "secret.inp"
    secret.write_text("*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n4, 0, 0, 1\n")
    path = tmp_path / "mesh.inp"
    path.write_text(f"*Heading\n *include, input={secret}\n*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 4\n")
    with pytest.raises(FileError, match="includes another file"):
        sg.load_mesh(path)


@pytest.mark.parametrize("ending", [".dat", ".xdmf", ".node", ".h5m", ".xml", ".exotic"])
def test_formats_that_hang_or_refer_are_not_read(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"mesh{ending}"
    path.write_text("ZONE\n" * 5)
    with pytest.raises(FileError, match="has an ending that is not read"):
        sg.load_mesh(path)
    assert ending not in FORMATS


def test_reader_that_never_ends_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "meshio.py").write_text("def read(*a, **k):\n    while True: pass\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr("signorini.io.solid_files.SECONDS", 1)
    path = tmp_path / "mesh.msh"
    path.write_text("$MeshFormat\n")
    with pytest.raises(FileError, match="takes more than 1 s"):
        sg.load_mesh(path)


def test_damaged_heap_of_texts_is_refused_at_once(tmp_path: Path) -> None:
    """HDF5 walks through an object of size 0 for ever; records of version 3 keep their settings in such heaps."""
    content = bytearray((DATA / "record-v3.h5").read_bytes())
    place = content.find(b"GCOL")
    assert place > 0
    content[place + 16 : place + 64] = bytes(48)
    path = tmp_path / "run.h5"
    path.write_bytes(content)
    with pytest.raises(FileError, match="heap of texts is damaged"):
        sg.Run.load(path)


def test_texts_of_variable_length_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    shutil.copy(DATA / "record-v4.h5", path)
    with h5py.File(path, "r+") as file:
        file.attrs["settings"] = str(file.attrs["settings"].decode())
    with pytest.raises(FileError, match="no text of fixed length"):
        sg.Run.load(path)


def test_checkpoint_of_other_velocities_is_refused(tmp_path: Path) -> None:
    model = sg.Model()
    ball = model.add_body(sg.Sphere(0.1), density=1000, position=(1, 0, 0))
    model.add_revolute(None, ball, position=(0, 0, 0), axis=(0, 1, 0))
    path = tmp_path / "run.h5"
    sg.Simulation(model, step=0.01).run(0.05, record=path)
    with h5py.File(path, "r+") as file:
        for slot in ("0", "1"):
            data = file[f"checkpoint/{slot}/acceleration"]
            assert data.shape == (6,)
            values = data[:3]
            del file[f"checkpoint/{slot}/acceleration"]
            file.create_dataset(f"checkpoint/{slot}/acceleration", data=values, maxshape=(None,), chunks=True)
    with pytest.raises(FileError, match="of 3 velocities, expected 6"):
        sg.Simulation.resume(path)


def test_names_that_cannot_be_those_of_records(tmp_path: Path) -> None:
    (tmp_path / "circle.h5").symlink_to("circle.h5")
    os.mkfifo(tmp_path / "pipe.h5")
    for name in ("circle.h5", "a" * 300 + ".h5", "nul\0.h5", "pipe.h5"):
        with pytest.raises(FileError, match=r"cannot be the name of a record|no ordinary file"):
            RecordTarget.of(tmp_path / name)


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.hdf5")
    with pytest.raises(FileError, match="no ordinary file"):
        sg.load_problem(tmp_path / "pipe.hdf5")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A record of a run, without a journal."""
    path = tmp_path_factory.mktemp("finished") / "run.h5"
    sg.Simulation(sg.SCENES["pendulum"].build(), step=0.01).run(0.05, record=path)
    return path


@pytest.mark.parametrize("beside", [".run.h5.journal", ".run.h5.new"])
@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_files_beside_a_record_lead_nowhere(tmp_path: Path, finished: Path, beside: str, kind: str) -> None:
    precious = tmp_path / "precious"
    precious.write_text("precious")
    for name in ("old", "new"):
        place = tmp_path / name / beside
        place.parent.mkdir()
        {"link": lambda p: p.symlink_to(precious), "pipe": os.mkfifo, "folder": Path.mkdir}[kind](place)
    with pytest.raises(FileError, match="a record needs that name for itself"):
        sg.Simulation(sg.SCENES["pendulum"].build(), step=0.01).run(0.05, record=tmp_path / "new" / "run.h5")
    if "journal" in beside:
        shutil.copy(finished, tmp_path / "old")
        with pytest.raises(FileError, match="a record needs that name for itself"):
            sg.Simulation.resume(tmp_path / "old" / "run.h5").run(0.05, record=tmp_path / "old" / "run.h5")
    assert precious.read_text() == "precious"
