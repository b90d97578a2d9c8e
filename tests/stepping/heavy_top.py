"""A heavy top of three different moments, hung in a ball joint: a constrained problem with an independent reference."""

from __future__ import annotations

import functools

import numpy as np
from scipy.integrate import solve_ivp

import signorini as sg
from signorini.math.rotations import matrix, multiply
from signorini.math.sparse import Array

MASS, INERTIA = 2.0, np.diag((0.3, 0.5, 0.4))
ARM = np.array([0.6, 0.1, -0.4])
SPIN = np.array([1.5, -2.0, 4.0])
END = 1.0


def heavy_top(joint: bool = True) -> sg.Model:
    """With `joint=False` the top flies freely."""
    model = sg.Model()
    model.add_body(
        None, mass=MASS, inertia=INERTIA, position=ARM, velocity=np.cross(SPIN, ARM), angular_velocity=SPIN, name="top"
    )
    if joint:
        model.add_spherical(None, "top", (0, 0, 0), name="ball")
    return model


@functools.cache
def reference(joint: bool = True) -> tuple[Array, Array, Array, Array]:
    """Position, velocity, quaternion, angular velocity at the end: Euler's equations about the pivot, by DOP853."""
    inertia = INERTIA + (MASS * (ARM @ ARM * np.eye(3) - np.outer(ARM, ARM)) if joint else 0.0)

    def rates(_: float, y: Array) -> Array:
        q, w = y[:4], y[4:7]
        R = matrix(q / np.linalg.norm(q))
        torque = np.cross(ARM, R.T @ (0, 0, -9.81 * MASS)) if joint else np.zeros(3)
        turning = np.linalg.solve(inertia, torque - np.cross(w, inertia @ w))
        return np.concatenate((0.5 * multiply(q, np.concatenate(([0.0], w))), turning))

    start = np.concatenate(([1.0, 0.0, 0.0, 0.0], SPIN))
    y = solve_ivp(rates, (0.0, END), start, method="DOP853", rtol=1e-13, atol=1e-13).y[:, -1]
    q, w = y[:4] / np.linalg.norm(y[:4]), y[4:]
    if joint:
        return matrix(q) @ ARM, matrix(q) @ np.cross(w, ARM), q, w
    v = np.cross(SPIN, ARM) + END * np.array([0, 0, -9.81])
    return ARM + END * np.cross(SPIN, ARM) + 0.5 * END**2 * np.array([0, 0, -9.81]), v, q, w


def errors(model: sg.Model, integrator: object, h: float, joint: bool) -> Array:
    """Largest errors of position, rotation, velocity and angular velocity at the end."""
    sim = sg.Simulation(model, step=h, integrator=integrator, solver="linear" if integrator == "dvi" else None)  # type: ignore[arg-type]
    for _ in range(round(END / h)):
        step = sim.advance()
        assert step.status.ok
    x, v, q, w = reference(joint)
    state = sim.state
    turned = min(np.abs(state.orientation[0] - q).max(), np.abs(state.orientation[0] + q).max())
    return np.array([
        np.abs(state.position[0] - x).max(), turned, np.abs(state.velocity[0] - v).max(),
        np.abs(state.angular_velocity[0] - w).max(),
    ])  # fmt: skip
