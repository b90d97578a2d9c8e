"""Damaged files through every reader: an error of ours, or sound data, and nothing else."""

from __future__ import annotations

import resource
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from mutations import mutate

LONGEST = 5.0
"""A file that takes longer is a hang [s of processor time]."""
MEMORY = 6 << 30
"""More is refused by the system [bytes]."""
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


class DamagedFiles:
    """Case n: a file of a kind drawn by `share`, changed by the random numbers of seed n, and read."""

    name = "files"
    hang = LONGEST

    def __init__(self, share: dict[str, int] | None = None) -> None:
        self.share = SHARE if share is None else share

        self.kinds = [kind for kind, weight in self.share.items() for _ in range(weight)]
        self.able = {kind for kind in self.share if find_spec({"mesh": "meshio", "robot": "trimesh"}.get(kind, "h5py"))}

    def loads(self) -> list[Callable[[], object]]:
        """Make the sound files, and read each of them once."""
        return [self._make_seeds]

    def _make_seeds(self) -> None:
        from seeds import make_seeds

        warnings.simplefilter("ignore")
        with tempfile.TemporaryDirectory() as name:
            seeds = make_seeds(Path(name), [kind for kind in USES if kind in self.able])
            self.contents = {kind: [(one.name, one.read_bytes()) for one in sorted(seeds[kind])] for kind in seeds}
            for kind, paths in seeds.items():
                for path in paths:
                    USES[kind](path)
            if "robot" in self.able:
                Robots(Path(name) / "robot")

    def start(self, folder: Path) -> None:
        """Limit the memory, write the robot."""
        self.folder = folder
        np.seterr(all="ignore")
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        self.robot = Robots(folder / "robot") if "robot" in self.able else None

    def trial(self, number: int) -> dict[str, Any] | None:
        """Damage a file and read it."""
        rng = np.random.default_rng(number)
        kind = self.kinds[int(rng.integers(len(self.kinds)))]
        if kind not in self.able:
            return None
        if self.robot is not None and kind == "robot":
            source, how, use, path = "robot", "", self.robot.use, Path(str(number))
        else:
            source, content = self.contents[kind][int(rng.integers(len(self.contents[kind])))]
            path, use = self.folder / f"{kind}{Path(source).suffix}", USES[kind]
            how = mutate(content, path, rng)
        row: dict[str, Any] = {"kind": kind, **outcome(use, path)}
        for name in ("ran", "robot/ran"):
            if (self.folder / name).exists():
                (self.folder / name).unlink()
                row["bad"] = "code executed"
        return {**row, "source": source, "how": how} if "bad" in row else row


def outcome(use: Any, path: Path) -> dict[str, str]:
    """What came of a file, `bad` if it must not be."""
    from signorini.problem.errors import SignoriniError

    try:
        result = use(path)
    except SignoriniError:
        return {"result": "refused"}
    except Exception:
        return {"result": "traceback", "bad": traceback.format_exc(limit=-4)}
    return {"result": result} if result in ("read", "refused") else {"result": result, "bad": result}
