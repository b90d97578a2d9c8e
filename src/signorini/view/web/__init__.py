"""Runs in the browser: one page of HTML and WebGL, sent by a local server or kept as a file of its own."""

from signorini.view.web.page import save_html
from signorini.view.web.viewer import Viewer, view

__all__ = ["Viewer", "save_html", "view"]
