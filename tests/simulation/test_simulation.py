"""Running, stopping, failing, falling back; the same bits every time."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

import signorini
from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.sphere import Sphere
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.errors import MissingExtraError, ModelError, SignoriniError, SimulationError, SolverError
from signorini.problem.solution import Guess, Solution, Status
from signorini.simulation.progress import Progress, describe
from signorini.simulation.run import Run
from signorini.simulation.simulation import Simulation
from signorini.solvers import make_solver

KEYS = {
    "steps", "time", "contacts_mean", "iterations_mean", "residual_max", "penetration_max", "energy",
    "seconds_per_step",
}  # fmt: skip


def falling_balls(count: int = 12) -> Model:
    model = Model()
    model.add_box_container(size=(0.35, 0.35, 1.0), material=Material(friction=0.4))
    rng = np.random.default_rng(5)
    for k in range(count):
        layer, place = divmod(k, 4)
        centre = np.array([0.1 + 0.15 * (place % 2), 0.1 + 0.15 * (place // 2), 0.08 + 0.16 * layer])
        model.add_body(Sphere(0.07), density=1000, position=centre + rng.uniform(-0.004, 0.004, 3), name=f"ball-{k}")
    return model


def same(one: Run, other: Run) -> None:
    for name in ("position", "orientation", "velocity", "angular_velocity"):
        np.testing.assert_array_equal(getattr(one, name)(), getattr(other, name)())
    for name in ("residual", "iterations", "kinetic", "penetration"):
        np.testing.assert_array_equal(one.diagnostics[name], other.diagnostics[name])


@dataclass(frozen=True)
class GivesUp:
    """Returns the free velocities, whatever touches."""

    name: ClassVar[str] = "gives-up"
    tolerance: float = 1e-8

    def solve(self, problem: ContactProblem, guess: Guess | None = None) -> Solution:
        return make_solver("projected-sor", tolerance=1e-14, max_iterations=1).solve(problem)


def test_summary_has_the_agreed_keys_and_plain_numbers() -> None:
    run = Simulation(falling_balls(), step=0.005).run(0.1)
    summary = run.summary()
    assert set(summary) >= KEYS
    assert summary["steps"] == 20
    assert summary["time"] == pytest.approx(0.1)
    assert summary["smallest_radius"] == 0.07
    assert summary["residual_max"] <= 1e-8
    assert all(isinstance(value, int | float | str | None) for value in summary.values())
    assert set(run.seconds()) == {"detect", "assemble", "solve", "advance", "correct", "record"}
    assert summary["energy"] == pytest.approx(run.diagnostics["kinetic"][-1] + run.diagnostics["potential"][-1])


def test_balls_do_not_penetrate() -> None:
    run = Simulation(falling_balls(), step=0.005, gaps="linear").run(0.6)
    assert run.summary()["penetration_max_relative"] < 1e-3
    assert run.summary()["contacts_max"] >= 12
    assert np.all(np.diff(run.diagnostics["kinetic"] + run.diagnostics["potential"]) < 1e-6)
    curved = Simulation(falling_balls(), step=0.005, gaps="curved").run(0.6)
    energy = curved.diagnostics["kinetic"] + curved.diagnostics["potential"]
    assert curved.summary()["penetration_max_relative"] < 1e-9
    assert np.all(np.diff(energy) < 1e-7 * energy[0])
    assert np.all(np.abs(np.diff(energy))[energy[1:] > 0.9999 * energy[0]] < 1e-13 * energy[0])  # free fall


SOLVERS = ["primal-dual-barrier", "projected-sor", "projected-jacobi", "barzilai-borwein", "apgd", "clarabel"]


@pytest.mark.parametrize("name", SOLVERS)
def test_all_solvers_agree(name: str) -> None:
    try:
        solver = make_solver(name, tolerance=1e-9)
    except MissingExtraError as error:
        pytest.skip(str(error))
    expected = Simulation(falling_balls(8), solver=make_solver("interior-point", tolerance=1e-10)).run(0.1)
    found = Simulation(falling_balls(8), solver=solver).run(0.1)
    assert found.summary()["failures"] == 0
    np.testing.assert_allclose(found.position(), expected.position(), atol=1e-6)


@pytest.mark.parametrize("warm_start", ["full", "partial", "none"])
def test_reruns_are_bit_identical(warm_start: Any) -> None:
    same(*(Simulation(falling_balls(8), warm_start=warm_start).run(0.2) for _ in range(2)))


def test_warm_start_saves_sweeps_and_changes_nothing() -> None:
    runs = [
        Simulation(falling_balls(), solver=make_solver("projected-sor", tolerance=1e-5), warm_start=mode).run(0.5)
        for mode in ("full", "none")
    ]
    late = [run.diagnostics["iterations"][-20:].mean() for run in runs]
    assert late[0] < 0.7 * late[1]


@pytest.mark.parametrize("name", ["interior-point", "projected-sor"])
def test_one_and_two_threads_give_the_same_bits(name: str) -> None:
    solver = make_solver(name, tolerance=1e-4)
    same(*(Simulation(falling_balls(), solver=solver, threads=threads).run(0.15) for threads in (1, 2)))


def test_iteration_and_run_are_the_same() -> None:
    by_hand = Simulation(falling_balls(4))
    for step in by_hand:
        if step.number == 10:
            break
    run = Simulation(falling_balls(4)).run(0.05)
    np.testing.assert_array_equal(by_hand.state.position, run.state().position)
    assert step.impulses.shape == (step.contacts.count, 3)


def test_callbacks_and_stop() -> None:
    seen: list[int] = []
    run = Simulation(falling_balls(4)).run(
        1.0, callbacks=[lambda step: seen.append(step.number)], stop=lambda step: step.state.time > 0.0249
    )
    assert seen == [1, 2, 3, 4, 5]
    assert run.summary()["steps"] == 5


def test_two_runs_go_on_where_the_first_ended() -> None:
    sim = Simulation(falling_balls(4))
    first, second = sim.run(0.1), sim.run(0.1)
    whole = Simulation(falling_balls(4)).run(0.2)
    np.testing.assert_array_equal(second.state(0).position, first.state().position)
    np.testing.assert_array_equal(second.state().position, whole.state().position)


def test_failures_warn_once_and_are_counted() -> None:
    with pytest.warns(UserWarning, match="gives-up") as caught:
        run = Simulation(falling_balls(), solver=GivesUp()).run(0.3)
    assert len(caught) == 1
    assert run.summary()["failures"] == sum(status is not Status.SOLVED for status in run.statuses) > 5


def test_failures_raise() -> None:
    with pytest.raises(SimulationError, match=r"t = .*error"):
        Simulation(falling_balls(), solver=GivesUp(), on_failure="raise").run(0.3)


def test_fallback_solves_and_is_recorded() -> None:
    run = Simulation(falling_balls(), solver=GivesUp(), on_failure="fallback").run(0.3)
    summary = run.summary()
    assert summary["failures"] == 0
    assert summary["fallbacks"] > 5
    assert summary["residual_max"] <= 1e-8


def test_solver_that_refuses_contacts_falls_back() -> None:
    run = Simulation(falling_balls(4), solver="linear", on_failure="fallback").run(0.1)
    assert run.summary()["failures"] == 0
    assert run.summary()["fallbacks"] > 0


def test_wedged_body_does_not_crash() -> None:
    """Two walls close on a ball: no velocity keeps it out of both."""
    model = Model(gravity=(0, 0, 0))
    for side in (-1, 1):

        def close(t: float, side: int = side) -> tuple[tuple[float, float, float], tuple[float, float, float, float]]:
            return (side * (0.1 - 0.05 * t), 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)

        model.add_body(HalfSpace((-side, 0, 0)), motion=close, name=f"wall{side}")
    model.add_body(Sphere(0.1), density=1000, name="ball")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = Simulation(model, step=0.01).run(0.1)
    assert run.summary()["failures"] > 0
    assert np.all(np.isfinite(run.position()))
    assert np.abs(run.position("ball")).max() < 0.1


@pytest.mark.parametrize(("cap", "expected"), [(math.inf, 4.0), (0.3, 0.3)])
def test_recovery_speed_is_limited(cap: float, expected: float) -> None:
    model = Model(gravity=(0, 0, 0))
    model.add_fixed_body(HalfSpace((0, 0, 1)))
    model.add_body(Box((0.2, 0.2, 0.2)), density=1000, position=(0, 0, 0.08), name="box")
    for gaps, left in (("curved", 0.0), ("linear", expected)):
        run = Simulation(model, step=0.005, max_recovery_speed=cap, gaps=gaps).run(0.005)
        assert run.position("box")[-1, 2] == pytest.approx(0.08 + 0.005 * expected, abs=1e-6)
        # Overlaps are taken back in the positions: they do not throw bodies apart.
        assert run.velocity("box")[-1, 2] == pytest.approx(left, abs=1e-5)


def test_seeds() -> None:
    draws = [Simulation(falling_balls(1), seed=seed).random.random() for seed in (1, 1, 2)]
    assert draws[0] == draws[1] != draws[2]


@pytest.mark.parametrize("step", [0.0, -0.01, math.nan, math.inf, "0.01"])
def test_bad_steps(step: Any) -> None:
    with pytest.raises(ModelError, match="time step"):
        Simulation(falling_balls(1), step=step)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"solver": "no-such"}, "choose one of"),
        ({"solver": 3}, "InteriorPoint"),
        ({"on_failure": "panic"}, "fallback"),
        ({"warm_start": "hot"}, "partial"),
        ({"max_recovery_speed": 0.0}, "m/s"),
        ({"threads": 0}, "1 or more"),
    ],
)
def test_bad_options(options: dict[str, Any], words: str) -> None:
    with pytest.raises(SignoriniError, match=words):
        Simulation(falling_balls(1), **options)


@pytest.mark.parametrize("duration", [-1.0, math.nan, math.inf])
def test_bad_durations(duration: float) -> None:
    with pytest.raises(ModelError, match="duration"):
        Simulation(falling_balls(1)).run(duration)


def test_force_that_is_not_a_number_is_named() -> None:
    model = falling_balls(1)
    model.add_force("ball-0", lambda t, state: (math.nan, 0, 0))
    with pytest.raises(ModelError, match="ball-0"):
        Simulation(model).run(0.1)


def test_unknown_bodies_and_frames() -> None:
    run = Simulation(falling_balls(2)).run(0.01)
    with pytest.raises(ModelError, match="ball-0"):
        run.position("ball-99")
    with pytest.raises(ModelError, match="from 0 to 2"):
        run.state(7)


def test_no_time_and_no_bodies() -> None:
    assert Simulation(falling_balls(1)).run(0.0).summary()["steps"] == 0
    assert Simulation(Model()).run(0.02).summary()["steps"] == 4


def test_progress_is_silent_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    sim = Simulation(falling_balls(4))
    sim.run(0.02, progress=True)
    captured = capsys.readouterr()
    assert captured.err == ""
    assert "contacts" in describe(sim.advance(), 1.0)
    with Progress(True, 0.0, 1.0) as bar:
        bar.show(sim.advance())


def test_public_names() -> None:
    for name in ("Model", "Simulation", "Run"):
        assert name in signorini.__all__


def test_solver_error_reaches_the_user() -> None:
    with pytest.raises(SolverError):
        Simulation(falling_balls(4), solver="linear").run(0.2)
