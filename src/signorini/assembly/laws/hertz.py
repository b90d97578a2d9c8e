"""Hertz's law: a ball presses into an elastic surface with a force that grows with the power 3/2 of the indentation.

    F = K delta^(3/2),    K = 4/3 E* sqrt(R),    1/E* = (1 - nu_a^2)/E_a + (1 - nu_b^2)/E_b,    1/R = 1/R_a + 1/R_b

Each step has a spring of the secant compliance `e = delta / F = 1 / (K sqrt(delta))` (see `springs`), found by solving
again until delta is that at the end of the step: implicit, stable at any step, exact at rest, of first order in h in
collisions.

With cohesion the bond pulls by F_c beside the elastic force, whatever the indentation [Derjaguin1975]::

    F = K delta^(3/2) - F_c,

so that a ball without load sinks in by `(F_c/K)^(2/3)` and comes off at the pull F_c. In the variables of `cohesion`
the spring carries all of `lambda'`, where a linear one carries `lambda' - s`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from signorini.collision.contacts import Contacts
from signorini.math.sparse import Array
from signorini.model.model import Model
from signorini.model.pair_table import PairLaws
from signorini.model.shapes.sphere import Sphere
from signorini.problem.errors import ModelError

SHALLOWEST = 1e-9
"""Smallest indentation at which the compliance is taken, as a share of R."""
CLOSE = 1e-3
"""Relative error of an indentation that is good enough."""
ENERGY = 0.8
"""Of a contact by Hertz, 2/5 K delta^(5/2), over that of its secant spring, 1/2 K delta^(5/2)."""


@dataclass(frozen=True, eq=False)
class Hertz:
    """Curvatures of the bodies of a model."""

    curvature: Array
    """1/R of bodies that are balls, 0 for others [1/m], shape (bodies,)."""
    names: tuple[str, ...]

    @classmethod
    def of(cls, model: Model) -> Hertz | None:
        """Of a model; None where no surface is elastic."""
        materials = [body.material for body in model.bodies] + [pair.material for pair in model.pair_materials]
        materials += [body.material for body in model.flexibles]
        if all(material.young is None for material in materials):
            return None
        everyone = [*model.bodies, *model.flexibles]
        curvature = np.array([_curvature(body.shapes) for body in model.bodies] + [0.0] * len(model.flexibles))
        return cls(curvature, tuple(body.name for body in everyone))

    def laws(self, laws: PairLaws, contacts: Contacts, indentation: Array) -> PairLaws:
        """The laws with the compliance of each contact at an indentation [m], shape (contacts,)."""
        elastic = laws.hertz > 0
        if not elastic.any():
            return laws
        radius = self._radius(elastic, contacts)
        delta = np.maximum(indentation, SHALLOWEST * radius)
        secant = 0.75 / (np.where(elastic, laws.hertz, 1.0) * np.sqrt(radius * delta))
        return replace(laws, compliance=np.where(elastic, secant, laws.compliance))

    def stiffness(self, laws: PairLaws, contacts: Contacts) -> Array:
        """K of each contact [N/m^(3/2)], 0 for others, shape (contacts,)."""
        return np.asarray(4.0 / 3.0 * laws.hertz * np.sqrt(self._radius(laws.hertz > 0, contacts)))

    def next_laws(
        self, laws: PairLaws, contacts: Contacts, indentation: Array, pushes: NDArray[np.bool_]
    ) -> PairLaws | None:
        """The laws for another try after a solution with these indentations [m]; None where they were right.

        Where weight alone decides, the indentation found is as the power -1/2 of that assumed, and the geometric mean
        below is the answer at once; where inertia does, each try leaves a third of the error.
        """
        elastic = laws.hertz > 0
        if not elastic.any():
            return None
        radius = self._radius(elastic, contacts)
        assumed = (0.75 / (np.where(elastic, laws.hertz, 1.0) * laws.compliance)) ** 2 / radius
        least = SHALLOWEST * radius
        found = np.maximum(indentation, least)
        off = elastic & pushes & (np.abs(found - assumed) > CLOSE * np.maximum(found, assumed))
        if not off.any():
            return None
        start = assumed <= 2.0 * least
        return self.laws(laws, contacts, np.where(start, found, np.cbrt(assumed * found * found)))

    def _radius(self, elastic: NDArray[np.bool_], contacts: Contacts) -> Array:
        """R of contacts by Hertz's law, 1 for others [m]; raises `ModelError` where neither body is a ball."""
        bent = self.curvature[contacts.body_a] + self.curvature[contacts.body_b]
        flat = np.flatnonzero(elastic & (bent == 0.0))
        if len(flat):
            a, b = (self.names[int(body[flat[0]])] for body in (contacts.body_a, contacts.body_b))
            raise ModelError(
                f"{a!r} and {b!r} touch, and neither is a ball: Hertz's law (young=...) needs one; give them a "
                "compliance by set_pair_material"
            )
        return np.asarray(1.0 / np.where(elastic, bent, 1.0))


def _curvature(shapes: tuple[object, ...] | list[object]) -> float:
    """1/R of a body of one ball [1/m], else 0."""
    only = [getattr(one, "shape", None) for one in shapes]
    return 1.0 / only[0].radius if len(only) == 1 and isinstance(only[0], Sphere) else 0.0
