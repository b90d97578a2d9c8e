"""Checks of what `Simulation` is given."""

from __future__ import annotations

import math
from typing import Any, get_args

import numpy as np

from signorini.model.model import Model
from signorini.problem.errors import ModelError
from signorini.stepping.dvi import Gaps
from signorini.stepping.warm_start import WarmStart


def check_arguments(model: Any, step: Any, warm_start: Any, max_recovery_speed: Any, seed: Any, gaps: Any) -> None:
    """Raise `ModelError` where one of them is not what it should be."""
    if not isinstance(model, Model):
        raise ModelError(f"model is {model!r}, expected a signorini.Model")
    if not is_number(step) or not (math.isfinite(step) and step > 0):
        raise ModelError(f"step is {step!r}, expected a time step in seconds > 0 such as 0.005")
    if warm_start not in get_args(WarmStart):
        raise ModelError(f"warm_start is {warm_start!r}, expected one of {', '.join(get_args(WarmStart))}")
    if not is_number(max_recovery_speed) or not max_recovery_speed > 0:
        raise ModelError(
            f"max_recovery_speed is {max_recovery_speed!r}, expected a speed in m/s > 0 (math.inf: no cap)"
        )
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise ModelError(f"seed is {seed!r}, expected an integer >= 0")
    if gaps not in get_args(Gaps):
        raise ModelError(f"gaps is {gaps!r}, expected one of {', '.join(get_args(Gaps))}")


def is_number(value: Any) -> bool:
    """Whether it is a number of Python or numpy."""
    return isinstance(value, int | float | np.floating | np.integer) and not isinstance(value, bool)
