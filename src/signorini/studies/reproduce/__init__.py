"""The published results of the source documents, measured here: published beside ours."""

from __future__ import annotations

from importlib import import_module

from signorini.problem.errors import StudyError, suggestion
from signorini.studies.reproduce.study import Study

MODULES = {
    "ip-size": "ip_size",
    "ip-warm-start": "ip_warm_start",
    "ip-start": "ip_start",
    "ip-parts": "ip_parts",
    "ip-redundant": "ip_redundant",
    "ip-mass-ratio": "ip_mass_ratio",
    "sor-accuracy": "sor_accuracy",
    "sor-scaling": "sor_scaling",
    "sor-descent": "sor_descent",
    "stack-stability": "stack_stability",
    "size-segregation": "size_segregation",
    "real-time": "real_time",
    "pebble-bed": "pebble_bed",
    "pdip-table": "pdip_table",
    "heavy-block": "heavy_block",
    "convergence": "convergence",
    "flywheel": "flywheel",
    "bending": "bending",
    "hht": "hht",
    "truth": "truth",
}
"""Name of each study -> its file; loaded when asked for."""


def find_study(name: str) -> Study:
    """The study of that name."""
    if name not in MODULES:
        raise StudyError(f"there is no study {name!r}{suggestion(name, MODULES, 'there are')}")
    study: Study = import_module(f"{__name__}.{MODULES[name]}").STUDY
    return study


def chosen_studies(names: list[str]) -> list[Study]:
    """The studies of these names; `all`, or no name, is all of them."""
    if not names or names == ["all"]:
        return [find_study(name) for name in MODULES]
    return [find_study(name) for name in dict.fromkeys(names)]
