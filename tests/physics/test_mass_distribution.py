"""Bodies whose centre of mass is not the centroid of their shapes, against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ellipk

import signorini as sg
from signorini.io.model_text import from_text, to_text
from signorini.math.rotations import about
from signorini.problem.errors import ModelError

from .test_mechanisms import crossings

G = 9.81


def wheel(eccentricity: float, mass: float = 2.0, inertia: float = 0.05, **options: object) -> sg.Model:
    """A wheel that turns about y at its geometric centre, the origin, its centre of mass `eccentricity` below."""
    model = sg.Model(gravity=options.pop("gravity", (0, 0, -G)))  # type: ignore[arg-type]
    model.add_body(
        [(sg.Cylinder(0.2, 0.05), (0, 0, 0), about((1, 0, 0), math.pi / 2))], mass=mass,
        inertia=(0.6 * inertia, inertia, 0.6 * inertia), center_of_mass=(0, 0, -eccentricity), name="wheel", **options,  # type: ignore[arg-type]
    )  # fmt: skip
    model.add_revolute(None, "wheel", position=(0, 0, 0), axis=(0, 1, 0), name="axle")
    return model


@pytest.mark.slow
def test_period_of_an_unbalanced_wheel() -> None:
    """T = 4 sqrt((I + m e^2) / (m g e)) K(sin(theta0/2)), second order in the step."""
    e, m, inertia, start = 0.03, 2.0, 0.05, 0.8
    exact = 4 * math.sqrt((inertia + m * e * e) / (m * G * e)) * ellipk(math.sin(start / 2) ** 2)
    errors = []
    for h in (0.016, 0.008):
        model = wheel(e, m, inertia, orientation=about((0, 1, 0), start))
        run = sg.Simulation(model, step=h).run(1.8 * exact)
        path = run.position("wheel")
        period = float(np.diff(crossings(run.times, np.arctan2(path[:, 0], -path[:, 2])))[0])
        errors.append(abs(period / exact - 1))
        origins = [model.frame_origin("wheel", run.state(k)) for k in range(0, len(run.times), 20)]
        # The axle is in the origin of the frame of the shape but for e (w h)^2 / 2, with w^2 up to 6.9 /s2.
        assert np.abs(origins).max() < 0.12 * h**2
    assert errors[1] < 1e-4
    assert 2.5 < errors[0] / errors[1] < 6


@pytest.mark.slow
def test_bearing_of_an_unbalanced_wheel_carries_m_e_w2() -> None:
    e, m, w, h = 0.01, 2.0, 30.0, 5e-4
    spun = wheel(e, m, gravity=(0, 0, 0), angular_velocity=(0, w, 0), velocity=(-w * e, 0, 0))
    spun.add_motor("axle", speed=w)
    run = sg.Simulation(spun, step=h).run(0.5)
    load = np.linalg.norm(run.joint_impulse("axle")[5:, :3], axis=1) / h
    np.testing.assert_allclose(load, m * e * w**2, rtol=(w * h) ** 2)


@pytest.mark.slow
def test_period_of_a_weighted_ball_that_rolls() -> None:
    """A ball of radius R with its centre of mass e below the middle rocks about its rest without slipping.

    1/2 (I + m (R^2 + e^2 - 2 R e cos a)) a'^2 + m g e (1 - cos a) is constant.
    """
    R, e, m, inertia, start = 0.1, 0.04, 1.5, 0.006, 0.6

    def slowness(s: float) -> float:
        """dt/ds with a = start sin s, which has no singularity at the turning point."""
        a = start * math.sin(s)
        speed2 = 2 * m * G * e * (math.cos(a) - math.cos(start)) / (
            inertia + m * (R * R + e * e - 2 * R * e * math.cos(a))
        )  # fmt: skip
        return start * math.cos(s) / math.sqrt(speed2)

    exact = 4 * quad(slowness, 0.0, math.pi / 2 - 1e-6)[0]
    model = sg.Model()
    rough = sg.Material(friction=1.0)
    model.add_fixed_body(sg.HalfSpace(), material=rough)
    model.add_body(
        sg.Sphere(R), mass=m, inertia=(inertia,) * 3, center_of_mass=(0, 0, -e), position=(0, 0, R),
        orientation=about((0, 1, 0), start), material=rough, name="ball",
    )  # fmt: skip
    run = sg.Simulation(model, step=0.001, law="coulomb").run(2.0 * exact)
    tilt = 2 * np.arctan2(run.orientation("ball")[:, 2], run.orientation("ball")[:, 0])
    period = float(np.diff(crossings(run.times, tilt))[0])
    assert period == pytest.approx(exact, rel=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize(("excess", "falls"), [(-0.01, False), (0.01, True)])
def test_loaded_die_tips_where_its_centre_of_mass_leaves_its_foot(excess: float, falls: bool) -> None:
    """On a slope a die of edge 2a tips at tan(alpha) = (a - x) / (a + z) with its centre of mass at (x, 0, z)."""
    a, x, z = 0.05, 0.01, 0.02
    slope = math.atan((a - x) / (a + z)) + excess
    model = sg.Model(gravity=(G * math.sin(slope), 0, -G * math.cos(slope)))
    rough = sg.Material(friction=2.0)
    model.add_fixed_body(sg.HalfSpace(), material=rough)
    model.add_body(
        sg.Box((2 * a,) * 3), mass=0.4, inertia=(5e-4,) * 3, center_of_mass=(x, 0, z), position=(0, 0, a),
        material=rough, name="die",
    )  # fmt: skip
    run = sg.Simulation(model, step=0.002, law="coulomb").run(0.8)
    turned = 2 * math.acos(min(1.0, abs(float(run.orientation("die")[-1, 0]))))
    assert (turned > 0.1) is falls
    assert falls or turned < 1e-6


def test_inertia_on_an_offset_shape_leaves_the_centre_of_mass_in_the_origin() -> None:
    model = sg.Model()
    body = model.add_body([(sg.Sphere(0.1), (0.3, 0, 0))], mass=1.0, inertia=(1, 1, 1), position=(1, 2, 3))
    assert body.position.tolist() == [1, 2, 3]
    assert body.shapes[0].position.tolist() == [0.3, 0, 0]
    uniform = model.add_body([(sg.Sphere(0.1), (0.3, 0, 0))], mass=1.0, position=(1, 2, 3))
    assert uniform.position.tolist() == [1.3, 2, 3]
    assert model.frame_origin(uniform, model.initial_state()).tolist() == [1, 2, 3]


def test_center_of_mass_turns_with_the_frame() -> None:
    model = sg.Model()
    body = model.add_body(
        sg.Box((1, 2, 3)), mass=1.0, inertia=(1, 2, 2), center_of_mass=(0.5, 0, 0), position=(1, 0, 0),
        orientation=about((0, 0, 1), math.pi / 2),
    )  # fmt: skip
    np.testing.assert_allclose(body.position, (1, 0.5, 0), atol=1e-15)
    np.testing.assert_allclose(body.shapes[0].position, (-0.5, 0, 0), atol=1e-15)
    np.testing.assert_allclose(model.frame_origin(body, model.initial_state()), (1, 0, 0), atol=1e-15)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"density": 1000, "center_of_mass": (0, 0, 0.1)}, "follows from the density"),
        ({"mass": 1, "center_of_mass": (0, 0, 0.1)}, "give inertia="),
        ({"mass": 1, "inertia": (1, 1, 1), "center_of_mass": (0, 0)}, r"shape \(2,\)"),
        ({"mass": 1, "inertia": (1, 1, 1), "center_of_mass": (0, 0, math.nan)}, "finite"),
    ],
)
def test_centre_of_mass_that_does_not_fit(options: dict[str, object], words: str) -> None:
    with pytest.raises(ModelError, match=words):
        sg.Model().add_body(sg.Sphere(0.1), **options)  # type: ignore[arg-type]


def test_centroid_may_be_said() -> None:
    cone = sg.shapes.Cone(0.1, 0.4)
    said = sg.Model().add_body(cone, mass=1, center_of_mass=(0, 0, -0.1))
    found = sg.Model().add_body(cone, mass=1)
    np.testing.assert_allclose(said.position, found.position)
    np.testing.assert_allclose(said.inertia, found.inertia)


def test_records_know_the_centre_of_mass() -> None:
    again = from_text(to_text(wheel(0.03)))
    assert again.bodies[0].center_of_mass.tolist() == [0, 0, -0.03]
    assert again.frame_origin("wheel", again.initial_state()).tolist() == [0, 0, 0]
