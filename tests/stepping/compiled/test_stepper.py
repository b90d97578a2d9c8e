"""The compiled step against the general one, step by step from the same states."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

import signorini as sg
from signorini.model.functions.sine import Sine
from signorini.scenes import SCENES
from signorini.simulation.drivers import DviDriver
from signorini.stepping.compiled.compiled_step import CompiledStep
from signorini.stepping.step import DviStep


class Gaps:
    """Those of the test that runs."""

    chosen: Literal["curved", "linear"] = "curved"


@pytest.fixture(params=["curved", "linear"], autouse=True)
def gaps(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test runs with gaps to first and to second order."""
    monkeypatch.setattr(Gaps, "chosen", request.param)


def pair(model: sg.Model, h: float, **options: object) -> tuple[sg.Simulation, sg.Simulation]:
    """A simulation with the compiled step, and one without."""
    quick, slow = (sg.Simulation(model, step=h, gaps=Gaps.chosen, **options) for _ in range(2))  # type: ignore[arg-type]
    driver = slow._driver
    assert isinstance(driver, DviDriver)
    assert isinstance(quick._driver, DviDriver)
    assert quick._driver.compiled is not None
    slow._driver = replace(driver, compiled=None)
    return quick, slow


def steps(model: sg.Model, h: float, count: int, **options: object) -> list[tuple[DviStep, DviStep]]:
    """Steps of both kinds, each from the state and the memory of the compiled one."""
    quick, slow = pair(model, h, **options)
    found = []
    for _ in range(count):
        slow._now = quick._now
        one, other = quick.advance(), slow.advance()
        assert isinstance(one, DviStep)
        assert isinstance(other, DviStep)
        found.append((one, other))
    return found


def assert_alike(one: DviStep, other: DviStep, accuracy: float = 1e-6) -> None:
    """Same contacts, same answer to the accuracy of the certificate, same records."""
    np.testing.assert_array_equal(one.contacts.identity, other.contacts.identity)
    np.testing.assert_array_equal(one.contacts.gap, other.contacts.gap)
    free = other.problem.free_velocity
    size = float(np.abs(free).max(initial=0.0)) + float(np.abs(other.solution.velocity).max(initial=0.0))
    np.testing.assert_allclose(one.solution.velocity, other.solution.velocity, atol=accuracy * size)
    np.testing.assert_allclose(one.state.position, other.state.position, atol=accuracy * size * 0.01)
    scale = 1e-12 + float(np.abs(other.problem.c).max(initial=0.0))
    np.testing.assert_allclose(one.energy, other.energy, atol=accuracy * max(1.0, abs(other.energy), scale))
    assert one.state.time == other.state.time
    assert one.status.ok
    for name in ("joints", "limits", "frictions"):
        assert getattr(one.reactions, name).shape == getattr(other.reactions, name).shape
    for part in ("c", "b_gamma", "b_lambda"):
        mine, general = getattr(one.problem, part), getattr(other.problem, part)
        np.testing.assert_allclose(mine, general, atol=1e-9 * (1.0 + np.abs(general).max(initial=0.0)))
    for matrix in ("H", "C", "D"):
        mine, general = getattr(one.problem, matrix).toarray(), getattr(other.problem, matrix).toarray()
        np.testing.assert_allclose(mine, general, atol=1e-9 * (1.0 + np.abs(general).max(initial=0.0)))


@pytest.mark.parametrize(
    "scene", ["pendulum", "four-bar", "slider-crank", "gripper", "walker", "chain", "single-brick", "double-pendulum"]
)
def test_scenes_go_the_same_way(scene: str) -> None:
    found = SCENES[scene]
    taken = steps(found.build(), found.step, 40)
    assert all(isinstance(one, CompiledStep) for one, _ in taken)
    for one, other in taken:
        assert_alike(one, other)
        # Joint impulses are those of least size where joints are redundant.
        size = np.abs(other.reactions.joints).max(initial=1e-9)
        if not other.contacts.count:
            np.testing.assert_allclose(one.reactions.joints, other.reactions.joints, atol=1e-6 * size)


@pytest.mark.parametrize("scene", ["card-house", "domino", "brick-wall", "polytope-stack"])
def test_piles_go_the_same_way(scene: str) -> None:
    """Above the rows for which N is formed; velocities of redundant contacts are unique, their impulses are not."""
    found = SCENES[scene]
    quick, slow = pair(found.build(), found.step)
    quick.run(20 * found.step)
    taken = 0
    for _ in range(12):
        slow._now = quick._now
        one, other = quick.advance(), slow.advance()
        assert isinstance(one, DviStep)
        assert isinstance(other, DviStep)
        assert one.residual <= 1e-6
        assert one.residual == pytest.approx(one.solution.certificate.error, rel=1e-3, abs=1e-9)
        np.testing.assert_array_equal(one.contacts.identity, other.contacts.identity)
        np.testing.assert_allclose(one.contacts.gap, other.contacts.gap, atol=1e-14)
        size = float(np.abs(other.problem.free_velocity).max()) + float(np.abs(other.solution.velocity).max())
        np.testing.assert_allclose(one.solution.velocity, other.solution.velocity, atol=1e-5 * size)
        if isinstance(one, CompiledStep):
            taken += 1
            assert one.contacts.count > 32
    assert taken >= 10


def slide(friction: float) -> sg.Model:
    """Forty boxes in rows of four on a slope, pushed; contacts of the first row have no friction."""
    model = sg.Model(gravity=(3.0, 0.0, -9.0))
    model.add_fixed_body(sg.HalfSpace((0, 0, 1)), material=sg.Material(friction=friction))
    for k in range(40):
        row, place = divmod(k, 4)
        smooth = sg.Material(friction=0.0 if row == 0 else friction)
        position = (0.3 * row, 0.3 * place, 0.05)
        model.add_body(sg.Box((0.1, 0.1, 0.1)), density=500, position=position, velocity=(0.5, 0, 0), material=smooth)
    return model


def test_boxes_that_slide_have_a_closed_form() -> None:
    """dv/dt = g_x - mu |g_z|, and g_x without friction; 160 contacts, one block of one row or three each."""
    sim = sg.Simulation(slide(0.2), step=1e-3, gaps=Gaps.chosen)
    sim.run(1e-3)
    before = sim.state.velocity[1:, 0].copy()
    step = sim.advance()
    assert isinstance(step, CompiledStep)
    assert step.contacts.count == 160
    gained = (sim.state.velocity[1:, 0] - before) / 1e-3
    # Of the friction of two surfaces the root of the product counts.
    np.testing.assert_allclose(gained[:4], 3.0, atol=1e-6)
    np.testing.assert_allclose(gained[4:], 3.0 - 0.2 * 9.0, atol=1e-6)


def test_runs_of_piles_are_steps_one_by_one() -> None:
    found = SCENES["brick-wall"]
    whole, single = (sg.Simulation(found.build(), step=found.step, gaps=Gaps.chosen) for _ in range(2))
    whole.run(12 * found.step)
    for _ in range(12):
        single.advance()
    np.testing.assert_array_equal(whole.state.position, single.state.position)
    np.testing.assert_array_equal(whole.state.velocity, single.state.velocity)


def test_residual_is_that_of_the_certificate() -> None:
    """Both are a thousandth of the tolerance apart at most: round-off of H^-1 with springs.

    Where joints pass on more than the free slip, compiled steps, which know the free one alone, are stricter.
    """
    for scene in ("walker", "gripper", "four-bar", "ragdolls"):
        found = SCENES[scene]
        for one, _ in steps(found.build(), found.step, 15):
            problem, error = one.problem, one.solution.certificate.error
            if one.residual > 1.001 * error + 1e-9:
                assert np.linalg.norm(problem.joined_slip) > np.linalg.norm(problem.r)
            else:
                assert one.residual == pytest.approx(error, rel=1e-3, abs=1e-9)


def test_ragdolls_with_limits_and_brakes() -> None:
    """Limits, brakes and contacts in one problem; the dolls land within the run."""
    found = SCENES["ragdolls"]
    model = found.build(dolls=1)
    taken = steps(model, found.step, 60)
    assert sum(isinstance(one, CompiledStep) for one, _ in taken) > 50
    assert any(one.contacts.count for one, _ in taken)
    for one, other in taken:
        # Impulses of brakes that share a load are not unique; what they do is.
        assert one.residual <= 1e-6
        np.testing.assert_allclose(one.state.position, other.state.position, atol=1e-6)


def test_bodies_that_are_met_while_they_turn_far() -> None:
    """Such bodies are turned to first order in the step, with their gyroscopic torque in the momentum before it."""
    found, met = SCENES["ragdolls"], 0
    quick, slow = pair(found.build(dolls=1, seed=2), found.step)
    quick.run(145 * found.step)
    for _ in range(8):
        slow._now = quick._now
        one, other = quick.advance(), slow.advance()
        assert isinstance(quick._driver, DviDriver)
        assert quick._driver.compiled is not None
        assert isinstance(one, CompiledStep)
        assert isinstance(other, DviStep)
        np.testing.assert_array_equal(one.contacts.identity, other.contacts.identity)
        np.testing.assert_allclose(one.state.position, other.state.position, atol=1e-6)
        np.testing.assert_allclose(one.work.contacts, other.work.contacts, atol=1e-3)
        met += len(quick._driver.compiled.tables.curvature.tumbling) > 0
    assert (met > 0) == (Gaps.chosen == "curved")


def test_joints_are_shut_after_steps_in_which_bodies_turn_far() -> None:
    """Parts of the dolls turn by more than 0.1 rad in a step and are hit in it; limits are passed in many steps."""
    if Gaps.chosen == "linear":
        return
    found = SCENES["ragdolls"]
    sim, turned = sg.Simulation(found.build(dolls=1, seed=2), step=found.step), 0.0
    assert isinstance(sim._driver, DviDriver)
    assert sim._driver.compiled is not None
    correction = sim._driver.compiled.general.correction
    assert correction is not None
    for _ in range(260):
        step = sim.advance()
        assert isinstance(step, CompiledStep)
        placed = correction.placed(replace(step.state))
        assert placed.open <= 1e-9 * correction.size
        assert placed.limits.error.min() > -1e-3
        turned = max(turned, found.step * step.largest_spin)
    assert turned > 0.1


def machine() -> sg.Model:
    """A motor, a gear, a spring, a bushing, a brake, a limit, an applied force, a moving table and a ball on it."""
    model = sg.Model()
    model.add_fixed_body(sg.HalfSpace((0, 0, 1)), name="floor")
    for k in range(2):
        model.add_body(sg.Box((0.2, 0.2, 0.05)), mass=1.0, position=(0.3 * k, 0, 1), name=f"wheel-{k}", mask=0)
        model.add_revolute(None, f"wheel-{k}", position=(0.3 * k, 0, 1), axis=(0, 0, 1), name=f"axle-{k}")
    model.add_gear("axle-0", "axle-1", teeth=(20, 40))
    model.add_motor("axle-0", angle=lambda t: 0.5 * math.sin(3.0 * t))
    model.add_body(sg.Box((0.1, 0.1, 0.1)), mass=2.0, position=(1, 0, 1), name="slider", mask=0)
    model.add_prismatic(None, "slider", axis=(0, 0, 1), position=(1, 0, 1), name="guide", limits=(-0.05, 0.05))
    model.add_spring("slider", "wheel-1", (1, 0, 1.05), (0.3, 0.1, 1), stiffness=300.0, damping=5.0, length=0.4)
    model.add_brake("guide", limit=4.0)
    model.add_body(sg.Box((0.1, 0.1, 0.1)), mass=0.5, position=(1, 0, 1.3), name="cap", mask=0)
    model.add_bushing("slider", "cap", (1, 0, 1.2), stiffness=[2e3] * 3 + [20.0] * 3, damping=[5.0] * 3 + [0.1] * 3)
    model.add_force("cap", (Sine(2.0, 3.0), 0.0, 1.0))
    model.add_body(
        sg.Box((0.5, 0.5, 0.1)),
        position=(3, 0, 0.2),
        name="table",
        motion=lambda t: ((3 + 0.1 * math.sin(4 * t), 0, 0.2), (1, 0, 0, 0)),
    )
    model.add_body(sg.Sphere(0.05), density=800.0, position=(3, 0, 0.3), name="ball")
    return model


def test_every_kind_of_component() -> None:
    taken = steps(machine(), 0.002, 80)
    assert all(isinstance(one, CompiledStep) for one, _ in taken)
    for one, other in taken:
        assert_alike(one, other)
    assert any(one.reactions.limits.any() for one, _ in taken)


def test_resume_continues_bit_for_bit(tmp_path: Path) -> None:
    found = SCENES["walker"]
    whole = sg.Simulation(found.build(), step=found.step, gaps=Gaps.chosen)
    whole.run(0.1)
    part = sg.Simulation(found.build(), step=found.step, gaps=Gaps.chosen)
    part.run(0.05, record=tmp_path / "walk.h5")
    again = sg.Simulation.resume(tmp_path / "walk.h5")
    again.run(0.05)
    for name in ("position", "orientation", "velocity", "angular_velocity"):
        np.testing.assert_array_equal(getattr(again.state, name), getattr(whole.state, name))


def test_contradicting_joints_are_left_to_the_general_step() -> None:
    """Two motors that ask for different speeds of one joint: the general step says so, in words."""
    model = sg.Model()
    model.add_body(sg.Box((0.1, 0.1, 0.4)), mass=1.0, position=(0, 0, 0.2), name="bar")
    model.add_revolute(None, "bar", position=(0, 0, 0), axis=(0, 1, 0), name="hinge")
    model.add_motor("hinge", speed=1.0, name="one")
    model.add_motor("hinge", speed=2.0, name="two")
    sim = sg.Simulation(model, step=0.01, gaps=Gaps.chosen)
    with pytest.warns(UserWarning, match="at odds"):
        step = sim.advance()
    assert not step.status.ok


def test_a_chain_under_a_heavy_body() -> None:
    """Twenty light links hold a body a million times as heavy: joints stay closed."""
    model = sg.Model()
    for k in range(20):
        model.add_body(sg.Capsule(0.01, 0.06), mass=1e-3, position=(0, 0, -0.1 * k - 0.05), name=f"link-{k}", mask=0)
        before = f"link-{k - 1}" if k else None
        model.add_spherical(before, f"link-{k}", position=(0, 0, -0.1 * k), name=f"joint-{k}")
    model.add_body(sg.Sphere(0.3), mass=1e3, position=(0.2, 0, -2.3), name="weight", mask=0)
    model.add_spherical("link-19", "weight", position=(0, 0, -2.0), name="last")
    for one, other in steps(model, 0.002, 20):
        assert one.residual < 1e-7
        np.testing.assert_allclose(one.solution.velocity, other.solution.velocity, atol=1e-7)


@pytest.mark.parametrize("scene", ["pendulum", "walker", "chain"])
def test_runs_are_steps_one_by_one(scene: str, tmp_path: Path) -> None:
    """Many steps in one call: the same bits, the same rows and frames, in memory and in a record."""
    found = SCENES[scene]
    one, many, third = (sg.Simulation(found.build(), step=found.step, gaps=Gaps.chosen) for _ in range(3))
    taken = [one.advance() for _ in range(60)]
    run, recorded = many.run(60 * found.step), third.run(60 * found.step, record=tmp_path / "run.h5")
    assert many.number == 60
    for name in ("position", "orientation", "velocity", "angular_velocity"):
        np.testing.assert_array_equal(getattr(many.state, name), getattr(one.state, name))
        np.testing.assert_array_equal(getattr(third.state, name), getattr(one.state, name))
    assert many.state.time == one.state.time
    for each in (run, recorded):
        assert each.summary()["steps"] == 60
        assert each.summary()["residual_max"] == max(step.residual for step in taken)
        assert each.summary()["contacts_max"] == max(step.contacts.count for step in taken)
    np.testing.assert_array_equal(run.state(30).position, taken[29].state.position)


def test_a_users_function_is_asked_between_steps() -> None:
    """It may look at anything, so its motor is not told ahead."""
    asked, running = [0.0], []

    def angle(t: float) -> float:
        asked.extend(sim.time for sim in running)
        return 0.1 * t

    model = sg.Model()
    model.add_body(sg.Box((0.1, 0.1, 0.4)), mass=1.0, position=(0, 0, 0.2), name="bar")
    model.add_revolute(None, "bar", position=(0, 0, 0), axis=(0, 1, 0), name="hinge")
    model.add_motor("hinge", angle=angle)
    running.append(sg.Simulation(model, step=0.01, gaps=Gaps.chosen))
    running[0].run(0.2)
    assert asked[-1] == pytest.approx(0.19)


def test_steps_say_which_way_they_were_taken() -> None:
    found = SCENES["pendulum"]
    assert sg.Simulation(found.build(), step=found.step, gaps=Gaps.chosen).advance().way == "compiled"
    other = sg.Simulation(found.build(), step=found.step, law="convex").advance()
    assert other.way == "general: the solver is not the default one of the exact law"


def test_summaries_say_which_way_steps_are_taken() -> None:
    found = SCENES["pendulum"]
    run = sg.Simulation(found.build(), step=found.step, gaps=Gaps.chosen).run(2 * found.step)
    assert run.summary()["way"] == "compiled"
    other = sg.Simulation(found.build(), step=found.step, law="convex").run(2 * found.step)
    assert other.summary()["way"] == "general: the solver is not the default one of the exact law"


def driven_arm() -> sg.Model:
    """Two links under torques that are functions of time, without springs."""
    model = sg.Model()
    for k in range(2):
        model.add_body(sg.Box((0.4, 0.05, 0.05)), mass=1.0, position=(0.2 + 0.4 * k, 0, 0), name=f"link-{k}")
    model.add_revolute(None, "link-0", position=(0, 0, 0), axis=(0, 1, 0), name="shoulder")
    model.add_revolute("link-0", "link-1", position=(0.4, 0, 0), axis=(0, 1, 0), name="elbow")
    model.add_motor("shoulder", torque=Sine(3.0, 2.0), name="one")
    model.add_motor("elbow", torque=1.5, name="two")
    return model


@pytest.mark.parametrize("with_spring", [False, True])
def test_motors_that_give_a_torque(with_spring: bool) -> None:
    model = driven_arm()
    if with_spring:
        model.add_spring(None, "link-1", position_a=(0.6, 0, 1), position_b=(0.6, 0, 0), stiffness=30.0, length=0.5)
    for one, other in steps(model, 2e-3, 40):
        assert one.way == "compiled"
        assert_alike(one, other)
    blocks, single = (sg.Simulation(model, step=2e-3, gaps=Gaps.chosen) for _ in range(2))
    blocks.run(0.1)
    for _ in range(50):
        single.advance()
    np.testing.assert_array_equal(blocks.state.position, single.state.position)
    np.testing.assert_array_equal(blocks.state.angular_velocity, single.state.angular_velocity)


def test_motors_that_give_a_torque_act_in_batches() -> None:
    batch = sg.Batch(driven_arm(), 2, step=2e-3, gaps=Gaps.chosen, threads=1)
    other = sg.Simulation(driven_arm(), step=2e-3, gaps=Gaps.chosen)
    batch.step(steps=25)
    for _ in range(25):
        other.advance()
    for world in batch.worlds:
        np.testing.assert_array_equal(world.state.position, other.state.position)


def test_steps_may_be_looked_at_on_the_way() -> None:
    """Problems and solutions of earlier steps, made in between, leave the next step alone."""
    found = SCENES["walker"]
    looked, other = (sg.Simulation(found.build(), step=found.step, gaps=Gaps.chosen) for _ in range(2))
    for _ in range(5):
        step = looked.advance()
        assert isinstance(step, DviStep)
        assert step.solution.certificate.error < 1e-6
        assert other.advance().way == step.way == "compiled"
        np.testing.assert_array_equal(looked.state.position, other.state.position)
    assert looked.state.position.flags.writeable
