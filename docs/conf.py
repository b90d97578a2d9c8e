"""Sphinx configuration."""

from __future__ import annotations

import re

from signorini import __version__

project = "Signorini"
author = "The Signorini developers"
copyright = author  # noqa: A001
release = version = __version__

extensions = ["sphinx.ext.autodoc", "sphinx.ext.napoleon", "myst_parser", "sphinxcontrib.bibtex"]
exclude_patterns = ["_build"]
myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3
bibtex_bibfiles = ["references.bib"]
default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
html_theme = "furo"
html_title = f"Signorini {release}"


def _escape_bars(app, what, name, obj, options, lines):
    """Norms are written |x| in docstrings; reStructuredText would take them for substitutions."""
    for number, line in enumerate(lines):
        # Code and literal blocks keep their bars.
        if not line.startswith("    "):
            pieces = re.split(r"(`+[^`]*`+)", line)
            lines[number] = "".join(p if p.startswith("`") else p.replace("|", r"\|") for p in pieces)


def setup(app):
    app.connect("autodoc-process-docstring", _escape_bars)
