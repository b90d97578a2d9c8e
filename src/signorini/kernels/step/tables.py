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
    """Upper triangular U with `U'U = H`, shape (n, n); empty without springs, where it is known block by block."""
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
