"""Environments of Gymnasium: its own checker, many worlds against one by one, tasks that can be done."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import signorini as sg
from signorini.problem.errors import ModelError, SignoriniError

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env, data_equivalence  # noqa: E402
from gymnasium.vector import SyncVectorEnv  # noqa: E402

from signorini.environments import push, reach, walk  # noqa: E402
from signorini.gym import TASKS, Task, make_env, make_vector_env  # noqa: E402

SHORT = {name: Task(**{**vars(task), "horizon": 6}) for name, task in TASKS.items()}  # episodes end while we look


@pytest.mark.parametrize("name", TASKS)
def test_gymnasium_finds_nothing_to_complain_about(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # Observations have no bounds; that is all that may be said.
        warnings.filterwarnings("ignore", message=".*(infinity|not within|spec).*")
        check_env(make_env(name), skip_render_check=True)


@pytest.mark.parametrize("name", TASKS)
def test_many_worlds_are_as_one_by_one(name: str) -> None:
    task = SHORT[name]
    ours = make_vector_env(task, 3, threads=2)
    theirs = SyncVectorEnv([lambda: make_env(task)] * 3)
    assert ours.single_action_space == theirs.single_action_space
    assert ours.single_observation_space == theirs.single_observation_space
    first, second = ours.reset(seed=7)[0], theirs.reset(seed=7)[0]
    np.testing.assert_array_equal(first, second)
    random = np.random.default_rng(3)
    for _ in range(15):
        actions = random.uniform(-1, 1, ours.action_space.shape).astype(np.float32)
        one, two = ours.step(actions), theirs.step(actions)
        assert data_equivalence(one[:4], two[:4], exact=True)
    assert np.ptp(ours.reset(seed=[4, 4, 4])[0], axis=0).max() == 0.0
    ours.close()
    theirs.close()


def test_an_arm_that_points_at_its_goal_reaches_it() -> None:
    env = make_env("reach")
    seen, _ = env.reset(seed=1)
    goal, best = seen[9:12], None
    low, high = reach.TASK.low, reach.TASK.high
    r, z = np.hypot(goal[0], goal[1]), goal[2]
    bend = np.arccos((r**2 + z**2 - reach.UPPER**2 - reach.LOWER**2) / (2 * reach.UPPER * reach.LOWER))
    lift = np.arctan2(z, r) + np.arctan2(reach.LOWER * np.sin(bend), reach.UPPER + reach.LOWER * np.cos(bend))
    target = np.array([np.arctan2(goal[1], goal[0]), lift, -bend])
    for _ in range(100):
        _, best, over, cut, _ = env.step(2 * (target - low) / (high - low) - 1)
    assert not over
    assert cut
    assert best is not None
    assert best > -0.05, "but for what the weight bends its servos"


def test_a_finger_that_follows_a_line_pushes_the_box_to_the_goal() -> None:
    env = make_env("push")
    env.reset(seed=5)
    state = env.simulation.state
    goal, rewards, over = env.rollouts.goals[0], [], False
    low, high = push.TASK.low, push.TASK.high
    for k in range(150):
        box = env.simulation.state.position[push.BOX, :2]
        away = (box - goal) / np.linalg.norm(box - goal)
        place = box + away * max(0.15 - 0.002 * k, -0.02)
        action = 2 * (place - np.array(push.FIRST) - low) / (high - low) - 1
        _, reward, over, _, info = env.step(action)
        rewards.append(reward)
        assert info["residual"] < 1e-7
        if over:
            break
    assert over, "the box is at the goal"
    assert rewards[-1] > 9.0
    assert state.position[push.BOX, 0] < goal[0] - 0.05


def test_the_walker_walks_by_the_gait_of_the_scene_and_ends_when_it_falls() -> None:
    env = make_env("walk")
    seen, _ = env.reset(seed=0)
    total, phase = 0.0, np.array([phase for _, _, phase in walk.legs()])
    sign = np.array([sign for _, sign, _ in walk.legs()])
    for _ in range(100):
        turn = np.arctan2(seen[-2], seen[-1]) + phase
        hips, slides = -sign * 0.35 * np.sin(turn), 0.02 * (np.cos(turn) - np.cos(phase))
        targets = np.column_stack((hips, slides)).reshape(-1)
        seen, reward, over, _, _ = env.step(2 * (targets - walk.TASK.low) / (walk.TASK.high - walk.TASK.low) - 1)
        total += reward
        assert not over
    assert total / 100 > 0.05, "forwards"
    turned = env.simulation.state.copy()
    turned.orientation[walk.TRUNK] = (0.5, 0.0, 0.8660254, 0.0)
    env.simulation.reset(turned)
    assert walk.ended(env.rollouts.batch.read(), np.zeros((1, 0)))[0]


def lever() -> sg.Model:
    model = sg.Model()
    model.add_body(sg.Box((0.4, 0.05, 0.05)), mass=1.0, position=(0.2, 0, 0), name="lever")
    model.add_revolute(None, "lever", position=(0, 0, 0), axis=(0, 1, 0), name="hinge")
    model.add_servo("hinge", stiffness=20.0, damping=2.0, name="servo")
    return model


def upright(before: object, after: object, actions: np.ndarray, goal: np.ndarray) -> np.ndarray:
    return -np.abs(after.joint_position[:, 0])  # type: ignore[attr-defined]


def test_steps_that_cannot_be_taken_are_named() -> None:
    env = make_env(lever(), low=[-1.0], high=[1.0], reward=upright)
    with pytest.raises(SignoriniError, match=r"call reset\(\) first"):
        env.step([0.0])
    env.reset()
    for action in ([0.0, 0.0], 0.0):
        with pytest.raises(SignoriniError, match=r"expected \(worlds, motors\) = \(1, 1\)"):
            env.step(action)


def test_a_model_of_ones_own() -> None:
    env = make_env(lever(), low=[-1.0], high=[1.0], reward=upright, step=0.005, horizon=3, on_failure="raise")
    assert env.observation_space.shape == (2,)
    seen, _ = env.reset()
    np.testing.assert_array_equal(seen, 0.0)
    assert [env.step(np.zeros(1))[3] for _ in range(3)] == [False, False, True]
    many = make_vector_env(lever, 4, low=[-1.0], high=[1.0], reward=upright)
    many.reset(seed=0)
    _, rewards, *_ = many.step(np.linspace(-1, 1, 4)[:, None])
    assert np.argmin(rewards) in (0, 3)


def test_mistakes_say_what_to_type() -> None:
    with pytest.raises(ModelError, match="reach"):
        make_env("reech")
    with pytest.raises(ModelError, match="reward="):
        make_env(lever(), low=[-1.0], high=[1.0])
    with pytest.raises(ModelError, match="low < high"):
        make_env(lever(), low=[1.0], high=[-1.0], reward=upright)
    with pytest.raises(ModelError, match="servo"):
        make_env(lever(), low=[-1.0, 0.0], high=[1.0, 1.0], reward=upright)
    with pytest.raises(ModelError, match="expected a Task"):
        make_env(3)  # type: ignore[arg-type]
