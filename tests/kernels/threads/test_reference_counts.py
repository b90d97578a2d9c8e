"""Loops that threads share count no references to arrays: the counts lie in one place, for which threads would wait."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

# Machine code from a cache keeps no intermediate code, so kernels are compiled in a process with a cache of its own.
COMPILE = """
import numpy as np
from signorini.kernels.collision.broad import Pairs, still_near
from signorini.kernels.collision.round import spheres_by_team
from signorini.kernels.collision.table import COLUMNS, Found, Placement, ShapeArrays, gather

def i8(*shape): return np.zeros(shape, dtype=np.int64)
def f8(*shape): return np.zeros(shape)

solo, n = i8(0), 3
pairs, rules = Pairs(i8(1), i8(1), f8(1)), (f8(n, 2), i8(n, 4), i8(0), n)
still_near(solo, rules, f8(n, 11), pairs, np.zeros(0, dtype=np.bool_), (0.1, 0.1), pairs, pairs)
shapes = ShapeArrays(
    i8(n), i8(n), f8(n, 3), f8(n, 3), f8(n, 4), f8(n, 3), f8(n, 3), f8(n), f8(n, 2), i8(n, 4), f8(n), i8(0), n
)
placed, found = Placement(f8(n, 3), f8(n, 9), f8(n, 11), f8(n)), Found(i8(1), f8(1, COLUMNS), 21)
spheres_by_team(solo, shapes, placed, i8(1), i8(1), f8(1), found, 0, found)
points, numbers = (f8(1, 3), f8(1, 3)), (f8(1), f8(1), f8(1))
gather(solo, found, i8(0), (i8(n), f8(n)), (i8(1), i8(1)), points, f8(1, 3), numbers, i8(1))
for kernel in (still_near, spheres_by_team, gather):
    for compiled in kernel.overloads.values():
        print(compiled.library.get_llvm_str())
"""
LOOPS = ("near_part", "compact_part", "spheres_part", "copy_part", "gather_part", "rising_part")


def counts_in_loops(function: str) -> int:
    """How many references a function counts inside of its loops."""
    blocks: dict[str, list[str]] = {"": []}
    name = ""
    for line in function.splitlines()[1:]:
        label = re.match(r'^("[^"]+"|[\w.$-]+):', line)
        if label:
            name = label[1].strip('"')
            blocks[name] = []
        else:
            blocks[name].append(line)
    number = {name: k for k, name in enumerate(blocks)}
    text = {name: "\n".join(lines) for name, lines in blocks.items()}
    edges = [
        (number[name], number[target.strip('"')])
        for name, lines in text.items()
        for target in re.findall(r'label %("[^"]+"|[\w.$-]+)', lines)
    ]
    rows, columns = np.array(edges or [(0, 0)]).T
    graph = coo_matrix((np.ones(len(rows)), (rows, columns)), shape=(len(blocks), len(blocks)))
    _, cycle = connected_components(graph, connection="strong")
    around = {a for a, b in edges if a == b} | set(np.flatnonzero(np.bincount(cycle)[cycle] > 1).tolist())
    return sum(text[name].count("@NRT_incref") for name, k in number.items() if k in around)


@pytest.mark.slow
def test_loops_of_the_detection_count_no_references(tmp_path: Path) -> None:
    variables = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", COMPILE], capture_output=True, text=True, timeout=300, env=variables)
    assert done.returncode == 0, done.stderr
    seen = set()
    for function in done.stdout.split("\ndefine")[1:]:
        symbol = re.search(r'@"?([^"( ]+)', function)
        assert symbol is not None
        name = next((name for name in LOOPS if re.search(rf"\d{name}B\d", symbol[1])), None)
        if name is not None and not symbol[1].startswith(("cpython.", "cfunc.")):
            seen.add(name)
            assert counts_in_loops("define" + function.split("\n}")[0]) == 0, name
    assert seen == set(LOOPS)


def test_counts_in_loops_are_seen() -> None:
    function = """define void @f(ptr %x) {
entry:
  call void @NRT_incref(ptr %x)
  br label %loop
loop:
  COUNT
  br i1 %more, label %loop, label %end
end:
  ret void"""
    assert counts_in_loops(function) == 0
    assert counts_in_loops(function.replace("COUNT", "call void @NRT_incref(ptr %x)")) == 1
