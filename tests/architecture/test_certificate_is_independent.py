"""The certificate is independent: it and the solvers evaluate contact with separate code.

Shared are the data (`ContactProblem`, `Cones`, `Solution`) and what is linear algebra alone: H^-1, products with D,
diag N and the two sizes that give errors their unit. `tests/problem/test_certificate_terms.py` compares these with
dense algebra.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src" / "signorini"
FILES = {path.relative_to(SOURCE).as_posix(): ast.parse(path.read_text()) for path in SOURCE.rglob("*.py")}
CERTIFICATE = ("problem/certificate.py", "problem/certificate_terms.py")
ROOM = "signorini.kernels.certificate"
ALLOWED_IMPORTS = {
    "signorini.kernels.threads.team",  # threads of loops
    "signorini.math.cached",
    "signorini.math.sparse",
    "signorini.problem.contact_problem",
    "signorini.problem.certificate_terms",
    "signorini.problem.products",  # `checked`: the shape of a vector
}
NAMES_FOR_SOLVERS = {"measure", "Certificate", "Law", "IDLE_ROW", "IDLE_JOINTS"}
"""Solvers use the measure, the laws, and the two numbers below which motion counts as none."""
DATA = {"H", "c", "C", "b_gamma", "D", "b_lambda", "E", "skew", "cones", "velocities", "contacts", "contact_rows",
        "joint_rows", "name"}  # fmt: skip
LINEAR_ALGEBRA = {
    "mass",
    "rows",
    "slip_of",
    "free_velocity",
    "r",
    "N_diagonal",
    "mean_weight",
    "slip_size",
    "joined_slip",
}
OF_CONES = {"start", "friction", "low", "high", "spinning", "rolling", "is_plain", "dims", "count"}


def imports(tree: ast.Module) -> Iterator[tuple[str, set[str]]]:
    """(module, names) of all imports from this package, `from package import module` resolved to the module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("signorini"):
            names = {name.name for name in node.names}
            for name in names:
                path = f"{node.module}.{name}".removeprefix("signorini.").replace(".", "/")
                is_module = f"{path}.py" in FILES or f"{path}/__init__.py" in FILES
                yield (f"{node.module}.{name}", set()) if is_module else (str(node.module), {name})


def attributes(tree: ast.Module, owner: str) -> set[str]:
    """Attributes read from any `owner` or `x.owner`."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            value = node.value
            if (isinstance(value, ast.Name) and value.id == owner) or (
                isinstance(value, ast.Attribute) and value.attr == owner
            ):
                found.add(node.attr)
    return found


@pytest.mark.parametrize("file", CERTIFICATE)
def test_the_certificate_imports_data_and_its_own_kernels_alone(file: str) -> None:
    found = {module for module, _ in imports(FILES[file]) if not module.startswith(ROOM)}
    assert found <= ALLOWED_IMPORTS


@pytest.mark.parametrize("file", CERTIFICATE)
def test_the_certificate_takes_only_data_and_linear_algebra_from_the_problem(file: str) -> None:
    assert attributes(FILES[file], "problem") <= DATA | LINEAR_ALGEBRA
    assert attributes(FILES[file], "cones") <= OF_CONES


def test_the_kernels_of_the_certificate_import_none_of_the_others() -> None:
    room = {name: tree for name, tree in FILES.items() if name.startswith("kernels/certificate/")}
    assert len(room) >= 3
    for name, tree in room.items():
        others = {module for module, _ in imports(tree) if not module.startswith(ROOM)}
        assert others <= {f"signorini.kernels.{shared}" for shared in ("compile", "stack", "threads.parts")}, name


def test_only_the_certificate_uses_its_kernels() -> None:
    """The compiled step calls them as `problem.certificate_terms` does, for its answer alone."""
    users = {name for name, tree in FILES.items() if any(module.startswith(ROOM) for module, _ in imports(tree))}
    outside = {name for name in users if not name.startswith("kernels/certificate/")}
    assert outside == {"problem/certificate_terms.py", "kernels/cuda/certificate.py", "kernels/step/finish.py"}
    asked = {
        name for module, names in imports(FILES["kernels/step/finish.py"]) if module.startswith(ROOM) for name in names
    }
    assert asked == {"certificate_error"}


def test_only_the_certificate_uses_its_terms() -> None:
    users = {
        name
        for name, tree in FILES.items()
        for module, _ in imports(tree)
        if module == "signorini.problem.certificate_terms"
    }
    assert users == {"problem/certificate.py"}


def test_solvers_ask_for_a_verdict_and_nothing_else() -> None:
    seen = set()
    for name, tree in FILES.items():
        for module, names in imports(tree):
            if name.startswith("solvers/") and module == "signorini.problem.certificate":
                seen |= names
                assert names <= NAMES_FOR_SOLVERS, name
    assert "measure" in seen
