"""Bodies and contacts for ParaView and its kin: unstructured grids (.vtu) and series of them (.pvd)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np

from signorini.fe.cable import Cable
from signorini.fe.soft_body import SoftBody
from signorini.fe.stress import at_nodes, von_mises
from signorini.io.body_surfaces import BodySurface, body_surfaces, total
from signorini.io.trajectory import States, Trajectory, frames_of
from signorini.io.vtk_grid import contact_grid, document, grid
from signorini.math.rotations import matrix, rotate
from signorini.math.sparse import Indices
from signorini.model.flexible_body import FlexibleBody
from signorini.model.model import Model
from signorini.model.state import State
from signorini.problem.errors import FileError, ModelError


def save_vtk(path: str | Path, model: Model, states: State | States, every: int = 1) -> list[Path]:
    """Write all bodies at one state to `path` (.vtu), or a run, or many states, to a series (.pvd) for ParaView.

    Points carry displacement [m] since t = 0 and velocity [m/s]; cells carry the number of their body, that of
    `Model.bodies`, flexible ones counted on from there. With flexible bodies points carry von Mises stress [Pa], cells
    Cauchy stress [Pa] and strain [-]. A run has a second grid with its contacts: points with normal, gap [m], force on
    the first body [N], coefficient of friction and the numbers of both bodies. Planes are squares. Bodies that are not
    in the scene (emitters, `remove_outside`) are left out; positions in periodic space go on across its ends.

    Parameters
    ----------
    every
        Of a run or of states, every n-th is written.

    Returns
    -------
    The files written; those of a series stand beside it, numbered.
    """
    target = Path(path)
    wanted = ".vtu" if isinstance(states, State) else ".pvd"
    if target.suffix != wanted:
        raise FileError(f"{target} has the ending '{target.suffix}', expected '{wanted}'")
    if not target.parent.is_dir():
        raise FileError(f"{target} cannot be written: there is no directory {target.parent}; make it first")
    if every < 1:
        raise ModelError(f"every is {every}, expected 1 or more")
    surfaces = body_surfaces(model)
    if not model.flexibles and not total(surfaces):
        raise ModelError("the model has no bodies with shapes: there is nothing to write")
    if isinstance(states, State):
        return [_written(target, _grid(model, surfaces, states))]
    files, sets = [], []
    for number, state in enumerate(frames_of(states, every)):
        grids = [("", _grid(model, surfaces, state))]
        if isinstance(states, Trajectory):
            grids.append(("-contacts", contact_grid(states, number * every)))
        for part, (word, text) in enumerate(grids):
            file = target.with_name(f"{target.stem}{word}-{number:05d}.vtu")
            files.append(_written(file, text))
            sets.append(f'<DataSet timestep="{state.time!r}" part="{part}" file={quoteattr(file.name)}/>')
    return [_written(target, document("Collection", "<Collection>" + "".join(sets) + "</Collection>")), *files]


def _grid(model: Model, surfaces: Sequence[BodySurface], state: State) -> str:
    """The XML of one state."""
    rigid = [_rigid_part(model, k, surface, state) for k, surface in enumerate(surfaces) if len(surface.triangles)]
    count = len(model.bodies)
    parts = rigid + [_part(count + number, body, state) for number, body in enumerate(model.flexibles)]
    return grid(parts, DATA if model.flexibles else RIGID_DATA)


RIGID_DATA = {"points": ("displacement", "velocity"), "cells": ("body",)}
DATA = {"points": (*RIGID_DATA["points"], "von_mises"), "cells": ("stress", "strain", "body")}


def _rigid_part(model: Model, number: int, surface: BodySurface, state: State) -> dict[str, Any]:
    """Points, cells and their data of a rigid body."""
    body, local = model.bodies[number], surface.vertices
    arms = local @ matrix(state.orientation[number]).T
    start = local @ matrix(body.orientation).T + body.position
    points = arms + state.position[number]
    spin = rotate(state.orientation[number], state.angular_velocity[number])
    cells = len(surface.triangles)
    away = bool(model.stored(state.position[number]))
    if any(number in emitter.bodies for emitter in model.emitters):
        start = points  # where it came in is not known
    part = {
        "points": points,
        "cells": surface.triangles,
        "displacement": points - start,
        "velocity": state.velocity[number] + np.cross(spin, arms),
        "von_mises": np.zeros(len(points)),
        "stress": np.zeros((cells, 9)),
        "strain": np.zeros((cells, 9)),
        "body": np.full(cells, number),
    }
    return {name: values[:0] for name, values in part.items()} if away else part


def _part(number: int, body: FlexibleBody, state: State) -> dict[str, Any]:
    """Points, cells and their data of one body; of a cable the places alone."""
    x, v = state.node_position[body.nodes], state.node_velocity[body.nodes]
    flexible = body.flexible
    chosen: Indices = np.flatnonzero(flexible.translation > 0)
    if isinstance(flexible, SoftBody):
        cells = flexible.mesh.cells
        stress, strain = flexible.stress(x)
        mises = von_mises(at_nodes(flexible.mesh, stress))
    elif isinstance(flexible, Cable):
        cells = flexible.cells[:, [0, 2]] // 2
        stress = strain = np.zeros((len(cells), 3, 3))
        mises = np.zeros(len(chosen))
    else:
        raise ModelError(f"{body.name!r} is a {type(flexible).__name__}, expected a SoftBody or a Cable to write")
    return {
        "points": x[chosen],
        "cells": cells,
        "displacement": (x - body.position)[chosen],
        "velocity": v[chosen],
        "von_mises": mises,
        "stress": stress.reshape(-1, 9),
        "strain": strain.reshape(-1, 9),
        "body": np.full(len(cells), number),
    }


def _written(path: Path, text: str) -> Path:
    try:
        path.write_text(text)
    except OSError as error:
        raise FileError(f"{path} cannot be written: {error.strerror or error}") from error
    return path
