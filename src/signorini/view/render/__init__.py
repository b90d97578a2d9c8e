"""Pictures and films of runs, painted by this package on any machine: no display, no graphics driver."""

from signorini.view.render.film import render_run
from signorini.view.render.renderer import Renderer
from signorini.view.render.settings import PictureSettings

__all__ = ["PictureSettings", "Renderer", "render_run"]
