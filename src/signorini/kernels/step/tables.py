"""What the compiled step knows of a model: made once, read at every step."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class BodyTable(NamedTuple):
    """Movable bodies in the order of the problem, and gravity."""

    movable: np.ndarray
    """Index among all bodies, shape (movable,)."""
    place: np.ndarray
    """Place among the movable bodies, -1 for others, shape (bodies,)."""
    mass: np.ndarray
    """[kg], shape (movable,)."""
    inertia: np.ndarray
    """[kg m2], shape (movable, 3, 3)."""
    root: np.ndarray
    """Upper triangular R with `R'R = inertia`, shape (movable, 3, 3)."""
    wobbling: np.ndarray
    """Places of bodies with gyroscopic torque."""
    gravity: np.ndarray
    """[m/s2], shape (3,)."""
    reach: np.ndarray
    """How far a body reaches from its centre [m], 0 where spin changes no distance, shape (movable,)."""


class CoordinateTable(NamedTuple):
    """Rows `sign * s + offset - target` of coordinates s, see `model.coordinate.Coordinates`."""

    kind: np.ndarray
    axis: np.ndarray
    body: np.ndarray
    point: np.ndarray
    turn: np.ndarray
    row: np.ndarray
    """Row of the `RowTable` that each coordinate stands for, shape (m,)."""
    sign: np.ndarray
    offset: np.ndarray
    middle: np.ndarray
    """Of the window of two turns in which an angle lies [rad]; not a number for other coordinates."""
    period: np.ndarray
    """Period of the error [rad], 0 for none: motors may turn for ever."""


class RowTable(NamedTuple):
    """Rows of joints, then of limits, then of dry friction, as blocks of six columns per movable body."""

    joints: int
    limits: int
    frictions: int
    start: np.ndarray
    """First block of each row, then their number, shape (rows + 1,)."""
    body: np.ndarray
    """Place of the movable body of each block, rising within a row, shape (blocks,)."""
    order: np.ndarray
    """Joint rows in the order of elimination, shape (joints,)."""
    first: np.ndarray
    """First place in that order to which the row in a place is coupled, at most itself, shape (joints,)."""
    driving: np.ndarray
    """Whether a joint row may do work, see `stepping.work`, shape (joints,)."""


class RowValues(NamedTuple):
    """Rows at one state; those that are no coordinates are filled in by the caller."""

    blocks: np.ndarray
    """Derivatives, shape (blocks, 6)."""
    known: np.ndarray
    """What the known velocities of fixed and driven bodies add to each row [m/s or rad/s], shape (rows,)."""
    error: np.ndarray
    """Position error, or what is left of the travel [m or rad], shape (rows,)."""
    rate: np.ndarray
    """[m/s or rad/s], shape (rows,); by the caller."""
    target: np.ndarray
    """Taken off the coordinates [m or rad], shape (rows,); by the caller."""
    force: np.ndarray
    """Largest force of dry friction [N or N m], shape (rows,); by the caller."""


class State(NamedTuple):
    """Poses and velocities of all bodies, see `model.state.State`."""

    position: np.ndarray
    orientation: np.ndarray
    velocity: np.ndarray
    spin: np.ndarray


class Inertia(NamedTuple):
    """H and c of a step."""

    stiff: np.ndarray
    """`h R + h^2 K` of springs, shape (n, n); empty without any."""
    factor: np.ndarray
    """Lower triangular U with `U'U = H`, shape (n, n); empty without springs, where it is known block by block."""
    momentum: np.ndarray
    """-c: on entry what springs and applied forces add, shape (n,)."""


class Contacts(NamedTuple):
    """Contacts of one instant, see `collision.contacts.Contacts`."""

    body_a: np.ndarray
    body_b: np.ndarray
    point_a: np.ndarray
    point_b: np.ndarray
    normal: np.ndarray
    gap: np.ndarray
    friction: np.ndarray


class Sparse(NamedTuple):
    """A matrix in CSR form."""

    indptr: np.ndarray
    indices: np.ndarray
    data: np.ndarray


class JointFactor(NamedTuple):
    """Joint rows in whitened velocities and the factor of their products; rows in the order of elimination."""

    rows: np.ndarray
    """A: joint rows over whitened velocities, of unit length, shape (joints, n)."""
    start: np.ndarray
    """First block of six columns of each row that may not be 0, then their number, shape (joints + 1,)."""
    column: np.ndarray
    """First column of each of these blocks; none where springs couple bodies: rows are then read by their spans."""
    span: np.ndarray
    """First column of each row and the one after its last, shape (joints, 2)."""
    scale: np.ndarray
    """Factor that gives rows unit length, shape (joints,)."""
    L: np.ndarray
    """Lower triangular with `L L' = A A'` on independent rows, shape (joints, joints)."""
    begin: np.ndarray
    """First column of each row of L that may not be 0, shape (joints,)."""
    dependent: np.ndarray
    """Whether a row is a combination of earlier ones, shape (joints,)."""
    asked: np.ndarray
    """Scaled b_gamma without what rows contradict one another in, shape (joints,)."""
    Z: np.ndarray
    """Impulses that cause nothing, shape (redundant rows, joints)."""
    gram: np.ndarray
    """Cholesky factor of Z Z'."""


class StepRules(NamedTuple):
    """Numbers of a step."""

    h: float
    """[s]."""
    recovery: float
    """Penetrating bodies are pushed apart at this speed at most [m/s]."""
    reach: float
    """Limits are looked at up to this many times as far away as the present speed leads."""
    round_off: float
    """Distances to a limit below this are none [m or rad]."""
    slip_round_off: float
    """Slips below this share of their terms are no scale for errors."""


class Prepared(NamedTuple):
    """The problem of a step (letters of `ContactProblem`), and its joints taken out of it."""

    C: Sparse
    b_gamma: np.ndarray
    D: Sparse
    b_lambda: np.ndarray
    start: np.ndarray
    """First row of each block of impulses, then their number."""
    mu: np.ndarray
    ends: np.ndarray
    """(low, high) of each block."""
    joints: JointFactor
    free: np.ndarray
    """Whitened velocities without joints and contacts, shape (n,)."""
    W: np.ndarray
    span: np.ndarray
    """Rows of D over whitened velocities and their first and last columns, where N is formed,"""
    white: np.ndarray
    """else the entries of D over whitened velocities."""
    diagonal: np.ndarray
    """Of N without joints, shape (contact rows,)."""
    N: np.ndarray
    """Empty where it is not formed."""
    r: np.ndarray
    root: np.ndarray
    size: float
    """Of the slips without impulses, in roots of energy."""
    spread: float
    sound: bool
    """Whether H is positive definite."""


class Finished(NamedTuple):
    """What a step leaves."""

    v: np.ndarray
    """Velocities of the answer, shape (n,)."""
    moves: np.ndarray
    """Velocities that the bodies move with: free of round-off beside brakes, and shutting the joints, shape (n,)."""
    gamma: np.ndarray
    """Joint impulses, shape (joint rows,)."""
    error: float
    """`Certificate.error` by the exact law."""
    change: float
    """Largest change of speed of any point of a body [m/s]."""
    approach: float
    """Largest speed at which contacts of the problem still approach beyond what it allows [m/s]."""
    passes: bool
    """Whether the step passes a limit that was left out."""
    kinetic: float
    """[J]."""
    weight: float
    """Potential energy of weight [J]."""
    open: float
    """Largest error of a joint at the end, where that was looked for, else 0 [m or rad]."""
    work: np.ndarray
    """On the bodies [J], see `work`."""


class CurveRules(NamedTuple):
    """Numbers of steps to second order."""

    curved: int
    """0 leaves gaps, joints and rotations at first order: nothing else here is looked at."""
    shallow: float
    """Penetrations up to this are always pushed out as velocity [m]."""
    rest: float
    """Penetrations up to this stay, see `ContactBend.rest` [m]."""
    deep: float
    """Those beyond this, and limits passed by more, are taken back at the end of the step [m or rad]."""
    closed: float
    """Contacts within this of gap 0 that change by no more in the step stay closed; 0 for none [m]."""
    noise: float
    """Bends of gaps below this are none, and those of slips over a step [m]."""
    bent: float
    """Gaps that bend by more than this are not followed [m]."""
    jump: float
    """A contact point that moves by more than this share of its lever is another one."""
    shut: float
    """Joint errors up to this are none [m or rad]."""
    stiff: float
    """Beyond this `stiffest` of a step its paths are not followed to second order; see `stepping.prediction`."""
    unstable: float
    """Beyond this one the step is left to the general way, which takes the stiffness of loaded joints implicitly."""
    rolls: float
    """Contacts whose slip is more than so many times its bend slide."""
    passed: float
    """How far beyond a limit is beyond it [m or rad]."""
    rounds: int
    """In which joints are shut at most; 0 where the caller has rows to fill in between."""
    middle: int
    """Whether the energy of weight is that in the middle of a step, else at its end."""


class Curve(NamedTuple):
    """Where the velocities before a step lead, and the bends that this shows."""

    rules: CurveRules
    change: np.ndarray
    """Of the velocities in the last step, shape (n,)."""
    state: State
    """Where they lead; the poses of driven bodies are filled in by the caller."""
    values: RowValues
    """Of the rows there, and later at the end of the step."""
    rows: np.ndarray
    """Bend of joints and limits [m or rad], shape (rows,)."""
    impulse: np.ndarray
    """Of the joints in the last step [N s], shape (joint rows,)."""
    reach: np.ndarray
    """How far bodies reach from their centres [m], 0 where turning moves no surface, shape (bodies,)."""
    stiff: np.ndarray
    """Whether the step is too stiff for bends, and whether it is unstable, shape (2,)."""
    next: np.ndarray
    """Change of the velocities in this step, 0 where bodies were hit, shape (n,)."""
    gaps: np.ndarray
    """Bend of the gaps of contacts found on the way [m], with room for all contacts."""
    known: np.ndarray
    """Whether `state` holds where the velocities of this step lead, shape (1,)."""
    tumbling: np.ndarray
    """Movable bodies that are turned to first order (see `stepping.tumbling`), shape (movable,)."""
    stopped: np.ndarray
    """Contacts that are brought to a stop, wherever they are and whatever their bend, with room for all contacts."""


class Later(NamedTuple):
    """Contacts where the first velocities lead."""

    identity: np.ndarray
    """Of the contacts at the beginning of the step, rising."""
    contacts: Contacts
    there: np.ndarray
    """Their identities, rising."""
    old: np.ndarray
    """Identities of the contacts of the last step, rising."""
    impulse: np.ndarray
    """Of those [N s], shape (contacts of the last step, 3)."""


class SpringTable(NamedTuple):
    """Springs of a model; each has one coordinate or more between the same two bodies."""

    coordinates: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]
    """kind, axis, body, point and turn, see `model.coordinate.Coordinates`."""
    start: np.ndarray
    """First coordinate of each spring, then their number."""
    square: np.ndarray
    """First entry of each spring in `stiffness` and `damping`, then their number."""
    stiffness: np.ndarray
    damping: np.ndarray
    rest: np.ndarray
    """s0, shape (coordinates,)."""
    period: np.ndarray
    """Of the coordinates, 0 for none, shape (coordinates,)."""
    push: np.ndarray
    """Added to the efforts along the coordinates [N or N m], shape (coordinates,)."""
    storing: int
    """How many, from the first, store energy; motors do not."""
    lightness: np.ndarray
    """Inverse of masses and moments of inertia of the unknown velocities [1/kg or 1/(kg m2)], shape (n,); empty takes
    all springs at the end of the step."""
    efforts: np.ndarray
    """Of motors: effort e, gain k and derivatives g of the coordinate over 12 velocities, such that the impulse along g
    in the step is `h e - k g.v`; written with the forces, shape (motors, 14)."""
