"""Damaged robot files (URDF, MJCF, surface meshes): a seeded campaign, part of `files.py`, or alone by
`python tests/fuzz/robots.py 10000`.

Each case is a folder with a URDF, an MJCF with an include, and meshes, of which one file is changed. Loading it has to
end in a `SignoriniError` or in a sound model, within a time limit, without opening a file outside of the folder.
"""

from __future__ import annotations

import random
import re
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import trimesh

import signorini as sg

MOST_SECONDS = 10
"""Of computing for one file; waiting may take ten times as long."""
NUMBERS = (
    "0",
    "-1",
    "1e308",
    "-1e308",
    "1e-320",
    "nan",
    "inf",
    "1e18",
    "0.5",
    "7",
    "1 2",
    "",
    "x",
    "99999999999999999999",
)
NAMES = ("../secret.stl", "/etc/passwd", "package://../../secret.stl", "file:///etc/passwd", ".", "", "a.stl", "m.ply",
         "m.glb", "m.obj", "robot.urdf", "\u0000", "x" * 3000, "link.stl", "pipe.stl", "parts")  # fmt: skip

URDF = """<robot name="arm">
  <link name="base"><inertial><mass value="5"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
    <collision><geometry><box size="0.4 0.4 0.2"/></geometry></collision></link>
  <link name="upper"><inertial><origin xyz="0 0 0.5" rpy="0.3 -0.2 0.1"/><mass value="2"/>
      <inertia ixx="0.3" ixy="0.01" ixz="0.02" iyy="0.4" iyz="-0.03" izz="0.5"/></inertial>
    <collision><origin xyz="0 0 0.5"/><geometry><mesh filename="a.stl" scale="0.1 0.1 0.1"/></geometry></collision>
    <contact><lateral_friction value="0.6"/></contact></link>
  <link name="rod"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial>
    <collision><geometry><mesh filename="package://arm/m.obj"/></geometry></collision></link>
  <link name="tip"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial>
    <collision><geometry><cylinder radius="0.1" length="0.2"/></geometry></collision></link>
  <joint name="shoulder" type="revolute"><origin xyz="0 0 0.2" rpy="0 0 0.7"/><parent link="base"/><child link="upper"/>
    <axis xyz="0 2 0"/><limit lower="-1" upper="0.5" effort="10" velocity="1"/><dynamics damping="0.3" friction="0.2"/>
  </joint>
  <joint name="slide" type="prismatic"><origin xyz="0 0 1"/><parent link="upper"/><child link="rod"/>
    <axis xyz="0 0 1"/><limit lower="0.1" upper="0.4"/></joint>
  <joint name="copy" type="continuous"><origin xyz="0.5 0 0"/><parent link="base"/><child link="tip"/>
    <axis xyz="0 1 0"/><mimic joint="shoulder" multiplier="-2" offset="0.25"/></joint>
</robot>
"""
MJCF = """<mujoco model="test">
  <compiler angle="radian" eulerseq="zyx" meshdir="." autolimits="true"/>
  <option timestep="0.002" gravity="0 0 -10"/>
  <include file="parts/defaults.xml"/>
  <asset><mesh name="m" file="m.ply" scale="0.1 0.1 0.1"/><mesh name="g" file="m.glb"/>
    <mesh name="v" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 1" friction="0.7"/>
    <body name="cart" pos="0 0 1" childclass="heavy">
      <joint name="x" type="slide" axis="1 0 0" range="-1 2" damping="3" stiffness="4" springref="0.5" ref="0.25"/>
      <geom name="box" type="box" size="0.2 0.1 0.05" euler="0.1 0.2 0.3" contype="2" conaffinity="1"/>
      <body name="pole" pos="0 0 0.1" euler="0 0.1 0">
        <joint name="h1" axis="0 1 0" pos="0 0 0.05"/><joint name="h2" axis="1 0 0" frictionloss="0.4"/>
        <geom name="rod" type="capsule" fromto="0 0 0 0 0.1 0.6" size="0.03" density="500"/>
        <geom type="mesh" mesh="m" pos="0 0 1"/><site name="tip" pos="0 0 0.6"/>
        <inertial pos="0 0 0.3" mass="1" diaginertia="0.1 0.1 0.1"/>
        <frame pos="0 0 0.6"><body name="hand"><geom type="mesh" mesh="v" mass="0.3"/></body></frame>
      </body>
    </body>
    <body name="ball" pos="2 0 1"><freejoint name="loose"/><geom size="0.1" condim="6" friction="0.5 0.01 0.02"/>
      <geom type="mesh" mesh="g" zaxis="1 1 0"/><site name="s2"/></body>
  </worldbody>
  <contact><exclude body1="cart" body2="ball"/></contact>
  <tendon><spatial name="rope" range="0 4"><site site="tip"/><site site="s2"/></spatial>
    <fixed name="sum"><joint joint="h1" coef="1"/><joint joint="h2" coef="-0.5"/></fixed></tendon>
  <equality><joint joint1="h1" joint2="h2" polycoef="0.1 2 0 0 0"/><connect body1="pole" body2="ball" anchor="0 0 1"/>
  </equality>
  <actuator><motor joint="x" gear="5" ctrlrange="-1 1"/><position joint="h2" kp="20" kv="1"/>
    <motor tendon="sum"/><motor site="tip" gear="0 0 1 0 0 0"/></actuator>
  <keyframe><key name="home" qpos="0.5 0.2 0.05  2 0 3 1 0 0 0"/></keyframe>
</mujoco>
"""
DEFAULTS = """<mujoco><default><geom friction="0.9" density="2000"/>
  <default class="heavy"><geom friction="0.8"/><joint damping="0.5"/></default></default></mujoco>"""


def originals(folder: Path) -> dict[str, bytes]:
    """Write the sound files into a folder; returns those that are mutated."""
    cone = trimesh.creation.cone(0.5, 1.0, sections=12)
    files = {
        "robot.urdf": URDF.encode(),
        "model.xml": MJCF.encode(),
        "parts/defaults.xml": DEFAULTS.encode(),
        "a.stl": cone.export(file_type="stl"),
        "t.stl": cone.export(file_type="stl_ascii").encode(),
        "m.obj": cone.export(file_type="obj").encode(),
        "m.ply": cone.export(file_type="ply"),
        "m.glb": cone.export(file_type="glb"),
    }
    (folder / "parts").mkdir()
    (folder.parent / "secret.stl").write_bytes(files["a.stl"])
    (folder / "link.stl").symlink_to(folder.parent / "secret.stl")
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return files


def mutated(content: bytes, name: str, random_: random.Random) -> bytes:
    """One to three changes."""
    text = name.endswith((".urdf", ".xml"))
    for _ in range(random_.choice((1, 1, 2, 3))):
        change = random_.choice(TEXT_CHANGES if text and random_.random() < 0.8 else BYTE_CHANGES)
        content = change(content, random_)
    return content


def _flip(content: bytes, r: random.Random) -> bytes:
    data = bytearray(content)
    for _ in range(r.randint(1, 8)):
        if data:
            data[r.randrange(len(data))] = r.randrange(256)
    return bytes(data)


def _cut(content: bytes, r: random.Random) -> bytes:
    a, b = sorted((r.randint(0, len(content)), r.randint(0, len(content))))
    return content[:a] + content[b:]


def _end(content: bytes, r: random.Random) -> bytes:
    return content[: r.randint(0, len(content))]


def _twice(content: bytes, r: random.Random) -> bytes:
    a = r.randint(0, len(content))
    b = min(len(content), a + r.randint(1, 400))
    return content[:b] + content[a:b] * r.randint(1, 4) + content[b:]


def _huge(content: bytes, r: random.Random) -> bytes:
    a = r.randint(0, max(0, len(content) - 4))
    return content[:a] + r.choice((b"\xff\xff\xff\x7f", b"\xff" * 4, b"\0" * 4, b"\x01\0\0\0")) + content[a + 4 :]


def _attribute(content: bytes, r: random.Random) -> bytes:
    """Another value for an attribute."""
    text = content.decode("utf-8", "replace")
    found = list(re.finditer(r'([\w.]+)="([^"]*)"', text))
    if not found:
        return content
    hit = r.choice(found)
    words = hit.group(2).split()
    kind = r.random()
    if kind < 0.45 and words:
        words[r.randrange(len(words))] = r.choice(NUMBERS)
        value = " ".join(words)
    elif kind < 0.6:
        value = r.choice(NAMES).replace("\0", "")
    elif kind < 0.8:
        value = r.choice(found).group(2)
    else:
        value = r.choice(NUMBERS)
    return (text[: hit.start(2)] + value + text[hit.end(2) :]).encode()


def _drop_attribute(content: bytes, r: random.Random) -> bytes:
    text = content.decode("utf-8", "replace")
    found = list(re.finditer(r'\s[\w.]+="[^"]*"', text))
    if not found:
        return content
    hit = r.choice(found)
    return (text[: hit.start()] + text[hit.end() :]).encode()


def _element(content: bytes, r: random.Random) -> bytes:
    """Drop, double, move or rename an element without children, or add an odd one."""
    text = content.decode("utf-8", "replace")
    found = list(re.finditer(r"<(\w+)[^<>]*/>", text))
    if not found:
        return content
    hit, place = r.choice(found), r.choice(found).start()
    kind = r.random()
    if kind < 0.3:
        return (text[: hit.start()] + text[hit.end() :]).encode()
    if kind < 0.7:
        return (text[:place] + hit.group(0) + text[place:]).encode()
    if kind < 0.85:
        return (text[: hit.start(1)] + r.choice(found).group(1) + text[hit.end(1) :]).encode()
    odd = r.choice(ODD)
    return (text[:place] + odd + text[place:]).encode()


def _entity(content: bytes, r: random.Random) -> bytes:
    kinds = (
        b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
        b'<!DOCTYPE a [<!ENTITY x "y">]>',
        b"<!DOCTYPE a>",
    )
    return r.choice(kinds) + content.replace(b"robot name=", b'robot name="&x;" n=', r.randint(0, 1))


ODD = ("<replicate count='9'/>", "<!--x-->", "&x;", "<a>" * 300, "<body/>", "<joint/>", "<geom/>", "<link/>",
       "<include file='model.xml'/>", "<default class='main'/>", "<inertial/>", "<frame/>")  # fmt: skip
Change = Callable[[bytes, random.Random], bytes]
BYTE_CHANGES: tuple[Change, ...] = (_flip, _cut, _end, _twice, _huge)
TEXT_CHANGES: tuple[Change, ...] = (_attribute, _attribute, _attribute, _attribute, _drop_attribute, _element, _element,
                                    _entity)  # fmt: skip


def load(folder: Path, name: str) -> None:
    """Load what uses the file, and check the model."""
    if name.endswith((".urdf", ".stl", ".obj")):
        models = [sg.load_urdf(folder / "robot.urdf", ground=False)]
    else:
        models = [sg.load_mjcf(folder / "model.xml")]
    for model in models:
        state = model.initial_state()
        assert np.isfinite(state.position).all()
        assert np.isfinite(state.orientation).all()
        for body in model.bodies:
            assert not body.movable or (0 < body.mass < np.inf and np.linalg.eigvalsh(body.inertia)[0] > 0)
        str(model.report)


@contextmanager
def watched(folder: Path) -> Iterator[list[str]]:
    """Names of files that were opened outside of the folder, of the packages and of the system's libraries."""
    HOOKED.append(str(folder))
    OPENED.clear()
    try:
        yield OPENED
    finally:
        HOOKED.clear()


HOOKED: list[str] = []
OPENED: list[str] = []
OURS = tuple({str(Path(p).resolve()) for p in (*sys.path, sys.prefix, sys.base_prefix) if p and Path(p).is_dir()})


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open" and HOOKED and isinstance(arguments[0], str | bytes | Path):
        name = str(Path(str(arguments[0])).resolve()) if not isinstance(arguments[0], bytes) else str(arguments[0])
        if not name.startswith((HOOKED[0], *OURS)):
            OPENED.append(name)


sys.addaudithook(_hook)


def run_case(seed: int, folder: Path, files: dict[str, bytes]) -> str:
    """The outcome of one case: `loaded` or `refused`; anything else raises."""
    r = random.Random(seed)
    name = r.choice(list(files))
    target = "a.stl" if name == "t.stl" else name
    (folder / target).write_bytes(mutated(files[name], name, r))
    try:
        with warnings.catch_warnings(), watched(folder) as opened:
            warnings.simplefilter("ignore")
            words = "loaded"
            try:
                load(folder, name)
            except sg.SignoriniError as error:
                words = str(error).strip()
        assert not opened, f"opened {opened}"
        assert words, "an error without words"
        return "loaded" if words == "loaded" else "refused"
    finally:
        (folder / target).write_bytes(files[target])


def campaign(first: int, count: int, seconds: int = MOST_SECONDS) -> tuple[Counter[str], list[str]]:
    """Outcomes, and what went wrong."""
    outcomes: Counter[str] = Counter()
    wrong: list[str] = []

    def alarm(*_: Any) -> None:
        raise TimeoutError

    old = {kind: signal.signal(kind, alarm) for kind in (signal.SIGALRM, signal.SIGPROF)}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place).resolve() / "robot"
        folder.mkdir()
        files = originals(folder)
        with warnings.catch_warnings():  # what is imported on first use opens files of its own
            warnings.simplefilter("ignore")
            load(folder, "robot.urdf")
            load(folder, "model.xml")
        for seed in range(first, first + count):
            signal.alarm(10 * seconds)
            signal.setitimer(signal.ITIMER_PROF, seconds)
            try:
                outcomes[run_case(seed, folder, files)] += 1
            except BaseException as error:
                outcomes["wrong"] += 1
                last = traceback.extract_tb(error.__traceback__)[-1]
                wrong.append(f"seed {seed}: {type(error).__name__}: {str(error)[:150]} ({last.filename}:{last.lineno})")
            finally:
                signal.alarm(0)
                signal.setitimer(signal.ITIMER_PROF, 0.0)
    for kind, before in old.items():
        signal.signal(kind, before)
    return outcomes, wrong


if __name__ == "__main__":
    begin = time.perf_counter()
    result, faults = campaign(int(sys.argv[2]) if len(sys.argv) > 2 else 0, int(sys.argv[1]))
    print(dict(result), f"{time.perf_counter() - begin:.1f} s")
    print("\n".join(faults))
