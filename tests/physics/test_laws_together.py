"""Contact laws beside joints, limits, brakes and springs, and under the exact Coulomb law."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.sphere import Sphere
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.errors import SimulationError
from signorini.problem.solution import Guess, Solution, Status
from signorini.simulation.simulation import Simulation
from signorini.solvers import with_law
from signorini.solvers.interior_point import InteriorPoint
from signorini.stepping import material_contact
from signorini.stepping.step import DviStep, Step

from .laws import LAWS

pytestmark = pytest.mark.slow  # whole simulations, pictures or programs

G, H = 9.81, 0.005


def sliding_block(material: Material, speed: float) -> Model:
    model = Model()
    model.add_fixed_body(HalfSpace(), name="floor")
    model.add_body(Box((0.4, 0.4, 0.1)), mass=2.0, position=(0, 0, 0.05), velocity=(speed, 0, 0), name="block")
    model.set_pair_material("floor", "block", material)
    return model


def test_rows_of_rolling_contacts_come_before_those_of_limits_and_brakes() -> None:
    """A ball with rolling friction, a slider at its limit and a braked shaft, in one problem."""
    model = Model()
    floor = Material(friction=0.5, rolling_friction=0.01, spinning_friction=0.01)
    model.add_fixed_body(HalfSpace(), material=floor, name="floor")
    model.add_body(Sphere(0.1), mass=1.0, position=(0, 0, 0.1), material=floor, name="ball")
    hanging = model.add_body(Sphere(0.05), mass=3.0, position=(1, 0, 1), name="hanging")
    model.add_prismatic(None, hanging, position=(1, 0, 1), axis=(0, 0, 1), limits=(0.0, 0.5))
    wheel = model.add_body(Sphere(0.1), mass=1.0, position=(2, 0, 1), angular_velocity=(0, 0, 5), name="wheel")
    shaft = model.add_revolute(None, wheel, position=(2, 0, 1), axis=(0, 0, 1))
    brake = model.add_brake(shaft, limit=0.02)
    last = sim_steps(model, 4)[-1]
    ball = (last.contacts.body_a == 1) | (last.contacts.body_b == 1)
    assert last.impulses[ball, 0].sum() == pytest.approx(1.0 * G * H, rel=1e-9)
    assert last.limit_impulse(model.limits[0].name)[0] == pytest.approx(3.0 * G * H, rel=1e-8)
    assert abs(last.friction_impulse(brake.name)[0]) == pytest.approx(0.02 * H, rel=1e-8)


def sim_steps(model: Model, count: int, **options: object) -> list[Step]:
    simulation = Simulation(model, step=H, **options)  # type: ignore[arg-type]
    return [simulation.advance() for _ in range(count)]


def test_springs_take_no_part_in_an_impact() -> None:
    """A ball on a stiff spring bounces off the floor with e times its speed, as it would without the spring."""
    model = Model(gravity=(0, 0, 0))
    material = Material(friction=0.0, restitution=0.5)
    model.add_fixed_body(HalfSpace(), material=material, name="floor")
    model.add_body(Sphere(0.1), mass=1.0, position=(0, 0, 0.101), velocity=(0, 0, -2.0), material=material, name="ball")
    model.add_spring(None, "ball", (0, 0, 1.101), (0, 0, 0.101), stiffness=1e3, damping=1e3)
    step = sim_steps(model, 1)[0]
    bounced = sum(solution.contact_impulse[0] for solution in step.earlier)
    assert bounced == pytest.approx(1.0 * 2.0 * 1.5, rel=1e-8)


@pytest.mark.parametrize("law", list(LAWS))
def test_exact_law_and_convex_cones_agree_where_nothing_slides(law: str) -> None:
    """A ball and a block at rest: no slip, no difference."""
    model = Model()
    model.add_fixed_body(HalfSpace(), name="floor")
    model.add_body(Box((0.4, 0.4, 0.1)), mass=2.0, position=(0, 0, 0.05), name="block")
    model.set_pair_material("floor", "block", Material(**LAWS[law]))
    convex, exact = (sim_steps(model, 5, law=kind)[-1] for kind in ("convex", "coulomb"))
    np.testing.assert_allclose(exact.impulses[:, 0].sum(), convex.impulses[:, 0].sum(), rtol=1e-5)
    assert exact.solution.certificate.law == "coulomb"


@pytest.mark.parametrize("law", ["friction", "grain", "rolling", "restitution", "static friction"])
def test_sliding_block_stays_on_the_floor_under_the_exact_law(law: str) -> None:
    """The convex cones lift it by `h mu |u_t|`; the exact law does not."""
    material = Material(**LAWS[law])
    heights = []
    for kind in ("convex", "coulomb"):
        step = sim_steps(sliding_block(material, 3.0), 20, law=kind)[-1]
        assert step.solution.status is Status.SOLVED
        heights.append(step.state.position[1, 2] - 0.05)
    lift, none = heights
    assert lift > 1e-3
    assert abs(none) < 1e-3 * lift


def test_a_dent_is_pinned_without_lift_under_the_exact_law() -> None:
    """A block that slides on a floor that yields under it is carried by the yield force of its four corners."""
    material = Material(friction=0.4, compliance=1e-5, yield_force=4.0)
    steps = sim_steps(sliding_block(material, 1.0), 6, law="coulomb")
    for step in steps:
        assert step.solution.status is Status.SOLVED
        assert step.impulses[:, 0].max() <= 4.0 * H * (1 + 1e-6)
        np.testing.assert_allclose(
            np.linalg.norm(step.impulses[:, 1:], axis=1), 0.4 * step.impulses[:, 0], rtol=1e-5, atol=1e-12
        )


class FailsOnImpacts:
    """Solves all but the problems of impacts."""

    name = "coulomb"

    def solve(self, problem: ContactProblem, guess: Guess | Solution | None = None) -> Solution:
        found = with_law(InteriorPoint(), "coulomb").solve(problem, guess)
        return replace(found, status=Status.NO_SOLUTION) if "impact" in problem.name else found


def bouncing_ball() -> Model:
    """It strikes the floor aslant in the first step."""
    model = Model()
    model.add_fixed_body(HalfSpace(), name="floor")
    model.add_body(Sphere(0.1), mass=1.0, position=(0, 0, 0.101), velocity=(3, 0, -1), name="ball")
    model.set_pair_material("floor", "ball", Material(friction=0.2, restitution=0.5))
    return model


def test_an_impact_that_is_not_solved_is_reported() -> None:
    step = Simulation(bouncing_ball(), step=H, on_failure="raise").advance()
    assert step.status is Status.SOLVED
    with pytest.warns(UserWarning, match="on the way .* no solution found"):
        step = Simulation(bouncing_ball(), step=H, solver=FailsOnImpacts()).advance()
    assert step.status is Status.NO_SOLUTION
    assert isinstance(step, DviStep)
    assert step.solution.status is Status.SOLVED
    with pytest.raises(SimulationError, match="no solution found"):
        Simulation(bouncing_ball(), step=H, solver=FailsOnImpacts(), on_failure="raise").advance()


def test_friction_of_an_impact_meets_the_exact_law() -> None:
    """A ball that slides in the impact leaves the floor at `e` times its speed, without the lift of the convex law."""
    step = Simulation(bouncing_ball(), step=H).advance()
    assert isinstance(step, DviStep)
    impact = step.earlier[0]
    assert impact.certificate.law == "coulomb"
    # Velocities are those half a step back, and gravity acts until it strikes.
    speed = math.sqrt((1.0 + 0.5 * 9.81 * H) ** 2 + 2 * 9.81 * 0.001)
    np.testing.assert_allclose(impact.velocity[2], 0.5 * speed, rtol=1e-6)
    np.testing.assert_allclose(impact.velocity[0], 3.0 - 0.2 * 1.5 * speed, rtol=1e-6)


def test_contacts_that_do_not_settle_on_yielding_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    model = sliding_block(Material(friction=0.4, yield_force=1.0), 0.0)
    settled = sim_steps(model, 1)[0]
    assert settled.outcome.status is Status.SOLVED
    monkeypatch.setattr(material_contact, "MOST_YIELDS", 1)
    with pytest.warns(UserWarning, match="stalled"):
        hasty = sim_steps(model, 1)[0]
    assert hasty.outcome.status is Status.STALLED
    assert len(hasty.earlier) == 0
