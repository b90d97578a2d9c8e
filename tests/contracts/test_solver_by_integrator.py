"""The table of solvers, integrators, redundancy and contacts of [ChronoSlides003]: each cell works or refuses clearly.

The page docs/smooth-dynamics.md shows the same table in words.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import signorini as sg
from signorini.integrators import Penalty
from signorini.problem.errors import MissingExtraError
from signorini.solvers.linear import available

pytestmark = pytest.mark.slow  # whole simulations

G = 9.81
DIRECT = ("superlu", "pardiso", "mumps", "dense")
LINEAR = (*DIRECT, "minres", "linear")
CONTACT = ("interior-point", "primal-dual-barrier", "projected-sor", "projected-jacobi", "barzilai-borwein", "apgd")
SMOOTH = ("hht", "newmark", "trapezoidal", "implicit-euler")
ABSENT = {name for name in DIRECT if available()[name] != "available"}
H = 0.005


def pendulum(twice: bool) -> sg.Model:
    """A rod at 45 degrees on a hinge; `twice`: the hinge is there two times, 5 rows too many."""
    model = sg.Model()
    turn = (math.cos(math.pi / 8), 0, math.sin(math.pi / 8), 0)
    place = (0.5 / math.sqrt(2), 0, -0.5 / math.sqrt(2))
    model.add_body(sg.Box((1, 0.05, 0.05)), mass=1.0, position=place, orientation=turn, name="rod")
    model.add_revolute(None, "rod", (0, 0, 0), (0, 1, 0), name="hinge")
    if twice:
        model.add_revolute(None, "rod", (0, 0, 0), (0, 1, 0), name="again")
    return model


def ball_on_floor() -> sg.Model:
    model = sg.Model()
    model.add_fixed_body(sg.HalfSpace((0, 0, 1)), name="floor")
    model.add_body(sg.Sphere(0.1), mass=1.0, position=(0, 0, 0.1), name="ball")
    return model


def solver_called(name: str, integrator: str) -> Any:
    if name in ABSENT:
        pytest.skip(f"{name} is not installed")
    if name in CONTACT and name != "interior-point":
        # First-order solvers get the time that they need on this small problem.
        return sg.make_solver(name, tolerance=1e-9, max_iterations=20000)
    return name


@pytest.mark.parametrize("twice", [False, True], ids=["regular", "redundant"])
@pytest.mark.parametrize("integrator", ["dvi", *SMOOTH])
@pytest.mark.parametrize("name", [*LINEAR, *(pytest.param(name, marks=pytest.mark.slow) for name in CONTACT)])
def test_joints(name: str, integrator: str, twice: bool) -> None:
    """All solvers drive all integrators through joints, redundant or not, to the same motion."""
    if name in CONTACT and integrator in ("newmark", "trapezoidal"):
        pytest.skip("as implicit-euler and hht, which stand for all smooth ones")
    ends = []
    for solver, again in ((solver_called(name, integrator), twice), ("superlu", False)):
        sim = sg.Simulation(pendulum(again), step=H, integrator=integrator, solver=solver)
        for _ in range(2 if name in CONTACT else 4):
            step = sim.advance()
            assert step.status.ok, step
        ends.append((sim.state.position[0], step.reactions.joints))
    assert ends[0][0] == pytest.approx(ends[1][0], abs=1e-7)
    if twice and integrator != "dvi":  # the least forces share the load equally
        halves = ends[0][1].reshape(2, 5)
        scale = np.abs(ends[1][1]).max()
        assert halves[0] == pytest.approx(halves[1], abs=1e-4 * scale)
        assert halves.sum(axis=0) == pytest.approx(ends[1][1], abs=1e-4 * scale)


@pytest.mark.parametrize("name", LINEAR)
def test_hard_contact_is_refused_by_linear_solvers(name: str) -> None:
    if name in ABSENT:
        pytest.skip(f"{name} is not installed")
    sim = sg.Simulation(ball_on_floor(), step=H, solver=name)
    with pytest.raises(sg.SignoriniError, match=r"1 contacts, and the solver 'linear' is for joints alone; use "):
        sim.advance()


@pytest.mark.parametrize("name", CONTACT)
def test_hard_contact_by_contact_solvers(name: str) -> None:
    sim = sg.Simulation(ball_on_floor(), step=H, solver=solver_called(name, "dvi"))
    step = sim.advance()
    assert step.status.ok
    assert step.impulses[0, 0] == pytest.approx(G * H, rel=1e-6)


@pytest.mark.parametrize("name", [*LINEAR, "interior-point", "projected-sor"])
def test_penalty_contact_by_all_kinds_of_solvers(name: str) -> None:
    solver = solver_called(name, "hht")
    model = ball_on_floor()
    depth = G / 1e4
    model.bodies[1].position[2] -= depth
    sim = sg.Simulation(model, step=H, integrator="hht", solver=solver, contact=Penalty(1e4, damping=0.5))
    for _ in range(3):
        step = sim.advance()
        assert step.status.ok
    assert abs(step.impulses[0, 0]) == pytest.approx(G * H, rel=1e-6)
    assert sim.state.position[1, 2] == pytest.approx(0.1 - depth, abs=1e-9)


def test_contact_in_smooth_dynamics_without_a_law_is_refused() -> None:
    model = ball_on_floor()
    model.bodies[1].position[2] -= 1e-3
    with pytest.raises(sg.SignoriniError, match="no contact law: pass contact=Penalty"):
        sg.Simulation(model, step=H, integrator="hht").advance()


def test_absent_back_end_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    from signorini.solvers.linear import mumps

    def absent() -> Any:
        raise MissingExtraError("MUMPS is not installed; type pip install 'signorini[mumps]'")

    monkeypatch.setattr(mumps, "load_module", absent)
    with pytest.raises(MissingExtraError, match="pip install"):
        sg.Simulation(pendulum(False), integrator="hht", solver="mumps")
