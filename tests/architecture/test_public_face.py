"""The public face: few names at the top, one path for each, short descriptions, old names with a warning."""

from __future__ import annotations

import inspect
import subprocess
import sys
from importlib import import_module

import numpy as np
import pytest

import signorini as sg

MODULES = ("signorini", *(f"signorini.{name}" for name in sg.SUBMODULES))
NAMES = [(module, name) for module in MODULES for name in import_module(module).__all__]
OUTSIDE = (
    "load_problem", "save_problem", "InteriorPoint", "PrimalDualBarrier", "ProjectedSOR", "ProjectedJacobi",
    "BarzilaiBorwein", "APGD", "Model", "Simulation", "Run", "ContactProblem", "Cones", "Material", "Sphere",
)  # fmt: skip
"""Names at the top that programs rely on."""
LONGEST_REPR = 300


def test_the_top_level_is_small_and_holds_what_programs_rely_on() -> None:
    assert 30 <= len(sg.__all__) <= 45
    assert set(OUTSIDE) <= set(sg.__all__)
    assert {"State", "Step", "SCENES"} <= set(sg.__all__)


def test_every_public_name_has_one_path() -> None:
    names = [name for _, name in NAMES]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(("module", "name"), NAMES)
def test_public_names_exist_and_are_documented(module: str, name: str) -> None:
    thing = getattr(import_module(module), name)
    assert (inspect.getdoc(thing) or "").strip()


@pytest.mark.parametrize("name", sg._MOVED)
def test_old_names_work_and_say_where_the_new_ones_are(name: str) -> None:
    place, there = sg._MOVED[name]
    with pytest.warns(DeprecationWarning, match=rf"now signorini\.{place}\.{there}"):
        old = getattr(sg, name)
    assert old is getattr(getattr(sg, place), there)
    assert name not in sg.__all__


def test_submodules_are_there_without_an_import_of_their_own() -> None:
    code = (
        "import signorini as sg; print(*(x.__name__ for x in (sg.shapes.Cone, sg.solvers.Clarabel, sg.functions.Sine)))"
    )
    found = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["Cone", "Clarabel", "Sine"]


def test_simulation_takes_keywords_alone_after_the_model() -> None:
    parameters = list(inspect.signature(sg.Simulation).parameters.values())
    assert parameters[0].name == "model"
    assert all(p.kind is p.KEYWORD_ONLY for p in parameters[1:])


def things() -> dict[str, object]:
    """One of each public object that holds data, large enough to be unreadable as arrays."""
    model = sg.Model()
    model.add_box_container(size=(1, 1, 1), material=sg.Material(friction=0.3, restitution=0.2))
    grid = np.indices((4, 4, 3)).reshape(3, -1).T * 0.1 + 0.2
    balls = [model.add_body(sg.Sphere(0.05), density=1000, position=place) for place in grid]
    sim = sg.Simulation(model, step=0.005)
    run = sim.run(0.01)
    step = sim.advance()
    mesh = np.random.default_rng(0).normal(size=(40, 3))
    hull = sg.ConvexHull(mesh)
    return {
        "Model(": model, "Simulation(": sim, "Run(": run, "DviStep(": step, "State(": sim.state, "Body(": balls[0],
        "Material(friction=0.3, restitution=0.2)": model.bodies[0].material, "ContactProblem(": step.problem,
        "Solution(": step.solution, "Certificate(": step.solution.certificate, "Cones(": step.problem.cones,
        "Contacts(": step.contacts, "History(": step.solution.history, "Guess(": sg.Guess(np.ones(3)),
        "Sphere(radius=0.05)": sg.Sphere(0.05), "ConvexHull(": hull,
        "TriangleMesh(": sg.TriangleMesh(hull.vertices, hull.triangles),
        "HeightField(": sg.shapes.HeightField(np.zeros((30, 30)), 0.1),
        "Cable(": sg.flexible.Cable.straight(length=2.0, elements=20, radius=0.01, young=1e8, density=1200),
        "SoftBody(": sg.flexible.SoftBody(
            sg.flexible.Mesh.box((1, 1, 1), (3, 3, 3)), sg.materials.Elastic(young=1e6, poisson=0.3, density=1e3)
        ),
        "InteriorPoint(": sg.InteriorPoint(), "HHT(": sg.integrators.HHT(), "JointReadings(": sim.joints,
        "Motors(": sim.motors, "Wrenches(": sim.wrenches, "ContactForces(": sim.contact_forces,
        "Snapshot(": sim.snapshot(), "Reactions(": step.reactions, "StepOutcome(": step.outcome,
        "BlockDiagonalMass(": step.problem.mass, "RigidRows(": step.problem.rows,
        "Table(": sg.functions.Table(np.linspace(0, 1, 50), np.linspace(0, 1, 50)),
    }  # fmt: skip


def test_descriptions_are_short_and_say_what_it_is() -> None:
    for start, thing in things().items():
        text = repr(thing)
        assert text.startswith(start), text
        assert "array(" not in text, text
        assert len(text) <= LONGEST_REPR, text
        assert text.count("\n") < 3, text


def test_energy_of_a_run_is_that_of_its_last_step() -> None:
    """With compliant contacts, whose springs hold energy too."""
    model = sg.Model()
    model.add_fixed_body(sg.HalfSpace(), material=sg.Material(compliance=1e-4))
    model.add_body(sg.Sphere(0.1), density=1000, position=(0, 0, 0.099), material=sg.Material(compliance=1e-4))
    last: list[sg.Step] = []
    run = sg.Simulation(model, step=0.002).run(0.05, callbacks=[last.append])
    step = last[-1]
    assert step.contact_energy > 0.0
    assert run.summary()["energy"] == pytest.approx(step.energy, rel=1e-14)
    assert step.energy == pytest.approx(step.kinetic + step.potential + step.contact_energy)
