"""Look at a scene before it is run: bodies, degrees of freedom, joints that are redundant, open or impossible."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from signorini.collision.detector import Detector
from signorini.model.model import Model
from signorini.problem.solution import Status
from signorini.scenes import find_scene
from signorini.simulation.analyses.assembling import Assembly, assemble_positions
from signorini.simulation.analyses.mobility import Mobility, mobility


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
            "assembly": assembled,
            "ok": self.ok,
        }


def check_scene(name: str, settings: Iterable[str] = ()) -> SceneCheck:
    """Build a scene, by name or from a file, and look at it."""
    scene = find_scene(name)
    model = scene.build(**scene.parse(settings))
    found = mobility(model)
    assembly = assemble_positions(model) if found.open else None
    return SceneCheck(scene.name, model, found, assembly, Detector(model).detect(model.initial_state(), 0.0).deepest)
