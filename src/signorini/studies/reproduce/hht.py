"""HHT against its parameter alpha: order, energy, damping; and which solver works with which integrator."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from scipy.special import ellipj, ellipk

from signorini.math.rotations import about
from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.model.shapes.sphere import Sphere
from signorini.simulation.simulation import Simulation
from signorini.stepping.smooth.hht import HHT
from signorini.studies.compatibility import cell
from signorini.studies.reproduce.study import Cell, Claim, Findings, Scale, Study, Table, Tell
from signorini.view.study_figure import Figure, Line, Panel

SLIDES = "003, slides on HHT"
"""Where the document says what the claims repeat."""
G = 9.81
SWING = 4.9
"""Energy of the pendulum [J], from the lowest point up."""
K, OMEGA = math.sin(0.25 * math.pi), math.sqrt(1.5 * G)
"""Modulus and frequency [rad/s] of the pendulum: omega^2 = 3 g / 2 l."""
ALPHAS = (0.0, -0.05, -0.1, -0.2, -0.3)
END = 0.8
"""Of the pendulum [s]."""
ENERGY_H, PERIODS = 0.02, 3
"""Step [s] and periods of the pendulum whose energy is looked at: means over the first and over the last one."""
PHASES = (0.5, 2.0, 8.0)
"""omega h of the oscillator [rad]."""
SAMPLES = 40
"""Steps of the oscillator; its damping is read from the last half."""
PUBLISHED = {
    "projected-sor": ("•••", "not precise enough", "••", "*", "••"),
    "barzilai-borwein": ("•••", "•", "••", "*", "•••"),
    "apgd": ("•••", "•", "••", "*", "•••"),
    "minres": ("•", "••", "•••", "• slow", ""),
    "pardiso": ("•", "•••", "", "•••", ""),
    "mumps": ("•", "•••", "•", "•••", ""),
}
"""Solver -> the document's marks for linearised Euler, HHT, redundant constraints, FE in linear systems, contact (DVI);
empty: not possible."""
CELLS = (
    ("dvi", "joints"), ("hht", "joints"), ("hht", "redundant"), ("hht", "FE"), ("dvi", "contact"),
    ("dvi", "FE, contact"),
)  # fmt: skip


def run(scale: Scale, tell: Tell) -> Findings:
    """The pendulum, a spring, and the cells of the cheat-sheet."""
    steps = np.array([0.02 / 2**k for k in range(scale.number(5, 3, 2))])
    alphas = tuple(ALPHAS[k] for k in scale.sizes(range(5), range(5), (0, 2, 4)))
    rows: list[tuple[Cell, ...]] = []
    lines, orders, lost, undamped = [], [], [], math.nan
    for alpha in alphas:
        tell(f"alpha = {alpha}")
        error = np.array([_pendulum_error(alpha, float(h)) for h in steps])
        orders.append(math.log2(error[-2] / error[-1]))
        energy, broken = _energy_lost(alpha)
        lost.append(energy)
        told = f"{energy:.1e}" if math.isnan(broken) else f"breaks down at {broken:.1f} s"
        if alpha == 0.0:
            undamped = broken
        lines.append(Line(f"alpha = {alpha:g}", steps, error))
        rows.append((alpha, f"{error[-1]:.1e}", round(orders[-1], 2), told))
    swing = Table(
        "Pendulum, its hinge at the level of positions",
        ("alpha", f"largest error in {END:g} s, h = {1e3 * steps[-1]:g} ms [m]", "order",
         f"energy lost in {PERIODS - 1} periods, h = {1e3 * ENERGY_H:g} ms [J]"),
        tuple(rows),
        "From the horizontal, against elliptic functions; the energy of the swing is 4.9 J.",
    )  # fmt: skip
    damping, off, slowest = _damping(alphas, tell)
    sheet, wrong, weak = _cheat_sheet(tell)
    claims = (
        Claim("HHT is of second order at every alpha", all(abs(order - 2.0) < 0.15 for order in orders),
              f"{min(orders):.2f} to {max(orders):.2f}", place=SLIDES),
        Claim("more damping loses more energy", all(b > a > 0.0 for a, b in pairwise(lost[1:])),
              f"{lost[1]:.1e} to {lost[-1]:.1e} J", place=SLIDES),
        Claim("without damping a joint's forces zigzag and grow until the run breaks down", undamped > 0.0,
              f"alpha = 0 ends at {undamped:.2f} s, the others do not", place="003, slide on implicit integrators"),
        Claim("without joints alpha = 0 damps nothing", max(abs(1.0 - left) for left in damping[0]) < 1e-6,
              f"{damping[0][-1]:.6f} of the amplitude stays", place=SLIDES),
        Claim("the damping is that of the linear theory", off < 1e-5, f"to {off:.0e}"),
        Claim("high frequencies are damped, low ones hardly", slowest > 0.95 and damping[-1][-1] < 0.75,
              f"{slowest:.4f} and {damping[-1][-1]:.2f} per step at alpha = -0.3"),
        Claim("each cell of the cheat-sheet works, or is refused in words", not wrong, _told(wrong, sheet),
              place="003, cheat-sheet"),
        Claim("cells that are weak or impossible there work here", not weak, "; ".join(weak) or "all but hard contact "
              "by solvers of linear systems"),
    )  # fmt: skip
    return Findings(
        (swing, _rates(alphas, damping), sheet),
        claims,
        (_figure(lines),),
        {"steps [s]": ", ".join(f"{h:g}" for h in steps), "pendulum [s]": END},
    )


def _told(wrong: list[str], sheet: Table) -> str:
    """What went wrong, or how many cells were tried."""
    absent = sum(isinstance(cell, str) and cell.startswith("not tried") for row in sheet.rows for cell in row)
    return "; ".join(wrong) or ("all" if not absent else f"all but {absent} cells that were not tried")


def _rates(alphas: Sequence[float], damping: list[list[float]]) -> Table:
    return Table(
        "Amplitude of a spring's oscillation after one step, of that before",
        ("omega h", *(f"alpha = {alpha:g}" for alpha in alphas)),
        tuple((phase, *(f"{r[k]:.4f}" for r in damping)) for k, phase in enumerate(PHASES)),
        "Measured; linear theory gives the spectral radius of the scheme.",
    )


def _figure(errors: list[Line]) -> Figure:
    return Figure(
        "Left: the pendulum's error against the step. Right: how much of an oscillation one step leaves.",
        (
            Panel("order", "step [s]", "error of the position [m]", errors, log_x=True, log_y=True),
            Panel("numerical damping", "omega h [rad]", "amplitude left by one step [-]", _radii(), log_x=True),
        ),
    )


def _pendulum() -> Model:
    """A rod of 1 m that starts from the horizontal."""
    model = Model()
    inertia = (1 / 12, 1 / 12, 1e-4)
    turn = about(np.array([0.0, 1.0, 0.0]), -0.5 * math.pi)
    model.add_body(
        Box((0.02, 0.02, 1.0)), mass=1.0, inertia=inertia, position=(0.5, 0, 0), orientation=turn, name="rod"
    )
    model.add_revolute(None, "rod", (0, 0, 0), (0, 1, 0), name="hinge")
    return model


def _pendulum_error(alpha: float, h: float) -> float:
    """Against `sin(theta/2) = k cd(omega t)`."""
    simulation = Simulation(_pendulum(), step=h, integrator=HHT(alpha=alpha))
    path = np.array([simulation.advance().state.position[0, [0, 2]] for _ in range(round(END / h))])
    _, cn, dn, _ = ellipj(OMEGA * h * np.arange(1, len(path) + 1), K * K)
    theta = 2.0 * np.arcsin(K * cn / dn)
    exact = 0.5 * np.stack((np.sin(theta), -np.cos(theta)), axis=1)
    return float(np.linalg.norm(path - exact, axis=1).max())


def _energy_lost(alpha: float) -> tuple[float, float]:
    """From the first period to the last [J], and when the run broke down [s]; the other of the two is not a number.

    Means over periods, for the energy of a scheme of second order sways within each.
    """
    steps = round(4.0 * float(ellipk(K * K)) / OMEGA / ENERGY_H)
    simulation = Simulation(_pendulum(), step=ENERGY_H, integrator=HHT(alpha=alpha))
    energies: list[float] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the status says the same
        for _ in range(PERIODS * steps):
            step = simulation.advance()
            energies.append(step.energy)
            if not step.status.ok or abs(step.energy - energies[0]) > SWING:
                return math.nan, step.state.time
    return float(np.mean(energies[:steps]) - np.mean(energies[-steps:])), math.nan


def _damping(alphas: tuple[float, ...], tell: Tell) -> tuple[list[list[float]], float, float]:
    """Amplitude left per step, by alpha and phase; the largest distance from theory; that of the slowest at -0.3."""
    tell("damping of a spring")
    found = [[_measured_radius(alpha, phase) for phase in PHASES] for alpha in alphas]
    theory = [[_radius(alpha, phase) for phase in PHASES] for alpha in alphas]
    return found, float(np.abs(np.subtract(found, theory)).max()), found[-1][0]


def _measured_radius(alpha: float, phase: float) -> float:
    """From `x[k+1] = b x[k] + c x[k-1]`, which the two main roots obey: their product is -c."""
    h = 0.01
    model = Model(gravity=(0, 0, 0))
    model.add_body(Sphere(0.1), mass=1.0, position=(0, 0, 1.01), name="ball")
    model.add_spring(None, "ball", (0, 0, 0), (0, 0, 1.01), stiffness=(phase / h) ** 2, length=1.0)
    simulation = Simulation(model, step=h, integrator=HHT(alpha=alpha))
    x = np.array([simulation.advance().state.position[0, 2] - 1.0 for _ in range(SAMPLES)])[SAMPLES // 2 :]
    (_, c), *_ = np.linalg.lstsq(np.stack((x[1:-1], x[:-2]), axis=1), x[2:], rcond=None)
    return math.sqrt(-c)


def _radius(alpha: float, phase: float) -> float:
    """Modulus of the two main roots of HHT's amplification matrix on `x'' = -omega^2 x`."""
    gamma, beta = 0.5 - alpha, 0.25 * (1.0 - alpha) ** 2
    # Unknowns x, h v, h^2 a; the new ones satisfy left new = right old.
    w = phase**2
    left = np.array([[1, 0, -beta], [0, 1, -gamma], [(1 + alpha) * w, 0, 1]])
    right = np.array([[1, 1, 0.5 - beta], [0, 1, 1 - gamma], [alpha * w, 0, 0]])
    roots = np.linalg.eigvals(np.linalg.solve(left, right))
    return float(np.abs(roots[np.abs(roots.imag) > 1e-12]).max(initial=0.0))


def _radii() -> list[Line]:
    """By theory; the table has the measured ones."""
    axis = np.logspace(-1, 1, 60)
    return [Line(f"alpha = {a:g}", axis, np.array([_radius(a, float(p)) for p in axis])) for a in ALPHAS]


def _cheat_sheet(tell: Tell) -> tuple[Table, list[str], list[str]]:
    """The document's marks beside what happened here; cells that went wrong; weak ones that do not work here."""
    rows: list[tuple[Cell, ...]] = []
    wrong, weak = [], []
    for solver, (euler, hht, redundant, fe, contact) in PUBLISHED.items():
        tell(f"cheat-sheet: {solver}")
        found = [cell(solver, integrator, problem) for integrator, problem in CELLS]
        for (integrator, problem), got in zip(CELLS, found, strict=True):
            name = f"{solver}, {integrator}, {problem}: {got.verdict}"
            if got.verdict == "wrong" or (got.verdict == "refused" and not got.words):
                wrong.append(name)
            if "contact" not in problem and got.verdict not in ("works", "absent"):
                weak.append(name)
        marks = (euler, hht, redundant, fe, contact, "")
        verdicts = ["not tried: not installed" if got.verdict == "absent" else got.verdict for got in found]
        rows.append((solver, *(part for pair in zip(marks, verdicts, strict=True) for part in pair)))
    columns = ("linearised Euler", "HHT", "redundant, HHT", "FE, HHT", "contact", "FE, contact")
    table = Table(
        "The cheat-sheet: solvers, integrators, redundant joints, finite elements, hard contact",
        ("solver", *(part for name in columns for part in (f"published {name}", name))),
        tuple(rows),
        "Published marks as printed; empty is not possible. `refused`: an error names the solvers that can.",
    )
    return table, wrong, weak


STUDY = Study(
    "hht",
    "HHT: order, energy and damping against alpha; which solver works with what",
    "Tasora, slides 003, time integrators and 'Time-integration & solvers cheat-sheet'",
    "order, who damps, which cells of the cheat-sheet work",
    "no figures are printed; marks are judgements, ours are verdicts of small runs",
    (
        "a rod of 1 m from the horizontal on a hinge; a spring of one ball",
        "cells: two steps of a rod on one or two hinges, a soft beam with a glued ball, a ball or block on a floor",
        "a cell works when every status is good and the motion is that of SuperLU or the interior point to 1e-6",
        "first-order solvers may take 20000 iterations per system, to 1e-9",
    ),
    run,
)
