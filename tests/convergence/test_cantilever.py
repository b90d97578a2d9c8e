"""Deflection and frequencies of a clamped beam converge to beam theory at the rate of the element."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
import scipy.sparse.linalg as spla

from signorini.fe.cable import Cable
from signorini.fe.materials.elastic import Elastic
from signorini.fe.mesh import Mesh
from signorini.fe.soft_body import SoftBody
from signorini.model.model import Model
from signorini.simulation.simulation import Simulation

LENGTH, WIDTH, HEIGHT = 1.0, 0.15, 0.1
STEEL = Elastic(young=2.0e8, poisson=0.0, density=800.0)
"""Without Poisson's effect the clamp does not disturb the beam: theory is then good to the digits asked for."""
AREA = WIDTH * HEIGHT
SHEAR = 5.0 / 6.0
"""Timoshenko's coefficient of a rectangle."""


def beam(kind: str, fineness: int) -> SoftBody:
    mesh = Mesh.box((LENGTH, WIDTH, HEIGHT), (10 * fineness, fineness, fineness), "tetra" if "tetra" in kind else kind)
    return SoftBody(mesh.quadratic() if kind == "tetra10" else mesh, STEEL, mass_matrix="consistent")


def matrices(body: SoftBody) -> tuple[sp.csc_array, sp.csc_array, np.ndarray]:
    """K, M and the unknowns of the beam clamped at its left end."""
    free = np.flatnonzero(body.rest[:, 0] > -0.5 * LENGTH + 1e-9)
    rows = (3 * free[:, None] + np.arange(3)).reshape(-1)
    K = -body.exact_tangent(body.rest)
    return sp.csc_array(K[rows][:, rows]), sp.csc_array(body.mass[rows][:, rows]), rows


def deflection(kind: str, fineness: int) -> float:
    """Of the tip, under a weight that bends it downwards [m]."""
    body = beam(kind, fineness)
    K, _, rows = matrices(body)
    pull = np.outer(np.ones(len(body.rest)), [0.0, 0.0, -9.81]).reshape(-1)
    u = np.zeros(3 * len(body.rest))
    u[rows] = spla.spsolve(K, (body.mass @ pull)[rows])
    tip = np.abs(body.rest[:, 0] - 0.5 * LENGTH) < 1e-9
    return -float(u.reshape(-1, 3)[tip, 2].mean())


def frequencies(kind: str, fineness: int) -> np.ndarray:
    """The three lowest [Hz]."""
    K, M, _ = matrices(beam(kind, fineness))
    values = spla.eigsh(K, k=3, M=M, sigma=0.0, return_eigenvectors=False)
    return np.sort(np.sqrt(values)) / (2 * np.pi)


def theory_deflection() -> float:
    """Timoshenko's beam under its own weight."""
    load, EI = STEEL.density * AREA * 9.81, STEEL.young * WIDTH * HEIGHT**3 / 12
    return load * LENGTH**4 / (8 * EI) + load * LENGTH**2 / (2 * SHEAR * AREA * STEEL.lame[1])


def theory_frequencies() -> np.ndarray:
    """Timoshenko's beam in both directions, by Chebyshev collocation, which is exact to many digits."""
    return np.sort(np.concatenate([_timoshenko(HEIGHT, WIDTH), _timoshenko(WIDTH, HEIGHT)]))[:3]


def _timoshenko(height: float, width: float) -> np.ndarray:
    n = 24
    k = np.arange(n + 1)
    x = np.cos(np.pi * k / n)
    c = np.where((k == 0) | (k == n), 2.0, 1.0) * (-1.0) ** k
    D = np.outer(c, 1 / c) / (x[:, None] - x[None] + np.eye(n + 1))
    D -= np.diag(D.sum(axis=1))
    D *= 2.0 / LENGTH  # d/ds; the first point is the free end, the last one the clamp
    E, G, rho = STEEL.young, STEEL.lame[1], STEEL.density
    A, I = height * width, width * height**3 / 12
    zero, one = np.zeros_like(D), np.eye(n + 1)
    # Unknowns (w, psi): kGA (w' - psi)' = rho A w_tt,  (EI psi')' + kGA (w' - psi) = rho I psi_tt.
    shear = SHEAR * G * A
    stiff = np.block([[shear * D @ D, -shear * D], [shear * D, E * I * D @ D - shear * one]])
    mass = np.block([[rho * A * one, zero], [zero, rho * I * one]])
    for row, values in (
        (0, np.hstack((D[0], -one[0]))), (n, np.hstack((one[n], zero[n]))),
        (n + 1, np.hstack((zero[0], D[0]))), (2 * n + 1, np.hstack((zero[n], one[n]))),
    ):  # fmt: skip
        stiff[row], mass[row] = values, 0.0
    values = scipy.linalg.eigvals(stiff, mass)
    squares = -values[np.isfinite(values)].real
    return np.sqrt(np.sort(squares[squares > 1e-3])[:3]) / (2 * np.pi)


def test_theory_itself() -> None:
    """For a thin beam Timoshenko's frequencies are Euler's."""
    thin = _timoshenko(1e-2, 0.15)
    euler = np.array([1.8751041, 4.6940911, 7.8547574]) ** 2 * np.sqrt(STEEL.young / STEEL.density / 12) * 1e-2
    np.testing.assert_allclose(thin, euler / (2 * np.pi), rtol=2e-3)


@pytest.mark.parametrize("kind", ["tetra", "hexahedron"])
def test_linear_elements_converge_quadratically(kind: str) -> None:
    """How much too stiff the beam is falls four times when the mesh is twice as fine; so do its tones, squared."""
    stiffness = np.array([theory_deflection() / deflection(kind, n) - 1 for n in (1, 2, 4)])
    assert np.all(stiffness > 0)
    assert np.all(stiffness[:-1] / stiffness[1:] > 3.6)
    assert stiffness[-1] < (0.25 if kind == "tetra" else 0.04)
    squares = np.array([(frequencies(kind, n) / theory_frequencies()) ** 2 - 1 for n in (1, 2, 4)])
    assert np.all(squares > 0)
    assert np.all(squares[:-1] / squares[1:] > 3.2)


def test_quadratic_elements_are_accurate_at_once() -> None:
    exact, tones = theory_deflection(), theory_frequencies()
    errors = [abs(deflection("tetra10", n) / exact - 1) for n in (1, 2)]
    assert errors[1] < 2e-3
    assert errors[0] / errors[1] > 4
    np.testing.assert_allclose(frequencies("tetra10", 2), tones, rtol=4e-3)


def test_cable_bends_like_a_thin_beam() -> None:
    """The cubic elements of a cable are exact in the linear theory of thin beams under loads at their ends."""
    radius, young = 0.01, 1e9
    for elements in (1, 4):
        cable = Cable.straight(LENGTH, elements, radius=radius, young=young, density=1.0)
        K = -cable.exact_tangent(cable.rest).toarray()[6:, 6:]
        push = np.zeros(len(K))
        push[-4] = -1e-3
        u = np.linalg.solve(K, push)
        assert u[-4] == pytest.approx(-1e-3 * LENGTH**3 / (3 * young * np.pi / 4 * radius**4), rel=1e-6)


@pytest.mark.slow
def test_simulated_cantilever_comes_to_rest_where_theory_says() -> None:
    """The whole engine: held nodes, gravity, damping, implicit steps, until it hangs still."""
    model = Model()
    body = SoftBody(beam("tetra10", 1).mesh, STEEL, stiffness_damping=0.02)
    arm = model.add_flexible(body, name="arm")
    model.hold_nodes(arm, lambda x: x[:, 0] < -0.5 * LENGTH + 1e-9)
    run = Simulation(model, step=0.05).run(4.0)
    tip = np.abs(body.rest[:, 0] - 0.5 * LENGTH) < 1e-9
    path = run.node_position("arm")[:, tip, 2].mean(axis=1)
    assert run.diagnostics["kinetic"][-1] < 1e-10
    assert run.summary()["failures"] == 0
    assert -path[-1] == pytest.approx(deflection("tetra10", 1), rel=0.01)  # geometry is not linear at 3 % of the length
    assert -path[-1] == pytest.approx(theory_deflection(), rel=0.03)
