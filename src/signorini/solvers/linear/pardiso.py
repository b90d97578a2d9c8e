"""MKL PARDISO, called from the MKL runtime through ctypes: separate analysis, factorisation and solve.

Indices are 32-bit and zero-based, as in our CSR arrays, so the pattern is handed over without a copy.
"""

from __future__ import annotations

import ctypes
import os
import sys
import weakref
from dataclasses import dataclass, replace
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from signorini.math.sparse import Array, Csr
from signorini.problem.errors import MissingExtraError, SolverError
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

ANALYSIS, FACTORISATION, SOLVE, RELEASE = 11, 22, 33, -1
MATRIX_TYPES = {MatrixKind.POSITIVE_DEFINITE: 2, MatrixKind.SYMMETRIC: -2, MatrixKind.GENERAL: 11}
ORDERINGS = {"minimum-degree": 0, "metis": 2, "parallel-metis": 3}
ZERO_PIVOT = -4
INTEL_THREADS, REPRODUCIBLE = 0, 2
"""MKL_THREADING_INTEL, MKL_CBWR_AUTO."""
FEW_UNKNOWNS, FEW_ENTRIES = 3000, 15_000
"""Up to either of them one thread does the work: it takes about a millisecond, and synchronising threads would cost
more."""
ERRORS = {
    -1: "inconsistent input",
    -2: "not enough memory",
    -3: "reordering failed",
    ZERO_PIVOT: "zero pivot",
    -7: "the diagonal matrix is singular",
    -8: "32-bit integer overflow: the factors are too large",
}


@dataclass(frozen=True)
class Pardiso(BackEnd):
    """MKL PARDISO; settings with the numbers of the MKL manual (one-based `iparm`)."""

    name: ClassVar[str] = "pardiso"

    threads: int | None = None
    """MKL threads of its factorisations; None leaves MKL's own choice."""
    refinement: int = 0
    """Steps of iterative refinement per solve, iparm(8). With 0 PARDISO refines (twice) only after perturbed pivots."""
    pivot_perturbation: int = 13
    """Pivots under `10^-this` times the norm of the matrix are replaced, iparm(10). MKL's default of 8 for symmetric
    matrices would replace correct pivots in the last iterations of an interior point."""
    matching: bool | None = None
    """Scaling and weighted matching, iparm(11) and iparm(13). None: on for general matrices, off for symmetric ones,
    because a quasi-definite matrix has a factorisation in any order and matching doubles the time of the analysis.
    If pivots are perturbed nevertheless (saddle points with a zero block), they are switched on once."""
    bunch_kaufman: bool = True
    """1x1 and 2x2 pivots within the diagonal blocks of symmetric matrices, iparm(21). Costs little; off gives plain
    LDL', enough for quasi-definite matrices far from their limits."""
    ordering: str = "metis"
    """`metis`, `minimum-degree` (a shorter analysis but more fill) or `parallel-metis`, iparm(2)."""

    def __post_init__(self) -> None:
        if self.ordering not in ORDERINGS:
            raise SolverError(f"PARDISO has no ordering {self.ordering!r}; choose one of {', '.join(ORDERINGS)}")

    def without_matching(self) -> Pardiso:
        return replace(self, matching=False)

    def analyse(self, pattern: Csr, kind: MatrixKind) -> Factors:
        check_pattern(pattern, kind)
        load_library()
        return PardisoFactors(self, pattern, kind) if pattern.shape[0] else NoUnknowns()


class PardisoFactors(Factors):
    """PARDISO's memory for one pattern. Pointers are made once: a solve is one foreign call and two short copies."""

    def __init__(self, settings: Pardiso, pattern: Csr, kind: MatrixKind) -> None:
        library = load_library()
        self._n = int(pattern.shape[0])
        self._is_small = self._n <= FEW_UNKNOWNS or pattern.nnz <= FEW_ENTRIES
        self._threads = 1 if self._is_small else settings.threads
        self._call = OnThreads(library, self._threads)
        self._kind = kind
        self._data = np.array(pattern.data, dtype=np.float64)
        self._indptr = np.ascontiguousarray(pattern.indptr, dtype=np.int32)
        self._indices = np.ascontiguousarray(pattern.indices, dtype=np.int32)
        self._b, self._x = np.zeros(self._n), np.zeros(self._n)
        self._handle = np.zeros(64, dtype=np.int64)
        self._iparm = _parameters(settings, kind, self._is_small)
        self._error = ctypes.c_int(0)
        self._may_match = settings.matching is None and kind is MatrixKind.SYMMETRIC
        self._blind = self._may_match or not self._iparm[10]
        self._ready = False
        self._arguments = {
            phase: self._pointers(phase, 1, self._b.ctypes.data, self._x.ctypes.data)
            for phase in (ANALYSIS, FACTORISATION, SOLVE, RELEASE)
        }
        owned = (self._handle, self._iparm, self._data, self._indptr, self._indices, self._error)
        weakref.finalize(self, _release, self._call, self._arguments[RELEASE], owned).atexit = False
        self._analysis_message = self._run(ANALYSIS)

    @property
    def history_free(self) -> bool:
        """Matching depends on values, and the analysis keeps the matching of the first ones."""
        return self._blind

    def factor(self, data: Array) -> FactorReport:
        """Numeric factorisation; the analysis is repeated, once and with matching, if pivots had to be perturbed."""
        self._ready = False
        if not check_values(data, len(self._data)):
            return NOT_FINITE
        self._data[:] = data
        if self._threads is None and self._call.count != self._call.in_force():
            # PARDISO crashes where it factors on other threads than it has analysed on.
            self._run(RELEASE)
            self._handle[:] = 0
            self._call.count = self._call.in_force()
            self._analysis_message = self._run(ANALYSIS)
        if self._analysis_message:
            return FactorReport(False, message=self._analysis_message)
        report = self._factor()
        if report.ok and report.perturbed and self._may_match:
            report = self._factor_with_matching(report)
        self._ready = report.ok
        return report

    def _factor(self) -> FactorReport:
        message = self._run(FACTORISATION)
        if message:
            positive = self._kind is MatrixKind.POSITIVE_DEFINITE and self._error.value == ZERO_PIVOT
            return FactorReport(False, message=NOT_POSITIVE if positive else message)
        return FactorReport(True, perturbed=int(self._iparm[13]))

    def _factor_with_matching(self, before: FactorReport) -> FactorReport:
        """Analyse again with scaling and matching; go back where that perturbs no fewer pivots."""
        self._may_match = self._blind = False
        self._iparm[10] = self._iparm[12] = 1
        if not self._run(ANALYSIS):
            report = self._factor()
            if report.ok and report.perturbed < before.perturbed:
                return report
        self._iparm[10] = self._iparm[12] = 0
        self._analysis_message = self._run(ANALYSIS)
        return self._factor()

    def solve(self, b: Array) -> Array:
        if not self._ready:
            raise RuntimeError("PARDISO has no factors: call factor() and look at its report first")
        if b.ndim != 1:
            return self._solve_many(b)
        if len(b) != self._n:
            check_right_hand_side(b, self._n)
        self._b[:] = b
        self._call(*self._arguments[SOLVE])
        if self._error.value:
            raise RuntimeError(f"PARDISO solve failed: {ERRORS.get(self._error.value, self._error.value)}")
        return self._x.copy()

    def _solve_many(self, b: Array) -> Array:
        """All columns in one call where one thread does the work; free of copies when b is in Fortran order.

        Otherwise one by one: MKL gives each thread some of the columns, and their bits depend on how many it gets, its
        reproducible mode notwithstanding. Other threads than those that factored must not solve (it crashes).
        """
        check_right_hand_side(b, self._n)
        columns = np.asfortranarray(b, dtype=np.float64)
        x = np.empty_like(columns, order="F")
        together = columns.shape[1] if self._is_small else 1
        for first in range(0, columns.shape[1], max(together, 1)):
            some, out = columns[:, first : first + together], x[:, first : first + together]
            self._call(*self._pointers(SOLVE, together, some.ctypes.data, out.ctypes.data))
            if self._error.value:
                raise RuntimeError(f"PARDISO solve failed: {ERRORS.get(self._error.value, self._error.value)}")
        return x

    def _run(self, phase: int) -> str:
        """Run one phase; the message of its error, empty when there is none."""
        self._call(*self._arguments[phase])
        code = self._error.value
        return "" if code == 0 else f"PARDISO error {code} in phase {phase}: {ERRORS.get(code, 'see the MKL manual')}"

    def _pointers(self, phase: int, columns: int, b: int, x: int) -> tuple[Any, ...]:
        """The sixteen arguments of PARDISO."""

        def integer(value: int) -> Any:
            return ctypes.byref(ctypes.c_int(value))

        return (
            ctypes.c_void_p(self._handle.ctypes.data),
            integer(1),
            integer(1),
            integer(MATRIX_TYPES[self._kind]),
            integer(phase),
            integer(self._n),
            ctypes.c_void_p(self._data.ctypes.data),
            ctypes.c_void_p(self._indptr.ctypes.data),
            ctypes.c_void_p(self._indices.ctypes.data),
            integer(0),
            integer(columns),
            ctypes.c_void_p(self._iparm.ctypes.data),
            integer(0),
            ctypes.c_void_p(b),
            ctypes.c_void_p(x),
            ctypes.byref(self._error),
        )


def _parameters(settings: Pardiso, kind: MatrixKind, is_small: bool) -> np.ndarray[Any, np.dtype[np.int32]]:
    """The array `iparm`; positions here are zero-based, the manual's one-based number stands behind each line."""
    iparm = np.zeros(64, dtype=np.int32)
    matching = kind is MatrixKind.GENERAL if settings.matching is None else settings.matching
    iparm[0] = 1  # (1) no defaults
    iparm[1] = ORDERINGS[settings.ordering]  # (2)
    iparm[7] = settings.refinement  # (8)
    iparm[9] = settings.pivot_perturbation  # (10)
    if kind is not MatrixKind.POSITIVE_DEFINITE:
        iparm[10] = iparm[12] = int(matching)  # (11), (13)
    # (24) Two levels halve the time of a solve, but they give other bits for every number of threads.
    iparm[23] = int(kind is MatrixKind.POSITIVE_DEFINITE and is_small)
    iparm[17] = iparm[18] = 0  # (18), (19) no statistics
    iparm[20] = int(settings.bunch_kaufman)  # (21)
    iparm[34] = 1  # (35) zero-based indices
    return iparm


def use_mkl_threads(count: int) -> int:
    """Set the number of MKL threads for calls from this Python thread (0: MKL's choice); returns the previous one.

    Without MKL nothing happens: SuperLU factors on one thread anyway.
    """
    set_threads = _set_threads()
    return 0 if set_threads is None else int(set_threads(count))


@cache
def _set_threads() -> Any:
    """MKL's function that sets the number of threads; None without MKL."""
    try:
        return load_library().MKL_Set_Num_Threads_Local
    except MissingExtraError:
        return None


class OnThreads:
    """PARDISO's function on a number of MKL threads; None: as many as are in force when this is made."""

    def __init__(self, library: Any, count: int | None) -> None:
        self._library = library
        self.count = self.in_force() if count is None else count

    def in_force(self) -> int:
        """How many threads a call from this Python thread would get."""
        return int(self._library.MKL_Get_Max_Threads())

    def __call__(self, *arguments: Any) -> None:
        before = self._library.MKL_Set_Num_Threads_Local(self.count)
        self._library.pardiso(*arguments)
        self._library.MKL_Set_Num_Threads_Local(before)


def _release(call: Any, arguments: tuple[Any, ...], owned: tuple[Any, ...]) -> None:
    """Release PARDISO's memory; `owned` keeps the arrays alive that `arguments` point to."""
    call(*arguments)


def available() -> str:
    """`available`, or the reason why not."""
    return availability(load_library)


@cache
def load_library() -> Any:
    """The MKL runtime in its reproducible mode; raises `MissingExtraError` when it is not installed."""
    os.environ.setdefault("KMP_BLOCKTIME", "0")  # threads that wait sleep: spinning starves a busy machine
    for path in _candidates():
        try:
            library = ctypes.CDLL(path)
            library.pardiso.restype = None
        except (OSError, AttributeError):
            continue
        # Before anything else is called: MKL would choose its threads by what other libraries have loaded, and its
        # loops by the alignment of arrays; then the same model gives other bits in another process.
        library.MKL_Set_Threading_Layer(INTEL_THREADS)
        library.MKL_CBWR_Set(REPRODUCIBLE)
        return library
    raise MissingExtraError(
        "PARDISO needs the MKL runtime (x86-64 only), not found here; install it with: pip install 'signorini[mkl]'"
    )


def _candidates() -> list[str]:
    """Where the MKL runtime may lie, likeliest first."""
    folders = [Path(prefix) / part for prefix in (sys.prefix, sys.base_prefix) for part in ("lib", "Library/bin")]
    if "MKLROOT" in os.environ:
        folders.append(Path(os.environ["MKLROOT"]) / "lib")
    names = ("libmkl_rt.so*", "libmkl_rt*.dylib", "mkl_rt*.dll")
    found = [str(path) for folder in folders for name in names for path in sorted(folder.glob(name))]
    try:
        files = metadata.files("mkl") or []
    except metadata.PackageNotFoundError:
        files = []
    found += [str(file.locate()) for file in files if "mkl_rt" in file.name]
    # Names alone are looked up by the dynamic loader; ctypes' find_library would start gcc and ldconfig.
    return [*found, "libmkl_rt.so.2", "libmkl_rt.so", "libmkl_rt.2.dylib", "libmkl_rt.dylib"]
