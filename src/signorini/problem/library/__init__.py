"""Small contact problems with answers in closed form, for tests, examples and new solvers."""

from __future__ import annotations

from math import radians

from signorini.problem.library import brakes, degenerate, many_bodies, one_body, rolling
from signorini.problem.library.known import KnownProblem, dual_only, renamed, side_by_side, with_contact_twice

__all__ = ["KnownProblem", "dual_only", "library", "side_by_side", "with_contact_twice"]


def library() -> list[KnownProblem]:
    """All problems, each with a name of its own."""
    return [*_single(), *_several(), *_degenerate(), *_derived(), *_brakes(), *_rolling()]


def _single() -> list[KnownProblem]:
    ball, block = one_body.ball, one_body.block
    return [
        ball(name="ball at rest"),
        ball(frictional=False, name="ball at rest, half-line"),
        ball((0.0, 0.0, 1.0), name="ball that leaves the floor"),
        ball((0.0, 0.0, -1.0), gap=2e-3, name="ball that lands"),
        ball(gap=-1e-3, name="ball that is pushed out of the floor"),
        one_body.rolling_ball(0.1, 0.5, "ball that starts to roll"),
        one_body.rolling_ball(2.0, 0.2, "ball that slides"),
        block(0.02, 0.3, direction=2.5, name="block that sticks"),
        block(1.0, 0.3, direction=0.7, name="block that slides"),
        block(1.0, 0.0, direction=0.7, name="block that slides, cone with mu 0"),
        block(slope=radians(10), mu=0.3, name="block that sticks on a slope"),
        block(slope=radians(30), mu=0.3, name="block that slides down a slope"),
        block(0.5, 0.3, dimension=2, name="block in the plane that slides"),
        block(0.01, 0.3, dimension=2, name="block in the plane that sticks"),
        block(0.01, 0.3, compliance=0.05, name="block that sticks on soft ground"),
        block(1.0, 0.3, direction=-2.0, compliance=0.2, name="block that slides on soft ground"),
        one_body.block_on_rail(),
        one_body.brick(),
        one_body.brick(frictional=False, name="brick on four half-lines"),
        one_body.groove(),
        one_body.groove(mu=0.4),
    ]


def _several() -> list[KnownProblem]:
    return [
        many_bodies.stack(4),
        many_bodies.stack(4, mu=None),
        many_bodies.stack(5, ratio=10.0),
        many_bodies.stack(5, ratio=10.0, mu=None),
        many_bodies.chain(),
        many_bodies.chain(lift=0.5, name="chain pulled up"),
        many_bodies.chain_on_ground(),
        many_bodies.sliding_wedge(),
        many_bodies.elastic_bar(),
        many_bodies.elastic_bar(mu=0.5),
    ]


def _degenerate() -> list[KnownProblem]:
    return [
        degenerate.nothing(),
        degenerate.free_bodies(),
        degenerate.bar_of_two(),
        degenerate.bar_of_two(redundant=2),
        degenerate.redundant_tie_on_floor(),
        degenerate.squeezed(),
        degenerate.squeezed(frictional=True),
        degenerate.torn_joint(),
        degenerate.joint_into_floor(),
    ]


def _derived() -> list[KnownProblem]:
    ball, block = one_body.ball, one_body.block
    sliding = block(1.0, 0.3, direction=0.7, name="block that slides")
    mixed = side_by_side(
        "half-lines and cones of many kinds",
        ball(frictional=False),
        sliding,
        block(0.01, 0.8, direction=1.0),
        block(0.5, 0.0),
        block(0.4, 0.5, dimension=2),
        many_bodies.sliding_wedge(),
        block(1.0, 0.6, compliance=0.1),
    )
    return [
        mixed,
        side_by_side("chain beside a brick", many_bodies.chain(), one_body.brick()),
        dual_only(ball()),
        dual_only(sliding),
        dual_only(one_body.brick()),
        dual_only(many_bodies.stack(4)),
        dual_only(renamed(mixed, "cones of many kinds")),
        dual_only(degenerate.squeezed()),
        with_contact_twice(ball()),
        with_contact_twice(sliding),
        with_contact_twice(many_bodies.stack(4), contact=2),
    ]


def _brakes() -> list[KnownProblem]:
    flywheel = brakes.flywheel
    held = brakes.braked_slider(0.05, "slider held by a brake and friction")
    pulled = brakes.braked_slider(1.0, "slider pulled through a brake")
    far = flywheel(limit=1e9, name="flywheel with a brake of 1e9 N m")
    mixed = side_by_side(
        "brakes beside contacts",
        flywheel(),
        one_body.block(1.0, 0.3, direction=0.7),
        brakes.suction_cup(50.0, False, ""),
        brakes.limited_motor(0.5, 50.0, ""),
        one_body.ball(frictional=False),
        pulled,
    )
    return [
        flywheel(name="flywheel with a brake that slips"),
        flywheel(speed=-3.0, name="flywheel with a brake that slips, backwards"),
        flywheel(speed=0.2, name="flywheel with a brake that sticks"),
        flywheel(speed=0.0, torque=15.0, name="flywheel that its brake holds"),
        flywheel(limit=0.0, name="flywheel with a brake that is open"),
        far,
        flywheel(compliance=0.3, name="flywheel with a soft brake that slips"),
        flywheel(speed=0.1, compliance=0.3, name="flywheel with a soft brake that creeps"),
        brakes.two_brakes(0.5, "two brakes that stick"),
        brakes.two_brakes(5.0, "two brakes that slip"),
        brakes.suction_cup(20.0, False, "suction cup that holds"),
        brakes.suction_cup(50.0, False, "suction cup that lets go"),
        brakes.suction_cup(-40.0, False, "suction cup that pushes"),
        brakes.suction_cup(20.0, True, "suction cup upside down that holds"),
        brakes.suction_cup(50.0, True, "suction cup upside down that lets go"),
        brakes.limited_motor(0.05, 100.0, "motor that reaches its speed"),
        brakes.limited_motor(0.5, 50.0, "motor at its limit"),
        brakes.geared_flywheels(2000.0, "geared flywheels that stop"),
        brakes.geared_flywheels(100.0, "geared flywheels that slip"),
        brakes.slipping_motor(),
        brakes.jammed_motor(),
        brakes.tied_masses(),
        brakes.tied_masses(compliance=0.5),
        held,
        pulled,
        mixed,
        side_by_side("brakes, joints and contacts", many_bodies.chain(), mixed, brakes.geared_flywheels(100.0, "")),
        dual_only(flywheel(name="flywheel with a brake that slips")),
        dual_only(held),
        dual_only(pulled),
        dual_only(brakes.tied_masses()),
        dual_only(mixed),
        side_by_side("flywheel with a brake of 1e9 N m beside a block", far, one_body.block(1.0, 0.3)),
        with_contact_twice(pulled),
    ]


def _rolling() -> list[KnownProblem]:
    ball, block = rolling.pushed_ball, rolling.turning_block
    everywhere = block((0.5, 3.0, 2.0), (0.3, 0.01, 0.02), "block that slides, spins and rolls")
    rolls = ball(5.0, 0.02, 0.0, "ball that is pushed and rolls")
    mixed = side_by_side(
        "rolling blocks beside brakes and cones",
        rolls,
        brakes.flywheel(),
        everywhere,
        one_body.block(1.0, 0.3, direction=0.7),
        one_body.block(0.4, 0.5, dimension=2),
        rolling.spinning_ball(30.0, 0.01, ""),
    )
    return [
        ball(2.0, 0.02, 0.0, "ball that rolling friction holds"),
        rolls,
        ball(0.0, 0.02, 0.01, "ball that rolling friction stops"),
        ball(0.0, 0.002, 1.0, "ball that rolling friction slows"),
        rolling.spinning_ball(0.2, 0.01, "ball that spinning friction stops"),
        rolling.spinning_ball(30.0, 0.01, "ball that spinning friction slows"),
        rolling.spinning_ball(0.2, 0.01, "ball that spinning friction slows, softly", compliance=20.0),
        everywhere,
        block((0.0, 3.0, 2.0), (0.3, 0.01, 0.02), "block that sticks, spins and rolls"),
        block((0.5, 0.0, 2.0), (0.3, 0.01, 0.02), "block that slides and rolls"),
        block((0.0, 0.0, 0.0), (0.3, 0.01, 0.02), "block that neither slides nor turns"),
        block((0.5, 3.0, 2.0), (0.3, 0.0, 0.02), "block that slides, rolls and spins freely"),
        block((0.5, 3.0, 2.0), (0.0, 0.01, 0.0), "block without friction but that of its spin"),
        rolling.ball_on_axle(0.02, "wheel that brake and floor hold"),
        rolling.ball_on_axle(0.5, "wheel that brake and floor slow"),
        mixed,
        side_by_side("rolling blocks, brakes and joints", many_bodies.chain(), mixed, rolling.ball_on_axle(0.5, "")),
        with_contact_twice(everywhere),
        dual_only(rolls),
        dual_only(everywhere),
        dual_only(mixed),
    ]
