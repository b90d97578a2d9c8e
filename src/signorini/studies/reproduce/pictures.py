"""Panels that several studies show: the scene itself, and the residuals of one solve."""

from __future__ import annotations

import numpy as np

from signorini.model.model import Model
from signorini.model.state import State
from signorini.problem.solution import Solution
from signorini.view.scene_picture import scene_image
from signorini.view.study_figure import Line, Picture

RESIDUALS = {"primal": "constraints", "dual": "equations of motion", "complementarity": "complementarity"}
"""Column of the log of an interior point -> what it measures [MangoniTasora, eq. 3]."""
SMALLEST = 1e-18
"""Shown for 0 on logarithmic axes: where velocities are eliminated, the equations of motion leave nothing."""
SIZE = (720, 560)
"""Of a picture of a scene [pixels]."""


def picture(title: str, model: Model, state: State, camera: str = "iso") -> Picture:
    """The bodies as they are at `state`."""
    return Picture(title, scene_image(model, state, camera=camera, size=SIZE))


def residual_lines(solution: Solution) -> tuple[Line, ...]:
    """The three residuals of a solve by `InteriorPoint(log=True)`, each a line over the iterations."""
    history = solution.history
    return tuple(
        Line(label, history.iteration, np.maximum(np.abs(history.log[name]), SMALLEST))
        for name, label in RESIDUALS.items()
    )
