"""What crosses the calls of a step: tables as they are packed (`kernels.arena`), kernels that are called by address."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import types

from signorini.kernels.arena import declare, type_of
from signorini.kernels.by_address import Convention
from signorini.kernels.collision.broad import Pairs
from signorini.kernels.collision.conventions import KINDS
from signorini.kernels.collision.convex_table import ConvexTable
from signorini.kernels.collision.table import Found, Placement, ShapeArrays
from signorini.kernels.interior import dense_solve
from signorini.kernels.interior.dense_step import StepRules as PathRules
from signorini.kernels.interior.exact_workspace import ExactRules
from signorini.kernels.interior.starts import WarmRules
from signorini.kernels.step.curve import Curve, CurveRules, Later
from signorini.kernels.step.finish import Finished, finish
from signorini.kernels.step.prepare import Prepared, StepRules, prepare
from signorini.kernels.step.springs import SpringTable, add_springs, stored
from signorini.kernels.step.tables import (
    BodyTable,
    Contacts,
    CoordinateTable,
    Inertia,
    JointFactor,
    RowTable,
    RowValues,
    Sparse,
    State,
)  # fmt: skip


class Scene(NamedTuple):
    """Shapes of a model and which of them may meet."""

    shapes: ShapeArrays
    convex: ConvexTable
    placed: Placement
    """Room for where they are."""
    candidates: Pairs
    """Pairs of bounded shapes, sorted."""
    centred: np.ndarray
    """Marks spheres about the centres of their bodies."""
    planes: np.ndarray
    bounded: np.ndarray
    most: np.ndarray
    """Contacts that a pair may have, by the code of its kinds, shape (KINDS KINDS,)."""
    thickness: np.ndarray
    """How far a shape reaches from the centre of its body [m], shape (shapes,)."""
    fall: float
    """What a resting body may fall in a step [m]."""
    margin: float
    """Smallest envelope of any pair at rest [m]."""
    turns: int
    """Whether turning changes a distance at all."""


class LookRules(NamedTuple):
    """Numbers of `stepping.new_contacts` and `stepping.swept_contacts`."""

    small: float
    almost: float
    share: float
    """Of the default margin, up to which overlaps along the way count as none."""
    thickness: float
    """Limit of a pair along the way over the smaller half size of its shapes."""


class Bounds(NamedTuple):
    """What the compiled step may do."""

    rows: int
    """Most contact rows."""
    tolerance: float
    """Largest error of an answer."""
    most_twist: float
    """Of torsion springs whose energy is told [rad]."""
    judging: tuple[float, float, float, float, float]
    """See `finish`."""


class StepTables(NamedTuple):
    """All that a step needs to know of a model."""

    bodies: BodyTable
    coordinates: CoordinateTable
    rows: RowTable
    values: RowValues
    inertia: Inertia
    springs: SpringTable
    scene: Scene
    rules: StepRules
    look: LookRules
    exact: ExactRules
    path: PathRules
    warm: WarmRules
    bounds: Bounds
    shares: np.ndarray
    near: np.ndarray
    curve: Curve


F, I, B, F1, F2, I1, B1 = (type_of(word) for word in ("f", "i", "b", "f1", "f2", "i1", "b1"))
SHAPES = declare(ShapeArrays, "i1", "i1", "f2", "f2", "f2", "f2", "f2", "f1", "f2", "i2", "f1", "i1", "i")
CONVEX = declare(ConvexTable, "i1", "f2", "f1", "f1", "b1", "i1", "f2", "i1", "f2", "i1", "i1", "i1", "i1", "i")
PLACED = declare(Placement, "f2", "f2", "f2", "f1")
declare(Pairs, "i1", "i1", "f1")
FOUND = declare(Found, "i1", "f2")
declare(Scene, ShapeArrays, ConvexTable, Placement, Pairs, "b1", "i1", "i1", "i1", "f1", "f", "f", "i")
BODIES = declare(BodyTable, "i1", "i1", "f1", "f3", "f3", "i1", "f1", "f1")
COORDINATES = declare(CoordinateTable, "i1", "i2", "i2", "f3", "f3", "i1", "f1", "f1", "f1", "f1")
ROWS = declare(RowTable, "i", "i", "i", "i1", "i1", "i1", "i1")
VALUES = declare(RowValues, "f2", "f1", "f1", "f1", "f1", "f1")
INERTIA = declare(Inertia, "f2", "f2", "f1")
SPRINGS = declare(SpringTable, ("i1", "i2", "i2", "f3", "f3"), "i1", "i1", "f1", "f1", "f1", "f1", "f1", "i", "f1")
STATE = declare(State, "f2", "f2", "f2", "f2")
CONTACTS = declare(Contacts, "i1", "i1", "f2", "f2", "f2", "f1", "f1")
RULES = declare(StepRules, *"fffff")
declare(LookRules, *"ffff")
EXACT = declare(ExactRules, *"fifffffffffi")
PATH = declare(PathRules, *"fififfffffff")
WARM = declare(WarmRules, *"ffff")
declare(Bounds, "i", "f", "f", ("f", "f", "f", "f", "f"))
CURVE_RULES = declare(CurveRules, "i", *"ffffffff", "i", "i")
CURVE = declare(Curve, CurveRules, "f1", State, RowValues, "f1", "f1", "f1", "b1", "f1", "f1")
LATER = declare(Later, "i1", Contacts, "i1", "i1", "f2")
declare(
    StepTables, BodyTable, CoordinateTable, RowTable, RowValues, Inertia, SpringTable, Scene, StepRules, LookRules,
    ExactRules, PathRules, WarmRules, Bounds, "f1", "b1", Curve,
)  # fmt: skip
declare(Sparse, "j1", "j1", "f1")
declare(JointFactor, "f2", "i2", "f1", "f2", "i1", "b1", "f1", "f2", "f2")
PREPARED = declare(
    Prepared, Sparse, "f1", Sparse, "f1", "i1", "f1", "f2", JointFactor, "f1", "f2", "i2", "f1", "f2", "f1", "f1", "f",
    "f", "b",
)  # fmt: skip
FINISHED = declare(Finished, "f1", "f1", "f1", "f", "f", "f", "b", "f", "f", "f")

RECORD = types.Tuple((F1, I1))
"""Of `whole.take`."""
PREPARE = Convention(
    (BODIES, COORDINATES, ROWS, VALUES, STATE, INERTIA, CONTACTS, RULES, B, B1, CURVE, LATER), PREPARED, prepare
)  # fmt: skip
SOLVE = Convention(
    (I1, F1, F2, F2, F1, F1, F, F, B, F1, EXACT, PATH, WARM, F1), types.Tuple((I, F, I)), dense_solve.solve
)  # fmt: skip
FINISH = Convention(
    (BODIES, COORDINATES, ROWS, VALUES, STATE, INERTIA, PREPARED, I, F1, F, B1, types.UniTuple(F, 5), CURVE, STATE),
    FINISHED, finish,
)  # fmt: skip
ADD_SPRINGS = Convention((SPRINGS, I1, STATE, F, F2, F1), B, add_springs)
STORED = Convention((SPRINGS, STATE), types.UniTuple(F, 2), stored)
LISTS = (I1, I1, F1)
PAIR_KERNEL = Convention((SHAPES, PLACED, *LISTS, FOUND, I), I)
"""Any of `kernels.collision.pair_kernels`."""
CONVEX_KERNEL = Convention((CONVEX, PLACED, *LISTS, FOUND, I), I)
"""`kernels.collision.convex_table.convex_pairs`."""
call_prepare, call_solve, call_finish = PREPARE.call, SOLVE.call, FINISH.call
call_add_springs, call_stored = ADD_SPRINGS.call, STORED.call
call_pair_kernel, call_convex_kernel = PAIR_KERNEL.call, CONVEX_KERNEL.call

CONVEX_ENTRY = KINDS * KINDS
"""Places in the list of addresses, after those of pair kernels by the codes of their kinds."""
PREPARE_ENTRY, SOLVE_ENTRY, FINISH_ENTRY, SPRINGS_ENTRY, STORED_ENTRY, CLOCK_ENTRY = range(
    CONVEX_ENTRY + 1, CONVEX_ENTRY + 7
)
ENTRIES = CONVEX_ENTRY + 7
"""Length of that list; 0 stands for kernels that are not loaded."""
