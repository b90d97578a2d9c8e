"""A gripper on a lift closes its servo fingers until it feels a box, and lifts it.

python examples/gripper_lifts_box.py
"""

from __future__ import annotations

import numpy as np

import signorini as sg

GRIP = 12.0
"""Force of each finger [N]: that much holds a box of 0.5 kg by friction of 0.6, with some to spare."""


def gripper() -> sg.Model:
    """A box on a floor; above it a carriage on a vertical slide with two fingers on horizontal ones."""
    model = sg.Model()
    rough = sg.Material(friction=0.6)
    model.add_fixed_body(sg.HalfSpace((0, 0, 1)), material=rough, name="floor")
    model.add_body(sg.Box((0.06, 0.06, 0.1)), mass=0.5, position=(0, 0, 0.05), material=rough, name="box")
    model.add_body(sg.Box((0.3, 0.05, 0.05)), mass=2.0, position=(0, 0, 0.25), name="carriage")
    model.add_prismatic(None, "carriage", axis=(0, 0, 1), name="lift")
    # Stiff as one likes: servos are implicit in the step. The effort carries the weight of 3 kg.
    model.add_servo("lift", stiffness=4e4, damping=2e3, effort=3.0 * 9.81, limit=200.0, name="lift servo")
    for side, sign in (("left", 1.0), ("right", -1.0)):
        place = (sign * 0.07, 0, 0.12)
        model.add_body(sg.Box((0.02, 0.04, 0.2)), mass=0.5, position=place, material=rough, name=side, mask=~2)
        model.add_prismatic("carriage", side, axis=(-sign, 0, 0), name=f"{side} slide")
        model.add_servo(f"{side} slide", stiffness=5e3, damping=200.0, limit=GRIP, name=f"{side} servo")
    return model


def main() -> tuple[sg.Simulation, np.ndarray]:
    """The simulation at its end, and the force of the left finger on the box in time [N]."""
    sim = sg.Simulation(gripper(), step=0.001)
    lift, left, right = (sim.motors.index(f"{name} servo") for name in ("lift", "left", "right"))
    target, closing, forces = sim.motors.target, 0.1, []
    for _ in range(2500):
        held = min(np.linalg.norm(sim.contact_force("box", finger)) for finger in ("left", "right"))
        if held < 0.9 * GRIP and target[lift] == 0.0:
            target[[left, right]] += closing * sim.step  # closing, until the servos are at their limits
        else:
            target[lift] = min(target[lift] + 0.15 * sim.step, 0.2)
        sim.motors.target = target
        sim.advance()
        forces.append(sim.contact_force("box", "left")[0])
    rise = sim.state.position[1, 2] - 0.05
    print(f"the box rose by {rise:.4f} m; the fingers press with {abs(forces[-1]):.2f} N")
    return sim, np.array(forces)


if __name__ == "__main__":
    main()
