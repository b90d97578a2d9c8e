"""Damaged files through every reader: an error of ours, or sound data, and nothing else.

python tests/fuzz/files.py COUNT [SEED [SECONDS]]
"""

from __future__ import annotations

import collections
import json
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

LONGEST = 5.0
"""A file that takes longer is a hang [s of processor time]."""
MEMORY = 6 << 30
"""More is refused by the system [bytes]."""
BATCH = 250
SHARE = {"record": 20, "fclib": 15, "robot": 14, "mesh": 1}
"""How often each reader is tried; solid meshes are read in processes of their own, which takes long."""


def use_record(path: Path) -> str:
    """Everything that a user may do with a record."""
    import signorini as sg
    from signorini.io.verify import verify_record

    verify_record(path)
    run = sg.Run.load(path)
    parts = [run.times, *(getattr(run, n)() for n in ("position", "orientation", "velocity", "angular_velocity"))]
    for k in range(len(run.times)):
        contacts = run.contacts(k)
        parts += [contacts.impulse, contacts.contacts.gap, contacts.contacts.normal]
    run.summary()
    run.statuses  # noqa: B018
    for part in parts:
        if not np.isfinite(part).all():
            return "not finite in silence"
    sim = sg.Simulation.resume(path)
    state = sim.advance().state
    if not np.isfinite(state.position).all():
        return "not finite in silence"
    return "read"


def use_problem(path: Path) -> str:
    """Load a problem and its guess, solve it for a moment."""
    import signorini as sg
    from signorini.io.fclib import load_guess

    problem = sg.load_problem(path)
    guess = load_guess(path)
    if not (np.isfinite(problem.c).all() and np.isfinite(problem.H.data).all() and np.isfinite(problem.D.data).all()):
        return "not finite in silence"
    del guess
    sg.ProjectedSOR(max_iterations=20).solve(problem)
    return "read"


def use_mesh(path: Path) -> str:
    """Load a mesh."""
    import signorini as sg

    mesh = sg.load_mesh(path, repair=True)
    return "read" if np.isfinite(mesh.points).all() else "not finite in silence"


USES = {"record": use_record, "fclib": use_problem, "mesh": use_mesh}


class Robots:
    """Folders with a robot, of which one file is damaged."""

    def __init__(self, folder: Path) -> None:
        import robots

        self.robots = robots
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder.resolve()
        for old in sorted(self.folder.rglob("*"), reverse=True):
            old.rmdir() if old.is_dir() and not old.is_symlink() else old.unlink()
        self.files = robots.originals(self.folder)
        for name in ("robot.urdf", "model.xml"):  # what is imported on first use opens files of its own
            robots.load(self.folder, name)

    def use(self, case: Path) -> str:
        """Load the robot of a case."""
        return {"loaded": "read"}.get(found := self.robots.run_case(int(case.name), self.folder, self.files), found)


class Hang(BaseException):
    """A file took too long."""


def outcome(use: Any, path: Path) -> tuple[str, str]:
    """What came of a file, and details of what must not be."""
    from signorini.problem.errors import SignoriniError

    def stop(*_: object) -> None:
        raise Hang

    signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, LONGEST)
    try:
        return use(path), ""
    except SignoriniError:
        return "refused", ""
    except Hang:
        return "hang", "".join(traceback.format_stack(limit=3))
    except Exception:
        return "traceback", traceback.format_exc(limit=-4)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def work(folder: Path, first: int, count: int, share: dict[str, int]) -> None:
    """In a process of its own: report each case before and after, one line of JSON each."""
    from mutations import mutate

    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    seeds = {kind: sorted((folder / kind).iterdir()) for kind in USES}
    contents = {path: path.read_bytes() for paths in seeds.values() for path in paths}
    kinds = [kind for kind, weight in share.items() for _ in range(weight)]
    robot = Robots(folder / "work" / "robot") if "robot" in share else None
    for number in range(first, first + count):
        rng = np.random.default_rng(number)
        kind = kinds[int(rng.integers(len(kinds)))]
        if robot is not None and kind == "robot":
            name, how, use = "robot", "", robot.use
            path = Path(str(number))
        else:
            source = seeds[kind][int(rng.integers(len(seeds[kind])))]
            path, name, use = folder / "work" / f"{kind}{source.suffix}", source.name, USES[kind]
            how = mutate(contents[source], path, rng)
        print(json.dumps({"case": number, "kind": kind, "source": name, "how": how}), flush=True)
        begin = time.process_time()
        result, details = outcome(use, path)
        spent = time.process_time() - begin
        print(json.dumps({"case": number, "result": result, "details": details, "seconds": spent}), flush=True)
        for name in ("ran", "work/ran"):
            if (folder / name).exists():
                print(json.dumps({"case": number, "result": "code executed", "details": how}), flush=True)
                (folder / name).unlink()


def campaign(count: int, seed: int, share: dict[str, int], limit: float = 1e9) -> dict[str, Any]:
    """Mutate and read so many files, restarting after crashes; counts of the outcomes and the bad cases."""
    from seeds import make_seeds

    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "work").mkdir()
        for kind, paths in make_seeds(folder / "seeds").items():
            (folder / kind).mkdir()
            for path in paths:
                path.rename(folder / kind / path.name)
        totals: collections.Counter[str] = collections.Counter()
        bad: list[dict[str, Any]] = []
        next_case, end = seed * 10**7, seed * 10**7 + count
        while next_case < end and time.monotonic() - begin < limit:
            batch = min(BATCH, end - next_case)
            next_case += _batch(folder, next_case, batch, share, totals, bad)
        spent = time.monotonic() - begin
        return {"files": next_case - seed * 10**7, "seconds": spent, "outcomes": dict(totals), "bad": bad}


def _batch(
    folder: Path, first: int, count: int, share: dict[str, int], totals: collections.Counter[str], bad: list[Any]
) -> int:
    command = [sys.executable, __file__, "--work", str(folder), str(first), str(count), json.dumps(share)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    case: dict[str, Any] = {}
    finished = 0
    for line in done.stdout.splitlines():
        try:
            item = json.loads(line)
        except ValueError:
            continue  # a process that crashed may leave half a line
        if "how" in item:
            case = item
            continue
        totals[item["result"]] += 1
        finished = item["case"] - first + 1
        if item["result"] not in ("read", "refused"):
            bad.append({**case, **item})
        case = {}
    if done.returncode:
        totals["crash"] += 1
        bad.append({**case, "result": f"crash {done.returncode}", "details": done.stderr[-800:]})
        return max(finished, case.get("case", first) - first + 1)
    return count


if __name__ == "__main__":
    if sys.argv[1] == "--work":
        work(Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), json.loads(sys.argv[5]))
    else:
        number, limit = (float(text) for text in (*sys.argv[2:4], *("1", "1e9")[len(sys.argv[2:4]) :]))
        found = campaign(int(sys.argv[1]), int(number), SHARE, limit)
        print(json.dumps(found, indent=1))
        sys.exit(bool(found["bad"]))
