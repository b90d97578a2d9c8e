"""Steps can be looked at between steps: what is read of one is no part of the next."""

from __future__ import annotations

import signorini as sg


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
