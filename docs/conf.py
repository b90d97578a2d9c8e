"""Sphinx configuration."""

from __future__ import annotations

import re

import latex2mathml.converter
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
html_math_renderer = "mathml"
html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["wide.css"]
html_title = f"Signorini {release}"


def _escape_bars(app, what, name, obj, options, lines):
    """Norms are written |x| in docstrings; reStructuredText would take them for substitutions."""
    for number, line in enumerate(lines):
        # Code and literal blocks keep their bars.
        if not line.startswith("    "):
            pieces = re.split(r"(`+[^`]*`+)", line)
            lines[number] = "".join(p if p.startswith("`") else p.replace("|", r"\|") for p in pieces)


def _mathml(self, node):
    """Formulas as MathML, which browsers show without a script and without a network."""
    kind = "block" if node.tagname == "math_block" else "inline"
    tex = node.astext().strip()
    if "&" in tex or r"\\" in tex:
        tex = r"\begin{aligned}" + tex + r"\end{aligned}" if r"\begin" not in tex else tex
    formula = latex2mathml.converter.convert(tex, display=kind)
    self.body.append(f'<div class="math">{formula}</div>' if kind == "block" else formula)
    raise nodes.SkipNode


def setup(app):
    app.connect("autodoc-process-docstring", _escape_bars)
    app.add_html_math_renderer("mathml", (_mathml, None), (_mathml, None))
