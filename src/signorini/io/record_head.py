"""What a record says before its first step."""

from __future__ import annotations

import dataclasses
import json
import platform
from dataclasses import dataclass
from typing import Any

import numpy as np

import signorini
from signorini.io.hdf5 import h5py
from signorini.io.model_text import to_text
from signorini.io.record_layout import FORMAT, REACTIONS, VERSION, make_layout, schema
from signorini.io.record_reader import RecordReader
from signorini.model.layout import Layout
from signorini.model.model import Model


@dataclass(frozen=True)
class RecordHead:
    """Model, settings and notes of a run."""

    settings: dict[str, Any]
    notes: dict[str, Any]
    versions: dict[str, str]
    """What made the record."""
    model_text: str
    layout: Layout
    bodies: int
    nodes: int
    single: bool = False
    """Whether states, contacts and reactions have single precision."""

    @classmethod
    def of(cls, model: Model, settings: dict[str, Any], notes: dict[str, Any], single: bool = False) -> RecordHead:
        """Of a run that begins."""
        layout = Layout.of(model, model.initial_state())
        return cls(settings, notes, versions(), to_text(model), layout, len(model.bodies), model.node_count, single)

    @classmethod
    def of_record(cls, old: RecordReader) -> RecordHead:
        """The same as that of a record."""
        nodes = max((part.stop for part in old.flexibles.values()), default=0)
        return cls(old.settings, old.notes, old.versions, old.model_text, old.layout, len(old.names), nodes, old.single)

    def write(self, file: Any) -> None:
        """Into a new file, with empty data sets for what follows."""
        file.attrs["format"], file.attrs["format_version"] = np.bytes_(FORMAT.encode()), VERSION
        for name, value in (("settings", self.settings), ("notes", self.notes), ("versions", self.versions)):
            # Of fixed length, so that it lies in the header of the file, which has a checksum.
            file.attrs[name] = np.bytes_(json.dumps(value).encode())
        for name, text in (("model", self.model_text), ("layout", json.dumps(dataclasses.asdict(self.layout)))):
            data = np.frombuffer(text.encode(), dtype=np.uint8)
            file.create_dataset(name, data=data, compression="gzip", chunks=True, fletcher32=True)
        specs = schema(self.bodies, self.nodes, dict(zip(REACTIONS, self.layout.sizes, strict=True)))
        make_layout(file, specs, self.single)


def versions() -> dict[str, str]:
    """Of this package and of those that decide about its numbers."""
    import scipy

    return {
        "signorini": signorini.__version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "h5py": h5py.__version__,
    }
