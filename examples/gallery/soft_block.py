"""A rubber block is pressed flat by a heavy plate."""

from __future__ import annotations

import signorini as sg

STEP, DURATION = 0.01, 0.4


def build() -> sg.Model:
    """Bricks of rubber, a floor and a plate of 100 kg."""
    mesh = sg.flexible.Mesh.box((0.3, 0.3, 0.3), (3, 3, 3), "hexahedron")
    body = sg.flexible.SoftBody(
        mesh, sg.materials.Elastic(young=2e5, poisson=0.3, density=1000), stiffness_damping=0.02
    )
    model = sg.Model()
    model.add_fixed_body(sg.HalfSpace((0, 0, 1)), name="floor")
    model.add_flexible(body, position=(0, 0, 0.15), name="rubber")
    model.add_body(sg.Box((0.5, 0.5, 0.05)), mass=100.0, position=(0, 0, 0.326), name="plate")
    return model


def check(run: sg.Run) -> None:
    """The block is lower, and carries the plate."""
    height = run.position("plate")[-1, 2] - 0.025
    assert 0.2 < height < 0.29, "it is pressed by some centimetres"
