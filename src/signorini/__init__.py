"""Signorini: non-smooth multibody dynamics with hard frictional contact.

>>> import signorini as sg
>>> model = sg.Model()
>>> model.add_box_container(size=(1, 1, 1))
>>> model.add_body(sg.Sphere(0.035), density=1000, position=(0.5, 0.5, 0.3))
>>> run = sg.Simulation(model, step=0.005, solver=sg.InteriorPoint(tolerance=1e-8)).run(2.0)
>>> print(run.summary())
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from signorini.fe.cable import Cable as Cable
    from signorini.fe.materials.elastic import Elastic as Elastic
    from signorini.fe.materials.neo_hookean import NeoHookean as NeoHookean
    from signorini.fe.materials.saint_venant_kirchhoff import SaintVenantKirchhoff as SaintVenantKirchhoff
    from signorini.fe.mesh import Mesh as Mesh
    from signorini.fe.soft_body import SoftBody as SoftBody
    from signorini.io.fclib import load_problem as load_problem
    from signorini.io.fclib import save_problem as save_problem
    from signorini.io.meshes import load_mesh as load_mesh
    from signorini.io.vtk import save_vtk as save_vtk
    from signorini.model.functions.ramp import Ramp as Ramp
    from signorini.model.functions.sine import Sine as Sine
    from signorini.model.functions.smooth_step import SmoothStep as SmoothStep
    from signorini.model.functions.table import Table as Table
    from signorini.model.material import Material as Material
    from signorini.model.model import Model as Model
    from signorini.model.shapes.box import Box as Box
    from signorini.model.shapes.capsule import Capsule as Capsule
    from signorini.model.shapes.cone import Cone as Cone
    from signorini.model.shapes.convex_hull import ConvexHull as ConvexHull
    from signorini.model.shapes.cylinder import Cylinder as Cylinder
    from signorini.model.shapes.ellipsoid import Ellipsoid as Ellipsoid
    from signorini.model.shapes.half_space import HalfSpace as HalfSpace
    from signorini.model.shapes.height_field import HeightField as HeightField
    from signorini.model.shapes.sphere import Sphere as Sphere
    from signorini.model.shapes.triangle_mesh import TriangleMesh as TriangleMesh
    from signorini.problem.certificate import Certificate as Certificate
    from signorini.problem.certificate import measure as measure
    from signorini.problem.cones import Cones as Cones
    from signorini.problem.contact_problem import ContactProblem as ContactProblem
    from signorini.problem.errors import SignoriniError as SignoriniError
    from signorini.problem.solution import Guess as Guess
    from signorini.problem.solution import Solution as Solution
    from signorini.problem.solution import Status as Status
    from signorini.simulation.analyses.assembling import assemble_positions as assemble_positions
    from signorini.simulation.analyses.kinematics import kinematic_analysis as kinematic_analysis
    from signorini.simulation.analyses.mobility import mobility as mobility
    from signorini.simulation.analyses.modes import modes as modes
    from signorini.simulation.analyses.reactions import joint_reactions as joint_reactions
    from signorini.simulation.analyses.statics import static_equilibrium as static_equilibrium
    from signorini.simulation.run import Run as Run
    from signorini.simulation.simulation import Simulation as Simulation
    from signorini.solvers import make_solver as make_solver
    from signorini.solvers.apgd import APGD as APGD
    from signorini.solvers.barzilai_borwein import BarzilaiBorwein as BarzilaiBorwein
    from signorini.solvers.clarabel_adapter import Clarabel as Clarabel
    from signorini.solvers.coulomb import Coulomb as Coulomb
    from signorini.solvers.interior_point import InteriorPoint as InteriorPoint
    from signorini.solvers.linear_only import Linear as Linear
    from signorini.solvers.primal_dual_barrier import PrimalDualBarrier as PrimalDualBarrier
    from signorini.solvers.projected_jacobi import ProjectedJacobi as ProjectedJacobi
    from signorini.solvers.projected_sor import ProjectedSOR as ProjectedSOR
    from signorini.solvers.saddle.direct import Direct as Direct
    from signorini.solvers.saddle.minres import Minres as Minres
    from signorini.stepping.euler import ImplicitEuler as ImplicitEuler
    from signorini.stepping.hht import HHT as HHT
    from signorini.stepping.newmark import Newmark as Newmark
    from signorini.stepping.newton_settings import Newton as Newton
    from signorini.stepping.penalty import Penalty as Penalty
    from signorini.stepping.step_size import StepSize as StepSize
    from signorini.stepping.trapezoidal import Trapezoidal as Trapezoidal

__version__ = "0.1.0"

# Public name -> module. Loaded on first use: `import signorini` and `signorini --help` stay fast.
_PUBLIC = {
    "APGD": "signorini.solvers.apgd",
    "BarzilaiBorwein": "signorini.solvers.barzilai_borwein",
    "Box": "signorini.model.shapes.box",
    "Cable": "signorini.fe.cable",
    "Capsule": "signorini.model.shapes.capsule",
    "Certificate": "signorini.problem.certificate",
    "Clarabel": "signorini.solvers.clarabel_adapter",
    "Cone": "signorini.model.shapes.cone",
    "Cones": "signorini.problem.cones",
    "ContactProblem": "signorini.problem.contact_problem",
    "ConvexHull": "signorini.model.shapes.convex_hull",
    "Coulomb": "signorini.solvers.coulomb",
    "Cylinder": "signorini.model.shapes.cylinder",
    "Direct": "signorini.solvers.saddle.direct",
    "Elastic": "signorini.fe.materials.elastic",
    "Ellipsoid": "signorini.model.shapes.ellipsoid",
    "Guess": "signorini.problem.solution",
    "HHT": "signorini.stepping.hht",
    "HalfSpace": "signorini.model.shapes.half_space",
    "HeightField": "signorini.model.shapes.height_field",
    "ImplicitEuler": "signorini.stepping.euler",
    "InteriorPoint": "signorini.solvers.interior_point",
    "Linear": "signorini.solvers.linear_only",
    "Material": "signorini.model.material",
    "Mesh": "signorini.fe.mesh",
    "Minres": "signorini.solvers.saddle.minres",
    "Model": "signorini.model.model",
    "NeoHookean": "signorini.fe.materials.neo_hookean",
    "Newmark": "signorini.stepping.newmark",
    "Newton": "signorini.stepping.newton_settings",
    "Penalty": "signorini.stepping.penalty",
    "PrimalDualBarrier": "signorini.solvers.primal_dual_barrier",
    "ProjectedJacobi": "signorini.solvers.projected_jacobi",
    "ProjectedSOR": "signorini.solvers.projected_sor",
    "Ramp": "signorini.model.functions.ramp",
    "Run": "signorini.simulation.run",
    "SaintVenantKirchhoff": "signorini.fe.materials.saint_venant_kirchhoff",
    "SignoriniError": "signorini.problem.errors",
    "Simulation": "signorini.simulation.simulation",
    "Sine": "signorini.model.functions.sine",
    "SmoothStep": "signorini.model.functions.smooth_step",
    "SoftBody": "signorini.fe.soft_body",
    "Solution": "signorini.problem.solution",
    "Sphere": "signorini.model.shapes.sphere",
    "Status": "signorini.problem.solution",
    "StepSize": "signorini.stepping.step_size",
    "Table": "signorini.model.functions.table",
    "Trapezoidal": "signorini.stepping.trapezoidal",
    "TriangleMesh": "signorini.model.shapes.triangle_mesh",
    "assemble_positions": "signorini.simulation.analyses.assembling",
    "joint_reactions": "signorini.simulation.analyses.reactions",
    "kinematic_analysis": "signorini.simulation.analyses.kinematics",
    "load_mesh": "signorini.io.meshes",
    "load_problem": "signorini.io.fclib",
    "make_solver": "signorini.solvers",
    "measure": "signorini.problem.certificate",
    "mobility": "signorini.simulation.analyses.mobility",
    "modes": "signorini.simulation.analyses.modes",
    "save_problem": "signorini.io.fclib",
    "save_vtk": "signorini.io.vtk",
    "static_equilibrium": "signorini.simulation.analyses.statics",
}
__all__ = sorted(_PUBLIC)


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'signorini' has no attribute {name!r}; it has {', '.join(__all__)}")
    value = getattr(import_module(_PUBLIC[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
