"""Flexible bodies in smooth dynamics: statics and vibration against their own matrices, solvers, penalty contact."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg

import signorini as sg
from signorini.fe.materials.elastic import Elastic
from signorini.fe.mesh import Mesh
from signorini.fe.soft_body import SoftBody
from signorini.integrators import HHT, Penalty
from signorini.math.sparse import Array
from signorini.solvers.linear import available

pytestmark = pytest.mark.slow  # whole simulations, pictures or programs

SOFT = Elastic(young=2e6, poisson=0.3, density=1000.0)
CELLS = (4, 1, 1)


def cantilever(gravity: tuple[float, float, float] = (0, 0, 0)) -> sg.Model:
    """A small block, clamped at its left end."""
    model = sg.Model(gravity=gravity)
    model.add_flexible(SoftBody(Mesh.box((0.4, 0.1, 0.1), CELLS, "hexahedron"), SOFT), name="beam")
    rest = model.flexibles[0].position
    model.hold_nodes("beam", np.flatnonzero(rest[:, 0] < rest[:, 0].min() + 1e-9))
    return model


def matrices(model: sg.Model) -> tuple[Array, Array, Array]:
    """K and M of the free nodes at rest, and which unknowns of all they are."""
    body = model.flexibles[0]
    free = np.setdiff1d(np.arange(body.count), model.held[0].nodes)
    rows = (3 * free[:, None] + np.arange(3)).reshape(-1)
    K = -body.flexible.exact_tangent(body.position).toarray()
    return K[np.ix_(rows, rows)], body.flexible.mass.toarray()[np.ix_(rows, rows)], rows


def test_static_deflection_is_that_of_the_stiffness_matrix() -> None:
    """The load is so small that rotations do not matter."""
    model = cantilever((0, 0, -1e-2))
    K, _, rows = matrices(model)
    body = model.flexibles[0]
    load = body.flexible.mass @ np.outer(body.flexible.translation, model.gravity).reshape(-1)
    expected = np.linalg.solve(K, load[rows])
    found = sg.analyses.static_equilibrium(model, tolerance=1e-8)
    assert found.status.ok
    moved = (found.state.node_position - body.position).reshape(-1)[rows]
    assert moved == pytest.approx(expected, abs=1e-3 * np.abs(expected).max())


def test_vibration_has_the_lowest_frequency_of_the_pencil() -> None:
    """Released in its lowest mode, one period later it is there again, but for the phase error of HHT."""
    model = cantilever()
    K, M, rows = matrices(model)
    squares, modes = scipy.linalg.eigh(K, M, subset_by_index=(0, 0))
    period = 2 * np.pi / np.sqrt(squares[0])
    start = model.initial_state()
    shape = 1e-5 * modes[:, 0] / np.abs(modes[:, 0]).max()
    flat = start.node_position.reshape(-1)
    flat[rows] += shape
    sim = sg.Simulation(model, step=period / 100, integrator=HHT(alpha=-0.05), state=start, contact="none")
    for _ in range(100):
        step = sim.advance()
        assert step.status.ok
    moved = (sim.state.node_position - model.flexibles[0].position).reshape(-1)[rows]
    assert moved == pytest.approx(shape, abs=1e-2 * np.abs(shape).max())


SOLVERS = [name for name, word in available().items() if word == "available"]


@pytest.mark.parametrize("name", [*SOLVERS, "minres", "linear", "interior-point"])
def test_solvers(name: str) -> None:
    """The columns `FEA` of the table in docs/smooth-dynamics.md."""
    ends = []
    for solver in (name, "superlu"):
        model = cantilever((0, 0, -9.81))
        sim = sg.Simulation(model, step=2e-3, integrator="hht", solver=solver, contact="none")
        for _ in range(2):
            assert sim.advance().status.ok
        ends.append(sim.state.node_position)
    assert ends[0] == pytest.approx(ends[1], abs=1e-9)
    assert np.abs(ends[0] - cantilever().flexibles[0].position).max() > 1e-6


def test_joint_between_a_flexible_and_a_rigid_body() -> None:
    """A ball hangs on the end of the beam: together they weigh on the clamp, and the glue stays closed."""
    model = cantilever((0, 0, -9.81))
    rest = model.flexibles[0].position
    tip = np.flatnonzero(rest[:, 0] > rest[:, 0].max() - 1e-9)
    model.add_body(
        sg.Sphere(0.02), mass=0.05, position=np.add(rest[tip].mean(axis=0), (0.02, 0, 0)), mask=0, name="ball"
    )
    model.attach_nodes("beam", tip, "ball", name="glue")
    sim = sg.Simulation(model, step=1e-3, integrator=HHT(alpha=-0.3), contact="none")
    for _ in range(5):
        step = sim.advance()
        assert step.status.ok, step
        assert step.joint_error < 1e-9  # type: ignore[attr-defined]
    assert sg.analyses.mobility(model).degrees_of_freedom == sim.advance().state.node_position.size - 3 * 4 - 3 * 4 + 6


def test_block_lands_on_the_floor_by_penalty() -> None:
    """In the end the floor carries the weight."""
    model = sg.Model()
    model.add_fixed_body(sg.HalfSpace((0, 0, 1)), name="floor")
    block = SoftBody(
        Mesh.box((0.1, 0.1, 0.1), (1, 1, 1), "hexahedron"), Elastic(young=1e6, poisson=0.3, density=1000.0)
    )
    model.add_flexible(block, position=(0, 0, 0.0499), name="block")
    contact = Penalty(1e4, damping=0.5)
    sim = sg.Simulation(model, step=2e-3, integrator=HHT(alpha=-0.3), contact=contact)
    forces = []
    for _ in range(150):
        step = sim.advance()
        assert step.status.ok
        forces.append(abs(step.impulses[:, 0].sum()) / 2e-3)
    assert np.mean(forces[-50:]) == pytest.approx(9.81, rel=2e-2)
    assert step.contacts.count == 4
