"""Parameters and tables of many runs; `signorini.sweep` does them."""

from __future__ import annotations

from signorini.studies.sweep.parameters import Interval as Interval
from signorini.studies.sweep.parameters import grid as grid
from signorini.studies.sweep.parameters import latin_hypercube as latin_hypercube
from signorini.studies.sweep.parameters import read_rows as read_rows
from signorini.studies.sweep.parameters import sobol as sobol
from signorini.studies.sweep.table import SweepTable as SweepTable

__all__ = ["Interval", "SweepTable", "grid", "latin_hypercube", "read_rows", "sobol"]
