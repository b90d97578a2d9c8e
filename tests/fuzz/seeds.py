"""Sound files of every kind that the package reads, small: what mutations start from."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np

import signorini as sg
from signorini.problem.cones import Cones
from signorini.problem.contact_problem import ContactProblem

DATA = Path(__file__).parent.parent / "io" / "data"
MESHES = (".msh", ".vtk", ".vtu", ".inp", ".mesh", ".bdf", ".vol", ".su2")


def make_seeds(folder: Path, kinds: list[str]) -> dict[str, list[Path]]:
    """Records, FCLIB problems and meshes, by the reader that they are for."""
    folder.mkdir(parents=True, exist_ok=True)
    makers = {"record": _records, "fclib": _problems, "mesh": _meshes}
    return {kind: makers[kind](folder) for kind in kinds}


def mechanism() -> sg.Model:
    """Bodies in contact, joints of several kinds, limits, friction, springs, a motor."""
    model = sg.Model()
    model.add_fixed_body(sg.HalfSpace((0, 0, 1)), name="floor")
    model.add_body(sg.Sphere(0.1), mass=1.0, position=(0, 0, 0.1), velocity=(0.5, 0, 0), name="ball")
    model.add_body(sg.Box((0.2, 0.2, 0.2)), mass=1.0, position=(1, 0, 0.1), name="box")
    for k in range(2):
        model.add_body(sg.Box((1.0, 0.1, 0.1)), mass=2.0, position=(k + 0.5, 2, 1.0), mask=0, name=f"arm-{k}")
    model.add_revolute(None, "arm-0", (0, 2, 1), (0, 1, 0), name="shoulder")
    model.add_revolute("arm-0", "arm-1", (1, 2, 1), (0, 1, 0), limits=(-0.1, 0.1), friction=0.3, name="elbow")
    model.add_motor("shoulder", speed=sg.functions.Sine(amplitude=1.0, frequency=1.0), name="motor")
    model.add_spring("ball", "box", (0, 0, 0.1), (1, 0, 0.1), stiffness=10.0)
    return model


def _records(folder: Path) -> list[Path]:
    found = []
    for number, solver in enumerate(("projected-sor", "interior-point")):
        path = folder / f"mechanism-{number}.h5"
        path.unlink(missing_ok=True)
        sg.Simulation(mechanism(), step=0.005, solver=solver).run(0.04, record=path)
        found.append(path)
    smooth = folder / "smooth.h5"
    smooth.unlink(missing_ok=True)
    pendulum = sg.SCENES["double-pendulum"].build()
    sg.Simulation(pendulum, step=0.002, integrator="hht").run(0.02, record=smooth)
    soft = folder / "soft.h5"
    soft.unlink(missing_ok=True)
    sg.Simulation(sg.SCENES["soft-ball-stairs"].build(), step=0.005).run(0.01, record=soft)
    old = folder / "record-v3.h5"
    shutil.copy(DATA / old.name, old)
    return [*found, smooth, old, soft]


def _problems(folder: Path) -> list[Path]:
    rng = np.random.default_rng(0)
    D = rng.standard_normal((12, 18))
    problem = ContactProblem(H=np.eye(18), c=rng.standard_normal(18), D=D, cones=Cones.coulomb(np.full(4, 0.5)))
    joined = ContactProblem(
        H=np.eye(18), c=rng.standard_normal(18), D=D, C=rng.standard_normal((3, 18)), b_gamma=np.zeros(3),
        cones=Cones.coulomb(np.full(4, 0.5)),
    )  # fmt: skip
    dual = ContactProblem.from_delassus(problem.N, problem.r, problem.cones)
    found = []
    for name, one in (("global", problem), ("joints", joined), ("local", dual)):
        path = folder / f"{name}.hdf5"
        sg.save_problem(one, path, sg.ProjectedSOR().solve(one) if name != "joints" else None)
        found.append(path)
    return found


def _meshes(folder: Path) -> list[Path]:
    import meshio

    corners = np.array([[x, y, z] for x in (0, 1, 2) for y in (0, 1) for z in (0, 1)], dtype=float)
    hexa = np.array([[0, 4, 6, 2, 1, 5, 7, 3], [4, 8, 10, 6, 5, 9, 11, 7]])
    tetra = np.array([[0, 4, 2, 1], [4, 6, 2, 7], [4, 2, 1, 7], [4, 5, 1, 7], [2, 3, 1, 7]])
    found = []
    for ending in MESHES:
        for kind, cells in (("tetra", tetra), ("hexahedron", hexa)):
            path = folder / f"{kind}{ending}"
            try:
                meshio.write(path, meshio.Mesh(corners, [(kind, cells)]))
            except Exception:  # not every format holds every cell
                path.unlink(missing_ok=True)
                continue
            found.append(path)
    return found
