"""Elastic bodies whose vibrations the step damps, though their material does not, say so."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import signorini as sg
from signorini.fe.materials.elastic import Elastic
from signorini.fe.mesh import Mesh
from signorini.fe.soft_body import SoftBody


def bar(speed: float = 1.0, **options: Any) -> sg.Simulation:
    """An elastic bar that flies to a wall, 20 mm away."""
    model = sg.Model(gravity=(0, 0, 0))
    model.add_fixed_body(sg.HalfSpace((1, 0, 0)), material=sg.Material(friction=0.0))
    material = Elastic(young=1e6, poisson=0.0, density=1000.0)
    body = SoftBody(Mesh.box((1.0, 0.05, 0.05), (10, 1, 1), "hexahedron"), material, **options)
    model.add_flexible(body, name="bar", position=(0.52, 0, 0), velocity=(-speed, 0, 0), material=sg.Material(0.0))
    return sg.Simulation(model, step=2e-3)


def test_an_impact_that_loses_energy_to_the_step_is_told_once_with_remedies() -> None:
    with pytest.warns(
        UserWarning, match="'bar'.*elastic_step='trapezoidal', or 'explicit' with steps up to 0.0"
    ) as told:
        bar().run(0.1)
    assert len(told) == 1


@pytest.mark.parametrize(
    ("speed", "options"),
    [(-1.0, {}), (1.0, {"elastic_step": "trapezoidal"}), (1.0, {"stiffness_damping": 1e-3})],
    ids=["free flight", "trapezoidal", "damped"],
)
def test_silent_where_nothing_is_lost_or_loss_is_wanted(speed: float, options: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bar(speed, **options).run(0.1)
