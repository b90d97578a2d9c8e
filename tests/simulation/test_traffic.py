"""Bodies that come into the scene during a run, and those that leave it."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import signorini as sg
from signorini.analyses import crossings, grid_averages
from signorini.problem.errors import ModelError, SimulationError

G, R = 9.81, 0.02


def fountain(**options) -> sg.Model:
    """Balls that come in one by one at the origin and fall freely, until they are 1 m below."""
    model = sg.Model()
    given = {"rate": 10.0, "capacity": 40, "low": (0, 0, 0), "density": 1000, "name": "drop", **options}
    model.add_emitter(sg.Sphere(R), **given)
    model.remove_outside((-1, -1, -1.0), (1, 1, 1))
    return model


def test_bodies_come_at_their_times_and_fall_freely():
    """Implicit Euler from rest: after k steps a ball is g h^2 k (k + 1) / 2 below."""
    h, model = 0.01, fountain()
    run = sg.Simulation(model, step=h).run(0.35)
    there = ~model.stored(run.position())
    # Due at 0, 0.1, 0.2, 0.3 s: they come in the step that begins then.
    assert [int(np.argmax(there[:, k])) for k in range(4)] == [1, 11, 21, 31]
    assert there[-1].sum() == 4
    for body in range(4):
        steps = len(run.times) - 1 - 10 * body
        np.testing.assert_allclose(run.position()[-1, body, 2], -G * h * h * steps * (steps + 1) / 2, rtol=1e-12)


def test_bodies_that_leave_are_removed_and_come_again():
    """A fall of 1 m takes 0.45 s: at 10 balls per second five or six are there, and 6 bodies are enough."""
    model = fountain(capacity=6)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = sg.Simulation(model, step=0.01).run(3.0)
    there = (~model.stored(run.position())).sum(axis=1)
    assert set(there[60:]) <= {4, 5}
    assert there[-1] == there[60:].max() or there[-1] == there[60:].min()
    # 30 have come in all, with 6 bodies: each came several times.
    came = np.diff((~model.stored(run.position())).astype(int), axis=0) > 0
    assert came.sum() == 30


def test_an_empty_store_is_reported_once():
    model = fountain(capacity=2)
    with pytest.warns(UserWarning, match="all 2 bodies of the emitter 'drop' are in the scene at t = 0.2 s") as told:
        sg.Simulation(model, step=0.01).run(0.5)
    assert len(told) == 1


def test_bodies_of_the_model_are_removed_too():
    model = sg.Model()
    model.add_body(sg.Sphere(R), mass=1, name="falls")
    hangs = model.add_body(sg.Sphere(R), mass=1, position=(0.5, 0, 0), name="hangs")
    model.add_revolute(hangs, None, (0.1, 0, 0), (0, 1, 0))
    model.remove_outside((-np.inf, -np.inf, -0.05), (np.inf, np.inf, np.inf))
    run = sg.Simulation(model, step=0.01).run(0.4)
    gone = model.stored(run.position()[-1])
    assert gone.tolist() == [True, False]
    assert run.position()[-1, 1, 2] < -0.05


def test_bodies_are_never_put_into_others():
    """A stream above a full cup: nothing overlaps, those without a place are left out."""
    model = sg.Model()
    model.add_box_container((0.12, 0.12, 0.3), material=sg.Material(friction=0.3))
    model.add_emitter(
        sg.Sphere(R), rate=1500, capacity=450, low=(0.03, 0.03, 0.1), high=(0.09, 0.09, 0.16), density=2000,
        velocity=(0, 0, -0.5), material=sg.Material(friction=0.3), name="grain",
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = sg.Simulation(model, step=0.004).run(0.2)
    assert run.summary()["penetration_max"] < 1e-6
    balls = run.position()[-1, 1:][~model.stored(run.position()[-1, 1:])]
    assert 10 < len(balls) < 250  # 300 were due
    apart = np.linalg.norm(balls[:, None] - balls[None], axis=2) + np.eye(len(balls))
    assert apart.min() > 2 * R - 1e-6


def test_same_seed_same_run_other_seed_other_places():
    def ends(seed):
        model = fountain(low=(-0.2, -0.2, 0), high=(0.2, 0.2, 0), orientation="random", seed=seed)
        return sg.Simulation(model, step=0.01).run(0.5).position()[-1]

    np.testing.assert_array_equal(ends(1), ends(1))
    assert not np.array_equal(ends(1), ends(2))


def test_resumed_bit_for_bit(tmp_path):
    def build():
        model = fountain(rate=60, low=(-0.1, -0.1, 0), high=(0.1, 0.1, 0.1))
        model.add_fixed_body(sg.HalfSpace((0.3, 0, 1)), position=(0, 0, -0.4))
        return model

    whole = sg.Simulation(build(), step=0.005).run(1.0)
    sg.Simulation(build(), step=0.005).run(0.5, record=tmp_path / "run.h5")
    again = sg.Simulation.resume(tmp_path / "run.h5")
    assert again.model.emitters == build().emitters
    assert again.model.region == build().region
    rest = again.run(0.5, record=tmp_path / "run.h5")
    np.testing.assert_array_equal(rest.position(), whole.position())
    np.testing.assert_array_equal(rest.velocity(), whole.velocity())
    assert (~again.model.stored(whole.position()[-1])).sum() > 10


def test_energy_and_weight_of_stored_bodies_do_not_count():
    model = fountain(rate=1.0, capacity=5)
    model.gravity = np.array([3.0, 0.0, -9.0])
    run = sg.Simulation(model, step=0.01).run(0.2)
    mass = model.bodies[0].mass
    velocity, position = run.velocity()[-1, 0], run.position()[-1, 0]
    assert run.diagnostics["kinetic"][-1] == pytest.approx(0.5 * mass * velocity @ velocity, rel=1e-12)
    weight = -mass * model.gravity @ position
    assert abs(run.diagnostics["potential"][-1] - weight) < 0.06 * abs(weight)  # or half a step before the end


def test_flow_counts_what_crosses_and_nothing_that_is_stored():
    model = fountain(capacity=8)
    run = sg.Simulation(model, step=0.005).run(2.0)
    passed = crossings(run, (0, 0, -0.5), (0, 0, -1))
    # Each ball passes 0.32 s after it came: those that came up to 1.68 s.
    assert passed.count == 17
    assert crossings(run, (2.0, 0, 0), (1, 0, 0)).count == 0
    averages = grid_averages(run, (-0.1, -0.1, -1), (0.2, 0.2, 1.1), (1, 1, 1))
    there = (~model.stored(run.position()[1:])).sum() / (len(run.times) - 1)
    assert averages.count.sum() == pytest.approx(there)


def test_what_makes_no_sense_is_refused_in_words():
    model = sg.Model()
    shape = sg.Sphere(R)
    for wrong, words in (
        ({"rate": 0.0}, "rate of the emitter 'e' is 0"),
        ({"capacity": 0}, "capacity of the emitter 'e' is 0"),
        ({"high": (-1, 0, 0)}, "below its low"),
        ({"stop": 0.0}, "after its start"),
        ({"orientation": "any"}, "expected a quaternion or 'random'"),
        ({"seed": -1}, "seed of the emitter"),
        ({"density": None}, "'e-0'"),
    ):
        given = {"rate": 1.0, "capacity": 1, "low": (0, 0, 0), "density": 1.0, "name": "e", **wrong}
        with pytest.raises(ModelError, match=words):
            model.add_emitter(shape, **given)
    with pytest.raises(ModelError, match="lower corner first"):
        model.remove_outside((0, 0, 0), (0, 1, 1))
    tied = fountain()
    tied.add_revolute("drop-3", None, (0, 0, 0), (0, 1, 0), name="hinge")
    with pytest.raises(ModelError, match="'hinge' acts on 'drop-3'"):
        sg.Simulation(tied)
    for integrator in ("hht", "nonsmooth-alpha"):
        with pytest.raises(SimulationError, match="add_emitter"):
            sg.Simulation(fountain(), integrator=integrator)
