"""From the stress of elements to what pictures show."""

from __future__ import annotations

import numpy as np

from signorini.fe.mesh import Mesh
from signorini.math.sparse import Array


def von_mises(stress: Array) -> Array:
    """Equivalent stress `sqrt(3/2 s:s)`, s the deviator, of tensors (..., 3, 3) [Pa]."""
    mean = np.trace(stress, axis1=-2, axis2=-1)[..., None, None] / 3.0
    deviator = stress - mean * np.eye(3)
    return np.asarray(np.sqrt(1.5 * np.einsum("...ij,...ij->...", deviator, deviator)))


def at_nodes(mesh: Mesh, values: Array) -> Array:
    """Mean of the values of the cells that meet at each node, shape (nodes, ...)."""
    count = np.bincount(mesh.cells.reshape(-1), minlength=len(mesh.points))
    flat = values.reshape(len(values), -1)
    total = np.zeros((len(mesh.points), flat.shape[1]))
    for k in range(mesh.cells.shape[1]):
        np.add.at(total, mesh.cells[:, k], flat)
    return np.asarray(total / count[:, None]).reshape(-1, *values.shape[1:])
