"""Space that repeats itself: contacts across its ends, against closed forms and against the same motion elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini.analyses import crossings, grid_averages
from signorini.collision.detector import Detector
from signorini.problem.errors import ModelError, SimulationError

R = 0.05


def ring(balls: int, **material: float) -> sg.Model:
    """Balls in a row along x without weight, in a period of 1 m."""
    model = sg.Model(gravity=(0, 0, 0))
    model.set_periodic(x=(0.0, 1.0))
    for k in range(balls):
        at = (k + 0.5) / balls
        model.add_body(sg.Sphere(R), density=1000, position=(at, 0, 0), material=sg.Material(**material))
    return model


def test_ball_hits_the_one_at_the_other_end():
    """Equal elastic balls exchange their velocities when their centres are 2 R apart: here across the end."""
    model = sg.Model(gravity=(0, 0, 0))
    model.set_periodic(x=(0.0, 1.0))
    bouncing = sg.Material(friction=0.0, restitution=1.0)
    model.add_body(sg.Sphere(R), mass=1, position=(0.9, 0, 0), velocity=(1, 0, 0), material=bouncing, name="fast")
    model.add_body(sg.Sphere(R), mass=1, position=(0.3, 0, 0), material=bouncing, name="slow")
    h = 0.001
    run = sg.Simulation(model, step=h).run(0.6)
    speed = run.velocity()[:, :, 0]
    # From 0.9 to the image of the other at 1.3, less the diameter: 0.3 m at 1 m/s.
    hit = int(np.argmax(speed[:, 1] > 0.5))
    assert abs(run.times[hit] - 0.3) <= 2 * h
    np.testing.assert_allclose(speed[-1], [0.0, 1.0], atol=1e-9)
    np.testing.assert_allclose(run.position()[-1, :, 0], [1.2, 0.6], atol=2 * h)


def test_positions_go_on_across_the_ends():
    model = ring(1)
    run = sg.Simulation(model, step=0.01, state=moving(model, 3.0)).run(2.0)
    np.testing.assert_allclose(run.position()[-1, 0, 0], 0.5 + 6.0, atol=1e-9)


def moving(model: sg.Model, speed: float) -> sg.Model:
    state = model.initial_state()
    state.velocity[:, 0] = speed
    return state


def test_a_full_ring_has_as_many_contacts_as_balls():
    model = ring(10)  # 10 diameters fill the period
    found = Detector(model).detect(model.initial_state(), 0.0)
    assert found.count == 10
    assert np.all(found.body_a < found.body_b)
    np.testing.assert_allclose(found.gap, 0.0, atol=1e-12)
    end = found.taken((found.body_a == 0) & (found.body_b == 9))
    np.testing.assert_allclose(end.normal, [[1.0, 0.0, 0.0]], atol=1e-12)
    np.testing.assert_allclose(end.point_b[0] - end.point_a[0], [1.0, 0.0, 0.0], atol=1e-12)


def test_momentum_is_kept_in_a_gas():
    random = np.random.default_rng(5)
    model = sg.Model(gravity=(0, 0, 0))
    model.set_periodic(x=(0, 0.5), y=(0, 0.5), z=(0, 0.5))
    bouncing = sg.Material(friction=0.3, restitution=0.9)
    cells = (np.indices((3, 3, 3)).reshape(3, -1).T + 0.5) / 6.0
    model.add_bodies(sg.Sphere(R), cells, density=1000, velocities=random.normal(size=(27, 3)), material=bouncing)
    run = sg.Simulation(model, step=0.002).run(0.4)
    total = run.velocity().sum(axis=1)
    np.testing.assert_allclose(total, np.broadcast_to(total[0], total.shape), atol=1e-9)
    energy = run.diagnostics["kinetic"]
    assert energy[-1] < energy[0]
    assert np.all(np.diff(energy) < 1e-9 * energy[0])


@pytest.mark.parametrize("turned", [False, True])
def test_shifted_pile_moves_alike(turned):
    """Where the period begins means nothing: a pile that is shifted along it falls as the pile does."""

    def ends(shift):
        random = np.random.default_rng(3)
        model = sg.Model(gravity=(2.0, 0.5, -9.81))
        model.set_periodic(x=(0.0, 0.4), y=(-0.2, 0.2))
        model.add_fixed_body(sg.HalfSpace((0, 0, 1)), material=sg.Material(friction=0.4))
        shape = sg.Box((0.07, 0.06, 0.05)) if turned else sg.Sphere(0.035)
        places = (
            np.indices((4, 4, 3)).reshape(3, -1).T * 0.1 + [0.05, -0.15, 0.06] + random.uniform(-0.01, 0.01, (48, 3))
        )
        places[:, :2] += shift
        model.add_bodies(shape, places, density=1000, material=sg.Material(friction=0.4))
        run = sg.Simulation(model, step=0.004).run(0.12 if turned else 0.4)
        assert run.summary()["failures"] == 0
        return run.position()[-1, 1:] - [*shift, 0.0], run.diagnostics["contacts"]

    here, contacts = ends(np.zeros(2))
    there, others = ends(np.array([0.137, -0.055]))
    assert contacts[-1] > 40
    np.testing.assert_array_equal(contacts, others)
    np.testing.assert_allclose(here, there, atol=2e-5 if turned else 1e-7)


def test_couette_flow_of_one_layer():
    """Balls that roll between a floor and a plate at speed V go at V / 2 and turn at V / (2 R), for ever."""
    speed, mass = 0.4, 1.0
    model = sg.Model()
    model.set_periodic(x=(0.0, 0.5), y=(-0.2, 0.2))
    rough = sg.Material(friction=0.8)
    model.add_fixed_body(sg.HalfSpace((0, 0, 1)), material=rough)
    plate = [(sg.HalfSpace((0, 0, -1)), (0, 0, 0))]
    model.add_body(plate, motion=lambda t: ((speed * t, 0.0, 2 * R), (1, 0, 0, 0)), material=rough, name="plate")
    for k in range(3):
        model.add_body(sg.Sphere(R), mass=mass, position=(0.1 + 0.15 * k, 0, R), velocity=(speed / 2, 0, 0),
                       angular_velocity=(0, speed / (2 * R), 0), material=rough)  # fmt: skip
    run = sg.Simulation(model, step=0.005).run(6.0)  # 2.4 periods
    balls = run.position()[-1, 2:]
    np.testing.assert_allclose(balls[:, 0], 0.1 + 0.15 * np.arange(3) + 6.0 * speed / 2, atol=1e-6)
    np.testing.assert_allclose(run.velocity()[-1, 2:, 0], speed / 2, atol=1e-8)


def test_block_slides_on_fixed_humps_across_the_end():
    """A fixed hump near one end is felt at the other: a ball at rest between two images of it stays."""
    model = sg.Model()
    model.set_periodic(x=(0.0, 0.4))
    model.add_fixed_body(sg.Sphere(0.1), position=(0.39, 0, 0), name="hump")
    model.add_fixed_body(sg.Sphere(0.1), position=(0.15, 0, 0), name="other")
    # Between the hump's image at -0.01 and the other one at 0.15: the height follows from the triangle.
    middle, reach = 0.07, 0.1 + R
    height = np.sqrt(reach**2 - 0.08**2)
    model.add_body(sg.Sphere(R), density=1000, position=(middle, 0, height), material=sg.Material(friction=0.0))
    run = sg.Simulation(model, step=0.005).run(1.0)
    np.testing.assert_allclose(run.position()[-1, 2], [middle, 0.0, height], atol=1e-6)


def test_what_does_not_fit_is_refused_in_words():
    with pytest.raises(ModelError, match="lower end first"):
        sg.Model().set_periodic(x=(1.0, 0.0))
    with pytest.raises(ModelError, match="no period"):
        sg.Model().set_periodic()
    large = ring(1)
    large.add_body(sg.Sphere(0.3), mass=1, name="giant")
    with pytest.raises(ModelError, match="'giant' is larger than half of the period along x"):
        sg.Simulation(large)
    walls = ring(1)
    walls.add_box_container((1, 1, 1), name="walls")
    with pytest.raises(ModelError, match="'walls' stands across x"):
        sg.Simulation(walls)
    short = ring(1)
    short.add_fixed_body(sg.Box((1.0, 1.0, 0.1)), name="floor", position=(0.5, 0, -1))
    with pytest.raises(ModelError, match="'floor' is larger than half"):
        sg.Simulation(short)
    long = ring(1)
    long.add_fixed_body(sg.Box((1.2, 1.0, 0.1)), name="floor", position=(0.5, 0, -1))
    sg.Simulation(long)
    with pytest.raises(SimulationError, match="set_periodic"):
        sg.Simulation(ring(2), integrator="nonsmooth-alpha")


def test_record_is_resumed_bit_for_bit(tmp_path):
    model = ring(8)
    state = model.initial_state()
    state.velocity[:, 0] = np.linspace(-1, 2, 8)
    whole = sg.Simulation(model, step=0.005, state=state).run(0.4)
    sg.Simulation(model, step=0.005, state=state).run(0.2, record=tmp_path / "run.h5")
    again = sg.Simulation.resume(tmp_path / "run.h5")
    assert again.model.periods == model.periods
    rest = again.run(0.2, record=tmp_path / "run.h5")
    np.testing.assert_array_equal(rest.position(), whole.position())


def test_flow_through_a_plane_that_repeats():
    """Three balls at 3 m/s for 2 s in a period of 1 m pass any plane across it 18 times in all."""
    model = ring(3)
    run = sg.Simulation(model, step=0.01, state=moving(model, 3.0)).run(2.0)
    assert crossings(run, (0.25, 0, 0), (1, 0, 0)).count == 18
    assert crossings(run, (0.25, 0, 0), (-1, 0, 0), radius=0.1).count == -18
    assert crossings(run, (0.25, 1.0, 0), (1, 0, 0), radius=0.1).count == 0
    averages = grid_averages(run, (0, -0.1, -0.1), (1.0, 0.2, 0.2), (4, 1, 1))
    assert averages.count.sum() == pytest.approx(3.0)
    np.testing.assert_allclose(averages.velocity[:, 0, 0, 0], 3.0, rtol=1e-9)
