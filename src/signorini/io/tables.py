"""Columns of numbers as CSV, NPZ or Parquet files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from signorini.math.sparse import Array
from signorini.problem.errors import FileError

TABLES = (".csv", ".npz", ".parquet")


def check_table_path(path: Path) -> None:
    """Raise before work is done if the table cannot be written."""
    if path.suffix.lower() not in TABLES:
        raise FileError(f"{path} has the ending '{path.suffix}', expected a table: {', '.join(TABLES)}")
    if not path.parent.is_dir():
        raise FileError(f"{path} cannot be written: there is no directory {path.parent}; make it first")
    if path.is_dir():
        raise FileError(f"{path} is a directory, expected the name of a file to write")


def save_table(columns: Mapping[str, Array], path: str | Path) -> Path:
    """Write columns of equal length; the ending of `path` says how. Numbers in CSV files are exact."""
    path = Path(path)
    check_table_path(path)
    try:
        if path.suffix.lower() == ".npz":
            np.savez_compressed(path, allow_pickle=False, **dict(columns))
        elif path.suffix.lower() == ".parquet":
            _save_parquet(columns, path)
        else:
            rows = zip(*(values.tolist() for values in columns.values()), strict=True)
            lines = [",".join(_quoted(name) for name in columns)] + [",".join(map(repr, row)) for row in rows]
            path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    except OSError as error:
        raise FileError(f"{path} cannot be written: {error.strerror or error}") from error
    return path


def _save_parquet(columns: Mapping[str, Array], path: Path) -> None:
    try:
        import pyarrow
        import pyarrow.parquet as parquet
    except ImportError as error:
        raise FileError('Parquet needs pyarrow: pip install "signorini[tables]"; or write .csv or .npz') from error
    parquet.write_table(pyarrow.table(dict(columns)), path)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"' if any(c in name for c in ',"\n') else name
