"""Frames in memory: those of compiled blocks are what the steps one by one would leave, and hold no more than they."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import signorini as sg
from signorini.scenes import SCENES
from signorini.simulation import memory

STEPS = 60
TIMES = ("seconds", "detect", "assemble", "solve", "correct", "advance", "record", "impact")


def both(scene: str) -> tuple[sg.Run, sg.Run]:
    """The same steps in blocks, and one by one for the sake of somebody who listens."""
    found = SCENES[scene]
    duration = STEPS * found.step
    blocks, single = (sg.Simulation(found.build(), step=found.step) for _ in range(2))
    return blocks.run(duration), single.run(duration, callbacks=[lambda step: None])


@pytest.mark.parametrize("scene", ["pendulum", "walker", "gripper"])
def test_blocks_leave_what_steps_leave(scene: str) -> None:
    blocks, single = both(scene)
    for name in blocks.diagnostics.dtype.names:
        if name not in TIMES:
            np.testing.assert_array_equal(blocks.diagnostics[name], single.diagnostics[name], err_msg=name)
    np.testing.assert_array_equal(blocks.times, single.times)
    for name in ("position", "orientation", "velocity", "angular_velocity"):
        np.testing.assert_array_equal(getattr(blocks, name)(), getattr(single, name)())
        np.testing.assert_array_equal(getattr(blocks, name)(0), getattr(single, name)(0))
    for kind in ("joints", "limits", "frictions"):
        np.testing.assert_array_equal(blocks.frames.reactions(kind), single.frames.reactions(kind))
    for frame in (0, 1, 17, STEPS):
        one, other = blocks.contacts(frame), single.contacts(frame)
        np.testing.assert_array_equal(one.impulse, other.impulse)
        np.testing.assert_array_equal(one.contacts.gap, other.contacts.gap)
        np.testing.assert_array_equal(one.contacts.identity, other.contacts.identity)
        assert blocks.state(frame).time == single.state(frame).time


@pytest.mark.parametrize("scene", ["pendulum", "walker"])
def test_frames_that_are_too_many_are_dropped(scene: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every n-th remains, n a power of two, and the last one; the rows of all steps do."""
    whole = both(scene)[0]
    bodies, contacts = len(whole.names), whole.diagnostics["contacts"].mean()
    each = memory.BYTES_PER_BODY * bodies + memory.BYTES_PER_CONTACT * contacts
    monkeypatch.setattr(memory, "LARGEST", int(20 * each))
    for run in both(scene):
        assert len(run.diagnostics) == STEPS
        steps = np.round(run.times / float(run.settings["step"])).astype(int)
        assert 4 < len(steps) < 24
        stride = steps[1]
        assert stride in (2, 4, 8, 16)
        assert np.array_equal(steps, [*range(0, STEPS, stride), STEPS])
        for name in ("position", "orientation", "velocity", "angular_velocity"):
            np.testing.assert_array_equal(getattr(run, name)(), getattr(whole, name)()[steps])
        np.testing.assert_array_equal(run.frames.reactions("joints"), whole.frames.reactions("joints")[steps])
        for frame, step in enumerate(steps):
            np.testing.assert_array_equal(run.contacts(frame).impulse, whole.contacts(step).impulse)


def held(what: Any, seen: set[int] | None = None) -> int:
    """Memory of all arrays that something holds, those whole that it has views of [bytes]."""
    seen = set() if seen is None else seen
    while isinstance(what, np.ndarray) and isinstance(what.base, np.ndarray):
        what = what.base
    if id(what) in seen:
        return 0
    seen.add(id(what))
    if isinstance(what, np.ndarray):
        return what.nbytes
    parts = what.values() if isinstance(what, dict) else what if isinstance(what, list | tuple) else ()
    return sum(held(part, seen) for part in (*parts, *getattr(what, "__dict__", {}).values()))


@pytest.mark.parametrize("alone", [True, False])
def test_frames_hold_no_more_than_is_reckoned_with(alone: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither dropped frames nor the problems of the steps."""
    monkeypatch.setattr(memory, "LARGEST", 200_000)
    callbacks = [] if alone else [lambda step: None]
    run = sg.Simulation(SCENES["walker"].build(), step=0.002).run(1.0, callbacks=callbacks)
    rows = run.diagnostics.nbytes
    assert 20 < len(run.times) < 300
    assert held(run.frames) - rows < 3 * memory.LARGEST


def test_summaries_belong_to_who_asks() -> None:
    run = both("pendulum")[0]
    first = run.summary()
    first["energy"] = "spoiled"
    assert run.summary()["energy"] != "spoiled"
