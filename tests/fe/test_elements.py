"""Every element with every material: forces and tangents are derivatives, rigid motions cost nothing, patch tests."""

from __future__ import annotations

import numpy as np
import pytest
import skfem
from scipy.spatial.transform import Rotation
from skfem.helpers import ddot, eye, sym_grad, trace

from signorini.fe.cable import Cable
from signorini.fe.elements import ELEMENTS
from signorini.fe.materials.elastic import Elastic
from signorini.fe.soft_body import SoftBody

from .bodies import KINDS, MATERIALS, RUBBER, every_body, skewed_box

BODIES = every_body()
SOLIDS = [name for name in BODIES if isinstance(BODIES[name], SoftBody)]


def strained(name: str, amount: float = 0.04) -> np.ndarray:
    body = BODIES[name]
    return body.rest + amount * np.random.default_rng(3).uniform(-1, 1, body.rest.shape)


def at_rest(body: SoftBody | Cable) -> np.ndarray:
    return np.zeros_like(body.rest)


@pytest.mark.parametrize("name", BODIES)
def test_force_is_the_slope_of_the_energy(name: str) -> None:
    body, x = BODIES[name], strained(name)
    force = body.force(x, at_rest(body))
    step = 1e-6
    for seed in range(3):
        d = np.random.default_rng(seed).standard_normal(x.shape)
        slope = (body.energy(x + step * d) - body.energy(x - step * d)) / (2 * step)
        assert slope == pytest.approx(-force @ d.reshape(-1), rel=1e-6, abs=1e-8 * np.abs(force).max())


@pytest.mark.parametrize("name", BODIES)
def test_exact_tangent_is_the_slope_of_the_force(name: str) -> None:
    body, x = BODIES[name], strained(name)
    K = body.exact_tangent(x)
    assert abs(K - K.T).max() < 1e-13 * abs(K).max()
    step = 1e-6
    for seed in range(3):
        d = np.random.default_rng(seed).standard_normal(x.shape)
        slope = (body.force(x + step * d, at_rest(body)) - body.force(x - step * d, at_rest(body))) / (2 * step)
        np.testing.assert_allclose(K @ d.reshape(-1), slope, atol=1e-7 * np.abs(slope).max())


@pytest.mark.slow
@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("strong", [0.04, 0.3])
def test_tangent_of_the_step_is_semidefinite(name: str, strong: float) -> None:
    body, x = BODIES[name], strained(name, strong)
    for mode in ("strain", "full") if isinstance(body, SoftBody) else ("",):
        chosen = SoftBody(body.mesh, body.material, tangent_matrix=mode) if isinstance(body, SoftBody) else body  # type: ignore[arg-type]
        values = np.linalg.eigvalsh(chosen.tangent(x, at_rest(body))[0].toarray())
        assert values.max() < 1e-12 * np.abs(values).max()


@pytest.mark.parametrize("name", BODIES)
def test_tangent_of_the_step_is_exact_at_the_rest_shape(name: str) -> None:
    """Where there is no stress nothing is left out; a belt is bent at rest, so not there."""
    if name in ("cable", "belt"):
        return
    body = BODIES[name]
    turned = body.rest @ Rotation.from_rotvec([0.3, -1.1, 2.0]).as_matrix().T
    exact, used = body.exact_tangent(turned), body.tangent(turned, at_rest(body))[0]
    assert abs(exact - used).max() < 1e-13 * abs(exact).max()


@pytest.mark.parametrize("name", BODIES)
def test_rigid_motions_cost_nothing(name: str) -> None:
    """Any rotation by any angle: no force and no energy beyond those that the body has at rest."""
    body, size = BODIES[name], 3.0
    rest = body.energy(body.rest)
    for seed in range(5):
        R = Rotation.random(random_state=seed).as_matrix()
        moved = body.rest @ R.T + np.outer(body.translation, [3.0, -2.0, 1.0])
        assert body.energy(moved) == pytest.approx(rest, abs=1e-13 * size)
        turned = body.force(body.rest, at_rest(body)).reshape(-1, 3) @ R.T
        np.testing.assert_allclose(body.force(moved, at_rest(body)), turned.reshape(-1), atol=1e-13 * size)


@pytest.mark.parametrize("name", SOLIDS)
def test_step_tangent_vanishes_along_rigid_motions_of_the_strained_body(name: str) -> None:
    """That is what keeps angular momentum in a step that is linear in it."""
    body, x = BODIES[name], strained(name, 0.2)
    K = body.tangent(x, at_rest(body))[0]
    for turn in np.eye(3):
        assert np.abs(K @ np.cross(turn, x).reshape(-1)).max() < 1e-13 * abs(K).max()
        assert np.abs(K @ np.tile(turn, len(x))).max() < 1e-13 * abs(K).max()


@pytest.mark.parametrize("name", BODIES)
def test_internal_forces_balance(name: str) -> None:
    body, x = BODIES[name], strained(name, 0.2)
    force = body.force(x, at_rest(body)).reshape(-1, 3)
    assert np.abs(force.T @ body.translation).max() < 1e-13 * np.abs(force).max() * len(x)
    assert np.abs(np.cross(x, force).sum(axis=0)).max() < 1e-13 * np.abs(force).max() * len(x)


@pytest.mark.slow
@pytest.mark.parametrize("name", BODIES)
def test_mass(name: str) -> None:
    """Total mass along every axis, and for consistent masses the moment of inertia of the mesh."""
    body = BODIES[name]
    volume = body.mesh.volume if isinstance(body, SoftBody) else body.area * body.lengths.sum()
    density = body.material.density if isinstance(body, SoftBody) else body.density
    for axis in np.eye(3):
        t = np.outer(body.translation, axis).reshape(-1)
        assert t @ (body.mass @ t) == pytest.approx(density * volume, rel=1e-13)
    assert np.linalg.eigvalsh(body.mass.toarray()).min() > 0


@pytest.mark.parametrize("kind", KINDS)
def test_consistent_mass_integrates_exactly(kind: str) -> None:
    """v'Mv of a linear velocity field over a box is the integral of its square."""
    body = SoftBody(skewed_box("tetra").quadratic() if kind == "tetra10" else skewed_box(kind), Elastic(**RUBBER))
    whole = SoftBody(body.mesh, body.material, mass_matrix="consistent")
    x, mesh = body.rest, body.mesh
    corners = mesh.points[mesh.cells[:, :4]]
    if kind == "hexahedron":
        # The exact integral over distorted hexahedra by many Gauss points of scikit-fem.
        basis = skfem.CellBasis(skfem.MeshHex(*skfem_hex(mesh.points, mesh.cells)), skfem.ElementHex1(), intorder=6)
        expected = 2.0 * float((np.asarray(basis.global_coordinates())[0] ** 2 * basis.dx).sum())
    else:
        # Squares of linear functions over tetrahedra: V/20 (sum of squares + square of the sum).
        volume = np.abs(np.linalg.det(corners[:, 1:] - corners[:, :1])) / 6
        values = corners[..., 0]
        expected = 2.0 * float((volume / 20 * ((values**2).sum(axis=1) + values.sum(axis=1) ** 2)).sum())
    v = np.column_stack((x[:, 0], np.zeros((len(x), 2)))).reshape(-1)
    assert v @ (whole.mass @ v) == pytest.approx(expected, rel=1e-10)


def skfem_hex(points: np.ndarray, cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """scikit-fem numbers the corners of hexahedra in another order."""
    return np.ascontiguousarray(points.T), np.ascontiguousarray(cells[:, [0, 4, 3, 1, 7, 5, 2, 6]].T)


@pytest.mark.parametrize("material", MATERIALS)
@pytest.mark.parametrize("kind", KINDS)
def test_stiffness_and_mass_of_scikit_fem(kind: str, material: type[Elastic]) -> None:
    """At the rest shape all materials are linearly elastic: the matrices of an independent library."""
    mesh = skewed_box(kind)
    body = SoftBody(mesh, material(**RUBBER), mass_matrix="consistent")
    lam, mu = body.material.lame
    if kind == "hexahedron":
        other, element = skfem.MeshHex(*skfem_hex(mesh.points, mesh.cells)), skfem.ElementHex1()
    elif kind == "tetra":
        other, element = skfem.MeshTet(mesh.points.T, np.sort(mesh.cells, axis=1).T.copy()), skfem.ElementTetP1()
    else:
        corners = len(skewed_box("tetra").points)
        cells = np.sort(mesh.cells[:, :4], axis=1)
        other, element = skfem.MeshTet(mesh.points[:corners].T, cells.T.copy()), skfem.ElementTetP2()
    basis = skfem.CellBasis(other, skfem.ElementVector(element), intorder=3 if kind == "hexahedron" else 4)
    fine = skfem.CellBasis(other, skfem.ElementVector(element), intorder=5)

    @skfem.BilinearForm
    def elasticity(u, v, w):  # type: ignore[no-untyped-def]
        strain = sym_grad(u)
        return ddot(2 * mu * strain + lam * eye(trace(strain), 3), sym_grad(v))

    @skfem.BilinearForm
    def inertia(u, v, w):  # type: ignore[no-untyped-def]
        return RUBBER["density"] * (u[0] * v[0] + u[1] * v[1] + u[2] * v[2])

    # Our number of each of their unknowns: by its place and direction.
    places = basis.doflocs.T
    node = np.linalg.norm(mesh.points[None] - places[:, None], axis=2).argmin(axis=1)
    names = np.array(basis.N * [-1])
    for key, dofs in (("u^1", 0), ("u^2", 1), ("u^3", 2)):
        names[basis.get_dofs(elements=np.arange(other.t.shape[1])).all([key])] = dofs
    order = 3 * node + names
    assert sorted(order.tolist()) == list(range(3 * len(mesh.points)))
    K, M = elasticity.assemble(basis).toarray(), inertia.assemble(fine).toarray()
    ours = -body.exact_tangent(mesh.points).toarray()[np.ix_(order, order)]
    np.testing.assert_allclose(ours, K, atol=1e-12 * np.abs(K).max())
    np.testing.assert_allclose(body.mass.toarray()[np.ix_(order, order)], M, atol=1e-12 * np.abs(M).max())


@pytest.mark.parametrize("name", SOLIDS)
def test_patch(name: str) -> None:
    """Nodes of the surface follow a linear map: then those inside do too, and the stress is uniform."""
    body = BODIES[name]
    assert isinstance(body, SoftBody)
    mesh = body.mesh
    A = np.eye(3) + np.array([[0.05, 0.02, -0.03], [0.01, -0.04, 0.02], [0.03, 0.01, 0.06]])
    exact = mesh.points @ A.T + np.array([0.1, 0.2, 0.3])
    inside = np.setdiff1d(np.arange(len(mesh.points)), mesh.surface)
    assert len(inside)
    x = exact.copy()
    x[inside] += 0.01 * np.random.default_rng(5).uniform(-1, 1, (len(inside), 3))
    rows = (3 * inside[:, None] + np.arange(3)).reshape(-1)
    for _ in range(12):  # Newton's method for the nodes inside
        force = body.force(x, np.zeros_like(x))[rows]
        K = -body.exact_tangent(x)[rows][:, rows].toarray()
        x[inside] += np.linalg.solve(K, force).reshape(-1, 3)
    assert np.abs(x - exact).max() < 1e-10
    stress, strain = body.stress(x)
    assert np.abs(stress - stress[0]).max() < 1e-10 * np.abs(stress).max()
    assert np.abs(strain - strain[0]).max() < 1e-10
    traction = body.force(exact, np.zeros_like(x)).reshape(-1, 3)
    assert np.abs(traction[inside]).max() < 1e-10 * np.abs(traction).max()


@pytest.mark.parametrize("material", MATERIALS)
def test_uniaxial_stress_of_small_strains(material: type[Elastic]) -> None:
    """Stretched by 1e-6 with free sides (Poisson's ratio): sigma = E eps, nothing across."""
    body = SoftBody(skewed_box("tetra"), material(young=5.0, poisson=0.3, density=1.0))
    eps = 1e-6
    x = body.rest * (1 + eps * np.array([1.0, -0.3, -0.3]))
    stress, strain = body.stress(x)
    np.testing.assert_allclose(stress, np.broadcast_to(np.diag([5.0 * eps, 0, 0]), stress.shape), atol=5e-5 * 5.0 * eps)
    np.testing.assert_allclose(strain, np.broadcast_to(np.diag([1, -0.3, -0.3]), strain.shape) * eps, atol=1e-11)


@pytest.mark.parametrize("damped", [SoftBody, Cable])
def test_rayleigh_damping_takes_energy_from_strain_rates_only(damped: type) -> None:
    body: SoftBody | Cable
    if damped is SoftBody:
        body = SoftBody(skewed_box("tetra"), Elastic(**RUBBER), stiffness_damping=0.3)
    else:
        body = Cable.straight(1.0, 3, radius=0.1, young=50.0, density=3.0, stiffness_damping=0.3)
    x = body.rest
    spin = np.cross([0.3, 0.2, -0.5], x) + np.outer(body.translation, [1.0, 2.0, 3.0])
    assert np.abs(body.force(x, spin) - body.force(x, np.zeros_like(x))).max() < 1e-13
    v = np.random.default_rng(0).standard_normal(x.shape)
    push = body.force(x, v) - body.force(x, np.zeros_like(x))
    np.testing.assert_allclose(push, body.tangent(x, v)[1] @ v.reshape(-1), atol=1e-12)
    assert push @ v.reshape(-1) < 0
    assert push @ v.reshape(-1) == pytest.approx(0.3 * v.reshape(-1) @ (body.tangent(x, v)[0] @ v.reshape(-1)))


def test_inverted_elements_are_pushed_back() -> None:
    """Neo-Hookean energy falls on the way from an inside-out tetrahedron to its rest shape."""
    from signorini.fe.materials.neo_hookean import NeoHookean
    from signorini.fe.mesh import Mesh

    points = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    body = SoftBody(Mesh(points, np.array([[0, 1, 2, 3]])), NeoHookean(young=1.0, poisson=0.4, density=1.0))
    x = points.copy()
    x[3, 2] = -0.5
    assert body.smallest_stretch(x) < 0
    assert body.force(x, np.zeros_like(x))[11] > 0
    v = np.zeros_like(x)
    for _ in range(300):
        K = -body.tangent(x, v)[0].toarray() + 0.5 * np.eye(12)
        x = x + np.linalg.solve(K, body.force(x, v)).reshape(-1, 3)
    assert body.energy(x) < 1e-12
    assert body.smallest_stretch(x) == pytest.approx(1.0, abs=1e-6)


def test_every_element_is_tried() -> None:
    assert {element.name for element in ELEMENTS.values()} == set(KINDS)
