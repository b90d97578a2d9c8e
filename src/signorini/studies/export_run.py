"""Write a recorded run, or the model of a scene, for other programs."""

from __future__ import annotations

from pathlib import Path

from signorini.io.gltf import save_gltf
from signorini.io.mjcf.writer import save_mjcf
from signorini.io.plain_problem import save_matrix_market, save_npz
from signorini.io.record_reader import RecordReader
from signorini.io.vtk import save_vtk
from signorini.model.model import Model
from signorini.problem.errors import FileError, ModelError
from signorini.scenes import SCENES, find_scene
from signorini.simulation.run import Run
from signorini.simulation.step_problem import save_step_problem, step_problem

RECORDS = (".h5", ".hdf5")
TARGETS = {
    ".pvd": "ParaView series",
    ".glb": "glTF animation",
    ".hdf5": "FCLIB problem of a step",
    ".npz": "the same as arrays",
    ".mtx": "the same as a folder of Matrix Market files",
    ".xml": "MJCF model",
}
PROBLEMS = (".hdf5", ".npz", ".mtx")
"""Of one step."""


def export(source: str, target: Path, frame: int | None = None, every: int = 1, scene: str | None = None) -> list[Path]:
    """Write what the ending of `target` asks for; returns the files.

    Parameters
    ----------
    source
        A record, or for `.xml` a scene or a file with a model.
    frame
        The problem of the step that begins there is written; the last one by default.
    every
        Every n-th frame goes into a series or an animation.
    scene
        Builds the model of a record that has functions in it.
    """
    if target.suffix not in TARGETS:
        known = ", ".join(f"{ending} ({what})" for ending, what in TARGETS.items())
        raise FileError(f"{target} has the ending '{target.suffix}', expected one of {known}")
    if not source.endswith(RECORDS):
        if target.suffix != ".xml":
            raise ModelError(f"{source!r} is no record: run it with --record run.h5 and export that")
        save_mjcf(target, find_scene(source).build())
        return [target]
    if frame is not None and target.suffix not in PROBLEMS:
        raise ModelError(
            f"--frame is for the problem of a step ({', '.join(PROBLEMS)}), {target} has all frames: drop it"
        )
    run, model = Run.load(source), model_of(RecordReader(source), scene)
    if target.suffix == ".pvd":
        return save_vtk(target, model, run, every)
    if target.suffix in PROBLEMS:
        return _export_problem(target, model, run, -1 if frame is None else frame)
    if target.suffix == ".glb":
        save_gltf(target, model, run, every)
    else:
        save_mjcf(target, model)
    return [target]


def _export_problem(target: Path, model: Model, run: Run, frame: int) -> list[Path]:
    if target.suffix == ".hdf5":
        save_step_problem(target, model, run, frame)
        return [target]
    problem, _ = step_problem(model, run, frame)
    if target.suffix == ".mtx":
        return save_matrix_market(problem, target.with_suffix(""))
    save_npz(problem, target)
    return [target]


def model_of(record: RecordReader, scene: str | None) -> Model:
    """The model of a record; functions come from a scene, never from what the record names."""
    parameters = record.notes.get("parameters")
    values = parameters if isinstance(parameters, dict) else {}
    if scene is not None:
        return find_scene(scene).build(**values)
    name, functions = record.notes.get("scene"), record.functions()
    if functions and isinstance(name, str) and name in SCENES:
        return SCENES[name].build(**values)
    if functions:
        raise ModelError(f"{record.path} has a model with functions ({functions[0]}): add --scene, the file of it")
    return record.model()
