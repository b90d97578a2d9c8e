"""Which driver takes the steps of a simulation."""

from __future__ import annotations

from dataclasses import dataclass

from signorini.math.cached import cached_property
from signorini.model.model import Model
from signorini.model.state import State
from signorini.problem.certificate import Law
from signorini.simulation.alpha_driver import AlphaDriver
from signorini.simulation.argument_checks import Device
from signorini.simulation.device_driver import DeviceDriver
from signorini.simulation.drivers import ContactChoice, Driver, DviDriver, SmoothDriver
from signorini.simulation.failure_policy import OnFailure
from signorini.simulation.solver_choice import AnySolver, SolverChoice, choose_solver
from signorini.stepping.dvi import Gaps
from signorini.stepping.integrators import Smooth
from signorini.stepping.nonsmooth_alpha.settings import NonsmoothAlpha
from signorini.stepping.warm_start import WarmStart


@dataclass(frozen=True, eq=False)
class DriverChoice:
    """The user's choices that steps depend on."""

    model: Model
    """With the wrenches of the simulation."""
    h: float
    """Time step [s]."""
    integrator: Smooth | NonsmoothAlpha | None
    """None: DVI."""
    solver: AnySolver
    """As asked for; see `picked`."""
    on_failure: OnFailure
    warm_start: WarmStart
    threads: int | None
    law: Law
    gaps: Gaps
    contact: ContactChoice
    device: Device

    @cached_property
    def picked(self) -> SolverChoice:
        """The solver that is taken."""
        return choose_solver(self.solver, self.model, self.device, self.integrator, self.law)

    @property
    def throws(self) -> bool:
        """Whether overlaps are removed by velocities, which persist; other steps correct positions alone."""
        return self.integrator is None and self.gaps == "linear"

    def driver(self, start: State, recovery: float) -> Driver:
        """The driver; `recovery` is the largest speed at which overlaps are pushed apart [m/s]."""
        model, h, chosen, solver = self.model, self.h, self.integrator, self.picked.solver
        hard = (solver, self.on_failure, self.warm_start, recovery)
        if self.device == "cuda":
            return DeviceDriver(model, h, solver, self.on_failure, recovery, self.law, start)
        if chosen is None:
            return DviDriver.of(model, h, *hard, self.threads, self.law, self.gaps)
        if isinstance(chosen, NonsmoothAlpha):
            return AlphaDriver.of(model, h, chosen, *hard, self.threads, self.law)
        return SmoothDriver.of(model, h, chosen, solver, self.on_failure, self.contact, self.threads, self.law)
