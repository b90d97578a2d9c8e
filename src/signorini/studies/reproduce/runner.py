"""Runs studies one after another and keeps what each found, or why it broke."""

from __future__ import annotations

import os
import platform
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import metadata
from typing import Any

from signorini import __version__
from signorini.problem.errors import StudyError
from signorini.studies.reproduce.study import Findings, Scale, Study, Tell
from signorini.studies.sweep.engines import LocalPool

LONGEST = ("truth", "ip-size", "bending", "convergence", "heavy-block", "size-segregation")
"""Begun first where several run at a time, so that none of them is left over in the end."""
PACKAGES = ("numpy", "scipy", "numba", "mkl", "coal")


@dataclass(frozen=True)
class StudyOutcome:
    """One study that was run."""

    study: Study
    findings: Findings
    seconds: float

    @property
    def holds(self) -> bool:
        """Whether all claims do, or are known not to."""
        return all(claim.settled for claim in self.findings.claims)


def run_study(study: Study, scale: Scale, tell: Tell) -> StudyOutcome:
    """Run it; solvers that are stopped early on purpose do not warn."""
    begin = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        findings = study.run(scale, tell)
    return StudyOutcome(study, findings, time.perf_counter() - begin)


def run_studies(
    studies: Sequence[Study], scale: Scale, tell: Callable[[str, str], None], jobs: int = 1
) -> Iterator[StudyOutcome]:
    """Run them, `jobs` at a time in processes of one thread each, and those that compare times alone, after the others;
    the outcomes come in the order of `studies`. `tell` is called with the name of a study and a line of progress."""
    if jobs < 1:
        raise StudyError(f"jobs is {jobs}, expected 1 or more")
    if jobs == 1:
        yield from (run_study(study, scale, partial(tell, study.id)) for study in studies)
        return
    order = {name: place for place, name in enumerate(LONGEST)}
    beside = sorted((one for one in studies if not one.alone), key=lambda one: order.get(one.id, len(order)))
    pool, finished = LocalPool(jobs), False
    try:
        found = {study.id: pool.call(_run_aside, study, scale) for study in beside}
        outcomes = {name: future.result() for name, future in found.items()}
        finished = True
    finally:
        pool.close(at_once=not finished)
    for study in studies:
        yield outcomes[study.id] if study.id in outcomes else run_study(study, scale, partial(tell, study.id))


def _run_aside(study: Study, scale: Scale) -> StudyOutcome:
    """In a worker process."""
    return run_study(study, scale, lambda line: print(f"{study.id}: {line}", file=sys.stderr, flush=True))


def environment() -> dict[str, str]:
    """What the numbers depend on."""
    found = {"signorini": __version__, "python": platform.python_version(), "machine": platform.machine()}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "absent"
    return {**found, "processor": _processor(), "cores": str(os.cpu_count())}


def _processor() -> str:
    try:
        with open("/proc/cpuinfo") as lines:
            return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or "unknown"


def as_dict(outcome: StudyOutcome) -> dict[str, Any]:
    """Ready for JSON, without the pictures."""
    study, findings = outcome.study, outcome.findings
    return {
        "id": study.id,
        "title": study.title,
        "source": study.source,
        "comparable": study.comparable,
        "not_comparable": study.not_comparable,
        "choices": list(study.choices),
        "settings": findings.settings,
        "seconds": outcome.seconds,
        "claims": [
            {"text": c.text, "owner": c.owner, "holds": c.holds, "found": c.found, "disagreement": c.disagreement}
            for c in findings.claims
        ],
        "tables": [
            {"title": t.title, "columns": list(t.columns), "rows": [list(r) for r in t.rows], "note": t.note}
            for t in findings.tables
        ],
    }
