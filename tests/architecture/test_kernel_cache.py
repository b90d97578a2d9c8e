"""Cached machine code must not outlive the kernels it was made from."""

from __future__ import annotations

import ast
import pickle
from pathlib import Path

import pytest
from numba.core.caching import IndexDataCacheFile

from signorini.kernels import compile as compiling
from signorini.kernels.certificate import sets

FILES = sorted(path for path in compiling.FOLDER.rglob("*.py") if path.name != "__init__.py")


def test_callers_are_tied_to_the_sources_that_they_import() -> None:
    """`contact_errors` holds the code of kernels that live in other files."""
    file = Path(sets.__file__)
    assert sets.contact_errors._cache._cache_file._source_stamp == compiling.source_stamp(file)
    assert compiling.source_stamp(file) != compiling.source_stamp(Path(compiling.__file__))


@pytest.mark.parametrize("file", FILES, ids=lambda path: str(path.relative_to(compiling.FOLDER)))
def test_all_imports_of_kernels_are_found(file: Path) -> None:
    """The pattern that reads imports agrees with the language's own parser."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("signorini.kernels"):
            place = compiling.FOLDER.joinpath(*str(node.module).split(".")[2:])
            files = [place.with_suffix(".py"), *(place / f"{name.name}.py" for name in node.names)]
            found.update(path for path in files if path.is_file())
        elif isinstance(node, ast.Import):
            assert not any(name.name.startswith("signorini") for name in node.names), "use `from ... import ...`"
    assert compiling._imported(file) == found


def test_a_change_of_an_imported_file_changes_the_stamp(monkeypatch: pytest.MonkeyPatch) -> None:
    file = Path(sets.__file__)
    imported = next(iter(compiling._imported(file) - {Path(compiling.__file__)}))
    texts = {path: path.read_text() for path in FILES}
    before = compiling.source_stamp.__wrapped__(file)
    monkeypatch.setattr(compiling, "_text", lambda path: texts[path] + ("\n" if path == imported else ""))
    assert compiling.source_stamp.__wrapped__(file) != before


def test_an_index_of_types_that_are_gone_counts_as_empty(tmp_path: Path) -> None:
    """An update may move a type; numba would stop with an AttributeError."""
    index = IndexDataCacheFile(str(tmp_path), "kernel", "stamp")
    gone = b"csignorini.kernels.compile\nNoSuchType\n."
    Path(index._index_path).write_bytes(pickle.dumps(index._version) + gone)
    assert index._load_index() == {}
