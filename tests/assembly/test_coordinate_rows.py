"""Rows of joints against the components' own, in one pattern for all states."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

import signorini as sg
from signorini.assembly.coordinate_rows import CoordinateRows, Rows
from signorini.assembly.masses import Masses
from signorini.model.component import JointRows
from signorini.model.layout import Layout
from signorini.model.state import State
from signorini.problem.errors import ModelError


def machine() -> sg.Model:
    """Framed joints, a motor between them, and a body that is driven."""
    model = sg.Model()
    one = model.add_body(sg.Sphere(0.1), mass=1.0, position=(0.5, 0, 0), name="one")
    two = model.add_body(sg.Sphere(0.1), mass=2.0, position=(1.5, 0, 0), name="two")
    driven = model.add_body(
        sg.Sphere(0.1), position=(3, 0, 0), motion=lambda t: ((3.0, 0.0, t), (1.0, 0.0, 0.0, 0.0)), name="driven"
    )
    model.add_revolute(None, one, (0, 0, 0), (0, 1, 0), name="shoulder")
    elbow = model.add_revolute(one, two, (1, 0, 0), (0, 1, 0), name="elbow")
    model.add_motor(elbow, angle=lambda t: 0.1 * t, name="motor")
    model.add_spherical(two, driven, (2, 0, 0), name="ball")
    return model


def states(model: sg.Model) -> list[State]:
    """The start, and two with all bodies elsewhere."""
    start, random = model.initial_state(), np.random.default_rng(3)
    out = [start]
    for _ in range(2):
        state = start.copy()
        state.position[:] += 0.3 * random.normal(size=state.position.shape)
        state.orientation[:] = random.normal(size=state.orientation.shape)
        state.orientation[:] /= np.linalg.norm(state.orientation, axis=1, keepdims=True)
        state.velocity[:] = random.normal(size=state.velocity.shape)
        state.angular_velocity[:] = random.normal(size=state.velocity.shape)
        out.append(state)
    return out


def check(rows: Rows, parts: list[JointRows], masses: Masses, state: State) -> None:
    """Against dense rows of the components."""
    dense = np.zeros((sum(len(part.error) for part in parts), 6 * len(state.position)))
    begin = 0
    for part in parts:
        dense[begin : begin + len(part.error), part.columns] = part.jacobian
        begin += len(part.error)
    unknown = masses.column >= 0
    np.testing.assert_allclose(rows.matrix.toarray(), dense[:, unknown], atol=1e-15)
    np.testing.assert_allclose(rows.known, dense[:, ~unknown] @ state.velocities[~unknown], atol=1e-14)
    np.testing.assert_allclose(rows.error, np.concatenate([part.error for part in parts]), atol=1e-15)
    np.testing.assert_allclose(rows.rate, np.concatenate([part.rate for part in parts]), atol=1e-15)


def test_rows_are_those_of_the_components_in_one_pattern() -> None:
    model = machine()
    masses = Masses.of(model)
    every = states(model)
    evaluated = CoordinateRows(model.joints, Layout.of(model, every[0]).joints, masses, every[0])
    for state in every:
        rows = evaluated.at(state)
        check(rows, [joint.rows(state) for joint in model.joints], masses, state)
        assert rows.matrix.indices is evaluated.at(every[0]).matrix.indices


@dataclass(frozen=True)
class Switched:
    """Its derivative is 0 before t = 1 s."""

    name: str = "switched"
    bodies: tuple[int, ...] = (0,)

    def rows(self, state: State) -> JointRows:
        """One row over x and y of the first body."""
        jacobian = np.array([[1.0, 0.0 if state.time < 1.0 else math.sin(state.time)]])
        return JointRows(np.array([0, 1]), jacobian, np.zeros(1), np.zeros(1))


@dataclass(frozen=True)
class Particular(Switched):
    """Refuses states that are far from the start."""

    def rows(self, state: State) -> JointRows:
        """One row over x and y of the first body."""
        if abs(state.position[0, 1]) > 0.1:
            raise ModelError("out of range")
        return super().rows(state)


def test_a_component_that_refuses_far_states_keeps_all_its_columns() -> None:
    model = machine()
    state = model.initial_state()
    rows = CoordinateRows([Particular()], (("switched", 1),), Masses.of(model), state)
    assert rows.at(state).matrix.nnz == 2


def test_a_derivative_that_wakes_up_later_is_not_lost() -> None:
    model = machine()
    masses, joint = Masses.of(model), Switched()
    early = model.initial_state()
    late = State(2.0, *(getattr(early, name) for name in ("position", "orientation", "velocity", "angular_velocity")))
    rows = CoordinateRows([joint], (("switched", 1),), masses, early)
    assert rows.at(early).matrix.nnz == 1
    check(rows.at(late), [joint.rows(late)], masses, late)
    check(rows.at(early), [joint.rows(early)], masses, early)
