"""A body that is hit does not run into a neighbour that was out of reach before the step."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini.collision.detector import Detector
from signorini.scenes import SCENES
from signorini.stepping.new_contacts import NewContacts

pytestmark = pytest.mark.slow  # whole simulations, pictures or programs

RADIUS, GAP, SPEED, STEP = 0.05, 0.02, 10.0, 0.01


def row_of_balls(count: int) -> sg.Model:
    model = sg.Model(gravity=(0, 0, 0))
    for k in range(count):
        velocity = (SPEED, 0, 0) if k == 0 else (0, 0, 0)
        position = (k * (2 * RADIUS + GAP), 0, 0)
        model.add_body(sg.Sphere(RADIUS), mass=1.0, position=position, velocity=velocity, name=f"ball-{k}")
    return model


@pytest.mark.parametrize("count", [2, 3, 5])
def test_hits_are_passed_on_within_the_step(count: int) -> None:
    run = sg.Simulation(row_of_balls(count), step=STEP).run(3 * STEP)
    distance = np.diff(run.position()[:, :, 0], axis=1)
    assert distance.min() >= 2 * RADIUS - 1e-9
    assert run.velocity()[-1, :, 0].sum() == pytest.approx(SPEED, rel=1e-9)
    # The first ball alone would cover 0.1 m in the step: it has pushed all that are nearer than that.
    touched = min(count, 1 + int(SPEED * STEP / GAP))
    assert np.all(run.velocity()[-1, :touched, 0] > 0.1)


def test_bodies_at_rest_need_no_recheck() -> None:
    model = SCENES["heavy-block"].build(across=2, layers=2)
    simulation = sg.Simulation(model)
    new_contacts = simulation._driver.stepper.contact_recheck.new_contacts
    step = simulation.advance()
    state = model.initial_state()
    assert new_contacts.add_to(step.contacts, state, np.array(step.solution.velocity), simulation.step) is None
    assert not new_contacts.may_miss(state, step.solution.velocity, simulation.step)


def test_shaken_spheres_do_not_overlap() -> None:
    solver = sg.Coulomb(tolerance=1e-10)  # overlaps are those of the tolerance
    run = sg.Simulation(SCENES["shaker"].build(spheres=60), step=0.005, solver=solver).run(0.15)
    assert run.summary()["penetration_max_relative"] < 1e-9


def test_overlaps_below_those_of_a_rough_answer_wait_for_the_next_step() -> None:
    model = row_of_balls(3)
    new_contacts = NewContacts.of(model, Detector(model))
    state = model.initial_state()
    known = new_contacts.detector.detect(state, STEP)
    velocity = np.zeros((3, 6))
    velocity[:2, 0] = 0.5 * SPEED  # the middle ball would cover 0.05 m: 0.03 m into the last
    assert new_contacts.add_to(known, state, velocity.reshape(-1), STEP, left=0.031) is None
    more = new_contacts.add_to(known, state, velocity.reshape(-1), STEP, left=0.029)
    assert more is not None
    assert more.count == known.count + 1


def test_a_rough_solver_answers_once() -> None:
    """One sweep leaves more overlap between balls it knows than where a hit leads."""
    sweep = sg.ProjectedSOR(tolerance=1e-15, max_iterations=1, check_every=1, relaxation=0.6)
    rough = sg.Simulation(row_of_balls(3), step=STEP, solver=sweep)
    with pytest.warns(UserWarning, match="iteration limit"):
        step = rough.advance()
    accurate = sg.Simulation(row_of_balls(3), step=STEP).advance()
    assert step.contacts.count < accurate.contacts.count


def test_turning_box_does_not_sink_into_a_soft_body() -> None:
    """A corner of a falling box that turns was beyond the margin, and not its lowest, when the step began."""
    simulation = sg.Simulation(SCENES["soft-pile"].build(), step=STEP, law="convex")
    deepest = 0.0
    for _ in range(34):
        contacts = simulation.advance().contacts
        deepest = max(deepest, -float(contacts.gap[contacts.rigid :].min(initial=0.0)))
    assert deepest < 2e-3  # 10.6 mm if only what is near or lowest counted
