"""Mass matrix, bias forces and Jacobians in joint coordinates: against MuJoCo, and against differences."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import signorini as sg
from signorini.math.rotations import exponential, multiply, rotate
from signorini.math.sparse import Array
from signorini.model.state import State
from signorini.problem.errors import ModelError
from signorini.simulation.control.tree import Tree

FIXED_BASE = """<mujoco><compiler angle="radian"/><option gravity="0.3 -1 -9.81"/><worldbody>
<body name="one" pos="0 0 1"><joint name="yaw" axis="0 0 1"/>
  <inertial pos="0.1 0.02 0.05" mass="2" fullinertia="0.03 0.04 0.05 0.001 -0.002 0.003"/>
  <body name="two" pos="0.3 0 0" quat="0.9 0.1 0.3 -0.2"><joint name="pitch" axis="0 1 0.2" pos="0.01 0 0"/>
    <inertial pos="0 0.1 0" mass="1.5" fullinertia="0.02 0.01 0.02 0 0.001 0"/>
    <body name="three" pos="0 0.3 0"><joint name="reach" type="slide" axis="1 0.5 0"/>
      <inertial pos="0.05 0 0" mass="0.7" diaginertia="0.004 0.005 0.006"/></body>
    <body name="four" pos="0.1 0.1 0.1"><joint name="elbow" axis="1 0 0"/>
      <inertial pos="0 0 -0.2" mass="0.9" diaginertia="0.01 0.011 0.002"/></body></body></body>
</worldbody></mujoco>"""
FLOATING = """<mujoco><compiler angle="radian"/><worldbody>
<body name="trunk" pos="0 0 1"><freejoint name="free"/><inertial pos="0 0 0" mass="4" diaginertia="0.1 0.2 0.25"/>
  <body name="leg" pos="0.2 0.1 0"><joint name="ball" type="ball"/>
    <inertial pos="0 0 -0.2" mass="1" diaginertia="0.02 0.02 0.003"/>
    <body name="foot" pos="0 0 -0.4"><joint name="ankle" axis="0 1 0"/>
      <inertial pos="0.05 0 0" mass="0.4" diaginertia="0.001 0.003 0.003"/></body></body>
  <body name="tail" pos="-0.3 0 0"><joint name="slide" type="slide" axis="1 0 0"/>
    <inertial pos="-0.1 0 0" mass="0.5" diaginertia="0.002 0.004 0.004"/></body></body>
</worldbody></mujoco>"""


class Twin:
    """The same robot here and in MuJoCo, in the same state."""

    def __init__(self, text: str, folder: Path, seed: int) -> None:
        mujoco = pytest.importorskip("mujoco")
        path = folder / "robot.xml"
        path.write_text(text)
        self.model = sg.load_mjcf(path)
        m = mujoco.MjModel.from_xml_string(text)
        d, random = mujoco.MjData(m), np.random.default_rng(seed)
        mujoco.mj_integratePos(m, d.qpos, random.normal(size=m.nv), 0.7)
        d.qvel[:] = random.normal(size=m.nv)
        mujoco.mj_forward(m, d)
        state = self.model.initial_state()
        for i, body in enumerate(self.model.bodies):
            k = m.body(body.name).id
            jacp, jacr = np.zeros((3, m.nv)), np.zeros((3, m.nv))
            mujoco.mj_jacBodyCom(m, d, jacp, jacr, k)
            state.position[i], state.orientation[i] = d.xipos[k], d.xquat[k]
            state.velocity[i] = jacp @ d.qvel
            state.angular_velocity[i] = d.xmat[k].reshape(3, 3).T @ (jacr @ d.qvel)
        self.state = state
        self.M = np.zeros((m.nv, m.nv))
        try:
            mujoco.mj_fullM(m, d, self.M)
        except TypeError:  # before MuJoCo 4
            mujoco.mj_fullM(m, self.M, d.qM)
        self.bias, self.rate = d.qfrc_bias.copy(), d.qvel.copy()
        self.columns = {m.joint(k).name: m.jnt_dofadr[k] for k in range(m.njnt)}
        point, k = np.array([0.1, 0.2, 0.3]), m.body(self.model.bodies[-1].name).id
        self.jacobian = np.zeros((6, m.nv))
        world = d.xpos[k] + d.xmat[k].reshape(3, 3) @ point
        mujoco.mj_jac(m, d, self.jacobian[:3], self.jacobian[3:], world, k)
        self.point = point

    def order(self, names: tuple[str, ...]) -> list[int]:
        """MuJoCo's columns in our order."""
        out = []
        for name in names:
            joint, _, what = name.partition(" ")
            own = "free" if joint == "trunk" else joint
            turns = ["x", "y", "z", "turn x", "turn y", "turn z"] if own == "free" else ["turn x", "turn y", "turn z"]
            out.append(self.columns[own] + (turns.index(what) if what else 0))
        return out


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("text", [FIXED_BASE, FLOATING], ids=["fixed base", "floating"])
def test_mass_matrix_bias_and_jacobian_are_those_of_mujoco(text: str, seed: int, tmp_path: Path) -> None:
    twin = Twin(text, tmp_path, seed)
    sim = sg.Simulation(twin.model, step=0.001, state=twin.state)
    order = twin.order(sim.tree.names)
    assert sorted(order) == list(range(len(twin.bias)))
    np.testing.assert_allclose(sim.rate, twin.rate[order], atol=1e-12)
    np.testing.assert_allclose(sim.mass_matrix(), twin.M[np.ix_(order, order)], atol=1e-12)
    np.testing.assert_allclose(sim.bias_forces(), twin.bias[order], atol=1e-11)
    body = twin.model.bodies[-1]
    np.testing.assert_allclose(sim.jacobian(body, twin.point), twin.jacobian[:, order], atol=1e-12)


def moved(state: State, motion: Array, h: float) -> State:
    """Bodies after h [s] at velocities of shape (bodies, 6)."""
    turns = [multiply(q, exponential(h * w)) for q, w in zip(state.orientation, motion[:, 3:], strict=True)]
    return replace(state, position=state.position + h * motion[:, :3], orientation=np.array(turns))


def reversed_arm() -> sg.Model:
    """Joints whose first body is the outer one, a cylindrical joint, a fixed one."""
    model = sg.Model()
    for k in range(4):
        model.add_body(sg.Box((0.4, 0.1, 0.2)), mass=1.0 + k, position=(0.4 * k, 0, 0.1 * k), name=f"b{k}", mask=0)
    model.add_revolute("b0", None, position=(0, 0.1, 0), axis=(0, 1, 0.3), name="first")
    model.add_cylindrical("b1", "b0", position=(0.2, 0, 0), axis=(0, 0.2, 1), name="second")
    model.add_spherical("b2", "b1", position=(0.6, 0, 0.1), name="third")
    model.add_fixed_joint("b3", "b2", position=(1, 0, 0), name="fourth")
    return model


def tree_state(model: sg.Model, seed: int) -> tuple[Tree, State, Array]:
    """A state of a tree away from the start that keeps its joints, and its rates."""
    tree, state, random = Tree(model), model.initial_state(), np.random.default_rng(seed)
    for _ in range(2000):
        state = moved(state, body_velocities(tree, state, random.normal(size=len(tree.names))), 5e-4)
    rate = random.normal(size=len(tree.names))
    motion = body_velocities(tree, state, rate)
    return tree, replace(state, velocity=motion[:, :3], angular_velocity=motion[:, 3:]), rate


def body_velocities(tree: Tree, state: State, rate: Array) -> Array:
    """Linear in the world, angular in the body frames, shape (bodies, 6)."""
    world = tree.motion(state).jacobian[:-1] @ rate
    back = state.orientation * np.array([1.0, -1.0, -1.0, -1.0])
    spin = [rotate(q, w) for q, w in zip(back, world[:, 3:], strict=True)]
    return np.hstack((world[:, :3], np.array(spin)))


@pytest.mark.parametrize("build", [reversed_arm, sg.SCENES["ragdolls"].builder], ids=["reversed", "ragdolls"])
def test_rates_are_read_back_and_joints_stay_shut(build: object) -> None:
    model = build()  # type: ignore[operator]
    tree, state, rate = tree_state(model, 1)
    np.testing.assert_allclose(tree.motion(state).rate, rate, atol=1e-6)
    for joint in model.joints:
        rows = joint.rows(state)
        np.testing.assert_allclose(rows.jacobian @ state.velocities[rows.columns], 0.0, atol=2e-3)


def test_bias_forces_are_those_of_differences() -> None:
    """With M(q) and weight: c = dM/dt q' - 1/2 d(q'Mq')/dq + dV/dq holds for coordinates that can be integrated."""
    model = sg.Model(gravity=(0.5, -1.0, -9.81))
    for k in range(3):
        model.add_body(sg.Box((0.4, 0.1, 0.2)), mass=1.0 + k, position=(0.4 * k, 0, 0.1 * k), name=f"b{k}", mask=0)
    model.add_revolute("b0", None, position=(0, 0.1, 0), axis=(0, 1, 0.3), name="first")
    model.add_cylindrical("b1", "b0", position=(0.2, 0, 0), axis=(0, 0.2, 1), name="second")
    model.add_prismatic("b1", "b2", axis=(1, 1, 0), name="third")
    tree, state, rate = tree_state(model, 3)
    nv, h = len(rate), 1e-5

    def at(q: Array) -> tuple[Array, float]:
        """M and V where the coordinates are q away."""
        there = state
        for _ in range(20):
            there = moved(there, body_velocities(tree, there, q / 20.0), 1.0)
        mass = np.array([body.mass for body in model.bodies])
        return tree.mass_matrix(there), -float(mass @ there.position @ model.gravity)

    differences = [(at(h * e), at(-h * e)) for e in np.eye(nv)]
    dM = np.array([(up[0] - down[0]) / (2 * h) for up, down in differences])
    dV = np.array([(up[1] - down[1]) / (2 * h) for up, down in differences])
    expected = np.einsum("kij,k,j->i", dM, rate, rate) - 0.5 * np.einsum("kij,i,j->k", dM, rate, rate) + dV
    np.testing.assert_allclose(tree.bias_forces(state), expected, atol=1e-5)


def test_jacobian_over_body_velocities_gives_the_frame() -> None:
    sim = sg.Simulation(sg.SCENES["four-bar"].builder(), step=0.002)
    for _ in range(20):
        sim.advance()
    body, point = sim.model.bodies[-1], (0.1, 0.0, 0.2)
    frame = sim.frame(body, point)
    twist = sim.jacobian(body, point, coordinates="bodies") @ sim.state.velocities
    np.testing.assert_allclose(twist, np.concatenate((frame.velocity, frame.angular_velocity)), atol=1e-12)
    with pytest.raises(ModelError, match="closes a loop"):
        sim.mass_matrix()


def test_other_joints_are_refused_by_name() -> None:
    model = sg.Model()
    model.add_body(sg.Sphere(0.1), mass=1.0, name="ball")
    model.add_universal(None, "ball", position=(0, 0, 0.2), axis_a=(1, 0, 0), axis_b=(0, 1, 0), name="cardan")
    with pytest.raises(ModelError, match="cardan"):
        Tree(model)
