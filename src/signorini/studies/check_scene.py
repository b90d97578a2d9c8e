"""Look at a scene before it is run: bodies, degrees of freedom, joints that are redundant, open or impossible."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import eigh

from signorini.assembly.masses import Masses
from signorini.assembly.stiff_forces import definite
from signorini.collision.detector import Detector
from signorini.kernels.step.springs import force_place
from signorini.model.model import Model
from signorini.problem.errors import SignoriniError
from signorini.problem.solution import Status
from signorini.scenes import find_scene
from signorini.simulation.analyses.assembling import Assembly, assemble_positions
from signorini.simulation.analyses.mobility import Mobility, mobility
from signorini.simulation.analyses.modes import modes
from signorini.simulation.argument_checks import chosen_gaps

MOST_UNKNOWNS = 3000
"""Modes of larger models are left to `signorini modes`."""
MODES = 10


@dataclass(frozen=True)
class Oscillation:
    """How the default step sees a spring, or a mode of the whole model."""

    name: str
    frequency: float
    """[Hz]."""
    damping: float
    """That the default step adds, as a share of critical: 0 where springs are slow, omega h / 2 where they are fast and
    for motors with feedback [-]."""


@dataclass(frozen=True, eq=False)
class SceneCheck:
    """What was found."""

    scene: str
    model: Model
    mobility: Mobility
    """As the scene is built."""
    assembly: Assembly | None
    """How joints that are open can be closed; None when all are closed."""
    penetration: float
    """Deepest overlap of two bodies [m]."""
    springs: tuple[Oscillation, ...]
    """Each with the bodies that it acts on, fastest first; those that resist displacement."""
    modes: tuple[Oscillation, ...]
    """Of the whole model about its start, lowest first; none where it is large, open or has nothing that swings."""
    step: float
    """[s]."""

    @property
    def ok(self) -> bool:
        """Whether the joints can be satisfied."""
        impossible = self.assembly is not None and self.assembly.status is not Status.SOLVED
        return not impossible and not self.mobility.contradicting

    def document(self) -> dict[str, Any]:
        """Ready for JSON."""
        model = self.model
        assembled = None
        if self.assembly is not None:
            assembled = {
                "possible": self.assembly.status is Status.SOLVED,
                "worst_joint": self.assembly.worst or None,
                "error_before": self.assembly.before,
                "error_after": self.assembly.after,
                "moved": {name: {"metres": m, "radians": r} for name, (m, r) in self.assembly.moved.items()},
            }
        return {
            "scene": self.scene,
            **self.mobility.document(),
            "joints": len(model.joints),
            "limits": len(model.limits),
            "dry_frictions": len(model.dry_frictions),
            "springs": len(model.stiff_forces),
            "forces": len(model.forces),
            "penetration": self.penetration,
            "fastest_spring": dataclasses.asdict(self.springs[0]) if self.springs else None,
            "step": self.step,
            "oscillations": [dataclasses.asdict(one) for one in self.springs],
            "modes": [dataclasses.asdict(one) for one in self.modes],
            "assembly": assembled,
            "ok": self.ok,
        }


def check_scene(name: str, settings: Iterable[str] = ()) -> SceneCheck:
    """Build a scene, by name or from a file, and look at it."""
    scene = find_scene(name)
    model = scene.build(**scene.parse(settings))
    found = mobility(model)
    assembly = assemble_positions(model) if found.open else None
    overlap = Detector(model).detect(model.initial_state(), 0.0).deepest
    h = scene.step
    return SceneCheck(scene.name, model, found, assembly, overlap, springs_of(model, h), modes_of(model, h), h)


def springs_of(model: Model, h: float) -> tuple[Oscillation, ...]:
    """Springs and other stiff forces, each with the bodies that it acts on, fastest first."""
    masses, state, found = Masses.of(model), model.initial_state(), []
    for force in model.stiff_forces:
        term = force.term(state)
        place = masses.column[term.columns]
        free = place >= 0
        K, M = definite(-term.dq[np.ix_(free, free)]), masses.H[place[free]][:, place[free]].toarray()
        square = float(eigh(K, M, eigvals_only=True)[-1]) if len(K) else 0.0
        if square > 0.0:
            late = h
            if term.elastic and _keeps_amplitudes(model):
                late = _lateness(h * h * float(np.diag(K) @ masses.inverse_diagonal[place[free]]), h)
            found.append(_oscillation(force.name, math.sqrt(square), late))
    return tuple(sorted(found, key=lambda one: -one.frequency))


def modes_of(model: Model, h: float) -> tuple[Oscillation, ...]:
    """The lowest modes that swing."""
    size = Masses.of(model).velocities
    if size > MOST_UNKNOWNS or not (model.joints or model.stiff_forces or model.flexibles):
        return ()
    try:
        frequency = modes(model, MODES).angular_frequency
    except SignoriniError:  # open joints are reported already
        return ()
    swinging = enumerate((float(rate) for rate in frequency), start=1)
    return tuple(
        _oscillation(f"mode {k}", rate, _lateness((rate * h) ** 2, h) if _keeps_amplitudes(model) else h)
        for k, rate in swinging
        if rate > 0.0
    )


def _keeps_amplitudes(model: Model) -> bool:
    """Whether the default step takes springs to second order."""
    return not model.flexibles and chosen_gaps(None, "coulomb") == "curved"


def _lateness(square: float, h: float) -> float:
    """How late in the step a spring is taken, on balance [s]; `square` is that of frequency times step."""
    a, b = force_place(square)
    return float(a - b) * h


def _oscillation(name: str, rate: float, late: float) -> Oscillation:
    """Of an angular frequency [rad/s]; forces are taken `late` [s] in the step, on balance."""
    return Oscillation(name, rate / (2.0 * math.pi), 0.5 * rate * late)
