"""The rules of the house: layers, sizes, documented names, cited keys, nothing of this machine in the files."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import signorini

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "signorini"
FILES = sorted(SOURCE.rglob("*.py"))
MOST_LINES_OF_A_FILE = 350
MOST_LINES_OF_A_FUNCTION = 50

MAY_SET_ATTRIBUTES = {
    "kernels/cuda/door.py": "a name that an old numba-cuda asks of numpy",
    "math/cached.py": "stands in for functools.cached_property",
    "math/sparse.py": "scipy's own constructor costs more than products with small matrices",
    "problem/cones.py": "a constructor without checks",
    "problem/contact_problem.py": "a changed problem shares derived quantities with the first one",
    "stepping/device/step.py": "frozen objects whose parts are read from the device when asked for",
    "problem/derived.py": "reads the definitions of a class",
}


def name_of(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


def tracked_files() -> list[Path]:
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listing.returncode:
        pytest.skip("not a git checkout")
    return [ROOT / name for name in listing.stdout.split("\0") if name]


def test_layers() -> None:
    command = Path(sys.executable).with_name("lint-imports")
    result = subprocess.run([command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout[-3000:]


def lines_of_functions(path: Path) -> dict[str, int]:
    """path:function -> lines, the longest where a name comes twice."""
    found: dict[str, int] = {}
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            key = f"{name_of(path)}:{node.name}"
            found[key] = max(found.get(key, 0), (node.end_lineno or node.lineno) - node.lineno + 1)
    return found


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_files_are_small(path: Path) -> None:
    lines = len(path.read_text().splitlines())
    assert lines <= MOST_LINES_OF_A_FILE, f"{name_of(path)} has {lines} lines: split it"


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_functions_are_short(path: Path) -> None:
    for key, lines in lines_of_functions(path).items():
        assert lines <= MOST_LINES_OF_A_FUNCTION, f"{key} has {lines} lines: split it"


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_modules_and_public_definitions_are_documented(path: Path) -> None:
    tree = ast.parse(path.read_text())
    assert ast.get_docstring(tree), f"{name_of(path)} has no docstring"
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            assert ast.get_docstring(node), f"{name_of(path)}: {node.name} has no docstring"


@pytest.mark.parametrize("name", signorini.__all__)
def test_public_names_are_importable_and_documented(name: str) -> None:
    assert (getattr(signorini, name).__doc__ or "").strip()


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_nobody_writes_into_the_cache_of_others(path: Path) -> None:
    """An object's attributes are its own: no `vars(x)[...]`, no `x.__dict__`, no `object.__setattr__(x, ...)`."""
    if name_of(path) in MAY_SET_ATTRIBUTES:
        return
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "vars":
            found = "vars()"
        elif isinstance(node, ast.Attribute) and node.attr == "__dict__" and ast.unparse(node.value) != "self":
            found = ast.unparse(node)
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "object.__setattr__":
            found = "" if ast.unparse(node.args[0]) == "self" else ast.unparse(node)
        else:
            continue
        assert not found, f"{name_of(path)}:{node.lineno}: {found} reaches into another object; let it offer a method"


def test_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(AttributeError, match="InteriorPoint"):
        _ = signorini.NoSuchThing


def test_import_is_light() -> None:
    """`import signorini` and the command's --help load neither numba nor matplotlib nor h5py."""
    code = "import sys, signorini; print([m for m in ('numba', 'matplotlib', 'h5py', 'scipy') if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_cited_keys_are_in_the_bibliography() -> None:
    known = set(re.findall(r"@\w+\{(\w+),", (ROOT / "docs" / "references.bib").read_text()))
    for path in [*FILES, *SOURCE.rglob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        for group in re.findall(r"\[([A-Z][A-Za-z]+(?:19|20)\d\d[^\]\n]*)\]", path.read_text()):
            for key in re.findall(r"\b[A-Z][A-Za-z]+(?:19|20)\d\d\b", group):
                assert key in known, f"{path.name} cites {key}, which docs/references.bib does not have"


def test_version_is_written_alike_everywhere() -> None:
    project = (ROOT / "pyproject.toml").read_text()
    assert f'version = "{signorini.__version__}"' in project
    assert f"version: {signorini.__version__}" in (ROOT / "CITATION.cff").read_text()


def test_no_machine_is_written_into_the_files() -> None:
    """Neither package registries nor absolute paths of one machine belong into the repository."""
    suspects = re.compile(
        "|".join(
            [
                r"https?://[^\s\"')]*/simple\b",
                r"--(?:extra-)?index-url",
                r"--trusted-host",
                r"[\s\"'`(=](?:/tmp|/root|/work|/opt|/home/\w+)/\w",
            ]
        )
    )
    for path in tracked_files():
        if not path.exists() or path.suffix in (".png", ".npz", ".hdf5") or path == Path(__file__):
            continue
        for number, line in enumerate(path.read_text(errors="ignore").splitlines(), start=1):
            assert not suspects.search(line), f"{path.relative_to(ROOT)}:{number}: {line.strip()}"


def test_solver_registry_names_real_classes() -> None:
    from signorini.solvers import SOLVERS

    for name, (module, attribute) in SOLVERS.items():
        found = getattr(import_module(module), attribute)
        assert found.name == name
        assert attribute in {*signorini.__all__, *signorini.solvers.__all__}


def test_solvers_do_not_import_one_another() -> None:
    """Whatever is registered as a solver stands on the shared layers alone, also by way of third modules."""
    import grimp

    from signorini.solvers import OUTER, SOLVERS

    modules = [module for module, _ in (SOLVERS | OUTER).values()]
    graph = grimp.build_graph("signorini")
    assert len(modules) > 5
    for one in modules:
        for other in modules:
            chain = None if one == other else graph.find_shortest_chain(one, other, as_packages=True)
            assert chain is None, " -> ".join(chain or ())
