"""Tables of a step as they are packed (`kernels.arena`), and places in the list of addresses of its kernels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import types

from signorini.kernels.arena import declare, places_of, type_of
from signorini.kernels.bodies.blows import BlowRules
from signorini.kernels.bodies.servos import ServoTable
from signorini.kernels.collision.broad import Pairs
from signorini.kernels.collision.conventions import KINDS
from signorini.kernels.collision.convex_table import ConvexTable
from signorini.kernels.collision.table import Found, Placement, ShapeArrays
from signorini.kernels.interior.dense_step import StepRules as PathRules
from signorini.kernels.interior.exact_workspace import ExactRules
from signorini.kernels.interior.starts import WarmRules
from signorini.kernels.step.tables import (
    BodyTable,
    Contacts,
    CoordinateTable,
    Curve,
    CurveRules,
    Finished,
    Inertia,
    JointFactor,
    Later,
    Prepared,
    RowTable,
    RowValues,
    Sparse,
    SpringTable,
    State,
    StepRules,
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
    shallow: float
    """Overlaps on the way count above this share of that half size."""
    places: int
    """Where a pair is looked at along its way, at most."""


class Bounds(NamedTuple):
    """What the compiled step may do."""

    rows: int
    """Most contact rows."""
    dense: int
    """Rows up to which N is formed; beyond, rows of bodies are factored."""
    tolerance: float
    """Largest error of an answer."""
    most_twist: float
    """Of torsion springs whose energy is told [rad]."""
    judging: tuple[float, ...]
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
    servos: ServoTable
    blows: BlowRules


F, I, B, F1, F2, I1, B1 = (type_of(word) for word in ("f", "i", "b", "f1", "f2", "i1", "b1"))
SHAPES = declare(ShapeArrays, "i1", "i1", "f2", "f2", "f2", "f2", "f2", "f1", "f2", "i2", "f1", "i1", "i")
CONVEX = declare(ConvexTable, "i1", "f2", "f1", "f1", "b1", "i1", "f2", "i1", "f2", "i1", "i1", "i1", "i1", "i")
PLACED = declare(Placement, "f2", "f2", "f2", "f1")
declare(Pairs, "i1", "i1", "f1")
FOUND = declare(Found, "i1", "f2", "i")
declare(Scene, ShapeArrays, ConvexTable, Placement, Pairs, "b1", "i1", "i1", "i1", "f1", "f", "f", "i")
BODIES = declare(BodyTable, "i1", "i1", "f1", "f3", "f3", "i1", "f1", "f1")
COORDINATES = declare(CoordinateTable, "i1", "i2", "i2", "f3", "f3", "i1", "f1", "f1", "f1", "f1")
ROWS = declare(RowTable, "i", "i", "i", "i1", "i1", "i1", "i1", "b1")
VALUES = declare(RowValues, "f2", "f1", "f1", "f1", "f1", "f1")
INERTIA = declare(Inertia, "f2", "f2", "f1")
SPRINGS = declare(
    SpringTable, ("i1", "i2", "i2", "f3", "f3"), "i1", "i1", "f1", "f1", "f1", "f1", "f1", "i", "f1", "f2"
)
STATE = declare(State, "f2", "f2", "f2", "f2")
CONTACTS = declare(Contacts, "i1", "i1", "f2", "f2", "f2", "f1", "f1")
RULES = declare(StepRules, *"fffff")
declare(LookRules, *"fffff", "i")
EXACT = declare(ExactRules, *"fifffffffffiff")
PATH = declare(PathRules, *"fififfffffff")
WARM = declare(WarmRules, *"ffff")
declare(Bounds, "i", "i", "f", "f", ("f", "f", "f", "f", "f", "f"))
CURVE_RULES = declare(CurveRules, "i", *"ffffffffffff", "i", "i")
CURVE = declare(Curve, CurveRules, "f1", State, RowValues, "f1", "f1", "f1", "b1", "f1", "f1", "b1", "b1", "b1")
declare(BlowRules, *"fff", "b1")
declare(ServoTable, *["f1"] * 8, "i1", "f1")
LATER = declare(Later, "i1", Contacts, "i1", "i1", "f2")
declare(
    StepTables, BodyTable, CoordinateTable, RowTable, RowValues, Inertia, SpringTable, Scene, StepRules, LookRules,
    ExactRules, PathRules, WarmRules, Bounds, "f1", "b1", Curve, ServoTable, BlowRules,
)  # fmt: skip
AT = places_of(StepTables)
"""Where the tables are in the arena of a step."""
CURVE_AT, SPRINGS_AT = places_of(Curve, AT.curve), places_of(SpringTable, AT.springs)
SPARSE = declare(Sparse, "j1", "j1", "f1")
FACTOR = declare(JointFactor, "f2", "i1", "i1", "i2", "f1", "f2", "i1", "b1", "f1", "f2", "f2")
PREPARED = declare(
    Prepared, Sparse, "f1", Sparse, "f1", "i1", "f1", "f2", JointFactor, "f1", "f2", "i2", "f1", "f1", "f2", "f1", "f1",
    "f", "f", "b",
)  # fmt: skip
FINISHED = declare(Finished, "f1", "f1", "f1", "f", "f", "f", "b", "f", "f", "f", "f1")
RECORD = types.Tuple((F1, I1))
"""Of `whole.take`."""

CONVEX_ENTRY = KINDS * KINDS
"""Places in the list of addresses, after those of pair kernels by the codes of their kinds."""
(
    PREPARE_ENTRY, SOLVE_ENTRY, FINISH_ENTRY, SPRINGS_ENTRY, STORED_ENTRY, CLOCK_ENTRY, DETECT_ENTRY, LOOK_ENTRY,
    AHEAD_ENTRY, BEND_ROWS_ENTRY, BEND_ENTRY, SHUT_ENTRY, PUT_RIGHT_ENTRY, SOLVE_BODIES_ENTRY,
    TAKE_BACK_ENTRY, RENEW_ENTRY, BLOWS_ENTRY,
) = range(CONVEX_ENTRY + 1, CONVEX_ENTRY + 18)  # fmt: skip
"""Those from AHEAD to PUT_RIGHT are loaded where paths bend."""
ENTRIES = CONVEX_ENTRY + 18
"""Length of that list; 0 stands for kernels that are not loaded."""
