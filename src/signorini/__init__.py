"""Signorini: non-smooth multibody dynamics with hard frictional contact.

>>> import signorini as sg
>>> model = sg.Model()
>>> model.add_box_container(size=(1, 1, 1))
>>> model.add_body(sg.Sphere(0.035), density=1000, position=(0.5, 0.5, 0.3))
>>> run = sg.Simulation(model, step=0.005, solver=sg.InteriorPoint(tolerance=1e-8)).run(2.0)
>>> print(run.summary())

Everyday names are here, the others in `signorini.shapes`, `.materials`, `.flexible`, `.functions`, `.integrators`,
`.solvers`, `.analyses`, `.sweeps`, `.gym` and `.pictures`. Each has one public path.
"""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from signorini import analyses as analyses
    from signorini import flexible as flexible
    from signorini import functions as functions
    from signorini import gym as gym
    from signorini import integrators as integrators
    from signorini import materials as materials
    from signorini import pictures as pictures
    from signorini import shapes as shapes
    from signorini import solvers as solvers
    from signorini import sweeps as sweeps
    from signorini.io.gltf import save_gltf as save_gltf
    from signorini.io.meshes import load_mesh as load_mesh
    from signorini.io.mjcf.reader import load_mjcf as load_mjcf
    from signorini.io.mjcf.writer import save_mjcf as save_mjcf
    from signorini.io.problem_file import load_problem as load_problem
    from signorini.io.problem_file import save_problem as save_problem
    from signorini.io.robots.urdf import load_urdf as load_urdf
    from signorini.io.vtk import save_vtk as save_vtk
    from signorini.model.material import Material as Material
    from signorini.model.model import Model as Model
    from signorini.model.shapes.box import Box as Box
    from signorini.model.shapes.capsule import Capsule as Capsule
    from signorini.model.shapes.convex_hull import ConvexHull as ConvexHull
    from signorini.model.shapes.cylinder import Cylinder as Cylinder
    from signorini.model.shapes.half_space import HalfSpace as HalfSpace
    from signorini.model.shapes.sphere import Sphere as Sphere
    from signorini.model.shapes.triangle_mesh import TriangleMesh as TriangleMesh
    from signorini.model.state import State as State
    from signorini.problem.certificate import Certificate as Certificate
    from signorini.problem.certificate import measure as measure
    from signorini.problem.cones import Cones as Cones
    from signorini.problem.contact_problem import ContactProblem as ContactProblem
    from signorini.problem.errors import SignoriniError as SignoriniError
    from signorini.problem.solution import Guess as Guess
    from signorini.problem.solution import Solution as Solution
    from signorini.problem.solution import Status as Status
    from signorini.scenes import SCENES as SCENES
    from signorini.simulation.batch import Batch as Batch
    from signorini.simulation.run import Run as Run
    from signorini.simulation.simulation import Simulation as Simulation
    from signorini.simulation.step_problem import save_step_problem as save_step_problem
    from signorini.solvers import make_solver as make_solver
    from signorini.solvers.apgd import APGD as APGD
    from signorini.solvers.barzilai_borwein import BarzilaiBorwein as BarzilaiBorwein
    from signorini.solvers.coulomb import Coulomb as Coulomb
    from signorini.solvers.interior_point import InteriorPoint as InteriorPoint
    from signorini.solvers.primal_dual_barrier import PrimalDualBarrier as PrimalDualBarrier
    from signorini.solvers.projected_jacobi import ProjectedJacobi as ProjectedJacobi
    from signorini.solvers.projected_sor import ProjectedSOR as ProjectedSOR
    from signorini.stepping.step import Step as Step
    from signorini.studies.sweep import sweep as sweep

__version__ = "0.1.0"

# Public name -> module. Loaded on first use: `import signorini` and `signorini --help` stay fast.
_PUBLIC = {
    "APGD": "signorini.solvers.apgd",
    "BarzilaiBorwein": "signorini.solvers.barzilai_borwein",
    "Batch": "signorini.simulation.batch",
    "Box": "signorini.model.shapes.box",
    "Capsule": "signorini.model.shapes.capsule",
    "Certificate": "signorini.problem.certificate",
    "Cones": "signorini.problem.cones",
    "ContactProblem": "signorini.problem.contact_problem",
    "ConvexHull": "signorini.model.shapes.convex_hull",
    "Coulomb": "signorini.solvers.coulomb",
    "Cylinder": "signorini.model.shapes.cylinder",
    "Guess": "signorini.problem.solution",
    "HalfSpace": "signorini.model.shapes.half_space",
    "InteriorPoint": "signorini.solvers.interior_point",
    "Material": "signorini.model.material",
    "Model": "signorini.model.model",
    "PrimalDualBarrier": "signorini.solvers.primal_dual_barrier",
    "ProjectedJacobi": "signorini.solvers.projected_jacobi",
    "ProjectedSOR": "signorini.solvers.projected_sor",
    "Run": "signorini.simulation.run",
    "SCENES": "signorini.scenes",
    "view": "signorini.view.web",
    "SignoriniError": "signorini.problem.errors",
    "Simulation": "signorini.simulation.simulation",
    "Solution": "signorini.problem.solution",
    "Sphere": "signorini.model.shapes.sphere",
    "State": "signorini.model.state",
    "Status": "signorini.problem.solution",
    "Step": "signorini.stepping.step",
    "TriangleMesh": "signorini.model.shapes.triangle_mesh",
    "load_mesh": "signorini.io.meshes",
    "load_mjcf": "signorini.io.mjcf.reader",
    "load_problem": "signorini.io.problem_file",
    "load_urdf": "signorini.io.robots.urdf",
    "make_solver": "signorini.solvers",
    "measure": "signorini.problem.certificate",
    "save_gltf": "signorini.io.gltf",
    "save_mjcf": "signorini.io.mjcf.writer",
    "save_problem": "signorini.io.problem_file",
    "save_step_problem": "signorini.simulation.step_problem",
    "save_vtk": "signorini.io.vtk",
    "sweep": "signorini.studies.sweep",
}
SUBMODULES = (
    "analyses",
    "flexible",
    "functions",
    "gym",
    "integrators",
    "materials",
    "pictures",
    "shapes",
    "solvers",
    "sweeps",
)
"""Where the other public names are."""

# Old public name -> (submodule, name there): they keep working for one release, with a warning.
_MOVED = {
    "Cable": ("flexible", "Cable"),
    "Clarabel": ("solvers", "Clarabel"),
    "Cone": ("shapes", "Cone"),
    "Direct": ("solvers", "Direct"),
    "Elastic": ("materials", "Elastic"),
    "Ellipsoid": ("shapes", "Ellipsoid"),
    "HHT": ("integrators", "HHT"),
    "HeightField": ("shapes", "HeightField"),
    "ImplicitEuler": ("integrators", "ImplicitEuler"),
    "Linear": ("solvers", "Linear"),
    "Mesh": ("flexible", "Mesh"),
    "Minres": ("solvers", "Minres"),
    "NeoHookean": ("materials", "NeoHookean"),
    "Newmark": ("integrators", "Newmark"),
    "Penalty": ("integrators", "Penalty"),
    "Ramp": ("functions", "Ramp"),
    "SaintVenantKirchhoff": ("materials", "SaintVenantKirchhoff"),
    "Sine": ("functions", "Sine"),
    "SmoothStep": ("functions", "SmoothStep"),
    "SoftBody": ("flexible", "SoftBody"),
    "StepSize": ("integrators", "StepSize"),
    "Table": ("functions", "Table"),
    "Trapezoidal": ("integrators", "Trapezoidal"),
    "assemble_positions": ("analyses", "assemble_positions"),
    "joint_reactions": ("analyses", "joint_reactions"),
    "kinematic_analysis": ("analyses", "kinematic_analysis"),
    "mobility": ("analyses", "mobility"),
    "static_equilibrium": ("analyses", "static_equilibrium"),
    "Newton": ("integrators", "NewtonSettings"),
}
__all__ = sorted(_PUBLIC)


def __getattr__(name: str) -> Any:
    if name in SUBMODULES:
        return import_module(f"signorini.{name}")
    if name in _MOVED:
        place, there = _MOVED[name]
        message = f"signorini.{name} is now signorini.{place}.{there}; the old name goes with the next release"
        warnings.warn(message, DeprecationWarning, stacklevel=2)
        return getattr(import_module(f"signorini.{place}"), there)
    if name not in _PUBLIC:
        known = ", ".join((*__all__, *SUBMODULES))
        raise AttributeError(f"module 'signorini' has no attribute {name!r}; it has {known}")
    value = getattr(import_module(_PUBLIC[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, *SUBMODULES, "__version__"]
