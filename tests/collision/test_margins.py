"""Envelopes far beyond the size of the bodies are refused; each would be in contact with everything."""

from __future__ import annotations

import pytest

import signorini as sg
from signorini.fe.materials.elastic import Elastic
from signorini.fe.mesh import Mesh
from signorini.fe.soft_body import SoftBody


def soft_cube(margin: float | None, floor: float | None = None) -> sg.Model:
    model = sg.Model(margin=margin)
    model.add_fixed_body(sg.HalfSpace((0, 0, 1)), margin=floor)
    block = SoftBody(Mesh.box((0.1,) * 3, (2, 2, 2)), Elastic(young=1e5, poisson=0.3, density=1000.0))
    model.add_flexible(block, position=(0, 0, 0.1), name="block")
    return model


@pytest.mark.parametrize(("margin", "floor"), [(1.0, None), (1e308, None), (None, 1.0)])
def test_margins_beyond_a_flexible_body(margin: float | None, floor: float | None) -> None:
    with pytest.raises(sg.SignoriniError, match=r"margin of 'block' is .* expected at most 0.173 m"):
        sg.Simulation(soft_cube(margin, floor)).advance()


def spheres(count: int) -> sg.Model:
    model = sg.Model(margin=1e6)
    for k in range(count):
        model.add_body(sg.Sphere(0.1), mass=1.0, position=(k, 0, 0))
    return model


def test_margins_beyond_many_rigid_bodies() -> None:
    assert sg.Simulation(spheres(3)).advance().status.ok
    model = spheres(60)
    with pytest.raises(sg.SignoriniError, match=r"margin of .* is 1e\+06 m"):
        sg.Simulation(model).advance()


def test_usual_margins_are_taken() -> None:
    assert sg.Simulation(soft_cube(0.01)).advance().status.ok
    model = sg.Model(margin=5.0)
    model.add_fixed_body(sg.HalfSpace((0, 0, 1)))
    model.add_body(sg.Sphere(0.1), mass=1.0, position=(0, 0, 0.1))
    assert sg.Simulation(model).advance().status.ok
