"""The compiled way of the steps of a model, if it has one."""

from __future__ import annotations

import numpy as np

from signorini.solvers.base import Solver
from signorini.solvers.coulomb import Coulomb
from signorini.stepping.compiled.model_tables import ModelTables, body_table
from signorini.stepping.compiled.row_tables import RowTables
from signorini.stepping.compiled.stepper import CompiledStepper
from signorini.stepping.dvi import DviStepper
from signorini.stepping.rigid_contact import RigidContact

MOST_VELOCITIES, MOST_IN_PILES, MOST_JOINT_ROWS = 360, 768, 360
"""Velocities, those of models of contacts alone, and rows of joints: beyond, the general step is as fast."""


def compiled_way(general: DviStepper, solver: Solver) -> tuple[CompiledStepper | None, str]:
    """The compiled way of the steps of a general stepper, or None and why there is none."""
    why = _why_general(general, solver)
    if why or not isinstance(solver, Coulomb):
        return None, why
    parts = general.assembler
    rows = RowTables.of(parts.model, parts.masses, parts.start)
    if np.any(np.diff(rows.rows.start) == 0):
        return None, "a joint ties no movable body"
    return CompiledStepper(general, solver, ModelTables.of(general, solver, body_table(general), rows)), ""


def _why_general(general: DviStepper, solver: Solver) -> str:
    """Why a model or a solver excludes the compiled way."""
    model, masses = general.assembler.model, general.assembler.masses
    tied = sum(general.assembler.layout.sizes) + len(model.stiff_forces)
    most = MOST_VELOCITIES if tied else MOST_IN_PILES
    reasons = (
        (not isinstance(solver, Coulomb) or not solver.newton, "the solver is not the default one of the exact law"),
        (isinstance(solver, Coulomb) and not np.isinf(solver.time_budget), "the solver has a time budget"),
        (bool(model.flexibles), "there are flexible bodies"),
        (general.motion.traffic is not None, "bodies come into the scene or leave it"),
        (model.periods is not None, "space is periodic"),
        (not isinstance(general.contact, RigidContact), "materials have more than friction"),
        (general.assembler.coupled_friction, "a rope rubs on a drum"),
        (masses.velocities == 0, "nothing moves"),
        (masses.velocities > most, f"more than {most // 6} movable bodies"),
        (general.assembler.layout.sizes[0] > MOST_JOINT_ROWS, f"more than {MOST_JOINT_ROWS} rows of joints"),
    )
    return next((reason for holds, reason in reasons if holds), "")
