"""MUMPS through python-mumps: multifrontal, numerical pivoting across fronts, detection of null pivots."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np

from signorini.math.sparse import Array, Csr, entry_rows
from signorini.problem.errors import MissingExtraError
from signorini.solvers.linear.common import (
    NOT_FINITE,
    NOT_POSITIVE,
    NoUnknowns,
    availability,
    check_pattern,
    check_right_hand_side,
    check_values,
)
from signorini.solvers.linear.interface import BackEnd, FactorReport, Factors, MatrixKind

ANALYSIS, FACTORISATION, SOLVE = 1, 2, 3
SYMMETRY = {MatrixKind.POSITIVE_DEFINITE: 1, MatrixKind.SYMMETRIC: 2, MatrixKind.GENERAL: 0}
ANALYSED = {
    "matrix_norm": 4, "solution_norm": 5, "scaled_residual": 6, "backward_error": 7, "backward_error_sparse": 8,
    "error_bound": 9, "condition": 10, "condition_sparse": 11,
}  # fmt: skip
"""Places in RINFOG that ICNTL(11) = 1 fills; the second of two pairs belongs to rows with cancellation."""
WORKSPACE_TOO_SMALL = (-8, -9)
LARGEST_RELAXATION = 10000
"""Workspace is doubled on demand up to this percentage above MUMPS' estimate."""
ERRORS = {-6: "the matrix is structurally singular", -10: "the matrix is singular", -13: "not enough memory"}


@dataclass(frozen=True)
class Mumps(BackEnd):
    """MUMPS, sequential build; settings with the numbers of its users' guide."""

    name: ClassVar[str] = "mumps"

    refinement: int = 0
    """Steps of iterative refinement per solve, ICNTL(10)."""
    ordering: int = 7
    """ICNTL(7): 0 AMD, 3 SCOTCH, 4 PORD, 5 METIS, 7 automatic."""
    error_analysis: bool = False
    """Backward errors and condition numbers of every solve, ICNTL(11) = 1; several times the cost of the solve."""

    def analyse(self, pattern: Csr, kind: MatrixKind) -> Factors:
        check_pattern(pattern, kind)
        return MumpsFactors(self, pattern, kind) if pattern.shape[0] else NoUnknowns()


class MumpsFactors(Factors):
    """One MUMPS instance; it frees its memory when it is collected."""

    history_free: ClassVar[bool] = False
    """Workspace never shrinks again."""

    def __init__(self, settings: Mumps, pattern: Csr, kind: MatrixKind) -> None:
        self._kind = kind
        self._n = int(pattern.shape[0])
        # MUMPS keeps pointers to these three, so they live as long as the instance.
        self._row = (entry_rows(pattern) + 1).astype(np.int32)
        self._column = (pattern.indices + 1).astype(np.int32)
        self._data = np.array(pattern.data, dtype=np.float64)
        self._mumps = load_module().dmumps(False, SYMMETRY[kind])
        self._mumps.set_assembled_matrix(self._n, self._row, self._column, self._data)
        self._set_controls(settings)
        self._analysis_message = self._run(ANALYSIS)
        self._ready = False

    def _set_controls(self, settings: Mumps) -> None:
        control = self._mumps.icntl
        # The pattern alone decides the analysis, so that it holds for any values: no matching, no compression.
        control[6] = 0
        control[12] = 1
        control[7] = settings.ordering
        control[10] = settings.refinement
        control[11] = int(settings.error_analysis)
        control[24] = 0 if self._kind is MatrixKind.POSITIVE_DEFINITE else 1  # detect null pivots

    def factor(self, data: Array) -> FactorReport:
        self._ready = False
        if not check_values(data, len(self._data)):
            return NOT_FINITE
        if self._analysis_message:
            return FactorReport(False, message=self._analysis_message)
        self._data[:] = data
        message = self._run(FACTORISATION)
        while self._mumps.infog[1] in WORKSPACE_TOO_SMALL and self._mumps.icntl[14] < LARGEST_RELAXATION:
            self._mumps.icntl[14] *= 2
            message = self._run(FACTORISATION)
        if self._kind is MatrixKind.POSITIVE_DEFINITE and (message or self._mumps.infog[12] > 0):
            return FactorReport(False, message=NOT_POSITIVE)
        if message:
            return FactorReport(False, message=message)
        self._ready = True
        return FactorReport(True, perturbed=int(self._mumps.infog[28]))

    def analysis(self) -> dict[str, float]:
        """Of the last solve of one right-hand side; empty without `error_analysis`."""
        found = self._mumps.rinfog
        return {name: float(found[k]) for name, k in ANALYSED.items()} if self._mumps.icntl[11] else {}

    def solve(self, b: Array) -> Array:
        if not self._ready:
            raise RuntimeError("MUMPS has no factors: call factor() and look at its report first")
        check_right_hand_side(b, self._n)
        x = np.array(b, dtype=np.float64, order="F")
        if x.size:
            self._mumps.set_dense_rhs(x)
            message = self._run(SOLVE)
            if message:
                raise RuntimeError(message)
        return x

    def _run(self, job: int) -> str:
        """Run one phase; the message of its error, empty when there is none."""
        self._mumps.job = job
        self._mumps.call()
        code = int(self._mumps.infog[1])
        return "" if code >= 0 else f"MUMPS error {code} in job {job}: {ERRORS.get(code, 'see its users guide')}"


def available() -> str:
    """`available`, or the reason why not."""
    return availability(load_module)


@cache
def load_module() -> Any:
    """python-mumps' low-level module; raises `MissingExtraError` when it is not installed."""
    try:
        from mumps import _mumps
    except ImportError as error:
        raise MissingExtraError(
            f"MUMPS could not be loaded ({error}); install the sequential library and its wrapper with: "
            "apt install libmumps-seq-dev && pip install 'signorini[mumps]' (the MPI build of MUMPS does not work)"
        ) from error
    return _mumps
