"""What contacts remember is recorded, and a resumed run goes on bit for bit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from signorini.assembly.laws.memory import BONDED, BROKEN, CLOSED, LawMemory
from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.sphere import Sphere
from signorini.simulation.run import Run
from signorini.simulation.simulation import Simulation

SAME = ("position", "orientation", "velocity", "angular_velocity")


def scene() -> Model:
    """Bodies that dent, stick, shear and bounce."""
    model = Model(gravity=(2.0, 0, -9.81))
    clay = Material(
        0.6,
        compliance=1e-5,
        tangential_compliance=2e-5,
        cohesion=4.0,
        cohesion_range=1e-3,
        yield_force=60.0,
        heals=False,
    )
    model.add_fixed_body(HalfSpace(), material=clay, name="floor")
    model.add_body(Box((0.2, 0.2, 0.1)), mass=8.0, position=(0, 0, 0.08), velocity=(0.3, 0, -0.5), material=clay)
    model.add_body(Sphere(0.05), mass=1.0, position=(0.3, 0, 0.06), velocity=(-0.8, 0, 0), material=clay, name="ball")
    model.set_pair_material("floor", "ball", Material(0.3, static_friction=0.5, restitution=0.6))
    return model


@pytest.mark.slow
def test_resumed_run_goes_on_bit_for_bit(tmp_path: Path) -> None:
    whole = Simulation(scene()).run(0.4)
    Simulation(scene()).run(0.2, record=tmp_path / "part.h5")
    sim = Simulation.resume(tmp_path / "part.h5")
    memory = sim.checkpoint().memory
    assert memory is not None
    assert memory.law is not None
    assert memory.law.plastic.min() < 0
    assert np.abs(memory.law.shear).max() > 0
    rest = sim.run(0.2, record=tmp_path / "part.h5")
    for name in SAME:
        np.testing.assert_array_equal(getattr(rest, name)(), getattr(whole, name)(), err_msg=name)
    np.testing.assert_array_equal(rest.diagnostics["contact_energy"], whole.diagnostics["contact_energy"])


@pytest.mark.slow
def test_record_holds_what_contacts_remember(tmp_path: Path) -> None:
    kept = Simulation(scene()).run(0.2)
    recorded = Simulation(scene()).run(0.2, record=tmp_path / "run.h5")
    loaded = Run.load(tmp_path / "run.h5")
    assert kept.contacts().memory.plastic.min() < 0
    for frame in (5, 20, 40):
        for run in (recorded, loaded):
            for name in ("identity", "shear", "plastic", "stretch", "mode"):
                one, other = (getattr(r.contacts(frame).memory, name) for r in (kept, run))
                np.testing.assert_array_equal(one, other, err_msg=name)
            np.testing.assert_array_equal(kept.contacts(frame).impulse, run.contacts(frame).impulse)


def test_without_laws_contacts_remember_nothing() -> None:
    model = Model()
    model.add_fixed_body(HalfSpace())
    model.add_body(Sphere(0.1), density=1, position=(0, 0, 0.1))
    sim = Simulation(model)
    run = sim.run(0.02)
    assert sim.checkpoint().memory is not None
    assert sim.checkpoint().memory.law is None
    assert run.contacts().memory.mode.tolist() == [0]


def memory_of(identity: list[int], plastic: list[float], mode: list[int]) -> LawMemory:
    n = len(identity)
    return LawMemory(np.array(identity), np.ones((n, 2)), np.array(plastic), np.zeros(n), np.array(mode))


def test_dents_and_broken_bonds_outlast_their_contacts() -> None:
    old = memory_of([2, 4, 6, 8], [0.0, -0.1, 0.0, 0.0], [BONDED, CLOSED, BROKEN | CLOSED, 0])
    now = memory_of([1, 8], [0.0, -0.2], [CLOSED, BONDED])
    both = old.followed_by(now)
    assert both.identity.tolist() == [1, 4, 6, 8]
    assert both.plastic.tolist() == [0.0, -0.1, 0.0, -0.2]
    assert both.mode.tolist() == [CLOSED, 0, BROKEN, BONDED]
    assert both.shear[1:3].tolist() == [[0, 0], [0, 0]]


@pytest.mark.parametrize("known", [[], [3], [3, 5, 9]])
def test_memory_is_looked_up_by_identity(known: list[int]) -> None:
    memory = memory_of(known, [-0.1 * k for k in known], [CLOSED] * len(known))
    wanted = np.array([9, 1, 5])
    found = memory.at(wanted)
    np.testing.assert_array_equal(found.identity, wanted)
    np.testing.assert_array_equal(found.plastic, [-0.1 * k if k in known else 0.0 for k in wanted])
