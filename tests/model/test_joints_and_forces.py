"""The guide's rows against finite differences, and the forces of user functions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import signorini as sg
from signorini.math.rotations import exponential, multiply, normals_to
from signorini.math.sparse import Array
from signorini.model.component import JointRows
from signorini.model.state import State
from signorini.problem.errors import ModelError


def three_bodies() -> sg.Model:
    model = sg.Model()
    model.add_fixed_body(sg.HalfSpace())
    model.add_body(sg.Box((1, 1, 1)), mass=1, position=(1, 2, 3), orientation=(0.9, 0.1, -0.2, 0.3), name="box")
    model.add_body(sg.Sphere(1), mass=1, position=(4, 0, 0), name="ball")
    return model


def moved(state: State, velocity: Array, time: float) -> State:
    """By constant velocities, 6 per body (linear world, angular body)."""
    v = velocity.reshape(-1, 6)
    turn = exponential(time * v[:, 3:])
    return replace(state, position=state.position + time * v[:, :3], orientation=multiply(state.orientation, turn))


def test_guide_starts_satisfied_and_is_free_along_the_line() -> None:
    model = three_bodies()
    guide = model.add_guide("box", point=(1.2, 1.9, 3.3), direction=(0, 3, 4))
    assert guide.bodies == (1,)
    assert model.joints == [guide]
    state = model.initial_state()
    np.testing.assert_allclose(guide.rows(state).error, 0, atol=1e-15)
    state.position[1] += 0.7 * np.array([0, 0.6, 0.8])
    np.testing.assert_allclose(guide.rows(state).error, 0, atol=1e-15)
    state.position[1] += [0.3, 0.4 * 0.8, -0.4 * 0.6]
    assert np.linalg.norm(guide.rows(state).error) == pytest.approx(0.5)
    assert guide.rows(state).rate.tolist() == [0, 0]


def everywhere(rows: JointRows) -> Array:
    """The rows over the velocities of all three bodies."""
    out = np.zeros((len(rows.jacobian), 18))
    out[:, rows.columns] = rows.jacobian
    return out


def test_guide_jacobian_by_finite_differences() -> None:
    model = three_bodies()
    guide = model.add_guide("box", point=(1.5, 1.8, 2.7), direction=(1, -2, 0.5))
    rng = np.random.default_rng(3)
    state = moved(model.initial_state(), rng.normal(size=18), 0.3)
    rows = guide.rows(state)
    assert rows.jacobian.shape == (2, 6)
    step = 1e-6
    for column in range(18):
        unit = np.eye(18)[column]
        ahead, behind = (guide.rows(moved(state, unit, sign * step)).error for sign in (1, -1))
        slope = (ahead - behind) / (2 * step)
        np.testing.assert_allclose(everywhere(rows)[:, column], slope, atol=1e-8)


def test_vertical_guide_of_the_centre_has_no_torque() -> None:
    model = three_bodies()
    rows = model.add_guide(model.bodies[2]).rows(model.initial_state())
    expected = np.zeros((2, 18))
    expected[0, 12] = expected[1, 13] = 1
    np.testing.assert_allclose(np.abs(everywhere(rows)), expected, atol=1e-15)


@pytest.mark.parametrize("direction", [(0, 0, 1), (0, -1, 0), (1, 1, 1), (1e-9, 0, 1)])
def test_normals_complete_the_direction(direction: Any) -> None:
    along = np.array(direction) / np.linalg.norm(direction)
    basis = np.vstack((along, normals_to(along)))
    np.testing.assert_allclose(basis @ basis.T, np.eye(3), atol=1e-15)
    assert np.linalg.det(basis) == pytest.approx(1)


def test_forces_add_up_on_their_body() -> None:
    model = three_bodies()
    model.add_force("ball", lambda time, state: (time, 0, state.position[1, 2]))
    model.add_force("ball", lambda time, state: ((1, 1, 1), (0, 0, 2)))
    model.add_force(1, lambda time, state: (np.zeros(3), np.array([5.0, 0, 0])))
    state = replace(model.initial_state(), time=0.5)
    force, torque = np.zeros((3, 3)), np.zeros((3, 3))
    for one in model.forces:
        one.add(state, force, torque)
    assert force.tolist() == [[0, 0, 0], [0, 0, 0], [1.5, 1, 4]]
    assert torque.tolist() == [[0, 0, 0], [5, 0, 0], [0, 0, 2]]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ((0, 0), r"expected \(3,\)"),
        (None, "force on 'ball' at t = 0"),
        ((0, 0, float("nan")), "finite"),
        (((0, 0, 0), (1, 2)), "torque has shape"),
    ],
)
def test_bad_forces_are_refused(answer: Any, message: str) -> None:
    model = three_bodies()
    force = model.add_force("ball", lambda time, state: answer)
    with pytest.raises(ModelError, match=message):
        force.add(model.initial_state(), np.zeros((3, 3)), np.zeros((3, 3)))


def test_bad_force_changes_nothing() -> None:
    model = three_bodies()
    force = model.add_force("ball", lambda time, state: ((0, np.nan, 0), (1, 2, 3)))
    forces, torques = np.zeros((3, 3)), np.zeros((3, 3))
    with pytest.raises(ModelError):
        force.add(model.initial_state(), forces, torques)
    assert not torques.any()


def test_guides_and_forces_need_a_body_that_moves() -> None:
    model = three_bodies()
    with pytest.raises(ModelError, match="has no effect"):
        model.add_guide(0)
    with pytest.raises(ModelError, match="has no effect"):
        model.add_force(0, lambda time, state: (0, 0, 0))
    with pytest.raises(ModelError, match="zero vector"):
        model.add_guide("box", direction=(0, 0, 0))
    for force in ("up", (0, 0), 3.0, None):
        with pytest.raises(ModelError, match="expected three numbers or functions"):
            model.add_force("box", force)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="axes of a force"):
        model.add_force("box", (0, 0, 1), axes="local")  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="drop torque"):
        model.add_force("box", lambda time, state: (0, 0, 0), torque=(0, 0, 1))
    assert model.joints == []
    assert model.forces == []
