"""Sphinx configuration."""

from __future__ import annotations

import html
import re

import ziamath
from docutils import nodes

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
html_math_renderer = "drawn"
html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["wide.css"]
html_title = f"Signorini {release}"

LETTER = 16.0
"""Size of the letters of formulas [pixels]; the page scales them to its own."""
# Paths in each formula, not symbols with names, which formulas of another size would share.
ziamath.config.svg2 = False


def _escape_bars(app, what, name, obj, options, lines):
    """Norms are written |x| in docstrings; reStructuredText would take them for substitutions."""
    for number, line in enumerate(lines):
        # Code and literal blocks keep their bars.
        if not line.startswith("    "):
            pieces = re.split(r"(`+[^`]*`+)", line)
            lines[number] = "".join(p if p.startswith("`") else p.replace("|", r"\|") for p in pieces)


def _drawn(self, node):
    """Formulas as outlines of letters: the same in every browser, without a script, a font or a network."""
    block = node.tagname == "math_block"
    tex = node.astext().strip().replace("{aligned}", "{align*}")  # the same to the converter, which knows one of them
    if "&" in tex and r"\begin" not in tex:
        tex = r"\begin{align*}" + tex + r"\end{align*}"
    svg = ziamath.Latex(tex, size=LETTER, color="currentColor", inline=not block).svg()
    _, top, width, height = (float(number) for number in re.search(r'viewBox="([^"]*)"', svg)[1].split())
    lengths = {"width": width, "height": height, "vertical-align": -(top + height)}
    style = ";".join(f"{name}:{length / LETTER:.3f}em" for name, length in lengths.items())
    words = html.escape(node.astext().strip(), quote=True)
    given = f'role="img" aria-label="{words}" style="{style}"'
    drawn = re.sub(r'width="[^"]*" height="[^"]*"', lambda _: given, svg, count=1)
    self.body.append(f'<div class="math">{drawn}</div>' if block else drawn)
    raise nodes.SkipNode


def setup(app):
    app.connect("autodoc-process-docstring", _escape_bars)
    app.add_html_math_renderer("drawn", (_drawn, None), (_drawn, None))
