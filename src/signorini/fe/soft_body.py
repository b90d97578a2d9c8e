"""A solid of finite elements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from signorini.fe.elastic_step import WEIGHTS, ElasticStepName
from signorini.fe.elements.element import mapped
from signorini.fe.materials.material import SolidMaterial
from signorini.fe.mesh import Mesh
from signorini.fe.pattern import Pattern
from signorini.kernels.fe import solid as fe_solid
from signorini.kernels.fe import stretch as fe_stretch
from signorini.math.cached import cached_property
from signorini.math.sparse import Array, Csr, Indices
from signorini.model.checks import not_negative
from signorini.model.component import ElasticWeights
from signorini.model.skin import Skin
from signorini.problem.errors import ModelError

MassName = Literal["lumped", "consistent"]
TangentName = Literal["strain", "full"]
MODES = {"strain": fe_stretch.STRAIN, "full": fe_stretch.FULL}


@dataclass(frozen=True, eq=False)
class SoftBody:
    """A deformable solid: a mesh, a material, Rayleigh damping.

    >>> rubber = SoftBody(Mesh.box((0.1, 0.1, 0.1), (4, 4, 4)), Elastic(young=1e6, poisson=0.4, density=1100))
    >>> model.add_flexible(rubber, position=(0, 0, 0.5))

    Forces are `-d W / d x - C v` with the elastic energy W and `C = mass_damping M + stiffness_damping K`.

    The step needs a positive semidefinite K. `strain` keeps of the second derivative of W what changes the stretch of
    elements and drops how stress turns with them: K vanishes along rigid motions of the deformed body, so that a step
    keeps linear and angular momentum to round-off. `full` keeps both, negative parts cut off element by element: better
    for strips and membranes under high tension, but angular momentum is then kept only as well as h is small.
    """

    mesh: Mesh
    """The rest shape."""
    material: SolidMaterial
    mass_damping: float = 0.0
    """Of Rayleigh [1/s]: brakes all motion, rigid ones too."""
    stiffness_damping: float = 0.0
    """Of Rayleigh [s]: brakes changes of shape, high frequencies most."""
    mass_matrix: MassName = "lumped"
    """`lumped` in the nodes or `consistent` with the shape functions."""
    tangent_matrix: TangentName = "strain"
    """`strain` or `full`, see above."""
    elastic_step: ElasticStepName = "euler"
    """How the first-order step takes elastic forces: `euler` damps what it does not resolve, `trapezoidal` and
    `explicit` keep energy (see `fe.elastic_step`)."""

    def __post_init__(self) -> None:
        if not isinstance(self.mesh, Mesh):
            raise ModelError(f"mesh is {self.mesh!r}, expected Mesh.box(...) or another Mesh")
        if not isinstance(self.material, SolidMaterial):
            raise ModelError(f"material is {self.material!r}, expected Elastic(young=..., poisson=..., density=...)")
        not_negative(self.mass_damping, "mass_damping")
        not_negative(self.stiffness_damping, "stiffness_damping")
        for what, value, choices in (
            ("mass_matrix", self.mass_matrix, MassName), ("tangent_matrix", self.tangent_matrix, TangentName),
            ("elastic_step", self.elastic_step, ElasticStepName),
        ):  # fmt: skip
            if value not in get_args(choices):
                raise ModelError(f"{what} is {value!r}, expected one of {', '.join(get_args(choices))}")

    # --- the interface of the step (`model.component.Flexible`) -------------------------------------------------------

    @property
    def rest(self) -> Array:
        """Node positions of the rest shape [m], shape (nodes, 3)."""
        return self.mesh.points

    @cached_property
    def translation(self) -> Array:
        """How far each node moves when the body moves by 1: all nodes are points of the body, shape (nodes,)."""
        return np.ones(len(self.mesh.points))

    @cached_property
    def skin(self) -> Skin:
        """The surface that touches."""
        return Skin.of_triangles(self.mesh.surface)

    @cached_property
    def mass(self) -> Csr:
        """Consistent or lumped mass [kg], shape (3 nodes, 3 nodes)."""
        cells, pattern = self.mesh.cells, self._pattern
        values = self._element_masses
        if self.mass_matrix == "lumped":
            values = lumped(values)
        data = pattern.zeros()
        pattern.add_scalars(cells, values, data)
        return pattern.matrix(data)

    @property
    def elastic_weights(self) -> ElasticWeights:
        """Those of `elastic_step`."""
        return WEIGHTS[self.elastic_step]

    def force(self, position: Array, velocity: Array) -> Array:
        """Elastic and damping force [N], shape (3 nodes,)."""
        out = np.zeros_like(position)
        fe_solid.add_forces(position, *self._data, out)
        force = out.reshape(-1)
        if self.mass_damping or self.stiffness_damping:
            force -= self._damping(self._stiffness(position, MODES[self.tangent_matrix])) @ velocity.reshape(-1)
        return force

    def tangent(self, position: Array, velocity: Array) -> tuple[Csr, Csr]:
        """dF/dq and dF/dv, both negative semidefinite, in the pattern of the mass, shape (3 nodes, 3 nodes)."""
        K = self._stiffness(position, MODES[self.tangent_matrix])
        return self._pattern.matrix(-K.data), self._pattern.matrix(-self._damping(K).data)

    def exact_tangent(self, position: Array) -> Csr:
        """dF/dq of the elastic force, rotations of stress included; may be indefinite."""
        return self._pattern.matrix(-self._stiffness(position, fe_stretch.EXACT).data)

    def energy(self, position: Array) -> float:
        """Elastic energy [J]."""
        out = np.empty(len(self.mesh.cells))
        fe_solid.energies(position, *self._data, out)
        return float(out.sum())

    # --- for pictures and studies ------------------------------------------------------------------------------------

    def stress(self, position: Array) -> tuple[Array, Array]:
        """Mean Cauchy stress [Pa] and Biot strain [-] of each element, world axes, both of shape (elements, 3, 3)."""
        stress, strain = np.empty((len(self.mesh.cells), 3, 3)), np.empty((len(self.mesh.cells), 3, 3))
        fe_solid.stresses(position, *self._data, stress, strain)
        return stress, strain

    def smallest_stretch(self, position: Array) -> float:
        """Smallest principal stretch of any element [-]; 0 or less when one is flat or turned inside out."""
        out = np.empty(len(self.mesh.cells))
        fe_solid.smallest_stretches(position, self.mesh.cells, self._data[1], out)
        return float(out.min())

    # --- made once ---------------------------------------------------------------------------------------------------

    @cached_property
    def _pattern(self) -> Pattern:
        return Pattern.of(self.mesh.cells, len(self.mesh.points))

    @cached_property
    def _data(self) -> tuple[Indices, Array, Array, tuple[int, float, float]]:
        """Cells, gradients, weights and material for the kernels."""
        element = self.mesh.element
        gradients, weights = mapped(self.mesh.points, self.mesh.cells, element.gradients, element.weights)
        return self.mesh.cells, np.ascontiguousarray(gradients), weights, self.material.numbers

    @cached_property
    def _element_masses(self) -> Array:
        """`density * integral N_a N_b` of each element [kg], shape (elements, nodes, nodes)."""
        element = self.mesh.element
        J = np.einsum("eai,paj->epij", self.mesh.points[self.mesh.cells], element.mass_gradients)
        weights = self.material.density * np.linalg.det(J) * element.mass_weights
        return np.asarray(np.einsum("ep,pa,pb->eab", weights, element.mass_shapes, element.mass_shapes))

    def _stiffness(self, position: Array, mode: int) -> Csr:
        """Kept for the last two positions: damping and tangent ask for it again."""
        latest: tuple[tuple[int, Array, Csr], ...] = self.__dict__.get("_latest", ())
        for known, where, K in latest:
            if known == mode and np.array_equal(where, position):
                return K
        data = self._pattern.zeros()
        fe_solid.add_stiffness(position, *self._data, mode, self._pattern.first, self._pattern.stride, data)
        K = self._pattern.matrix(data)
        self.__dict__["_latest"] = ((mode, position.copy(), K), *latest[:1])
        return K

    def _damping(self, K: Csr) -> Csr:
        if not (self.mass_damping or self.stiffness_damping):
            return self._pattern.matrix(self._pattern.zeros())
        return self._pattern.matrix(self.stiffness_damping * K.data + self.mass_damping * self.mass.data)


def lumped(masses: Array) -> Array:
    """Diagonal element masses of the same total, in proportion to the diagonal of the consistent ones."""
    diagonal = np.einsum("eaa->ea", masses)
    total = masses.sum(axis=(1, 2))
    scaled = diagonal * (total / diagonal.sum(axis=1))[:, None]
    return np.asarray(np.einsum("ea,ab->eab", scaled, np.eye(masses.shape[1])))
