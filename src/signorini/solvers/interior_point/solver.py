"""Primal-dual interior point with Nesterov-Todd scaling for the contact problem."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from signorini.kernels import cones as cone_kernels
from signorini.kernels import interior_point as kernels
from signorini.math.sparse import Array
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.solution import Guess, Solution, Status
from signorini.solvers.base import Monitor, check_settings, finish
from signorini.solvers.interior_point.scaling import ConePoint
from signorini.solvers.interior_point.standard_form import StandardForm, standard_form
from signorini.solvers.interior_point.systems import Condensed, Delassus, System, exact_residual
from signorini.solvers.linear import back_end

SystemName = Literal["auto", "condensed", "delassus", "augmented", "unsymmetric"]


@dataclass(frozen=True)
class InteriorPoint:
    name: ClassVar[str] = "interior-point"

    tolerance: float = 1e-8
    max_iterations: int = 50
    time_budget: float = math.inf
    system: SystemName = "auto"
    delta: float = 1e-8
    refinements: int = 3
    linear: str = "auto"
    verbose: bool = False

    def __post_init__(self) -> None:
        check_settings(self.tolerance, self.max_iterations, self.time_budget)

    def solve(self, problem: ContactProblem, guess: Guess | Solution | None = None) -> Solution:
        monitor = Monitor(self.tolerance, self.max_iterations, self.time_budget)
        delassus = problem.is_dual_only or (self.system=='delassus') or (self.system=='auto' and problem.joint_rows == 0 and problem.contact_rows < 0.0*problem.velocities)
        form = standard_form(problem, delassus)
        be = back_end(self.linear)
        system: System = Delassus(form, be, self.delta) if delassus else Condensed(form, be, self.delta)
        n, m = form.A.width, form.A.rows
        mc = form.cone_rows
        start = form.start
        e = np.zeros(mc); e[start[:-1]] = 1.0
        # start
        point = ConePoint.at(start, np.zeros(m) + np.concatenate((e, np.zeros(m - mc))), e.copy())
        point.rescale()
        values = np.empty_like(form.A.values)
        form.A.turned(form.blocks, point.scaling, point.reflector, values)
        system.factor(point)
        w, x = self.refined(form, system, point, values, -form.c, point.turn(form.b))
        x = point.turn_back(x)
        y = -x[:mc]
        sx = max(np.abs(x[:mc]).max(), 1e-3)
        kernels.shift_into_cone(start, x, sx)
        kernels.shift_into_cone(start, y, sx)
        point = ConePoint.at(start, x, y)
        wN = float(np.mean(problem.N_diagonal)); q = float(np.linalg.norm(problem.r)) or 1.0
        best = None
        status = Status.STALLED
        err_b = np.empty(problem.contacts); work = np.empty(problem.contact_rows)
        it = 0
        while True:
            r1 = form.c - form.A.multiply_transposed(x)
            r1 += w if form.H is None else form.H @ w
            rows = form.A.multiply(w) - form.b
            if form.E is not None:
                rows[:mc] += form.E @ x[:mc]
            r2 = rows.copy(); r2[:mc] -= y
            u = rows
            if form.H is None and n:
                u = rows - form.A.multiply(r1)
            lam, gam = form.impulses(x)
            us = form.slips(u)
            err = wN / q * cone_kernels.natural_map(problem.cones.start, problem.cones.friction, np.full(problem.contacts, 1 / wN), lam, us, work, err_b)
            if m > mc: err = max(err, np.abs(rows[mc:]).max())
            better = monitor.record(it, err)
            if better:
                best = (x.copy(), w.copy())
            v = monitor.verdict()
            if v is not None:
                status = v
                break
            point.rescale()
            mu = point.gap / point.degree
            if self.verbose:
                print(f"{it:3d} err {err:.2e} mu {mu:.2e} r1 {np.abs(r1).max(initial=0):.1e} r2 {np.abs(r2).max(initial=0):.1e} x {np.abs(x).max():.1e} th {point.theta[:mc].min():.1e} {point.theta[:mc].max():.1e}", end=" ")
            form.A.turned(form.blocks, point.scaling, point.reflector, values)
            rep = system.factor(point)
            if not rep.ok:
                if self.verbose: print(rep)
                break
            r2t = point.turn(r2)
            s = point.z
            dw, dx = self.refined(form, system, point, values, -r1, -r2t - point.from_scaled(s, m))
            dl = point.to_scaled(dx); dy = np.empty_like(dl)
            kernels.complete(s, dl, dy)
            a = min(1.0, *kernels.longest_steps(start, point.z, dl, dy))
            sigma = (1 - a) ** 3
            s = np.empty_like(point.z)
            kernels.corrected(start, point.z, dl, dy, sigma * mu, s)
            dw, dx = self.refined(form, system, point, values, -r1, -r2t - point.from_scaled(s, m))
            dl = point.to_scaled(dx)
            kernels.complete(s, dl, dy)
            fraction = 1 - max(1e-3, min(0.1, mu))
            a = min(1.0, fraction * min(kernels.longest_steps(start, point.z, dl, dy)))
            if self.verbose: print(f"sigma {sigma:.1e} a {a:.3f} ref {self._r[0]}")
            if not (a > 1e-10): break
            mx = point.turn_back(dx); my = point.turn_back(point.from_scaled(dy, mc))
            w = w + a * dw
            x[mc:] += a * mx[mc:]
            if not kernels.advance(start, point.scaling, point.z, dl, dy, mx, my, a, a, point.x, point.y, point.trace):
                break
            it += 1
        x, w = best
        lam, gam = form.impulses(x)
        if delassus: v = problem.velocity_of(lam, gam)
        else:
            r1 = form.c - form.A.multiply_transposed(x)
            r1 += w if form.H is None else form.H @ w
            v = form.velocity(w - r1) if form.H is None else form.velocity(w)
        return finish(problem, self.name, monitor, status, lam, gam, v)

    _r = [0]
    def refined(self, form, system, point, values, r1, r2):
        dw, dx = system.solve(r1, r2)
        last = math.inf
        self._r[0]=0
        for k in range(self.refinements):
            e1, e2 = exact_residual(form, point, values, r1, r2, dw, dx)
            size = max(np.abs(e1).max(initial=0), np.abs(e2).max(initial=0))
            if size < 1e-13 or size > 0.5*last: break
            last = size
            ew, ex = system.solve(e1, e2)
            dw = dw + ew; dx = dx + ex
            self._r[0]=k+1
        return dw, dx
