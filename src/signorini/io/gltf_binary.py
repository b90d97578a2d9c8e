"""The binary container of glTF 2.0."""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass, field
from typing import Any

import numpy as np

VERTICES, ELEMENTS = 34962, 34963
"""What a view of the buffer is for."""
FLOAT, UINT32 = 5126, 5125
TYPES = {1: "SCALAR", 3: "VEC3", 4: "VEC4"}


@dataclass(frozen=True, eq=False)
class GlbBuffer:
    """Arrays in one buffer, and the JSON that speaks of them."""

    header: dict[str, Any] = field(
        default_factory=lambda: {
            "asset": {"version": "2.0", "generator": "signorini"},
            "scene": 0,
            "accessors": [],
            "bufferViews": [],
        }
    )
    chunks: list[bytes] = field(default_factory=list)

    def array(self, values: Any, target: int | None) -> int:
        """Number of the accessor of an array; floats become single precision, as glTF has it."""
        data = np.asarray(values)
        data = data if data.dtype == np.uint32 else data.astype(np.float32)
        raw = data.tobytes()
        view: dict[str, Any] = {"buffer": 0, "byteOffset": sum(map(len, self.chunks)), "byteLength": len(raw)}
        if target is not None:
            view["target"] = target
        self.header["bufferViews"].append(view)
        self.chunks.append(raw + b"\0" * (-len(raw) % 4))
        rows = data.reshape(len(data), -1)
        accessor = {
            "bufferView": len(self.header["bufferViews"]) - 1,
            "componentType": UINT32 if data.dtype == np.uint32 else FLOAT,
            "count": len(data),
            "type": TYPES[rows.shape[1]],
            "min": rows.min(axis=0).tolist(),
            "max": rows.max(axis=0).tolist(),
        }
        self.header["accessors"].append(accessor)
        return len(self.header["accessors"]) - 1

    def binary(self) -> bytes:
        """The whole file."""
        data = b"".join(self.chunks)
        self.header["buffers"] = [{"byteLength": len(data)}]
        text = json.dumps(self.header, allow_nan=False, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        total = 12 + 8 + len(text) + 8 + len(data)
        start = struct.pack("<4sII", b"glTF", 2, total)
        return start + struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(data), b"BIN\0") + data
