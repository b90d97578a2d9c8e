"""Follow a circle with an arm of three hinges by computed torques, 1000 times a second.

python examples/computed_torque_arm.py
"""

from __future__ import annotations

import math

import numpy as np

import signorini as sg

LINKS = (0.5, 0.4, 0.2)
"""Lengths [m]."""
CENTRE, RADIUS, PERIOD = np.array([0.6, 0.0, 0.3]), 0.15, 2.0
"""Of the circle that the tip follows [m, m, s]."""
STIFFNESS, DAMPING = 400.0, 40.0
"""Of the error of the tip [1/s2, 1/s]."""
IN_PLANE = [0, 2]
"""x and z: all hinges turn about y."""


def arm() -> sg.Model:
    """Three links on hinges along y, driven by torques that a controller sets."""
    model = sg.Model()
    x, before = 0.0, None
    for k, length in enumerate(LINKS):
        link = model.add_body(
            sg.Box((length, 0.05, 0.05)), mass=3.0 - k, position=(x + length / 2, 0, 0), name=f"link-{k}", mask=0
        )
        model.add_revolute(before, link, position=(x, 0, 0), axis=(0, 1, 0), name=f"hinge-{k}")
        model.add_motor(f"hinge-{k}", torque=sg.functions.Setpoint(), name=f"motor-{k}")
        before, x = link, x + length
    return model


def target(time: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Place, velocity and acceleration of the tip on its circle, in the world."""
    w = 2.0 * math.pi / PERIOD
    out = np.array([math.cos(w * time), 0.0, math.sin(w * time)])
    along = np.array([-math.sin(w * time), 0.0, math.cos(w * time)])
    return CENTRE + RADIUS * out, RADIUS * w * along, -RADIUS * w**2 * out


def torques(sim: sg.Simulation) -> np.ndarray:
    """Those that take the tip back to its circle: `tau = M q'' + c` with `J q'' + J' q' = x''`."""
    tip = (LINKS[-1] / 2, 0.0, 0.0)
    frame, J, rate = sim.frame("link-2", tip), sim.jacobian("link-2", tip)[IN_PLANE], sim.rate
    place, velocity, acceleration = target(sim.time)
    wanted = acceleration + STIFFNESS * (place - frame.position) + DAMPING * (velocity - frame.velocity)
    # The third freedom damps itself: it moves in the null space of J.
    inverse = np.linalg.pinv(J, rcond=1e-3)
    turning = inverse @ (wanted[IN_PLANE] - drift(sim)) - DAMPING * (rate - inverse @ (J @ rate))
    return sim.mass_matrix() @ turning + sim.bias_forces()


def drift(sim: sg.Simulation) -> np.ndarray:
    """J' q': the acceleration of the tip where hinges keep their speeds; centripetal in every link [m/s2]."""
    angles, speeds = np.cumsum(sim.joints.position), np.cumsum(sim.joints.velocity)
    inward = [-length * speed**2 * np.array([math.cos(a), -math.sin(a)])
              for length, a, speed in zip(LINKS, angles, speeds, strict=True)]  # fmt: skip
    return np.sum(inward, axis=0)


def main(duration: float = 3.0) -> np.ndarray:
    """Distances of the tip from its target [m]."""
    sim = sg.Simulation(arm(), step=0.001)
    errors = []
    while sim.time < duration - 1e-9:
        sim.motors.target = torques(sim)
        sim.advance()
        errors.append(np.linalg.norm(sim.frame("link-2", (LINKS[-1] / 2, 0, 0)).position - target(sim.time)[0]))
    print(f"after {duration / 2:g} s the tip is within {max(errors[len(errors) // 2 :]) * 1e3:.3f} mm of its circle")
    return np.array(errors)


if __name__ == "__main__":
    main()
