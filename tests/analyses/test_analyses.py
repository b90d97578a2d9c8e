"""Assembly, mobility, statics, kinematics and reactions of small mechanisms with known answers."""

from __future__ import annotations

import math

import numpy as np
import pytest

import signorini as sg
from signorini.model.functions.sine import Sine
from signorini.problem.solution import Status

G = 9.81
Y = (0, 1, 0)


def beam(supports: tuple[float, ...] = (-1.0, 0.0, 1.0)) -> sg.Model:
    """A beam of 6 kg and 2 m on supports that hold it up and keep its plane; one of them also along."""
    model = sg.Model()
    model.add_body(sg.Box((2.0, 0.1, 0.1)), mass=6.0, name="beam")
    for k, x in enumerate(supports):
        model.add_point_on_plane(None, "beam", (x, 0, 0), (0, 0, 1), name=f"support-{k}")
    model.add_point_on_plane(None, "beam", (-1, 0, 0), (1, 0, 0), name="stop")
    model.add_planar(None, "beam", (0, 0, 0), Y, name="plane")
    return model


def crank_slider(angle: object = None) -> sg.Model:
    """Crank 0.3 m at the origin, rod 0.8 m, slider on x; the crank starts along +x."""
    model = sg.Model()
    model.add_body(sg.Box((0.3, 0.02, 0.02)), mass=1.0, position=(0.15, 0, 0), mask=0, name="crank")
    model.add_body(sg.Box((0.8, 0.02, 0.02)), mass=2.0, position=(0.7, 0, 0), mask=0, name="rod")
    model.add_body(sg.Box((0.1, 0.1, 0.1)), mass=3.0, position=(1.1, 0, 0), mask=0, name="slider")
    model.add_revolute(None, "crank", (0, 0, 0), Y, name="main")
    model.add_revolute("crank", "rod", (0.3, 0, 0), Y, name="pin")
    model.add_revolute("rod", "slider", (1.1, 0, 0), Y, name="wrist")
    model.add_prismatic(None, "slider", (1, 0, 0), name="rail")
    if angle is not None:
        model.add_motor("main", angle=angle, name="motor")
    return model


def four_bar() -> sg.Model:
    model = sg.Model()
    corners = [np.array(p, dtype=float) for p in ((0, 0, 0), (0, 0, 1), (2, 0, 1.5), (2.5, 0, 0))]
    for k in range(3):
        way = corners[k + 1] - corners[k]
        turn = -math.atan2(way[2], way[0]) / 2
        size = (float(np.linalg.norm(way)), 0.05, 0.05)
        middle, orientation = corners[k] + way / 2, (math.cos(turn), 0, math.sin(turn), 0)
        model.add_body(sg.Box(size), density=1000, position=middle, orientation=orientation, mask=0, name=f"bar-{k}")
    for k, (a, b) in enumerate(((None, "bar-0"), ("bar-0", "bar-1"), ("bar-1", "bar-2"), ("bar-2", None))):
        model.add_revolute(a, b, corners[k], Y, name=f"hinge-{k}")
    return model


# --- mobility ----------------------------------------------------------------------------------------------------


def test_mobility_of_known_mechanisms() -> None:
    found = sg.analyses.mobility(crank_slider())
    assert (found.degrees_of_freedom, found.rows, found.rank) == (1, 20, 17)
    assert sg.analyses.mobility(crank_slider(angle=0.0)).degrees_of_freedom == 0
    found = sg.analyses.mobility(four_bar())
    assert (found.degrees_of_freedom, found.rows, found.rank) == (1, 20, 17)
    assert found.redundant == {"hinge-3": 3}


def test_duplicated_joint_is_named() -> None:
    model = four_bar()
    model.add_revolute(None, "bar-0", (0, 0, 0), Y, name="again")
    found = sg.analyses.mobility(model)
    assert found.redundant["again"] == 5
    assert found.degrees_of_freedom == 1
    assert not found.contradicting


def test_contradicting_motors_are_named() -> None:
    model = four_bar()
    model.add_motor("hinge-0", speed=1.0, name="one")
    model.add_motor("hinge-0", speed=2.0, name="two")
    assert sg.analyses.mobility(model).contradicting == ("two",)


# --- assembly ----------------------------------------------------------------------------------------------------


def test_assembly_closes_the_joints_and_says_what_moved() -> None:
    model = four_bar()
    state = model.initial_state()
    rng = np.random.default_rng(3)
    state.position[:] += 0.05 * rng.normal(size=state.position.shape)
    found = sg.analyses.assemble_positions(model, state)
    assert found.status is Status.SOLVED
    assert found.before > 0.03
    assert found.after < 1e-12
    assert set(found.moved) == {"bar-0", "bar-1", "bar-2"}
    sim = sg.Simulation(model, step=0.01, integrator="hht", state=found.state)
    assert sim.advance().status.ok


def test_assembly_moves_the_light_body_most() -> None:
    """Two free points, 1 kg and 9 kg, one metre too far apart: they move by 0.9 and 0.1 m."""
    model = sg.Model()
    model.add_body(sg.Sphere(0.1), mass=1.0, position=(0, 0, 0), name="light")
    model.add_body(sg.Sphere(0.1), mass=9.0, position=(3, 0, 0), name="heavy")
    model.add_distance("light", "heavy", (0, 0, 0), (3, 0, 0), length=2.0)
    found = sg.analyses.assemble_positions(model)
    assert found.moved["light"][0] == pytest.approx(0.9, abs=1e-10)
    assert found.moved["heavy"][0] == pytest.approx(0.1, abs=1e-10)


def test_assembly_that_is_impossible_names_a_joint() -> None:
    model = sg.Model()
    model.add_body(sg.Sphere(0.1), mass=1.0, name="ball")
    model.add_distance(None, "ball", (-2, 0, 0), (0, 0, 0), length=1.0, name="left")
    model.add_distance(None, "ball", (2, 0, 0), (0, 0, 0), length=1.5, name="right")
    found = sg.analyses.assemble_positions(model)
    assert found.status is Status.INFEASIBLE
    assert found.worst in ("left", "right")
    assert found.after > 0.1


# --- statics -----------------------------------------------------------------------------------------------------


def test_beam_on_three_redundant_supports() -> None:
    """Rigid, so undetermined: the least joint forces share the weight equally, as equal springs would."""
    for solver in ("superlu", "dense", "minres"):
        sim = sg.Simulation(beam(), step=0.01, integrator="hht", solver=solver)
        step = sim.advance()
        forces = [float(step.joint_impulse(f"support-{k}")[0]) / 0.01 for k in range(3)]
        assert forces == pytest.approx([2 * G] * 3, rel=1e-7)
    found = sg.analyses.static_equilibrium(beam())
    assert found.status.ok
    assert found.joint_force[:3] == pytest.approx([2 * G] * 3, rel=1e-7)


def test_beam_with_a_load_off_the_middle() -> None:
    """Least forces a + b x with sum F and moment F x0: F/3 + F x0 x / (sum x^2)."""
    model = beam()
    model.add_force("beam", lambda t, state: ((0, 0, -30.0), (0, -30.0 * 0.5, 0)))  # as if pulled at x = -0.5
    found = sg.analyses.static_equilibrium(model)
    expected = [2 * G + 10 + 30 * 0.5 / 2, 2 * G + 10, 2 * G + 10 - 30 * 0.5 / 2]
    assert found.joint_force[:3] == pytest.approx(expected, rel=1e-7)


def test_pendulum_comes_to_rest_hanging_down() -> None:
    model = sg.Model()
    model.add_body(
        sg.Box((0.02, 0.02, 1)),
        mass=2.0,
        position=(0.3, 0, 0.4),
        orientation=(math.cos(0.3218), 0, math.sin(0.3218), 0),
        name="rod",
    )
    model.add_revolute(None, "rod", (0, 0, 0), Y, name="hinge")
    found = sg.analyses.static_equilibrium(model)
    assert found.status.ok
    assert found.state.position[0] == pytest.approx([0, 0, -0.5], abs=1e-8)
    assert sg.analyses.joint_reactions(model, found.state, found.joint_force)[0].world_force == pytest.approx(
        [0, 0, 2 * G]
    )


def test_torque_of_a_hinge_in_the_world() -> None:
    """A rod held at its end by a hinge along it: the hinge carries the moment of its weight."""
    model = sg.Model()
    model.add_body(sg.Box((1, 0.02, 0.02)), mass=2.0, position=(0.5, 0, 0), name="rod")
    model.add_revolute(None, "rod", (0, 0, 0), (1, 0, 0), name="hinge")
    found = sg.analyses.static_equilibrium(model)
    reaction = sg.analyses.joint_reactions(model, found.state, found.joint_force)[0]
    assert reaction.world_force == pytest.approx([0, 0, 2 * G], abs=1e-9)
    assert reaction.world_torque == pytest.approx([0, -2 * G * 0.5, 0], abs=1e-9)
    assert reaction.torque == pytest.approx([-2 * G * 0.5, 0, 0], abs=1e-9)


def test_spring_carries_its_weight() -> None:
    model = sg.Model()
    model.add_body(sg.Sphere(0.1), mass=2.0, position=(0, 0, -1), name="ball")
    model.add_prismatic(None, "ball", (0, 0, 1))
    model.add_spring(None, "ball", (0, 0, 0), (0, 0, -1), stiffness=500.0, length=1.0)
    found = sg.analyses.static_equilibrium(model)
    assert found.state.position[0, 2] == pytest.approx(-1 - 2 * G / 500, abs=1e-10)


def test_what_cannot_rest_is_named() -> None:
    model = sg.Model()
    model.add_body(sg.Sphere(0.1), mass=2.0, name="falling")
    found = sg.analyses.static_equilibrium(model)
    assert not found.status.ok
    assert found.unbalanced == "falling"
    assert found.imbalance == pytest.approx(2 * G)


# --- kinematics --------------------------------------------------------------------------------------------------


def test_slider_crank_against_its_closed_form() -> None:
    w = 2.0
    times = np.linspace(0.0, 3.0, 31)
    found = sg.analyses.kinematic_analysis(crank_slider(angle=lambda t: w * t), times)
    a, b, q = 0.3, 0.8, w * times
    root = np.sqrt(b**2 - (a * np.sin(q)) ** 2)
    x = a * np.cos(q) + root
    v = w * (-a * np.sin(q) - a**2 * np.sin(q) * np.cos(q) / root)
    bend = -(a**2) * (np.cos(2 * q) * root**2 + (a * np.sin(2 * q) / 2) ** 2) / root**3
    assert found.position(2)[:, 0] == pytest.approx(x, abs=1e-10)
    assert [s.velocity[2, 0] for s in found.states] == pytest.approx(v, abs=1e-8)
    assert found.acceleration[:, 2, 0] == pytest.approx(w * w * (-a * np.cos(q) + bend), abs=1e-4)


def test_inverse_dynamics_of_a_driven_rod() -> None:
    """Torque of a motor that swings a rod: I theta'' + m g L/2 cos; the axis y turns x towards -z."""
    model = sg.Model()
    model.add_body(sg.Box((1.0, 0.02, 0.02)), mass=2.0, inertia=(1e-3, 1 / 6, 1 / 6), position=(0.5, 0, 0), name="rod")
    model.add_revolute(None, "rod", (0, 0, 0), Y, name="hinge")
    model.add_motor("hinge", angle=Sine(0.4, 0.8), name="motor")
    times = np.linspace(0.1, 1.0, 7)
    found = sg.analyses.kinematic_analysis(model, times)
    theta = 0.4 * np.sin(2 * np.pi * 0.8 * times)
    torque = (1 / 6 + 2 * 0.25) * -((2 * np.pi * 0.8) ** 2) * theta - 2 * G * 0.5 * np.cos(theta)
    assert found.joint_force[:, -1] == pytest.approx(torque, abs=1e-4)


def test_freedom_and_impossible_motions_are_refused() -> None:
    with pytest.raises(sg.SignoriniError, match="1 degrees of freedom left"):
        sg.analyses.kinematic_analysis(crank_slider(), [0.0, 1.0])
    model = four_bar()
    model.add_motor("hinge-3", angle=lambda t: 3.0 * t, name="motor")  # the rocker cannot turn all round
    with pytest.raises(sg.SignoriniError, match=r"joint '.*' cannot be followed"):
        sg.analyses.kinematic_analysis(model, np.linspace(0, 2, 41))


# --- reactions ---------------------------------------------------------------------------------------------------


def test_reaction_of_a_cantilever() -> None:
    """A fixed joint at the end of a beam carries its weight and m g L/2, in the frame of the joint."""
    model = sg.Model()
    model.add_body(sg.Box((2.0, 0.1, 0.1)), mass=3.0, position=(1, 0, 0), name="beam")
    model.add_fixed_joint(None, "beam", position=(0, 0, 0), name="wall")
    step = sg.Simulation(model, step=0.01, integrator="hht").advance()
    reaction = sg.analyses.joint_reactions(model, step.state, step.joint_force)[0]  # type: ignore[attr-defined]
    assert reaction.body == "beam"
    assert reaction.position == pytest.approx([0, 0, 0], abs=1e-12)
    assert reaction.force == pytest.approx([0, 0, 3 * G], abs=1e-8)
    assert reaction.torque == pytest.approx([0, -3 * G, 0], abs=1e-8)


def test_reactions_want_one_force_per_row() -> None:
    with pytest.raises(sg.SignoriniError, match="expected 7"):
        sg.analyses.joint_reactions(beam(), beam().initial_state(), np.zeros(3))
