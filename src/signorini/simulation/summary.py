"""A run in a few numbers, and in words."""

from __future__ import annotations

import math
from typing import Any

WORK_WORDS = {
    "contacts": "contacts",
    "friction": "friction",
    "limits": "limits",
    "brakes": "brakes",
    "motors": "motors",
    "forces": "forces and dampers",
}
"""Keys and what the table calls them."""


class Summary(dict[str, Any]):
    """Numbers of a run by name (SI units), ready for JSON; printed, it is a table in words."""

    def __str__(self) -> str:
        lines = self.lines()
        width = max(len(name) for name, _ in lines) + 2
        return "\n".join(f"{name:{width}}{text}" for name, text in lines)

    def lines(self) -> list[tuple[str, str]]:
        """Name and text of each line."""
        relative, factor = self["penetration_max_relative"], self["real_time_factor"]
        quick = f", {few_digits(factor)} x real time" if factor else ""
        share = "" if relative is None else f", {100.0 * relative:.2g} % of the smallest radius"
        residual = self["residual_max"]
        accuracy = f"{residual:.1e}" if math.isfinite(residual) else "-"
        stopped = [("stopped", self["stopped"])] if self["stopped"] else []
        choice = self["solver_choice"] or ""
        picked = [("picked", choice)] if choice.startswith("auto") else []
        return [
            ("run", f"{self['steps']} steps of {1e3 * self['step']:g} ms, up to t = {self['time']:g} s"),
            ("solver", f"{self['solver']}: {self['iterations_mean']:.1f} iterations per step, {self._failures()}"),
            *picked,
            ("contacts", f"{self['contacts_mean']:.1f} on average, {self['contacts_max']} at most"),
            ("residual", f"{accuracy} at most (scaled, measured by the certificate)"),
            ("penetration", f"{1e3 * self['penetration_max']:.2g} mm at most{share}"),
            ("energy", f"{self['energy']:.4g} J, of which kinetic {self['kinetic_energy']:.2g} J"),
            *self._work(),
            ("speed", f"{_time(self['seconds_per_step'])} per step{quick}"),
            *stopped,
        ]

    def _work(self) -> list[tuple[str, str]]:
        """Work by source, and the error of the energy balance."""
        known = [(word, self.get(f"work_{key}")) for key, word in WORK_WORDS.items()]
        parts = [f"{word} {value:.3g} J" for word, value in known if value]
        left, start = self.get("work_remainder"), self.get("energy_start")
        if left is not None and start is not None:
            parts.append(f"numerics {left:.1e} J; {start:.4g} J at the start")
        return [("work", ", ".join(parts))] if parts else []

    def _failures(self) -> str:
        """Whether steps missed their tolerance, and how well those that ended at their iteration limit were solved."""
        limited, words = self["iteration_limits"], []
        if limited:
            words.append(f"{limited} steps ended at the iteration limit, errors {self['residual_median']:.1e} (median)")
        if self["failures"] > limited:
            words.append(f"{self['failures'] - limited} of {self['steps']} steps missed the tolerance")
        words += [f"{self['fallbacks']} by a fallback"] if self["fallbacks"] else []
        return ", ".join(words if self["failures"] else ["every step solved", *words])


def few_digits(value: float) -> str:
    """Two digits, and no exponent up to a million: 0.031, 7.4, 210."""
    return f"{value:.0f}" if 100.0 <= value < 1e6 else f"{value:.2g}"


def _time(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{1e6 * seconds:.0f} us"
    return f"{1e3 * seconds:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"
