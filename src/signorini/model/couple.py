"""How a user couples joints, runs ropes over pulleys and threads beads on wires."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from signorini.math.rotations import IDENTITY
from signorini.math.sparse import Array
from signorini.model.checks import finite, not_negative, points, positive, vector
from signorini.model.coordinate import WORLD, Coordinate, Frame
from signorini.model.curves.curve import Curve
from signorini.model.curves.function_curve import FunctionCurve
from signorini.model.curves.spline import Spline
from signorini.model.functions.make import function_of
from signorini.model.join import Joinery
from signorini.model.joints.capstan import Capstan
from signorini.model.joints.coupling import LinearCoupling, common_period
from signorini.model.joints.framed import Framed
from signorini.model.joints.gear import Gear
from signorini.model.joints.joined_points import MaterialPoint
from signorini.model.joints.point_on_curve import PointOnCurve
from signorini.model.joints.pulley_rope import PulleyRope
from signorini.model.joints.rack import Rack
from signorini.model.parts import BodyLike
from signorini.problem.errors import ModelError

OFF_THE_CURVE = 1e-6
"""How far a bead may be from its wire when it is threaded, over the length of the wire."""


class Couplings(Joinery):
    """Adds relations between the coordinates of joints, ropes over pulleys and curves."""

    def add_gear(
        self, first: Framed | str, second: Framed | str, teeth: tuple[int, int], name: str | None = None
    ) -> Gear:
        """Let the angles of two hinges turn by their `teeth`: `z_1 theta_1 + z_2 theta_2 = 0`.

        Wheels that mesh from outside, on axes that point the same way, have teeth such as (20, 40); inside a ring
        (20, -60).
        """
        if len(teeth) != 2 or not all(isinstance(n, int | np.integer) and n != 0 for n in teeth):
            raise ModelError(f"teeth of a gear are {teeth!r}, expected two whole numbers such as (20, 40); not 0")
        angles = [self._framed(joint, "a gear").angle for joint in (first, second)]
        if angles[0] is angles[1]:
            raise ModelError("a gear couples a joint to itself: give two different joints")
        gear = Gear(self._part_name(name, "gear"), angles[0], angles[1], (int(teeth[0]), int(teeth[1])))
        self._keep(self.joints, gear)
        return gear

    def add_rack(self, pinion: Framed | str, rack: Framed | str, radius: float, name: str | None = None) -> Rack:
        """Let the position of a slide follow the angle of a hinge: `x = radius theta`; the radius may be < 0."""
        angle, slide = self._framed(pinion, "a rack").angle, self._framed(rack, "a rack").slide
        if finite(radius, "radius of a pinion") == 0.0:
            raise ModelError("radius of a pinion is 0, expected another number of metres")
        joint = Rack(self._part_name(name, "rack"), angle, slide, float(radius))
        self._keep(self.joints, joint)
        return joint

    def add_coupling(
        self, terms: Sequence[Any], constant: Any = 0.0, name: str | None = None, collide: bool = False
    ) -> LinearCoupling:
        """Keep `sum_i a_i q_i = constant`, q_i the angle [rad] or position [m] of a joint, both 0 at t = 0.

        `terms` are (joint, a_i); a joint that turns and slides takes (joint, a_i, "angle") or (joint, a_i, "position").
        A differential is `[(left, 1), (right, 1), (case, -2)]`. The constant may be a function of time. Weights of
        angles should be in the ratio of whole numbers up to 1000: only then their turns can be distinguished. The
        bodies do not collide with one another unless `collide`, as the fingers of a gripper may.
        """
        name = self._part_name(name, "coupling")
        if not isinstance(terms, tuple | list) or not terms:
            raise ModelError(f"terms of {name!r} are {terms!r}, expected a list of (joint, weight)")
        pairs = [self._coupled(term, name) for term in terms]
        coordinates, weights = tuple(c for c, _ in pairs), tuple(a for _, a in pairs)
        if len({id(coordinate) for coordinate in coordinates}) < len(coordinates):
            raise ModelError(f"the coupling {name!r} names a joint twice: add its weights up")
        period = common_period([a for c, a in pairs if c.is_angle])
        right = function_of(constant, f"constant of {name!r}")
        coupling = LinearCoupling(name, coordinates, weights, right, period, bool(collide))
        self._keep(self.joints, coupling)
        return coupling

    def add_belt(
        self,
        first: Framed | str,
        second: Framed | str,
        radii: ArrayLike,
        crossed: bool = False,
        name: str | None = None,
    ) -> LinearCoupling:
        """Let a belt that does not slip turn two pulleys: `r_1 theta_1 = r_2 theta_2`, crossed the other way round."""
        name = self._part_name(name, "belt")
        one, two = (positive(r, f"radius of a pulley of {name!r}") for r in vector(radii, f"radii of {name!r}", 2))
        return self.add_coupling([(first, one, "angle"), (second, two if crossed else -two, "angle")], name=name)

    def add_pulley_rope(
        self,
        stops: Sequence[tuple[BodyLike | None, ArrayLike]],
        length: float | None = None,
        drum: tuple[Framed | str, float] | None = None,
        name: str | None = None,
    ) -> PulleyRope:
        """Run a rope of `length` [m] over points of bodies without friction: a limit, taut or slack.

        `stops` are (body, position) from one end to the other, positions in the world at t = 0 [m], None for the
        world; the rope is as long as the way over them by default. With `drum=(hinge, radius)` one end is wound on a
        drum that pays out `radius theta` [m]; a negative radius winds up.
        """
        name = self._part_name(name, "pulley-rope")
        if not isinstance(stops, tuple | list) or len(stops) < 2:
            raise ModelError(f"stops of {name!r} are {stops!r}, expected two or more of (body, position)")
        places, ends = [], []
        for stop in stops:
            place, end = self._stop(stop, name)
            places.append(place)
            ends.append(end)
        if not any(end.body != WORLD and self.bodies[end.body].movable for end in ends):
            raise ModelError(f"the rope {name!r} has no effect: all its bodies are fixed or have a motion")
        now = float(np.linalg.norm(np.diff(places, axis=0), axis=1).sum())
        size = positive(now if length is None else length, f"length of {name!r}")
        turn, radius = None, 0.0
        if drum is not None:
            turn, radius = self._framed(drum[0], "a rope").angle, finite(drum[1], f"radius of the drum of {name!r}")
            if radius == 0.0:
                raise ModelError(f"radius of the drum of {name!r} is 0, expected another number of metres")
        rope = PulleyRope(name, tuple(ends), size, turn, radius)
        if size - now > rope.most_slack:
            raise ModelError(
                f"length of {name!r} is {size:g} m, {size - now:g} m more than the way over its stops; on a drum of "
                f"radius {abs(radius):g} m expected at most {rope.most_slack:.3g} m more"
            )
        self._keep(self.limits, rope)
        return rope

    def add_capstan(
        self,
        first: tuple[BodyLike | None, ArrayLike],
        on: tuple[BodyLike | None, ArrayLike, ArrayLike],
        last: tuple[BodyLike | None, ArrayLike],
        friction: float,
        wrap: float,
        drum: tuple[Framed | str, float] | None = None,
        length: float | None = None,
        name: str | None = None,
    ) -> Capstan:
        """Run a rope around a drum on which it rubs: it sticks while `T1 / T2` is within `exp(+-friction wrap)`.

        `first` and `last` are (body, position) of the ends of the rope; `on` is the body that carries the drum with the
        places where the rope meets and leaves it, all in the world at t = 0 [m], None for the world. `wrap` is the
        angle in between [rad]. `length` is that of the two free spans, as they are by default. A drum that turns is
        `drum=(hinge, radius)`, the radius positive where a growing angle draws the rope towards its first end.
        `run.friction_impulse(name)` has (T1 + T2) / 2 and (T2 - T1) / 2, times the step.
        """
        name = self._part_name(name, "capstan")
        carrier, meets, leaves = on
        stops = [self._stop(stop, name) for stop in (first, (carrier, meets), (carrier, leaves), last)]
        places, ends = [place for place, _ in stops], [end for _, end in stops]
        if not any(end.body != WORLD and self.bodies[end.body].movable for end in ends):
            raise ModelError(f"the rope {name!r} has no effect: all its bodies are fixed or have a motion")
        spans = [float(np.linalg.norm(places[k + 1] - places[k])) for k in (0, 2)]
        size = sum(spans) if length is None else positive(length, f"length of {name!r}")
        share = Capstan.coefficient_of(
            not_negative(friction, f"friction of {name!r}"), not_negative(wrap, f"wrap of {name!r}")
        )
        turn, radius = None, 0.0
        if drum is not None:
            turn, radius = self._framed(drum[0], "a rope").angle, finite(drum[1], f"radius of the drum of {name!r}")
        rope = Capstan(name, (ends[0], ends[1]), (ends[2], ends[3]), size, share, turn, radius)
        self._keep(self.dry_frictions, rope)
        return rope

    def add_point_on_curve(
        self,
        a: BodyLike | None,
        b: BodyLike | None,
        position: ArrayLike,
        curve: ArrayLike | Callable[[float], Any],
        interval: tuple[float, float] | None = None,
        closed: bool = False,
        name: str | None = None,
    ) -> PointOnCurve:
        """Keep the point of b that is at `position` on a curve of a: a bead on a wire, which turns freely.

        The curve is given in the world at t = 0 [m]: by points, (n, 3), which a cubic spline runs through (`closed`
        joins the last one to the first), or by a function s -> point with its `interval` of s. An open curve goes on
        straight beyond its ends. Of a curve that crosses itself the nearest branch counts.
        """
        i, j = self._pair(a, b, "a point on a curve")
        name = self._part_name(name, "point-on-curve")
        place = vector(position, f"position of {name!r}")
        wire = _curve(curve, interval, closed, name)
        off = float(np.linalg.norm(wire.at(wire.nearest(place))[0] - place))
        size = float(np.ptp(wire.inside(np.linspace(wire.begin, wire.end, 33))[0], axis=0).max())
        if off > OFF_THE_CURVE * size:
            raise ModelError(f"position of {name!r} is {off:.3g} m off its curve, expected a point of it")
        frame_a, frame_b = Frame.on(self._body_or_world(i), np.zeros(3)), Frame.on(self._body_or_world(j), place)
        joint = PointOnCurve(name, i, j, frame_a, frame_b, wire)
        self._keep(self.joints, joint)
        return joint

    def _coupled(self, term: Any, name: str) -> tuple[Coordinate, float]:
        """A coordinate and its weight."""
        if not isinstance(term, tuple | list) or len(term) not in (2, 3):
            raise ModelError(f"a term of {name!r} is {term!r}, expected (joint, weight)")
        joint = self._framed(term[0], f"the coupling {name!r}")
        weight = finite(term[1], f"weight of {joint.name!r} in {name!r}")
        if weight == 0.0:
            raise ModelError(f"weight of {joint.name!r} in {name!r} is 0: drop the joint")
        kind = term[2] if len(term) == 3 else "angle" if joint.TURNS else "position"
        if kind not in ("angle", "position") or (len(term) == 2 and joint.TURNS and joint.SLIDES):
            found = repr(kind) if len(term) == 3 else "not told"
            raise ModelError(f"coordinate of {joint.name!r} in {name!r} is {found}, expected 'angle' or 'position'")
        return (joint.angle if kind == "angle" else joint.slide), weight

    def _stop(self, stop: Any, name: str) -> tuple[Array, MaterialPoint]:
        """Where the rope runs at t = 0, and what carries that point."""
        if not isinstance(stop, tuple | list) or len(stop) != 2:
            raise ModelError(f"a stop of {name!r} is {stop!r}, expected (body, position); None is the world")
        body = WORLD if stop[0] is None else self.body_index(stop[0])
        place = vector(stop[1], f"position of a stop of {name!r}")
        local = Frame.on(self._body_or_world(body), place, IDENTITY).position
        return place, MaterialPoint(body=body, local=local)


def _curve(curve: Any, interval: Any, closed: bool, name: str) -> Curve:
    """A spline through points, or what a function draws."""
    if callable(curve):
        if interval is None:
            raise ModelError(f"the curve of {name!r} is a function: give the interval=(begin, end) of its parameter")
        begin, end = vector(interval, f"interval of {name!r}", 2).tolist()
        if not begin < end:
            raise ModelError(f"interval of {name!r} is ({begin:g}, {end:g}), expected begin < end")
        drawn = FunctionCurve(curve, begin, end, closed)
    else:
        given = points(curve, f"curve of {name!r}")
        if len(given) < 3:
            raise ModelError(f"the curve of {name!r} has {len(given)} points, expected three or more")
        if closed and not np.array_equal(given[0], given[-1]):
            given = np.vstack((given, given[:1]))
        if not np.linalg.norm(np.diff(given, axis=0), axis=1).all():
            raise ModelError(f"two successive points of the curve of {name!r} are the same: drop one of them")
        return Spline(given, closed)
    if not np.linalg.norm(drawn.inside(np.linspace(begin, end, 65))[1], axis=1).all():
        raise ModelError(f"the curve of {name!r} stands still somewhere: its parameter must move it everywhere")
    return drawn
