"""Bounces, cradles, rods that strike, loads on light bodies."""

from __future__ import annotations

import math

import numpy as np

from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.model.shapes.capsule import Capsule
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.sphere import Sphere
from signorini.simulation.run import Run
from signorini.studies.reproduce.truth.case import CaseAnswer, G, case
from signorini.studies.reproduce.truth.lab import Lab
from signorini.studies.reproduce.truth.parts import ROUGH, SMOOTH, WEIGHTLESS, Y, floor, turned, world_spin

E, HEIGHT = 0.8, 0.3
"""Restitution of the bouncing ball [-] and the gap under it [m]."""


def _bouncing(lab: Lab, duration: float) -> Run:
    model = Model()
    bouncy = Material(friction=0.0, restitution=E)
    model.add_fixed_body(HalfSpace(), material=bouncy)
    model.add_body(Sphere(0.05), density=1000, position=(0, 0, 0.05 + HEIGHT), material=bouncy, name="ball")
    return lab.run(model, duration)


@case(friction=False, order=True)
def bounce_time(lab: Lab) -> CaseAnswer:
    """Ball with restitution e comes to rest after sqrt(2 H / g) (1 + e) / (1 - e): Zeno's sum."""
    run = _bouncing(lab, 2.6)
    moving = np.flatnonzero(np.abs(run.velocity("ball")[:, 2]) > 1e-9)
    return CaseAnswer(math.sqrt(2 * HEIGHT / G) * (1 + E) / (1 - E), float(run.times[moving[-1]]), "s")


@case(friction=False, order=True)
def fifth_bounce(lab: Lab) -> CaseAnswer:
    """Its fifth bounce is e^10 H high."""
    z = _bouncing(lab, 1.9).position("ball")[:, 2] - 0.05
    peaks = np.flatnonzero((z[1:-1] > z[:-2]) & (z[1:-1] >= z[2:])) + 1
    return CaseAnswer(E**10 * HEIGHT, float(z[peaks[4]]) if len(peaks) > 4 else math.nan, "m")


@case(friction=False)
def newtons_cradle(lab: Lab) -> CaseAnswer:
    """One of five balls strikes the others that touch: the last one leaves with all the speed."""
    model = _row([0.0, 0.25, 0.45, 0.65, 0.85], [1.0, 0.0, 0.0, 0.0, 0.0], [1.0] * 5, 1.0)
    run = lab.run(model, 0.2)
    return CaseAnswer(1.0, float(run.velocity("ball-4")[-1, 0]), "m/s")


@case(friction=False)
def cradle_stops(lab: Lab) -> CaseAnswer:
    """The other four balls of the cradle are still. Error relative to 1 m/s."""
    model = _row([0.0, 0.25, 0.45, 0.65, 0.85], [1.0, 0.0, 0.0, 0.0, 0.0], [1.0] * 5, 1.0)
    run = lab.run(model, 0.2)
    return CaseAnswer(0.0, max(abs(float(run.velocity(f"ball-{k}")[-1, 0])) for k in range(4)), "m/s", scale=1.0)


@case(friction=False)
def cradle_of_two(lab: Lab) -> CaseAnswer:
    """Two balls strike three: two leave. Speed of the third of five is 0, of the fourth 1."""
    model = _row([0.0, 0.2, 0.45, 0.65, 0.85], [1.0, 1.0, 0.0, 0.0, 0.0], [1.0] * 5, 1.0)
    return CaseAnswer(1.0, float(lab.run(model, 0.2).velocity("ball-3")[-1, 0]), "m/s")


def _row(places: list[float], speeds: list[float], masses: list[float], e: float) -> Model:
    """Balls of radius 0.1 m in a row, without weight."""
    model = Model(gravity=WEIGHTLESS)
    bouncy = Material(friction=0.0, restitution=e)
    for k, (x, v, m) in enumerate(zip(places, speeds, masses, strict=True)):
        model.add_body(Sphere(0.1), mass=m, position=(x, 0, 0), velocity=(v, 0, 0), material=bouncy, name=f"ball-{k}")
    return model


@case(friction=False)
def unequal_balls(lab: Lab) -> CaseAnswer:
    """Ball of 3 kg strikes 1 kg with e = 0.5: v' = (1 + e) m1 v / (m1 + m2)."""
    run = lab.run(_row([0.0, 0.23], [2.0, 0.0], [3.0, 1.0], 0.5), 0.1)
    return CaseAnswer(1.5 * 3.0 * 2.0 / 4.0, float(run.velocity("ball-1")[-1, 0]), "m/s")


@case(friction=False)
def million_to_one(lab: Lab) -> CaseAnswer:
    """Ball of 1000 kg strikes 1 g elastically: it leaves at 2 v M / (M + m)."""
    run = lab.run(_row([0.0, 0.23], [1.0, 0.0], [1e3, 1e-3], 1.0), 0.1)
    return CaseAnswer(2.0 * 1e3 / (1e3 + 1e-3), float(run.velocity("ball-1")[-1, 0]), "m/s")


@case(friction=False)
def inelastic_row(lab: Lab) -> CaseAnswer:
    """Ball strikes two others without restitution: all go on at v / 3."""
    run = lab.run(_row([0.0, 0.23, 0.43], [1.0, 0.0, 0.0], [1.0] * 3, 0.0), 0.2)
    return CaseAnswer(1.0 / 3.0, float(run.velocity("ball-2")[-1, 0]), "m/s")


def _oblique(lab: Lab, mu: float, e: float) -> Run:
    """A ball without weight strikes the floor at 45 degrees, 2 m/s each way."""
    model = Model(gravity=WEIGHTLESS)
    material = Material(friction=mu, restitution=e)
    model.add_fixed_body(HalfSpace(), material=material)
    model.add_body(Sphere(0.1), density=1000, position=(0, 0, 0.113), velocity=(2, 0, -2), material=material,
                   name="ball")  # fmt: skip
    return lab.run(model, 0.05)


@case()
def oblique_bounce_slips(lab: Lab) -> CaseAnswer:
    """Ball strikes at 45 degrees, mu = 0.1, e = 0.8, and slips: keeps v_t - mu (1 + e) v_n."""
    return CaseAnswer(2.0 * (1 - 0.1 * 1.8), float(_oblique(lab, 0.1, 0.8).velocity("ball")[-1, 0]), "m/s")


@case()
def oblique_bounce_spin(lab: Lab) -> CaseAnswer:
    """The same ball leaves with the spin 5/2 mu (1 + e) v_n / r."""
    spin = world_spin(_oblique(lab, 0.1, 0.8), "ball")[-1, 1]
    return CaseAnswer(2.5 * 0.1 * 1.8 * 2.0 / 0.1, float(spin), "rad/s")


@case()
def oblique_bounce_rolls(lab: Lab) -> CaseAnswer:
    """With mu = 0.5 it stops slipping in the impact: keeps 5/7 v_t."""
    return CaseAnswer(2.0 * 5 / 7, float(_oblique(lab, 0.5, 0.8).velocity("ball")[-1, 0]), "m/s")


@case(friction=False)
def rod_strikes_peg(lab: Lab) -> CaseAnswer:
    """Rod without weight flies broadside onto a peg at its end: spin 3 v / (2 L), times what its thickness changes.

    J = m v / (1 + m x^2 / I), w = J x / I with x = 0.95 of the half length.
    """
    length, thick, speed, x = 1.0, 0.02, 2.0, 0.475
    model = Model(gravity=WEIGHTLESS)
    model.add_fixed_body(Sphere(0.05), position=(x, 0, -0.05), material=SMOOTH)
    body = model.add_body(Box((length, thick, thick)), mass=1.0, position=(0, 0, 0.5 * thick + 0.0131),
                          velocity=(0, 0, -speed), material=SMOOTH, name="rod")  # fmt: skip
    inertia = float(body.inertia[1, 1])
    run = lab.run(model, 6 * lab.h + 0.0131 / speed)
    return CaseAnswer(speed * x / (inertia + x * x), abs(float(world_spin(run, "rod")[-1, 1])), "rad/s")


@case(order=True, friction=False)
def rod_falls_on_ice(lab: Lab) -> CaseAnswer:
    """Rod on a smooth floor, let go at 60 degrees: its centre falls straight; time of its fall to 20 degrees.

    Energy: (I + m l^2 cos^2) w^2 / 2 = m g l (sin a0 - sin a) with l the half length; time by quadrature of 1 / w.
    """
    half, r, begin, end = 0.5, 0.01, math.radians(60.0), math.radians(20.0)
    model = floor(0.0)
    body = model.add_body(Capsule(r, 2 * half), mass=1.0, position=(0, 0, r + half * math.sin(begin)), name="rod",
                          orientation=turned(Y, 0.5 * math.pi - begin), material=ROUGH)  # fmt: skip
    inertia = float(body.inertia[1, 1])
    # a = a0 - s^2 removes the root singularity at the start.
    s = np.linspace(0.0, math.sqrt(begin - end), 4001)[1:]
    a = begin - s * s
    speed = np.sqrt(2 * G * half * (math.sin(begin) - np.sin(a)) / (inertia + (half * np.cos(a)) ** 2))
    first = 2 * math.sqrt((inertia + (half * math.cos(begin)) ** 2) / (2 * G * half * math.cos(begin)))
    time = float(np.trapezoid(np.concatenate(([first], 2 * s / speed)), np.concatenate(([0.0], s))))
    run = lab.run(model, 1.2 * time)
    z = run.position("rod")[:, 2] - r - half * math.sin(end)
    return CaseAnswer(time, _crossing(run, z), "s")


def _crossing(run: Run, value: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
    """When a value first turns negative, between two frames by a line [s]."""
    k = int(np.argmax(value < 0.0))
    if k == 0:
        return math.nan
    share = value[k - 1] / (value[k - 1] - value[k])
    return float(run.times[k - 1] + share * (run.times[k] - run.times[k - 1]))


def _stack(lab: Lab, heavy: float) -> CaseAnswer:
    """A heavy box on a light one: the floor carries both. Of 25 steps, that with the largest error counts."""
    model = floor(0.5)
    for name, z, mass in (("light", 0.05, 1.0), ("heavy", 0.15, heavy)):
        model.add_body(Box((0.1, 0.1, 0.1)), mass=mass, position=(0, 0, z), material=ROUGH, name=name)
    run, exact = lab.run(model, 25 * lab.h), (1.0 + heavy) * G
    forces = []
    for frame in range(1, len(run.times)):
        found = run.contacts(frame)
        forces.append(-float(found.world_impulse[found.contacts.body_a == 0, 2].sum()) / lab.h)
    return CaseAnswer(exact, max(forces, key=lambda force: abs(force - exact)), "N")


@case()
def heavy_on_light(lab: Lab) -> CaseAnswer:
    """1000 kg rest on 1 kg: the floor carries (m + M) g in each of 25 steps."""
    return _stack(lab, 1e3)


@case()
def million_on_light(lab: Lab) -> CaseAnswer:
    """10^6 kg rest on 1 kg, the same."""
    return _stack(lab, 1e6)


@case()
def billion_on_light(lab: Lab) -> CaseAnswer:
    """10^9 kg rest on 1 kg, the same."""
    return _stack(lab, 1e9)


@case(order=True, friction=False)
def superball(lab: Lab) -> CaseAnswer:
    """A light ball on a heavy one, dropped together with a gap of 20 mm: leaves at ((3 M - m) / (M + m)) v, less a bit.

    Elastic. The heavy ball strikes the floor at v = sqrt(2 g H) and meets the light one while it still falls: both
    speeds at the meeting follow from free flight.
    """
    M, m, drop, gap = 1.0, 0.05, 0.5, 0.02
    model = Model()
    bouncy = Material(friction=0.0, restitution=1.0)
    model.add_fixed_body(HalfSpace(), material=bouncy)
    model.add_body(Sphere(0.1), mass=M, position=(0, 0, 0.1 + drop), material=bouncy, name="heavy")
    model.add_body(Sphere(0.03), mass=m, position=(0, 0, 0.23 + drop + gap), material=bouncy, name="light")
    for name in ("heavy", "light"):
        model.add_guide(name)
    v = math.sqrt(2 * G * drop)
    t = gap / (2 * v)  # both fall with g, so they approach at 2 v
    up, down = v - G * t, -v - G * t
    after = ((m - M) * down + 2 * M * up) / (m + M)
    begin = v / G + t
    run = lab.run(model, begin + 0.1)
    return CaseAnswer(after - G * (float(run.times[-1]) - begin), float(run.velocity("light")[-1, 2]), "m/s")


CASES = (
    bounce_time, fifth_bounce, newtons_cradle, cradle_stops, cradle_of_two, unequal_balls, million_to_one,
    inelastic_row, oblique_bounce_slips, oblique_bounce_spin, oblique_bounce_rolls, rod_strikes_peg, rod_falls_on_ice,
    heavy_on_light, million_on_light, billion_on_light, superball,
)  # fmt: skip
