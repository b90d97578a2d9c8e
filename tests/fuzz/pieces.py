"""Numbered cases on several processes, their results appended to a file: a long campaign is the sum of short pieces.

A server that has everything loaded forks one worker per processor and hands it one case after the other. A worker that
dies is a crash, one that computes too long for a case is a hang; both are noted with the case, and the worker is
replaced. Each result is one line of JSON, written when the case is done; a case that stands in the file is not tried
again, so that a piece can be ended at any moment and gone on with, here or on another machine.
"""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import json
import os
import selectors
import signal
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, ClassVar, Protocol

Row = dict[str, Any]
RENEWED = 400
"""Cases after which a worker is replaced, so that no case has a long history."""
SAID = 1500
"""Characters that are kept of what a worker said at its end."""
BEAT = 0.25
"""Between looks at the time that workers have spent [s]."""


class Campaign(Protocol):
    """Numbered cases of one kind."""

    name: str
    hang: float
    """Processor time of a case after which its worker is ended [s]; waiting for anything but a processor may take ten
    times as long."""

    def loads(self) -> list[Callable[[], object]]:
        """What loads everything when it is called, once, in the server; compiled before in several processes."""

    def start(self, folder: Path) -> None:
        """In a worker that was just forked, which may write in `folder`."""

    def trial(self, number: int) -> Row | None:
        """Try one case; its row, with the key `bad` if something must not be. None: cannot be tried here."""


class Worker:
    """A forked process that tries one case after the other."""

    open_ends: ClassVar[set[int]] = set()
    """The server's ends of all pipes: a worker that kept those of another would keep that one waiting at its end."""

    def __init__(self, campaign: Campaign, folder: Path) -> None:
        self.folder = folder
        self.case: int | None = None
        self.tried = 0
        requests, self.requests = os.pipe()
        self.answers, answers = os.pipe()
        self.open_ends.update((self.requests, self.answers))
        self.pid = os.fork()
        if not self.pid:
            for number in self.open_ends:
                os.close(number)
            _serve(campaign, folder, requests, answers)
        os.close(requests)
        os.close(answers)
        self._received = b""

    def ask(self, number: int) -> None:
        """Hand out a case."""
        self.case, self.tried = number, self.tried + 1
        self._begin = (self.waited(), self.spent())
        os.write(self.requests, b"%d\n" % number)

    def receive(self) -> Row | None:
        """The row of the case, if it is complete; EOFError if the process is gone."""
        data = os.read(self.answers, 1 << 16)
        if not data:
            raise EOFError
        self._received += data
        if not self._received.endswith(b"\n"):
            return None
        row: Row = json.loads(self._received)
        self._received, self.case = b"", None
        return row

    def _stat(self) -> list[str]:
        """What the system knows of the process, from its state on; all 0 if it is gone."""
        try:
            return Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()
        except (OSError, IndexError):
            return ["0"] * 15

    def spent(self) -> float:
        """Processor time of the process and of those it waited for [s]."""
        return sum(map(int, self._stat()[11:15])) / os.sysconf("SC_CLK_TCK")

    def can_run(self) -> bool:
        """Whether nothing but a processor is missing: such a wait is counted only when it ends."""
        return self._stat()[0] == "R"

    def waited(self) -> float:
        """Time that passed without the process being able to run [s]: a busy machine is not what it waits for."""
        try:
            queued = int(Path(f"/proc/{self.pid}/schedstat").read_text().split()[1]) * 1e-9
        except (OSError, IndexError, ValueError):
            queued = 0.0
        return time.monotonic() - queued

    def hangs(self, limit: float) -> bool:
        """Whether the case takes too long."""
        if self.case is None:
            return False
        waited, spent = self._begin
        sleeps = self.waited() - waited > 10.0 * limit and not self.can_run()
        return sleeps or self.spent() - spent > limit

    def kill(self) -> None:
        """End a process that computes for too long, and those that it started."""
        os.kill(self.pid, signal.SIGABRT)  # faulthandler writes where it was
        time.sleep(0.2)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)

    def end(self) -> str:
        """End the process; how it ended, and what it said at last."""
        for number in (self.requests, self.answers):
            os.close(number)
            self.open_ends.remove(number)
        status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        said = (self.folder / "stderr").read_text(errors="replace")
        place = said.find("Fatal Python error")
        return f"exit {status}\n{said[place:][:SAID] if place >= 0 else said[-SAID:]}"


def _serve(campaign: Campaign, folder: Path, requests: int, answers: int) -> None:
    """In a worker: read numbers, answer rows; never returns."""
    code = 1
    try:
        os.setpgid(0, 0)
        gc.freeze()
        error = os.open(folder / "stderr", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(error, 2)
        os.dup2(error, 1)
        faulthandler.enable(error)
        os.chdir(folder)
        campaign.start(folder)
        with os.fdopen(requests, "rb") as lines:
            for line in lines:
                _answer(campaign, int(line), answers)
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def _answer(campaign: Campaign, number: int, answers: int) -> None:
    """Try a case and write its row."""
    begin = time.process_time()
    try:
        row = campaign.trial(number)
    except Exception:
        row = {"bad": traceback.format_exc(limit=-5)}
    if row is not None:
        row = {"campaign": campaign.name, "case": number, **row, "seconds": round(time.process_time() - begin, 4)}
    data = json.dumps(row).encode() + b"\n"
    while data:
        data = data[os.write(answers, data) :]


class Server:
    """Keeps workers busy and writes down what they answer."""

    def __init__(self, campaign: Campaign, cases: Iterator[int], out: Path, end: float) -> None:
        self.campaign, self.cases, self.end = campaign, cases, end
        self.done = 0
        self.bad: list[Row] = []
        self._out = out.open("a")
        self._selector = selectors.DefaultSelector()

    def serve(self, processes: int) -> None:
        """Until the cases or the time are used up."""
        with tempfile.TemporaryDirectory() as name, self._out:
            for k in range(processes):
                self._hire(Path(name) / str(k))
            while self._selector.get_map():
                for key, _ in self._selector.select(BEAT):
                    self._answered(key.data)
                self._look_for_hangs()

    def _hire(self, folder: Path) -> None:
        number = next(self.cases, None) if time.monotonic() < self.end else None
        if number is None:
            return
        folder.mkdir(exist_ok=True)
        worker = Worker(self.campaign, folder)
        self._selector.register(worker.answers, selectors.EVENT_READ, worker)
        worker.ask(number)

    def _answered(self, worker: Worker) -> None:
        try:
            row = worker.receive()
        except EOFError:
            self._replace(worker, "crash")
            return
        if worker.case is not None:
            return  # half a row
        if row is not None:
            self._write(row)
        number = next(self.cases, None) if time.monotonic() < self.end else None
        if number is None:
            self._selector.unregister(worker.answers)
            worker.end()
        elif worker.tried >= RENEWED:
            self.cases = iter(_first(number, self.cases))
            self._replace(worker, "")
        else:
            worker.ask(number)

    def _look_for_hangs(self) -> None:
        for key in list(self._selector.get_map().values()):
            worker: Worker = key.data
            if worker.hangs(self.campaign.hang):
                worker.kill()
                self._replace(worker, "hang")

    def _replace(self, worker: Worker, what: str) -> None:
        self._selector.unregister(worker.answers)
        case, said = worker.case, worker.end()
        if what:
            self._write({"campaign": self.campaign.name, "case": case, "bad": f"{what}: {said}"})
        self._hire(worker.folder)

    def _write(self, row: Row) -> None:
        self.done += 1
        if "bad" in row:
            self.bad.append(row)
        self._out.write(json.dumps(row) + "\n")
        self._out.flush()


def prepare(campaign: Campaign, processes: int = 1) -> None:
    """Load everything; several processes share the compiling before, which leaves its results on disk."""
    tasks = campaign.loads()
    children = []
    for k in range(min(processes, len(tasks)) if processes > 1 else 0):
        child = os.fork()
        if not child:
            with contextlib.suppress(BaseException):
                for task in tasks[k::processes]:
                    task()
            os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)
    for task in tasks:
        task()


def _first(number: int, rest: Iterator[int]) -> Iterator[int]:
    yield number
    yield from rest


def rows(path: Path) -> list[Row]:
    """What stands in a file of results; half a line at its end is left out."""
    found = []
    for line in path.read_text().splitlines() if path.exists() else ():
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return found


def run(campaign: Campaign, cases: Iterable[int], out: Path, processes: int = 1, seconds: float = 1e9) -> Row:
    """Try the cases that do not stand in `out` yet, as many as are begun within `seconds`."""
    begin = time.monotonic()
    out.parent.mkdir(parents=True, exist_ok=True)
    known = {row["case"] for row in rows(out) if row.get("campaign") == campaign.name}
    if out.exists() and not out.read_bytes().endswith(b"\n"):
        out.write_text("".join(json.dumps(row) + "\n" for row in rows(out)))
    prepare(campaign, processes)
    ready = time.monotonic()
    gc.collect()
    server = Server(campaign, iter([n for n in cases if n not in known]), out, begin + seconds)
    server.serve(processes)
    spent = time.monotonic() - ready
    return {
        "campaign": campaign.name,
        "done": server.done,
        "known": len(known),
        "bad": server.bad,
        "prepared in": round(ready - begin, 1),
        "seconds": round(spent, 1),
        "per second": round(server.done / max(spent, 1e-9), 1),
    }
