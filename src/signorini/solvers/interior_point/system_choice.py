"""Choice of the linear system and of its factorisation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from signorini.problem.contact_problem import ContactProblem
from signorini.problem.errors import SolverError
from signorini.solvers.cone_newton.bodies_system import condensed
from signorini.solvers.cone_newton.delassus_system import Delassus
from signorini.solvers.cone_newton.four_block_system import FourBlocks
from signorini.solvers.cone_newton.orthogonal_system import Orthogonal
from signorini.solvers.cone_newton.saddle_system import SaddlePoint
from signorini.solvers.cone_newton.standard_form import StandardForm, couples_contacts
from signorini.solvers.cone_newton.system import System
from signorini.solvers.linear import BackEnd

if TYPE_CHECKING:
    from signorini.solvers.interior_point.solver import InteriorPoint

SADDLE_DELTA = 1e-12
"""Regularisation of the saddle-point systems, which need it for redundant joints only."""
FEW_IMPULSES = 0.12
"""With fewer cone rows than this share of the velocities the Delassus system is cheaper: one factorisation of H and a
solve per row cost less than a factorisation per iteration."""


def choose_system(settings: InteriorPoint, problem: ContactProblem) -> str:
    """The name of the system to use; raises `SolverError` for one that the problem does not allow."""
    if settings.scaling == "none":
        return _unscaled_system(settings, problem)
    if not problem.cones.is_plain:
        if settings.system in ("delassus", "orthogonal"):
            raise SolverError(
                f"the {settings.system} system has no intervals and rolling blocks; use system='condensed'"
            )
        usual = "augmented" if problem.joint_rows else "condensed"
        return usual if settings.system == "auto" else settings.system
    if problem.is_dual_only:
        return "delassus"
    if settings.system == "delassus" and problem.joint_rows:
        raise SolverError("the delassus system has no joints; use system='condensed' or 'augmented'")
    if settings.system == "auto":
        few = problem.contact_rows < FEW_IMPULSES * problem.velocities and problem.joint_rows == 0
        if few and problem.contact_rows and problem.mass.factor is None:
            return "delassus"
        # Joints of light or slender bodies are nearly redundant in the condensed system, so that delta is no longer
        # negligible.
        return "augmented" if problem.joint_rows or couples_contacts(problem) else "condensed"
    if settings.system == "condensed" and couples_contacts(problem):
        raise SolverError("the condensed system needs an E that couples no two contacts; use system='augmented'")
    return settings.system


def _unscaled_system(settings: InteriorPoint, problem: ContactProblem) -> str:
    """Where regularisation in the units of the problem would be harmful, only saddle-point systems remain."""
    if problem.is_dual_only or not problem.cones.is_plain:
        raise SolverError("scaling='none' asks for velocities and for half-lines and Coulomb cones alone")
    if settings.system not in ("auto", "augmented", "unsymmetric", "four-block"):
        raise SolverError(
            f"scaling='none' has no {settings.system} system; choose augmented, unsymmetric or four-block"
        )
    return "unsymmetric" if settings.system == "auto" else settings.system


def make_system(
    settings: InteriorPoint, name: str, problem: ContactProblem, form: StandardForm, back: BackEnd
) -> System:
    """The system of that name, factored by `back`."""
    if name == "condensed":
        return condensed(form, back, settings.delta)
    if name == "delassus":
        return Delassus(form, back, settings.delta)
    if name == "orthogonal":
        return Orthogonal(problem, form)
    if name == "four-block":
        return FourBlocks(form, back)
    return SaddlePoint(form, back, SADDLE_DELTA, symmetric=name == "augmented")


def description(name: str, form: StandardForm, system: System, back: BackEnd) -> str:
    """System and back end, in words."""
    both = form.A.width + form.A.rows
    sizes = {"condensed": form.A.width, "delassus": form.cone_rows, "four-block": both + form.cone_rows}
    unknowns = sizes.get(name, both)
    chosen = system.own_factorisation or back.factoring(unknowns).name
    return f"{name} system of {unknowns} unknowns, {chosen} factorisation"
