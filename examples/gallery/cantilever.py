"""A beam of finite elements bends under its own weight.

Beam theory says `rho A g L^4 / (8 E I)` for the tip.
"""

from __future__ import annotations

import signorini as sg

STEP, DURATION = 0.02, 1.2


def build() -> sg.Model:
    """Quadratic tetrahedra, held at the left end."""
    mesh = sg.flexible.Mesh.box((1.0, 0.1, 0.1), (8, 1, 1), "tetra").quadratic()
    body = sg.flexible.SoftBody(
        mesh, sg.materials.Elastic(young=2e7, poisson=0.3, density=1000), stiffness_damping=0.02
    )
    model = sg.Model()
    beam = model.add_flexible(body, position=(0.5, 0, 0), name="beam")
    model.hold_nodes(beam, lambda x: x[:, 0] < 1e-9)
    return model


def check(run: sg.Run) -> None:
    """The tip is where beam theory says, within 10 %."""
    sag = -run.node_position("beam")[-1][:, 2].min() - 0.05
    theory = 1000 * 0.1**2 * 9.81 / (8 * 2e7 * 0.1**4 / 12)
    assert abs(sag / theory - 1) < 0.1
