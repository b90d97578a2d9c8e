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
    from signorini.io.fclib import load_problem as load_problem
    from signorini.io.fclib import save_problem as save_problem
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

__version__ = "0.1.0"

# Public name -> module. Loaded on first use: `import signorini` and `signorini --help` stay fast.
_PUBLIC = {
    "APGD": "signorini.solvers.apgd",
    "BarzilaiBorwein": "signorini.solvers.barzilai_borwein",
    "Box": "signorini.model.shapes.box",
    "Capsule": "signorini.model.shapes.capsule",
    "Certificate": "signorini.problem.certificate",
    "Clarabel": "signorini.solvers.clarabel_adapter",
    "Cone": "signorini.model.shapes.cone",
    "Cones": "signorini.problem.cones",
    "ContactProblem": "signorini.problem.contact_problem",
    "ConvexHull": "signorini.model.shapes.convex_hull",
    "Coulomb": "signorini.solvers.coulomb",
    "Cylinder": "signorini.model.shapes.cylinder",
    "Ellipsoid": "signorini.model.shapes.ellipsoid",
    "Guess": "signorini.problem.solution",
    "HalfSpace": "signorini.model.shapes.half_space",
    "HeightField": "signorini.model.shapes.height_field",
    "InteriorPoint": "signorini.solvers.interior_point",
    "Linear": "signorini.solvers.linear_only",
    "Material": "signorini.model.material",
    "Model": "signorini.model.model",
    "PrimalDualBarrier": "signorini.solvers.primal_dual_barrier",
    "ProjectedJacobi": "signorini.solvers.projected_jacobi",
    "ProjectedSOR": "signorini.solvers.projected_sor",
    "Ramp": "signorini.model.functions.ramp",
    "Run": "signorini.simulation.run",
    "SignoriniError": "signorini.problem.errors",
    "Simulation": "signorini.simulation.simulation",
    "Sine": "signorini.model.functions.sine",
    "SmoothStep": "signorini.model.functions.smooth_step",
    "Solution": "signorini.problem.solution",
    "Sphere": "signorini.model.shapes.sphere",
    "Status": "signorini.problem.solution",
    "Table": "signorini.model.functions.table",
    "TriangleMesh": "signorini.model.shapes.triangle_mesh",
    "load_problem": "signorini.io.fclib",
    "make_solver": "signorini.solvers",
    "measure": "signorini.problem.certificate",
    "save_problem": "signorini.io.fclib",
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
