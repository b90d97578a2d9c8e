"""IFToMM benchmark A03: Andrews' squeezing mechanism, seven bodies in the plane, driven by a motor."""

from __future__ import annotations

import numpy as np

from signorini.math.sparse import Array
from signorini.model.model import Model
from signorini.scenes.scene import About, Scene

MASSES = (0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498)
"""Of K1 to K7 [kg]."""
INERTIAS = (2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5)
"""About their centres of mass, across the plane [kg m2]."""
A, B, C = np.array([-0.06934, -0.00227]), np.array([-0.03635, 0.03273]), np.array([0.014, 0.072])
"""Fixed points [m]; the motor sits in the origin."""
D, DA, E, EA, RR, RA, SS, SA, SB, SC, SD = (
    28e-3, 115e-4, 20e-3, 1421e-5, 7e-3, 92e-5, 35e-3, 1874e-5, 1043e-5, 18e-3, 20e-3,
)  # fmt: skip
TA, TB, U, UA, UB, ZF, ZT, FA = 2308e-5, 916e-5, 40e-3, 1228e-5, 449e-5, 20e-3, 40e-3, 1421e-5
"""Lengths of the bodies [m], with the letters of the test set."""
SPRING, REST = 4530.0, 0.07785
"""Stiffness [N/m] and length without force [m]."""
START = (
    -0.0617138900142764496, 0.0, 0.455279819163070380, 0.222668390165885885, 0.487364979543842550,
    -0.222668390165885885, 1.23054744454982119,
)  # fmt: skip
"""beta, Theta, gamma, Phi, delta, Omega, epsilon at t = 0 [rad]."""


def build(torque: float = 0.033) -> Model:
    """The mechanism in the x-y plane, at rest, without gravity; hinges of bodies in space make it redundant."""
    model = Model(gravity=(0.0, 0.0, 0.0))
    points, centres = _geometry(*START)
    for k, centre in enumerate(centres):
        inertia = (INERTIAS[k],) * 3
        model.add_body(None, mass=MASSES[k], inertia=inertia, position=(*centre, 0.0), name=f"K{k + 1}")
    hinges = (
        ("O", None, "K1"), ("F", "K1", "K2"), ("E", "K2", "K3"), ("E", "K2", "K4"), ("E", "K2", "K6"),
        ("B", None, "K3"), ("A", None, "K5"), ("A", None, "K7"), ("G", "K5", "K4"), ("H", "K7", "K6"),
    )  # fmt: skip
    for point, a, b in hinges:
        model.add_revolute(a, b, (*points[point], 0.0), (0.0, 0.0, 1.0), name=f"{point}-{b}")
    model.add_spring(None, "K3", (*C, 0.0), (*points["D"], 0.0), stiffness=SPRING, length=REST, name="spring")
    model.add_motor("O-K1", torque=torque, name="motor")
    return model


def _geometry(
    be: float, th: float, ga: float, ph: float, de: float, om: float, ep: float
) -> tuple[dict[str, Array], list[Array]]:
    """Points and centres of mass in the plane [m]."""

    def turned(angle: float, x: float, y: float) -> Array:
        return np.array([np.cos(angle) * x - np.sin(angle) * y, np.sin(angle) * x + np.cos(angle) * y])

    F = turned(be, RR, 0.0)
    G, H = A + turned(de, ZT, 0.0), A + turned(ep, 0.0, -U)
    points = {
        "O": np.zeros(2), "A": A, "B": B, "F": F, "G": G, "H": H,
        "E": F + turned(be + th, -D, 0.0), "D": B + turned(ga, SD, -SC),
    }  # fmt: skip
    centres = [
        turned(be, RA, 0.0),
        F + turned(be + th, -DA, 0.0),
        B + turned(ga, -SB, -SA),
        G + turned(ph + de, 0.0, -(E - EA)),
        A + turned(de, TA, TB),
        H + turned(om + ep, ZF - FA, 0.0),
        A + turned(ep, -UB, -UA),
    ]
    return points, centres


def angles(orientation: Array, turns: Array | None = None) -> Array:
    """beta, Theta, gamma, Phi, delta, Omega, epsilon [rad] from the quaternions of K1 to K7, shape (7, 4).

    Quaternions know them within two turns; `turns` are whole turns of the bodies to be added.
    """
    turned = 2.0 * np.arctan2(orientation[:, 3], orientation[:, 0])
    turned = turned if turns is None else turned + 2.0 * np.pi * turns
    return np.asarray(START + relative(turned))


def relative(bodies: Array) -> Array:
    """Angles, or speeds, of the test set from those of the bodies: some are measured against another body."""
    k1, k2, k3, k4, k5, k6, k7 = bodies
    return np.array([k1, k2 - k1, k3, k4 - k5, k5, k6 - k7, k7])


SCENE = Scene(
    name="andrews",
    description="Andrews' squeezing mechanism of seven bodies (IFToMM benchmark A03).",
    builder=build,
    about={"torque": About("of the motor [N m]")},
    step=2e-5,
    duration=0.05,
    integrator="hht",
    source="IFToMM library of computational benchmark problems, A03; Test Set for IVP Solvers, andrews",
)
