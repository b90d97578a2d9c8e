"""Smooth dynamics: periods, energies, joints, multipliers, steps that adapt, what is refused."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.special import ellipj, ellipk
from tests.stepping.heavy_top import heavy_top

import signorini as sg
from signorini.integrators import HHT, ImplicitEuler, Newmark, NewtonSettings, Penalty, StepSize, Trapezoidal
from signorini.math.sparse import Array
from signorini.stepping.integrators import describe_integrator, restored_integrator
from signorini.stepping.smooth.scheme import Before
from signorini.stepping.smooth.stepper import SmoothDynamicsStep

pytestmark = pytest.mark.slow  # whole simulations, pictures or programs

G = 9.81


def pendulum(angle: float = math.pi / 2, length: float = 1.0) -> sg.Model:
    """A rod hinged at its end, at `angle` from hanging down."""
    model = sg.Model()
    down = np.array([math.sin(angle), 0.0, -math.cos(angle)])
    model.add_body(
        sg.Box((0.02, 0.02, length)), mass=1.0, inertia=(length**2 / 12, length**2 / 12, 1e-4),
        position=0.5 * length * down, orientation=(math.cos(angle / 2), 0, -math.sin(angle / 2), 0), name="rod",
    )  # fmt: skip
    model.add_revolute(None, "rod", (0, 0, 0), (0, 1, 0), name="hinge")
    return model


def double_pendulum() -> sg.Model:
    model = pendulum()
    model.add_body(
        sg.Box((1.0, 0.02, 0.02)), mass=1.0, inertia=(1e-4, 1 / 12, 1 / 12), position=(1.5, 0, 0), mask=0, name="second"
    )
    model.add_revolute("rod", "second", (1, 0, 0), (0, 1, 0), name="elbow")
    return model


def run(
    model: sg.Model, duration: float, see: Callable[[SmoothDynamicsStep], object], **options: object
) -> sg.Simulation:
    sim = sg.Simulation(model, **options)  # type: ignore[arg-type]
    for _ in range(round(duration / sim.step)):
        step = sim.advance()
        assert isinstance(step, SmoothDynamicsStep)
        assert step.status.ok, step.detail
        see(step)
    return sim


@pytest.mark.slow
def test_pendulum_follows_the_elliptic_integral() -> None:
    """Period 4 K(k)/omega, `sin(theta/2) = k cd(omega t)`; I = m L^2/3, weight at L/2: omega^2 = 3 g / 2 L."""
    k, omega = math.sin(math.pi / 4), math.sqrt(1.5 * G)
    period = 4.0 * ellipk(k * k) / omega
    h = period / 400
    sim = run(pendulum(), period, lambda step: None, step=h, integrator=HHT(alpha=-0.05))
    _, cn, dn, _ = ellipj(omega * sim.time, k * k)
    theta = 2.0 * math.asin(k * cn / dn)
    assert sim.state.position[0, 0] == pytest.approx(0.5 * math.sin(theta), abs=3e-4)
    assert theta == pytest.approx(math.pi / 2, abs=1e-9)  # one period on
    assert abs(sim.state.velocity[0]).max() < 2e-3


@pytest.mark.slow
def test_energy_of_a_double_pendulum_by_integrator() -> None:
    """Implicit Euler loses much, damped Newmark some, HHT little; nobody gains."""
    lost = {}
    for name, integrator in {
        "euler": ImplicitEuler(), "newmark": Newmark(0.6, 0.3025), "hht": HHT(-0.1)
    }.items():  # fmt: skip
        energies: list[float] = []
        run(double_pendulum(), 1.5, lambda step: energies.append(step.energy), step=0.005, integrator=integrator)  # noqa: B023
        assert max(energies) < 1e-3
        lost[name] = -energies[-1]
    assert lost["euler"] > 5 * lost["newmark"] > 25 * lost["hht"]
    assert lost["hht"] < 5e-3


@pytest.mark.slow
def test_joints_stay_closed_for_ten_seconds() -> None:
    worst = [0.0]
    run(
        double_pendulum(), 10.0, lambda step: worst.append(max(worst[-1], step.joint_error)), step=0.01,
        integrator=HHT(alpha=-0.2),
    )  # fmt: skip
    assert worst[-1] < 1e-9


def test_multipliers_without_damping_never_settle() -> None:
    """From joint forces that do not fit, HHT's error decays; those of the trapezoidal rule go on to and fro."""
    last = {}
    for integrator in (Trapezoidal(), HHT(alpha=-0.3)):
        sim = sg.Simulation(heavy_top(), step=0.005, integrator=integrator)
        sim.advance()
        memory = sim.checkpoint().memory
        # A small wrong acceleration, as round-off or a change of the step makes it.
        object.__setattr__(memory, "acceleration", memory.acceleration + 1e-2)  # type: ignore[union-attr]
        forces = np.array([sim.advance().memory.multipliers for _ in range(80)])  # type: ignore[attr-defined]
        zigzag = np.abs(forces[2:] - 2 * forces[1:-1] + forces[:-2]).max(axis=1)
        last[integrator.name] = zigzag[-1] / zigzag[0]
    assert last["trapezoidal"] > 0.5
    assert last["hht"] < 0.1


def test_adaptive_steps_keep_the_error_and_reject() -> None:
    """A stiff spring is hit by a sudden load: many short steps at first, long ones when it has calmed down."""

    def model() -> sg.Model:
        made = sg.Model(gravity=(0, 0, 0))
        made.add_body(sg.Sphere(0.1), mass=1.0, position=(0, 0, 1), name="ball")
        made.add_prismatic(None, "ball", (0, 0, 1), name="rail")
        made.add_spring(None, "ball", (0, 0, 0), (0, 0, 1), stiffness=1e4, damping=40.0, length=0.9, name="spring")
        return made

    def height(t: float) -> float:  # x'' + 40 x' + 1e4 x = 0, x(0) = 0.1
        w = math.sqrt(1e4 - 400)
        return 0.9 + 0.1 * math.exp(-20 * t) * (math.cos(w * t) + 20 / w * math.sin(w * t))

    reached = {}
    for tolerance in (1e-5, 1e-7):
        control = StepSize(tolerance=tolerance, relative=0.0)
        counts: list[tuple[int, int]] = []
        seen: list[Array] = []

        def see(step: SmoothDynamicsStep, counts: list[tuple[int, int]] = counts, seen: list[Array] = seen) -> None:
            counts.append((step.substeps, step.rejected))
            seen.append(abs(step.state.position[0, 2] - height(step.state.time)))

        run(model(), 0.5, see, step=0.05, integrator=HHT(alpha=-0.05, step_size=control))
        reached[tolerance] = max(seen)
        assert counts[0][1] > 0  # the first step was too long
        assert counts[0][0] > 3 * counts[-1][0]
    assert reached[1e-5] < 3e-3
    assert reached[1e-7] < 0.15 * reached[1e-5]


def test_modified_newton_and_geometric_stiffness_give_the_same_motion() -> None:
    ends = []
    for newton in (
        NewtonSettings(),
        NewtonSettings(modified=True),
        NewtonSettings(geometric=True),
    ):
        sim = run(heavy_top(), 0.2, lambda step: None, step=0.01, integrator=HHT(newton=newton))
        ends.append(sim.state.position[0])
    assert ends[1] == pytest.approx(ends[0], abs=1e-9)
    assert ends[2] == pytest.approx(ends[0], abs=1e-9)


def test_geometric_stiffness_makes_newton_quadratic() -> None:
    counts = []
    for geometric in (False, True):
        newton = NewtonSettings(geometric=geometric, states=1e-13, relative=1e-12)
        total: list[int] = []
        run(heavy_top(), 0.5, lambda step: total.append(step.iterations), step=0.05, integrator=HHT(newton=newton))  # noqa: B023
        counts.append(sum(total))
    assert counts[1] < counts[0]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: HHT(alpha=0.1), "from -1/3"),
        (lambda: HHT(alpha=-0.5), "from -1/3"),
        (lambda: Newmark(gamma=0.4), "gains energy"),
        (lambda: Newmark(gamma=0.9, beta=0.25), "at least"),
        (lambda: NewtonSettings(states=0.0), "tolerance > 0"),
        (lambda: StepSize(tolerance=-1.0), "> 0"),
        (lambda: StepSize(most=0), "1 or more"),
        (lambda: Penalty(law="rubber"), "hooke"),
        (lambda: Penalty(stiffness=0.0), "> 0"),
        (lambda: sg.Simulation(pendulum(), integrator="hhtt"), "did you mean 'hht'"),
        (lambda: sg.Simulation(pendulum(), integrator=3.0), "expected one such as HHT"),  # type: ignore[arg-type]
        (lambda: sg.Simulation(pendulum(), integrator="hht", solver="superlou"), "did you mean 'superlu'"),
        (lambda: sg.Simulation(pendulum(), integrator="hht", contact="soft"), "expected Penalty"),  # type: ignore[arg-type]
    ],
)
def test_wrong_settings_say_what_was_expected(make: Callable[[], object], words: str) -> None:
    with pytest.raises(sg.SignoriniError, match=words):
        make()


def test_open_joint_is_named() -> None:
    model = pendulum()
    model.add_distance(None, "rod", (0, 1, 0), (0.5, 0, 0), length=3.0, name="rope")
    with pytest.raises(sg.SignoriniError, match=r"joint 'rope' is open by .*assemble_positions"):
        sg.Simulation(model, step=0.01, integrator="hht").advance()


def test_motor_that_returns_nan_is_named() -> None:
    model = pendulum(angle=0.0)
    model.add_motor("hinge", angle=lambda t: 0.0 if t < 0.02 else math.nan, name="motor")
    sim = sg.Simulation(model, step=0.01, integrator="hht")
    with pytest.raises(sg.SignoriniError, match="motor"):
        sim.run(0.05)


def test_velocities_that_do_not_fit_are_said_and_mended() -> None:
    model = pendulum(angle=0.0)
    model.add_motor("hinge", speed=2.0, name="motor")
    sim = sg.Simulation(model, step=0.001, integrator="hht")
    with pytest.warns(UserWarning, match="do not fit joint 'motor' by 2 "):
        sim.advance()
    assert sim.state.angular_velocity[0, 1] == pytest.approx(2.0, abs=1e-6)


def test_impossible_motion_ends_as_infeasible_and_names_a_joint() -> None:
    """Two motors that agree at first drive one hinge apart."""
    model = pendulum(angle=0.0)
    model.add_motor("hinge", angle=lambda t: t * t, name="first")
    model.add_motor("hinge", angle=lambda t: t * t if t < 0.05 else 0.0025, name="second")
    sim = sg.Simulation(model, step=0.01, integrator="hht", on_failure="raise")
    with pytest.raises(sg.SignoriniError, match=r"infeasible.*joint '(first|second)'"):
        sim.run(0.2)


@pytest.mark.parametrize("integrator", ["hht", "dvi"])
def test_motion_out_of_reach_names_a_joint(integrator: str) -> None:
    """A motor pulls a slider further than the rod that ties it reaches."""
    model = sg.Model(gravity=(0, 0, 0))
    model.add_body(sg.Sphere(0.05), mass=1.0, position=(0.4, 0, 0), name="slider")
    model.add_prismatic(None, "slider", (1, 0, 0), name="rail")
    model.add_distance(None, "slider", (0, 0.3, 0), (0.4, 0, 0), name="rod")
    model.add_motor("rail", position=lambda t: t * t, name="motor")
    sim = sg.Simulation(model, step=0.01, integrator=integrator, on_failure="raise")
    with pytest.raises(sg.SignoriniError, match=r"joint '(rod|motor|rail)'"):
        sim.run(1.0)


@pytest.mark.parametrize("on_failure", ["warn", "fallback", "raise"])
def test_a_step_that_fails_is_halved(on_failure: Any) -> None:
    """Few iterations are allowed, so a long step of a fast top does not converge; halves of it do."""
    newton = NewtonSettings(max_iterations=3, states=1e-11, relative=1e-10)
    step = sg.Simulation(heavy_top(), step=0.1, integrator=HHT(newton=newton), on_failure=on_failure).advance()
    assert step.status.ok
    assert step.failure is None
    assert step.rejected > 0  # type: ignore[attr-defined]
    assert step.state.time == pytest.approx(0.1, abs=1e-15)


INTEGRATORS: list[tuple[Any, float, int]] = [
    (HHT(alpha=-0.1), 1.0, 2),
    (Trapezoidal(), 1.0, 2),
    (Newmark(0.5, 0.25), 1.0, 2),
    (Newmark(0.6, 0.3025), (0.3025 - 1 / 6 + 0.1) / (0.3025 - 1 / 6), 1),
    (ImplicitEuler(), 1.0, 1),
]
"""With the ratio of the estimated local error of a displacement to the true one, and the order of the global error."""


def oscillator() -> sg.Model:
    """x'' = -100 x from x = 0.1 m at rest."""
    model = sg.Model(gravity=(0, 0, 0))
    model.add_body(sg.Sphere(0.1), mass=1.0, position=(0, 0, 1.1), name="ball")
    model.add_spring(None, "ball", (0, 0, 0), (0, 0, 1.1), stiffness=100.0, length=1.0, name="spring")
    return model


@pytest.mark.parametrize(("integrator", "ratio"), [one[:2] for one in INTEGRATORS])
def test_local_errors_are_estimated(integrator: Any, ratio: float) -> None:
    """One short step from the middle of a swing, from exact values, against the closed form."""
    h, t, w, lag = 1e-3, 0.1, 10.0, integrator.lag
    x = [0.1 * math.cos(w * (t + share * h)) for share in (0.0, 1.0, lag, 1.0 + lag)]
    v, true = np.array([-0.1 * w * math.sin(w * t)]), x[1] - x[0]
    a0, a1 = (np.array([-w * w * value]) for value in x[2:])
    before = Before(v, a0, np.array([-w * w * x[0]]), np.zeros(1), h)
    scheme = integrator.scheme(h, before)
    made = float((scheme.displacement + scheme.position_gain * a1)[0] - true)
    estimate = float(integrator.local_error(h, before, a1)[0])
    assert estimate == pytest.approx(ratio * made, rel=0.03)


@pytest.mark.parametrize(("integrator", "order"), [(one, order) for one, _, order in INTEGRATORS])
def test_every_integrator_controls_its_step(integrator: Any, order: int) -> None:
    """The error follows the tolerance; longer steps where the motion is slow, and rejected ones at the start."""
    reached, substeps = [], []
    for tolerance in (1e-5, 1e-7):
        chosen = dataclasses.replace(integrator, step_size=StepSize(tolerance=tolerance, relative=0.0))
        counts: list[tuple[int, int]] = []
        sim = run(
            oscillator(), 0.3, lambda step: counts.append((step.substeps, step.rejected)), step=0.1, integrator=chosen  # noqa: B023
        )  # fmt: skip
        reached.append(abs(sim.state.position[0, 2] - 1.0 - 0.1 * math.cos(3.0)))
        substeps.append(sum(count for count, _ in counts))
        assert counts[0][1] > 0
    growth = 100 ** (1 / integrator.error_order)
    assert substeps[1] == pytest.approx(growth * substeps[0], rel=0.35)
    order = (
        1 if integrator.error_order == 2 or (getattr(integrator, "gamma", 0.5) == 0.6 and integrator.lag == 0) else 2
    )
    assert reached[1] < 2.0 * reached[0] / growth**order


def test_the_former_name_of_step_size() -> None:
    control = StepSize(tolerance=1e-7)
    with pytest.warns(DeprecationWarning, match="step_size"):
        assert HHT(control=control) == HHT(step_size=control)
    described = describe_integrator(HHT(step_size=control))
    described["settings"]["control"] = described["settings"].pop("step_size")
    assert restored_integrator(described) == HHT(step_size=control)


def hinged() -> sg.Model:
    """A rod on a hinge, from the horizontal."""
    model = sg.Model()
    model.add_body(sg.Box((0.4, 0.05, 0.05)), mass=1.0, position=(0.2, 0, 0), name="rod")
    model.add_revolute(None, "rod", (0, 0, 0), (0, 1, 0), name="hinge")
    return model


def test_a_step_of_too_many_tries_ends_the_run_and_says_so() -> None:
    """The zigzag of an undamped rule with joints counts as local error."""
    chosen = Trapezoidal(step_size=StepSize(tolerance=1e-9, relative=0.0, most=30))
    run = sg.Simulation(hinged(), step=0.01, integrator=chosen, contact="none").run(1.0, progress=False)
    assert not run.status.ok
    assert "more than 30 steps in one" in run.message
    assert "projection=True" in run.message


def swung(h: float, time: float, projection: bool) -> tuple[bool, np.ndarray, float]:
    """Whether an undamped run gets there, where the rod is, and by how much its energy changed."""
    sim = sg.Simulation(hinged(), step=h, integrator=HHT(alpha=0.0, projection=projection), contact="none")
    first = step = sim.advance()
    for _ in range(round(time / h) - 1):
        step = sim.advance()
        if not step.status.ok:
            return False, step.state.position[0], 0.0
    return True, step.state.position[0].copy(), abs(step.energy - first.energy)


@pytest.mark.filterwarnings("ignore")
def test_projection_ends_the_zigzag_of_undamped_joints() -> None:
    assert not swung(0.02, 6.0, projection=False)[0]
    arrived, _, lost = swung(0.02, 6.0, projection=True)
    assert arrived
    assert lost < 0.05 * 9.81 * 0.2


def test_projection_keeps_the_second_order() -> None:
    fine = swung(0.00125, 0.4, projection=True)[1]
    errors = [np.linalg.norm(swung(h, 0.4, projection=True)[1] - fine) for h in (0.02, 0.01)]
    assert errors[0] / errors[1] == pytest.approx(4.0, abs=0.4)


def test_projection_is_for_undamped_rules() -> None:
    with pytest.raises(sg.SignoriniError, match="projection is for alpha = 0"):
        HHT(alpha=-0.1, projection=True)
