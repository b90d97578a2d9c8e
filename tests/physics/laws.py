"""One set of parameters for each contact law, for tests that go through all of them."""

from __future__ import annotations

from typing import Any

LAWS: dict[str, dict[str, Any]] = {
    "friction": {"friction": 0.4},
    "static friction": {"friction": 0.3, "static_friction": 0.8},
    "grain": {"friction": 0.2, "cross_friction": 0.7, "direction": (1, 1, 0)},
    "rolling": {"friction": 0.4, "rolling_friction": 0.01, "spinning_friction": 0.005},
    "restitution": {"friction": 0.4, "restitution": 0.8},
    "rolling restitution": {"friction": 0.4, "rolling_friction": 0.01, "restitution": 0.8},
    "elastic": {"friction": 0.4, "restitution": 1.0},
    "compliant": {"friction": 0.4, "compliance": 1e-5},
    "damped": {"friction": 0.4, "compliance": 1e-5, "damping": 30.0},
    "shear": {"friction": 0.4, "compliance": 1e-5, "tangential_compliance": 1e-5},
    "damped shear": {"friction": 0.4, "tangential_compliance": 1e-5, "tangential_damping": 5.0},
    "cohesion": {"friction": 0.4, "cohesion": 50.0},
    "compliant cohesion": {"friction": 0.4, "cohesion": 50.0, "compliance": 1e-5},
    "plastic cohesion": {"friction": 0.4, "cohesion": 50.0, "cohesion_range": 1e-2, "heals": False},
    "compliant plastic cohesion": {"friction": 0.4, "cohesion": 50.0, "cohesion_range": 1e-2, "compliance": 1e-5},
    "yield": {"friction": 0.4, "compliance": 1e-5, "yield_force": 300.0},
    "rolling yield": {"friction": 0.4, "rolling_friction": 0.01, "compliance": 1e-5, "yield_force": 300.0},
    "rigid yield": {"friction": 0.4, "yield_force": 300.0},
    "plastic": {
        "friction": 0.4, "cohesion": 50.0, "cohesion_range": 1e-2, "compliance": 1e-5, "yield_force": 300.0,
    },
}  # fmt: skip
"""Sized for balls of some kilograms at some metres per second."""
