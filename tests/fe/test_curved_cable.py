"""Cables that are curved when free: no force at rest, derivatives, and a quarter ring against Castigliano."""

from __future__ import annotations

import math

import numpy as np
import pytest

import signorini as sg
from signorini.flexible import Cable

RADIUS, THICK, YOUNG = 0.5, 0.01, 1e9
STIFFNESS = YOUNG * math.pi * THICK**4 / 4
"""E I [N m2]."""


def quarter_ring(elements: int, **how: object) -> Cable:
    angle = np.linspace(0.0, 0.5 * math.pi, elements + 1)
    places = RADIUS * np.column_stack((np.sin(angle), np.zeros_like(angle), 1.0 - np.cos(angle)))
    slopes = np.column_stack((np.cos(angle), np.zeros_like(angle), np.sin(angle)))
    lengths = np.full(elements, RADIUS * 0.5 * math.pi / elements)
    return Cable(places, slopes, lengths, radius=THICK, young=YOUNG, density=1000.0, **{"curved": True, **how})  # type: ignore[arg-type]


def test_free_ring_keeps_its_shape_and_a_straight_one_does_not() -> None:
    ring = quarter_ring(8)
    nothing = np.zeros_like(ring.rest)
    bent = quarter_ring(8, curved=False)
    scale = np.abs(bent.force(bent.rest, nothing)).max()
    assert np.abs(ring.force(ring.rest, nothing)).max() < 1e-9 * scale


@pytest.mark.parametrize("stretch", [1.0, 0.6, 1.7])
def test_force_and_stiffness_are_derivatives_of_the_energy(stretch: float) -> None:
    ring, rng = quarter_ring(2), np.random.default_rng(3)
    x = ring.rest * [1.0, 1.0, stretch] + 1e-2 * rng.standard_normal(ring.rest.shape)
    nothing, way = np.zeros_like(x), rng.standard_normal(x.shape)
    d = 1e-6
    slope = (ring.energy(x + d * way) - ring.energy(x - d * way)) / (2 * d)
    assert -ring.force(x, nothing) @ way.reshape(-1) == pytest.approx(slope, rel=1e-6)
    change = (ring.force(x + d * way, nothing) - ring.force(x - d * way, nothing)) / (2 * d)
    np.testing.assert_allclose(
        ring.exact_tangent(x) @ way.reshape(-1), change, rtol=1e-5, atol=1e-6 * np.abs(change).max()
    )


def test_quarter_ring_gives_way_by_castigliano() -> None:
    ring = quarter_ring(16)
    model = sg.Model(gravity=(0, 0, 0))
    body = model.add_flexible(ring, name="ring")
    model.hold_nodes(body, [0, 1])
    force = 1e-3 * STIFFNESS / RADIUS**2
    tip = 2 * 16
    model.add_node_force(body, [tip], (0.0, 0.0, force))
    state = sg.analyses.static_equilibrium(model).state
    moved = state.node_position[tip] - ring.rest[tip]
    # The moment is P R (1 - sin a); along the force the integral of its square, across it that times R cos a.
    unit = force * RADIUS**3 / STIFFNESS
    assert moved[2] == pytest.approx(unit * (0.75 * math.pi - 2.0), rel=0.01)
    assert moved[0] == pytest.approx(-0.5 * unit, rel=0.01)
