"""Integrators of smooth dynamics and their settings: `Simulation(integrator=HHT(alpha=-0.2), contact=Penalty())`."""

from __future__ import annotations

from signorini.stepping.nonsmooth_alpha.settings import NonsmoothAlpha as NonsmoothAlpha
from signorini.stepping.smooth.euler import ImplicitEuler as ImplicitEuler
from signorini.stepping.smooth.explicit import Heun as Heun
from signorini.stepping.smooth.explicit import RungeKutta45 as RungeKutta45
from signorini.stepping.smooth.explicit import SymplecticEuler as SymplecticEuler
from signorini.stepping.smooth.hht import HHT as HHT
from signorini.stepping.smooth.newmark import Newmark as Newmark
from signorini.stepping.smooth.newton_settings import NewtonSettings as NewtonSettings
from signorini.stepping.smooth.penalty import Penalty as Penalty
from signorini.stepping.smooth.step_size import StepSize as StepSize
from signorini.stepping.smooth.trapezoidal import Trapezoidal as Trapezoidal

__all__ = [
    "HHT",
    "Heun",
    "ImplicitEuler",
    "Newmark",
    "NewtonSettings",
    "NonsmoothAlpha",
    "Penalty",
    "RungeKutta45",
    "StepSize",
    "SymplecticEuler",
    "Trapezoidal",
]
