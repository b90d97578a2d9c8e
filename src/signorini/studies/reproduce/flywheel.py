"""A flywheel with a brake: the differential inclusion against ordinary differential equations."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from signorini.math.sparse import Array
from signorini.model.model import Model
from signorini.model.shapes.cylinder import Cylinder
from signorini.simulation.simulation import Simulation
from signorini.studies.reproduce.study import CONVEX, Cell, Claim, Findings, Scale, Study, Table, Tell
from signorini.view.study_figure import Figure, Line, Panel

INCLUSIONS = "003, slides on differential inclusions"
"""Where the document says what the claims repeat."""
SPEED, TORQUE, BRAKE = 5.0, 5.0, 20.0
"""At the start [rad/s], that drives [N m], largest one of the brake [N m]."""
RADIUS, WIDTH, DENSITY = 0.2, 0.05, 7800.0
DURATION = 1.0
H = 0.01
WIDTHS = (0.1, 1e-3)
"""Speeds below which the regularised brakes give way [rad/s]."""

Brake = Callable[[float], float]


def run(_scale: Scale, tell: Tell) -> Findings:
    """The wheel by the interval law, by the sign of its speed, and by two regularised brakes; small at every scale."""
    tell("differential inclusion")
    model, J = _model()
    axis, exact = _inclusion(model, H, DURATION)
    stop = J * SPEED / (BRAKE - TORQUE)
    courses: dict[str, tuple[Array, Array]] = {"inclusion, h = 10 ms": (axis, exact)}
    for h in (H, 0.1 * H):
        tell(f"sign of the speed, h = {h} s")
        courses[f"sign of the speed, h = {1e3 * h:g} ms"] = _explicit(lambda w: BRAKE * np.sign(w), J, h, DURATION)
    courses["the same, 10 ms, J / 100"] = _explicit(lambda w: BRAKE * np.sign(w), 0.01 * J, H, DURATION)
    for width in WIDTHS:
        for rule, march in (("explicit", _explicit), ("implicit", _implicit)):
            tell(f"regularised below {width} rad/s, {rule}")
            found = march(lambda w, width=width: BRAKE * float(np.clip(w / width, -1, 1)), J, H, DURATION)  # type: ignore[misc]
            courses[f"regularised below {width:g} rad/s, {rule}, 10 ms"] = found
    rest = {name: _rest(*course, stop) for name, course in courses.items()}
    rows: list[tuple[Cell, ...]] = [
        (name, f"{ripple:.1e}", f"{turned:.1e}", "yes" if ripple == 0.0 else "no")
        for name, (ripple, turned) in rest.items()
    ]
    table = Table(
        "After the time at which the wheel should stand still",
        ("brake", "largest speed [rad/s]", "turned by then [rad]", "holds, at speed 0.0"),
        tuple(rows),
        f"It should stop at J w / (M_max - M_e) = {stop:.3f} s. The document prints no figures.",
    )
    ripples = [rest[f"sign of the speed, h = {1e3 * h:g} ms"][0] for h in (H, 0.1 * H)]
    creep = [rest[f"regularised below {width:g} rad/s, implicit, 10 ms"][0] for width in WIDTHS]
    stiff = rest[f"regularised below {WIDTHS[1]:g} rad/s, explicit, 10 ms"][0]
    stood = abs(float(axis[np.argmax(exact == 0.0)]) - stop)
    claims = (
        Claim("the inclusion stops in finite time and then stands at speed 0.0", rest[next(iter(rest))][0] == 0.0
              and stood <= 2 * H, f"stops {1e3 * stood:.1f} ms from the closed form", place=INCLUSIONS),
        Claim("an ODE with the sign of the speed ripples for ever", min(ripples) > 0.0, str(ripples), place=INCLUSIONS),
        Claim("smaller steps reduce the ripple", ripples[1] < 0.3 * ripples[0], str(ripples), place=INCLUSIONS),
        Claim("a light wheel ripples wildly", rest["the same, 10 ms, J / 100"][0] > 10 * ripples[0],
              f"{rest['the same, 10 ms, J / 100'][0]:.2g} rad/s", place=INCLUSIONS),
        Claim("regularised brakes creep, in proportion to their width", min(creep) > 0.0
              and 50 < creep[0] / creep[1] < 200, str(creep), place=INCLUSIONS),
        Claim("narrow ones are stiff: explicit steps ripple again", stiff > 10 * WIDTHS[1], f"{stiff:.2g} rad/s",
              place=INCLUSIONS),
    )  # fmt: skip
    settings: dict[str, Cell] = {
        "inertia [kg m2]": J, "speed [rad/s]": SPEED, "torque [N m]": TORQUE, "brake [N m]": BRAKE, "step [s]": H,
    }  # fmt: skip
    return Findings((table,), claims, (_figure(courses, stop),), settings)


def _figure(courses: dict[str, tuple[Array, Array]], stop: float) -> Figure:
    """Speeds around the time at which the wheel should `stop`; the inclusion in both panels."""
    panels = tuple(
        Panel(
            title,
            "time [s]",
            "speed [rad/s]",
            [_near(name, *course, stop) for name, course in courses.items() if word in name or "inclusion" in name],
        )
        for title, word in (("the sign of the speed", "sign"), ("regularised brakes", "regularised"))
    )
    return Figure("A wheel that a brake stops.", panels)


def _model() -> tuple[Model, float]:
    model = Model(gravity=(0, 0, 0))
    wheel = model.add_body(Cylinder(RADIUS, WIDTH), density=DENSITY, angular_velocity=(0, 0, SPEED), name="wheel")
    model.add_revolute(None, "wheel", position=(0, 0, 0), axis=(0, 0, 1), name="hinge")
    model.add_motor("hinge", torque=TORQUE, name="motor")
    model.add_brake("hinge", limit=BRAKE, name="brake")
    return model, float(wheel.inertia[2, 2])


def _inclusion(model: Model, h: float, duration: float) -> tuple[Array, Array]:
    run = Simulation(model, law=CONVEX, step=h).run(duration)
    return run.times, run.angular_velocity("wheel")[:, 2]


def _explicit(brake: Brake, J: float, h: float, duration: float) -> tuple[Array, Array]:
    """Heun's rule: what a general ODE integrator of second order does."""
    w = [SPEED]
    for _ in range(round(duration / h)):
        first = (TORQUE - brake(w[-1])) / J
        second = (TORQUE - brake(w[-1] + h * first)) / J
        w.append(w[-1] + 0.5 * h * (first + second))
    return np.linspace(0.0, h * (len(w) - 1), len(w)), np.array(w)


def _implicit(brake: Brake, J: float, h: float, duration: float) -> tuple[Array, Array]:
    """Implicit Euler; the equation of each step is monotone, so bisection finds its root."""
    w = [SPEED]
    for _ in range(round(duration / h)):
        low, high = w[-1] - h * (BRAKE + TORQUE) / J, w[-1] + h * (BRAKE + TORQUE) / J
        for _ in range(80):
            middle = 0.5 * (low + high)
            if middle - w[-1] - h * (TORQUE - brake(middle)) / J > 0.0:
                high = middle
            else:
                low = middle
        w.append(0.5 * (low + high))
    return np.linspace(0.0, h * (len(w) - 1), len(w)), np.array(w)


def _near(name: str, times: Array, speeds: Array, stop: float) -> Line:
    """The course around the stop."""
    shown = (times > 0.98 * stop) & (times < stop + 0.15)
    return Line(name, times[shown], speeds[shown])


def _rest(times: Array, speeds: Array, stop: float) -> tuple[float, float]:
    """Largest speed after the stop, and the angle that the wheel still turns [rad/s, rad]."""
    late = times > stop + 5 * H
    return float(np.abs(speeds[late]).max()), float(abs(np.trapezoid(speeds[late], times[late])))


STUDY = Study(
    "flywheel",
    "A differential inclusion: flywheel with brake",
    "Tasora, slides 003, 'Differential Inclusions: motivation'",
    "which methods ripple, creep or stick",
    "no figures are printed",
    (
        f"a steel disc of {RADIUS} m, {SPEED} rad/s, driven by {TORQUE} N m, braked by up to {BRAKE} N m",
        "ODEs: Heun's rule (explicit) and implicit Euler, on J dw/dt = M_e - M_f(w)",
        f"regularised brakes: M_f grows linearly up to speeds of {WIDTHS[0]} and {WIDTHS[1]} rad/s",
    ),
    run,
)
