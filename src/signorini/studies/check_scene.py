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
from signorini.problem.solution import Status
from signorini.scenes import find_scene
from signorini.simulation.analyses.assembling import Assembly, assemble_positions
from signorini.simulation.analyses.mobility import Mobility, mobility


@dataclass(frozen=True)
class FastestSpring:
    """How the default step sees the fastest spring."""

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
    fastest: FastestSpring | None
    """None without springs that resist displacement."""

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
            "fastest_spring": None if self.fastest is None else dataclasses.asdict(self.fastest),
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
    return SceneCheck(scene.name, model, found, assembly, overlap, fastest_spring(model, scene.step))


def fastest_spring(model: Model, h: float) -> FastestSpring | None:
    """The spring or other stiff force that oscillates fastest with the bodies that it acts on; None without any."""
    masses, state, found = Masses.of(model), model.initial_state(), []
    for force in model.stiff_forces:
        term = force.term(state)
        place = masses.column[term.columns]
        free = place >= 0
        K, M = definite(-term.dq[np.ix_(free, free)]), masses.H[place[free]][:, place[free]].toarray()
        square = float(eigh(K, M, eigvals_only=True)[-1]) if len(K) else 0.0
        if square > 0.0:
            rate = math.sqrt(square)
            a, b = 1.0, 0.0
            if term.elastic and not model.flexibles:
                a, b = force_place(h * h * float(np.diag(K) @ masses.lightness[place[free]]))
            found.append(FastestSpring(force.name, rate / (2.0 * math.pi), 0.5 * (a - b) * rate * h))
    return max(found, key=lambda one: one.frequency, default=None)
