"""XML from strangers: lines are told, entities refused, limits kept."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from signorini.io.confined_folder import ConfinedFolder, read_bytes
from signorini.io.xml_tree import MOST_DEPTH, parse_xml
from signorini.problem.errors import FileError


def test_elements_know_their_lines() -> None:
    root = parse_xml(b"<a>\n<b name='x'>\n\n<c v='1 2 3'/></b></a>", "t.xml")
    inner = root.children[0].children[0]
    assert (root.line, root.children[0].line, inner.line) == (1, 2, 4)
    assert inner.place == "t.xml, line 4"
    assert np.array_equal(inner.numbers("v", None, 3), [1.0, 2.0, 3.0])


BOMB = b'<!DOCTYPE a [<!ENTITY x "aaaaaaaaaa"><!ENTITY y "&x;&x;&x;">]><a n="&y;"/>'
OUTSIDE = b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>'


@pytest.mark.parametrize("text", [BOMB, OUTSIDE, b"<a>&unknown;</a>"])
def test_entities_are_refused(text: bytes) -> None:
    with pytest.raises(FileError, match=r"t\.xml, line 1: (declares or uses an XML entity|not well-formed)"):
        parse_xml(text, "t.xml")


@pytest.mark.parametrize("text", [b"", b"<a>", b"<a><b></a>", b"\xff\xfe<", b"<?xml version='1.0' encoding='no'?><a/>"])
def test_text_that_is_no_xml(text: bytes) -> None:
    with pytest.raises(FileError, match=r"t\.xml"):
        parse_xml(text, "t.xml")


def test_depth_is_limited() -> None:
    depth = MOST_DEPTH + 1
    with pytest.raises(FileError, match="deep in one another"):
        parse_xml(b"<a>" * depth + b"</a>" * depth, "t.xml")


@pytest.mark.parametrize("value", ["1 2", "1 2 3 4", "a b c", "nan 0 0", "inf 0 0", ""])
def test_wrong_numbers_name_the_place(value: str) -> None:
    root = parse_xml(f'<a>\n<b pos="{value}"/></a>'.encode(), "t.xml")
    with pytest.raises(FileError, match=r"t\.xml, line 2: <b> has pos="):
        root.children[0].numbers("pos", None, 3)


def test_names_do_not_lead_out_of_the_folder(tmp_path: Path) -> None:
    inside = tmp_path / "in"
    (inside / "sub").mkdir(parents=True)
    (inside / "a.xml").write_text("<a/>")
    (inside / "sub" / "m.stl").write_text("x")
    (tmp_path / "secret.stl").write_text("x")
    (inside / "link.stl").symlink_to(tmp_path / "secret.stl")
    folder = ConfinedFolder.of(inside / "a.xml")
    assert folder.find("sub/m.stl", inside, "here") == inside / "sub" / "m.stl"
    assert folder.find("package://sub/m.stl", inside, "here") == inside / "sub" / "m.stl"
    outside = ["../secret.stl", str(tmp_path / "secret.stl"), "link.stl", "sub/../../secret.stl", "/etc/passwd"]
    for name in (*outside, "package://../secret.stl", "file:///etc/passwd"):
        with pytest.raises(FileError, match=r"leads out of|there is no file"):
            folder.find(name, inside, "here")
    for name in ("", "x" * 5000, "a\0b"):
        with pytest.raises(FileError, match="here"):
            folder.find(name, inside, "here")


def test_pipes_and_large_files_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FileError, match="not an ordinary file"):
        read_bytes(tmp_path / "pipe", 10)
    (tmp_path / "long").write_bytes(b"x" * 11)
    with pytest.raises(FileError, match="expected at most"):
        read_bytes(tmp_path / "long", 10)
