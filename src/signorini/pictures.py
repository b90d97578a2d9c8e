"""Pictures of scenes, runs and solvers, written to PNG, SVG or PDF files."""

from __future__ import annotations

from signorini.view.convergence import Curve as Curve
from signorini.view.convergence import draw_convergence as draw_convergence
from signorini.view.profile import draw_profile as draw_profile
from signorini.view.run_plot import draw_run as draw_run
from signorini.view.scene_picture import draw_scene as draw_scene

__all__ = ["Curve", "draw_convergence", "draw_profile", "draw_run", "draw_scene"]
