"""Kernels that every step calls by address; those that it may call stand beside their conventions."""

from __future__ import annotations

from numba import types

from signorini.kernels.by_address import Convention
from signorini.kernels.interior import body_solve, dense_solve
from signorini.kernels.step.finish import finish
from signorini.kernels.step.packed import (
    CONTACTS,
    EXACT,
    F1,
    F2,
    FINISHED,
    I1,
    LATER,
    PATH,
    PREPARED,
    SPARSE,
    SPRINGS,
    STATE,
    WARM,
    B,
    F,
    I,
)  # fmt: skip
from signorini.kernels.step.prepare import prepare
from signorini.kernels.step.springs import add_springs, stored

PREPARE = Convention((I1, I1, STATE, CONTACTS, B, LATER), PREPARED, prepare)
SOLVE = Convention(
    (I1, F1, F2, F2, F1, F1, F, F, B, F1, EXACT, PATH, WARM, F1), types.Tuple((I, F, I)), dense_solve.solve
)  # fmt: skip
SOLVE_BODIES = Convention(
    (I, SPARSE, F1, I1, F1, F1, F1, F1, F, F, B, F1, EXACT, PATH, WARM, F1), types.Tuple((I, F, I)), body_solve.solve
)  # fmt: skip
FINISH = Convention((I1, I1, STATE, PREPARED, I, F1, STATE), FINISHED, finish)
ADD_SPRINGS = Convention((SPRINGS, I1, STATE, F, F2, F1), B, add_springs)
STORED = Convention((SPRINGS, STATE), types.UniTuple(F, 2), stored)
call_prepare, call_solve, call_finish = PREPARE.call, SOLVE.call, FINISH.call
call_solve_bodies = SOLVE_BODIES.call
call_add_springs, call_stored = ADD_SPRINGS.call, STORED.call
