"""Every joint, limit, brake and spring against finite differences, at random states off the constraints."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from signorini.math.rotations import rotate
from signorini.model.component import ForceTerm, FrictionRows, JointRows
from signorini.model.state import State

from .mechanisms import FORCES, FRICTIONS, JOINTS, LIMITS, SIDES, SPRINGS, moved, random_state, three_bodies

STEP = 1e-6
BODIES = 3


def differences(function: Any, state: State) -> np.ndarray:
    """Derivative of a vector over displacements in the columns of everything."""
    columns = []
    for column in range(6 * BODIES):
        shift = STEP * np.eye(6 * BODIES)[column]
        columns.append((function(moved(state, shift)) - function(moved(state, -shift))) / (2 * STEP))
    return np.stack(columns, axis=-1)


def everywhere(rows: JointRows | FrictionRows) -> np.ndarray:
    assert len(set(rows.columns.tolist())) == len(rows.columns)
    out = np.zeros((len(rows.jacobian), 6 * BODIES))
    out[:, rows.columns] = rows.jacobian
    return out


@pytest.mark.parametrize("sides", SIDES)
@pytest.mark.parametrize("name", JOINTS)
def test_joint(name: str, sides: str) -> None:
    count, make = JOINTS[name]
    model = three_bodies()
    joint = make(model, *SIDES[sides])
    assert joint is model.joints[-1]
    start = joint.rows(model.initial_state())
    assert start.error.shape == start.rate.shape == (count,)
    np.testing.assert_allclose(start.error, 0, atol=1e-14)
    for seed in range(4):
        state = random_state(model, 0.3, seed)
        rows = joint.rows(state)
        assert rows.jacobian.shape == (count, len(rows.columns))
        slope = differences(lambda s: joint.rows(s).error, state)
        np.testing.assert_allclose(everywhere(rows), slope, atol=3e-9)
        later, sooner = (joint.rows(replace(state, time=state.time + dt)).error for dt in (STEP, -STEP))
        np.testing.assert_allclose(rows.rate, (later - sooner) / (2 * STEP), atol=3e-8)
        assert set(rows.columns // 6) <= {*joint.bodies}


@pytest.mark.parametrize("name", JOINTS)
def test_freedoms_left(name: str) -> None:
    """The rows are independent where the joint is assembled: it takes as many freedoms as it has rows."""
    count, make = JOINTS[name]
    model = three_bodies()
    rows = make(model, "left", "right").rows(model.initial_state())
    movable = everywhere(rows)[:, 6:]
    assert np.linalg.matrix_rank(movable, tol=1e-9) == count


@pytest.mark.parametrize("sides", SIDES)
@pytest.mark.parametrize("name", LIMITS)
def test_limit(name: str, sides: str) -> None:
    count, make = LIMITS[name]
    model = three_bodies()
    make(model, *SIDES[sides])
    (limit,) = model.limits
    for seed in range(4):
        state = random_state(model, 0.3, seed)
        rows = limit.rows(state)
        assert rows.error.shape == (count,)
        np.testing.assert_allclose(everywhere(rows), differences(lambda s: limit.rows(s).error, state), atol=3e-9)
        assert not rows.rate.any()


@pytest.mark.parametrize("name", FRICTIONS)
def test_friction_rows_are_those_of_the_joint_that_moves(name: str) -> None:
    model = three_bodies()
    made = FRICTIONS[name](model, "left", "right")
    (friction,) = model.dry_frictions
    travel = made.coordinate if name == "clutch" else made.angle if name == "revolute" else made.slide
    state = random_state(model, 0.3)
    rows = friction.rows(state)
    slope = differences(lambda s: np.array([travel.at(s)[0]]), state)
    np.testing.assert_allclose(everywhere(rows), slope, atol=3e-9)
    assert rows.rate.tolist() == [-3.0 if name == "clutch" else 0.0]
    expected = 2.0 + np.sin(2 * np.pi * 0.37) if name == "clutch" else 2.0
    assert rows.limit.tolist() == [pytest.approx(expected)]


def spread(term: ForceTerm) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    n = 6 * BODIES
    force, dq, dv = np.zeros(n), np.zeros((n, n)), np.zeros((n, n))
    force[term.columns] = term.force
    square = np.ix_(term.columns, term.columns)
    dq[square], dv[square] = term.dq, term.dv
    return force, dq, dv


def with_velocity(state: State, v: np.ndarray) -> State:
    v = v.reshape(-1, 6)
    return replace(state, velocity=v[:, :3], angular_velocity=v[:, 3:])


@pytest.mark.slow
@pytest.mark.parametrize("sides", SIDES)
@pytest.mark.parametrize("name", SPRINGS)
def test_spring(name: str, sides: str) -> None:
    model = three_bodies()
    spring = SPRINGS[name](model, *SIDES[sides])
    assert spring is model.stiff_forces[-1]
    for seed in range(3):
        state = random_state(model, 0.3, seed)
        _, dq, dv = spread(spring.term(state))
        scale = max(1.0, float(np.abs(dq).max()))
        np.testing.assert_allclose(dq, differences(lambda s: spread(spring.term(s))[0], state), atol=1e-8 * scale)
        v = state.velocities
        for column in range(6 * BODIES):
            shift = 1e-4 * np.eye(6 * BODIES)[column]
            sides_ = [spread(spring.term(with_velocity(state, v + s * shift)))[0] for s in (1, -1)]
            np.testing.assert_allclose(dv[:, column], (sides_[0] - sides_[1]) / 2e-4, atol=1e-7 * scale)
        # At rest the force is the slope of the stored energy.
        rest = with_velocity(state, 0 * v)
        if not name.startswith("actuator"):
            slope = differences(lambda s: np.array([spring.energy(s)]), rest)[0]
            np.testing.assert_allclose(spread(spring.term(rest))[0], -slope, atol=1e-7 * scale)


@pytest.mark.parametrize("name", FORCES)
def test_applied_force(name: str) -> None:
    """Its derivatives, and that it acts at its point: the moment about that point is the torque alone."""
    model = three_bodies()
    force = FORCES[name](model)
    assert force is model.forces[-1]
    for seed in range(3):
        state = random_state(model, 0.3, seed)
        _, dq, dv = spread(force.term(state))
        np.testing.assert_allclose(dq, differences(lambda s: spread(force.term(s))[0], state), atol=1e-8)
        assert not dv.any()
        pushes, torques = np.zeros((BODIES, 3)), np.zeros((BODIES, 3))
        force.add(state, pushes, torques)
        both = model_wrench(force.term(state), state)
        np.testing.assert_allclose((pushes, torques), both, atol=1e-14)
        arm = rotate(state.orientation[2], force.point)
        turn = force.load.at(state)[1]
        turn = rotate(state.orientation[2], turn) if force.axes == "body" else turn
        np.testing.assert_allclose(torques[2] - np.cross(arm, pushes[2]), turn, atol=1e-13)


@pytest.mark.parametrize("name", SPRINGS)
def test_springs_keep_momentum(name: str) -> None:
    """Forces on two bodies cancel, and so do their moments about any point."""
    model = three_bodies()
    spring = SPRINGS[name](model, "left", "right")
    state = random_state(model, 0.3)
    force, torque = model_wrench(spring.term(state), state)
    np.testing.assert_allclose(force.sum(axis=0), 0, atol=1e-11)
    np.testing.assert_allclose((torque + np.cross(state.position, force)).sum(axis=0), 0, atol=1e-11)


@pytest.mark.parametrize("name", [n for n in JOINTS if n != "pose"])
def test_reactions_keep_momentum(name: str) -> None:
    """Also off the constraint: the impulses of every row cancel, with their moments."""
    model = three_bodies()
    rows = JOINTS[name][1](model, "left", "right").rows(random_state(model, 0.3))
    state = random_state(model, 0.3)
    for row in rows.jacobian:
        force, torque = model_wrench(ForceTerm(rows.columns, row, np.zeros(0), np.zeros(0)), state)
        np.testing.assert_allclose(force.sum(axis=0), 0, atol=1e-12)
        np.testing.assert_allclose((torque + np.cross(state.position, force)).sum(axis=0), 0, atol=1e-12)


def model_wrench(term: ForceTerm, state: State) -> tuple[np.ndarray, np.ndarray]:
    """Force and torque on each body in the world."""
    out = np.zeros(6 * BODIES)
    out[term.columns] = term.force
    parts = out.reshape(-1, 6)
    return parts[:, :3], rotate(state.orientation, parts[:, 3:])
