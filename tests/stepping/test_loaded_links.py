"""Light links that hold heavy bodies: the directions of their forces change within a step."""

from __future__ import annotations

import math

import numpy as np
import pytest

import signorini as sg
from signorini.assembly.geometric import loaded_joints
from signorini.assembly.masses import Masses

LINK = 0.2


def hanging(heavy: float, links: int = 3, lean: float = 0.05) -> sg.Model:
    """A ball of `heavy` [kg] on links of 1 g each."""
    model, down = sg.Model(), np.array([math.sin(lean), 0.0, -math.cos(lean)])
    turn = (math.cos(0.5 * lean), 0.0, -math.sin(0.5 * lean), 0.0)
    for k in range(links):
        place = (k + 0.5) * LINK * down
        model.add_body(sg.Box((0.01, 0.01, LINK)), mass=1e-3, position=place, orientation=turn, name=f"link-{k}")
        model.add_revolute(f"link-{k - 1}" if k else None, f"link-{k}", position=k * LINK * down, axis=(0, 1, 0))
    end = links * LINK * down
    model.add_body(sg.Sphere(0.05), mass=heavy, position=end, name="ball")
    model.add_spherical(f"link-{links - 1}", "ball", position=end)
    return model


@pytest.mark.parametrize("heavy", [10.0, 1e3])
def test_light_links_hold_a_heavy_ball(heavy: float) -> None:
    """Mass ratios of 10^4 and 10^6: the ball keeps its distance and its energy, every step is solved."""
    run = sg.Simulation(hanging(heavy), step=0.002).run(0.3)
    assert all(status is sg.Status.SOLVED for status in run.statuses)
    np.testing.assert_allclose(np.linalg.norm(run.position("ball"), axis=1), 3 * LINK, rtol=1e-8)
    energy = run.diagnostics["kinetic"] + run.diagnostics["potential"]
    assert np.ptp(energy) < 1e-2 * heavy * 9.81 * 3 * LINK * (1 - math.cos(0.05)) + 1e-9 * heavy


def test_stiffness_of_a_loaded_rod() -> None:
    """A rod that hangs with the force f at its end, at r below its centre, resists turning with |f| r."""
    model = sg.Model()
    model.add_body(sg.Box((0.01, 0.01, LINK)), mass=1.0, name="rod")
    joint = model.add_spherical(None, "rod", position=(0, 0, -0.5 * LINK))
    state, masses, h = model.initial_state(), Masses.of(model), 1e-3
    rows = joint.rows(state).jacobian
    impulse = np.linalg.lstsq(rows.T[:3], np.array([0.0, 0.0, -5.0]), rcond=None)[0]
    H, momentum = loaded_joints(model.joints, [impulse], masses, state, h)
    stiff = 0.5 * h * 5.0 * 0.5 * LINK
    np.testing.assert_allclose(H.toarray(), np.diag([0, 0, 0, stiff, stiff, 0]), atol=1e-9 * stiff)
    np.testing.assert_array_equal(momentum, 0.0)


def test_masses_do_not_vanish_beside_huge_loads() -> None:
    """A speck of 2 mg whose joint was loaded with 1e10 N s by an impact: H keeps a Cholesky factor."""
    model = sg.Model()
    model.add_body(sg.Sphere(1e-4), mass=2e-6, name="speck")
    joint = model.add_spherical(None, "speck", position=(3e-4, 2e-4, 1e-4))
    state, masses = model.initial_state(), Masses.of(model)
    K, momentum = loaded_joints([joint], [np.array([1e10, -2e10, 3e9])], masses, state, 0.005)
    H = masses.H.toarray() + K.toarray()
    root = np.sqrt(masses.inverse_diagonal)
    found = np.linalg.eigvalsh(H * np.outer(root, root))
    assert found[0] > 0.9, "as without the load"
    assert 1e9 < found[-1] < 1e11
    np.linalg.cholesky(H)
    assert np.isfinite(momentum).all()
