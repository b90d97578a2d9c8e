"""Steps can be looked at between steps: what is read of one is no part of the next."""

from __future__ import annotations

import signorini as sg
from signorini.functions import Setpoint


def test_problem_and_solution_of_every_step() -> None:
    model = sg.Model()
    model.add_fixed_body(sg.HalfSpace((0, 0, 1)))
    model.add_body(sg.Sphere(0.1), mass=1.0, position=(0, 0, 0.1), velocity=(1, 0, 0))
    model.add_body(sg.Box((0.2, 0.2, 0.2)), mass=1.0, position=(1, 0, 1.0), name="arm")
    model.add_revolute(None, "arm", (0.8, 0, 1.0), (0, 1, 0))
    sim = sg.Simulation(model, step=0.005)
    for _ in range(4):
        step = sim.advance()
        assert step.problem.contacts == 1
        assert step.solution.status.ok


def test_the_last_step_of_a_run_has_its_problem() -> None:
    model = sg.Model()
    model.add_body(sg.Sphere(0.1), mass=1.0, position=(1, 0, 0), name="bob")
    model.add_revolute(None, "bob", position=(0, 0, 0), axis=(0, 1, 0), name="hinge")
    model.add_motor("hinge", angle=Setpoint(0.0), name="motor")
    sim = sg.Simulation(model, step=0.01)
    sim.run(0.5)
    step = sim.last_step
    assert step is not None
    assert step.number == 50
    assert step.problem.C.shape == (6, 6)
    assert step.solution.status.ok
