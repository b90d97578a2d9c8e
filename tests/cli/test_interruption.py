"""Ctrl-C during a run waits for the end of a step, a second one does not."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import pytest

import signorini as sg
from signorini.cli.interruption import REMARK, after_the_step
from signorini.io.checkpoint import Checkpoint
from signorini.io.recorder import Recorder
from signorini.stepping.step import Failure


def press() -> None:
    os.kill(os.getpid(), signal.SIGINT)


@pytest.fixture(autouse=True)
def _interrupts_as_in_a_terminal() -> object:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_first_one_is_raised_when_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    with after_the_step() as interrupt:
        interrupt.check()  # nothing yet
        press()
        with pytest.raises(KeyboardInterrupt):
            interrupt.check()
    assert REMARK in capsys.readouterr().err


def test_second_one_is_raised_at_once() -> None:
    with after_the_step():
        press()
        with pytest.raises(KeyboardInterrupt):
            press()


def test_afterwards_all_is_as_before() -> None:
    with after_the_step():
        pass
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_runs_in_the_background_go_on_ignoring_it() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with after_the_step() as interrupt:
        press()
        interrupt.check()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_other_threads_are_left_alone() -> None:
    seen = []

    def work() -> None:
        with after_the_step() as interrupt:
            interrupt.check()
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [signal.default_int_handler]


def test_a_second_one_does_not_stop_the_closing_of_the_record(tmp_path: Path) -> None:
    """It came between the end of the last step and the closing: steps were lost, and a journal stayed."""

    class Pressed(Recorder):
        def close(self, checkpoint: Checkpoint, failure: Failure | None = None, aborted: bool = False) -> None:
            press()
            super().close(checkpoint, failure, aborted)

    sim, path = sg.Simulation(sg.SCENES["pendulum"].build(), step=0.001), tmp_path / "run.h5"

    def seventh(step: sg.Step) -> None:
        if step.number == 7:
            press()

    with after_the_step() as interrupt, pytest.raises(KeyboardInterrupt):
        sim.run(1.0, record=Pressed(path), callbacks=[seventh, lambda _: interrupt.check()])
    assert len(sg.Run.load(path).diagnostics) == 7
    assert [file.name for file in tmp_path.iterdir()] == ["run.h5"]
