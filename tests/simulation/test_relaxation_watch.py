"""The convex law warns where contacts oppose one another, and nowhere else."""

from __future__ import annotations

import warnings

import pytest

import signorini as sg


def slot(clearance: float) -> sg.Model:
    """A block between two walls."""
    model = sg.Model()
    rough = sg.Material(friction=0.5)
    for side in (-1, 1):
        model.add_fixed_body(
            sg.Box((0.1, 1, 4)), position=(side * (0.1 + clearance), 0, 0), material=rough, name=f"wall{side:+d}"
        )
    model.add_body(sg.Box((0.1, 0.1, 0.1)), density=1000, position=(0, 0, 1), material=rough, name="block")
    return model


def test_a_block_in_a_slot_warns_once_with_names() -> None:
    with pytest.warns(UserWarning, match=r"'block' slides between 'wall\+1', 'wall-1'.*law='coulomb'") as caught:
        sg.Simulation(slot(1e-3), step=0.005, law="convex").run(0.2)
    assert len(caught) == 1


@pytest.mark.parametrize("law", ["convex", "coulomb"])
def test_a_block_on_a_floor_does_not(law: str) -> None:
    model = sg.Model()
    model.add_fixed_body(sg.HalfSpace(), material=sg.Material(friction=0.5))
    model.add_body(
        sg.Box((0.1, 0.1, 0.1)), density=1000, position=(0, 0, 0.05), velocity=(2, 0, 0), material=sg.Material(0.5)
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sg.Simulation(model, step=0.005, law=law).run(0.3)  # type: ignore[arg-type]


def test_the_exact_law_lets_the_block_fall() -> None:
    """Closed form g t^2 / 2 by the sums of the scheme: g h^2 n (n + 1) / 2."""
    h, n = 0.005, 80
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = sg.Simulation(slot(1e-3), step=h).run(h * n)
    assert 1.0 - run.position("block")[-1, 2] == pytest.approx(9.81 * h * h * n * (n + 1) / 2, rel=1e-9)
