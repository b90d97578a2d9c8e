"""Materials: what is refused, how two make a pair, which pairs are given."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from signorini.collision.detector import Detector
from signorini.io.model_text import from_text, to_text
from signorini.model.material import NOT_NEGATIVE, Material
from signorini.model.model import Model
from signorini.model.pair_material import FIRST, SECOND, combined
from signorini.model.pair_table import PairTable, is_plain
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.sphere import Sphere
from signorini.problem.errors import ModelError


@pytest.mark.parametrize("name", [*NOT_NEGATIVE, "static_friction", "yield_force"])
@pytest.mark.parametrize("value", [-0.1, math.nan, math.inf, "much"])
def test_numbers_that_make_no_sense_are_refused(name: str, value: Any) -> None:
    with pytest.raises(ModelError, match=f"{name} is {value}, expected a finite number >= 0"):
        Material(**{name: value})


@pytest.mark.parametrize(
    ("law", "message"),
    [
        ({"restitution": 1.01}, "restitution is 1.01, expected 0 to 1"),
        ({"friction": 0.6, "static_friction": 0.4}, "give static_friction >= friction"),
        ({"cross_friction": 0.4}, "give both, or neither"),
        ({"direction": (1, 0, 0)}, "give both, or neither"),
        ({"cross_friction": 0.4, "direction": (0, 0, 0)}, "not all 0"),
        ({"cross_friction": 0.4, "direction": (1, 0)}, "three finite numbers"),
        ({"cross_friction": 0.4, "direction": "north"}, "expected three numbers"),
        ({"friction": 0, "static_friction": 0.2, "cross_friction": 0.4, "direction": (1, 0, 0)}, "needs friction > 0"),
        ({"damping": 3.0}, "give compliance > 0"),
        ({"tangential_damping": 3.0}, "give tangential_compliance > 0"),
        ({"restitution": 0.5, "compliance": 1e-6}, "drop one of them"),
        ({"cohesion_range": 0.1}, "give cohesion > 0"),
        ({"yield_force": 0}, "expected a number > 0"),
        ({"combine": "sum"}, "expected one of min, max, mean, geometric, product"),
    ],
)
def test_laws_that_contradict_themselves_are_refused(law: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        Material(**law)


@pytest.mark.parametrize(
    ("rule", "friction", "cohesion"),
    [("min", 0.2, 3.0), ("max", 0.8, 12.0), ("mean", 0.5, 7.5), ("geometric", 0.4, 6.0), ("product", 0.16, 6.0)],
)
def test_rules(rule: Any, friction: float, cohesion: float) -> None:
    """The product of two forces would be no force: cohesion takes the geometric mean there."""
    a = Material(0.2, restitution=0.2, cohesion=3.0, combine=rule)
    for b_rule in (rule, "min"):
        b = Material(0.8, restitution=0.8, cohesion=12.0, combine=b_rule)
        for pair in (combined(a, b).material, combined(b, a).material):
            assert pair.friction == pytest.approx(friction)
            assert pair.restitution == pytest.approx(friction)
            assert pair.cohesion == pytest.approx(cohesion)


def test_rules_that_differ_are_refused() -> None:
    with pytest.raises(ModelError, match="combine by 'max' and by 'mean'"):
        combined(Material(combine="max"), Material(combine="mean"))


def test_springs_are_in_series_and_the_weaker_yields() -> None:
    a = Material(compliance=1e-5, damping=300.0, yield_force=50.0, cohesion=1.0, heals=False)
    b = Material(compliance=3e-5, damping=100.0, yield_force=20.0, cohesion=1.0, restitution=0.0)
    pair = combined(a, b).material
    assert pair.compliance == pytest.approx(4e-5)
    # Equal relaxation times (3 ms): two such elements in a row are one with the same time.
    assert pair.damping * pair.compliance == pytest.approx(3e-3)
    assert pair.yield_force == 20.0
    assert not pair.heals
    assert combined(a, Material()).material.damping == pytest.approx(300.0)
    # The spring bounces, so restitution is left to it.
    assert combined(a, Material(restitution=0.9)).material.restitution == 0.0


def test_static_friction_stays_above_kinetic() -> None:
    pair = combined(Material(0.5), Material(0.3, static_friction=0.9)).material
    assert (pair.friction, pair.static_friction) == (0.3, 0.5)
    assert combined(Material(0.2), Material(0.3, static_friction=0.9)).material.static_friction is None


def test_grain_rules_the_friction_of_its_pair() -> None:
    grain = Material(0.1, cross_friction=0.7, direction=(0, 1, 0))
    for pair, side in ((combined(grain, Material(0.05)), FIRST), (combined(Material(0.05), grain), SECOND)):
        assert (pair.material.friction, pair.material.cross_friction, pair.grain) == (0.1, 0.7, side)
    with pytest.raises(ModelError, match="set_pair_material"):
        combined(grain, grain)


def three_bodies() -> Model:
    model = Model()
    model.add_fixed_body(HalfSpace(), name="floor", material=Material(0.5))
    for k, name in enumerate("ab"):
        model.add_body(Sphere(0.1), density=1, position=(0.2 * k, 0, 0.1), name=name, material=Material(0.3))
    return model


def test_pairs_of_bodies_count_more_than_pairs_of_materials() -> None:
    model = three_bodies()
    assert is_plain(model)
    model.set_pair_material(Material(0.3), Material(0.5), Material(0.11))
    model.set_pair_material("a", Material(0.5), Material(0.22))
    model.set_pair_material("floor", "b", Material(0.33))
    model.set_pair_material(Material(0.3), Material(0.3), Material(0.44))
    model.set_pair_material(Material(0.3), Material(0.3), Material(0.55))
    assert not is_plain(model)
    laws = PairTable.of(model).laws(np.array([0, 0, 1]), np.array([1, 2, 2]))
    np.testing.assert_array_equal(laws.friction, [0.22, 0.33, 0.55])
    contacts = Detector(model).detect(model.initial_state(), 0.01)
    np.testing.assert_array_equal(contacts.friction, [0.22, 0.33, 0.55])


def test_grain_of_a_given_pair_is_that_of_its_first() -> None:
    model = three_bodies()
    model.set_pair_material("b", "floor", Material(0.1, cross_friction=0.7, direction=(0, 1, 0)))
    laws = PairTable.of(model).laws(np.array([0, 0]), np.array([1, 2]))
    np.testing.assert_array_equal(laws.grain, [-1, 1])  # floor is a, ball b is b


def test_wrong_pairs_are_refused() -> None:
    model = three_bodies()
    with pytest.raises(ModelError, match="no pair with itself"):
        model.set_pair_material("a", "a", Material())
    with pytest.raises(ModelError, match="expected Material"):
        model.set_pair_material("a", "b", 0.4)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="no body is named"):
        model.set_pair_material("a", "c", Material())
    with pytest.raises(ModelError, match="expected one of newton, poisson"):
        Model(impact="stronge")  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="surface_velocity"):
        model.add_fixed_body(HalfSpace(), surface_velocity=(1, 2))


def test_materials_and_pairs_survive_their_text() -> None:
    model = Model(impact="poisson")
    model.add_fixed_body(HalfSpace(), name="floor", material=Material(0.5, restitution=0.3, yield_force=7.0))
    grain = Material(0.1, cross_friction=0.7, direction=(0, 1, 0))
    model.add_body(Sphere(0.1), density=1, name="a", material=grain, surface_velocity=(1, 2, 3))
    model.set_pair_material("a", Material(0.5), grain)
    copy = from_text(to_text(model))
    assert copy.impact == "poisson"
    assert [body.material for body in copy.bodies] == [body.material for body in model.bodies]
    assert copy.pair_materials == model.pair_materials
    np.testing.assert_array_equal(copy.bodies[1].surface_velocity, (1, 2, 3))


def test_cohesive_surfaces_are_seen_across_their_reach() -> None:
    """Detection looks as far as a stretched bond pulls."""
    model = Model(gravity=(0, 0, 0))
    sticky = Material(cohesion=5.0, cohesion_range=0.03, compliance=1e-3)
    model.add_fixed_body(HalfSpace(), material=sticky)
    model.add_body(Sphere(0.1), density=1, position=(0, 0, 0.133), material=sticky)
    assert Detector(model).detect(model.initial_state(), 0.0).count == 1
