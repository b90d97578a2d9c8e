"""Ways to damage a file: blindly, or with knowledge of what HDF5 and JSON hold."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import h5py
import numpy as np

Rng = np.random.Generator
ODD_INTEGERS = (-1, -2, 0, 1, 2, 7, 127, 255, 2**15, 2**31 - 1, 2**31, 2**40, 2**62, -(2**63))
ODD_FLOATS = (math.nan, math.inf, -math.inf, 0.0, -0.0, -1.0, 1e-320, 1e-200, 1e200, 1e308, -1e308)
ODD_JSON: tuple[Any, ...] = (
    None, True, -1, 0, 2**70, 10**400, 1e308, -1.5, "", "x", "../../etc/passwd", [], [[]], {}, {"code": True},
    {"class": "os:system", "fields": {"command": "touch ran"}}, {"array": [1, 2], "type": "<f8"},
    {"class": "signorini.model.shapes.sphere:Sphere", "fields": {"radius": -1}}, {"infinite": 1},
    {"class": "signorini.model.model:import_module", "fields": {"name": "antigravity"}},
)  # fmt: skip


def mutate(content: bytes, path: Path, rng: Rng) -> str:
    """Write a damaged version of `content` to `path`; how it was damaged."""
    is_hdf5 = b"\x89HDF" in content[:8192]
    ways = [_flip, _flip_many, _cut, _zero, _swap, _repeat, _number]
    if is_hdf5:
        ways += [_values, _values, _values, _reshape, _retype, _attribute, _json, _json, _json, _link, _drop]
    else:
        ways += [_token] * 6
    way = ways[int(rng.integers(len(ways)))]
    if way in BLIND:
        path.write_bytes(way(bytearray(content), rng))
        return f"{way.__name__}: bytes"
    path.write_bytes(content)
    try:
        return f"{way.__name__}: {way(path, rng)}"
    except Exception as error:  # a mutation that HDF5 refuses is none
        return f"{way.__name__}: {type(error).__name__}"


# --- bytes ---------------------------------------------------------------------------------------------------------


def _flip(content: bytearray, rng: Rng) -> bytes:
    content[int(rng.integers(len(content)))] ^= 1 << int(rng.integers(8))
    return bytes(content)


def _flip_many(content: bytearray, rng: Rng) -> bytes:
    for place in rng.integers(0, len(content), int(rng.integers(2, 300))):
        content[place] = int(rng.integers(256))
    return bytes(content)


def _cut(content: bytearray, rng: Rng) -> bytes:
    return bytes(content[: int(rng.integers(len(content)))])


def _zero(content: bytearray, rng: Rng) -> bytes:
    begin = int(rng.integers(len(content)))
    end = min(len(content), begin + int(rng.integers(1, 4096)))
    content[begin:end] = bytes(end - begin)
    return bytes(content)


def _swap(content: bytearray, rng: Rng) -> bytes:
    size = int(rng.integers(1, max(2, min(512, len(content) // 4))))
    one, other = (int(k) for k in rng.integers(0, len(content) - size, 2))
    content[one : one + size], content[other : other + size] = content[other : other + size], content[one : one + size]
    return bytes(content)


def _repeat(content: bytearray, rng: Rng) -> bytes:
    begin, place = (int(k) for k in rng.integers(0, len(content), 2))
    return bytes(content[:place] + content[begin : begin + int(rng.integers(1, 2048))] + content[place:])


def _number(content: bytearray, rng: Rng) -> bytes:
    """An odd 64-bit number somewhere."""
    value = ODD_INTEGERS[int(rng.integers(len(ODD_INTEGERS)))]
    place = int(rng.integers(max(1, len(content) - 8)))
    content[place : place + 8] = int(value).to_bytes(8, "little", signed=True)
    return bytes(content)


BLIND = (_flip, _flip_many, _cut, _zero, _swap, _repeat, _number)


def _token(path: Path, rng: Rng) -> str:
    """A word of a text, replaced."""
    words = path.read_bytes().split(b" ")
    odd = [
        b"nan",
        b"1e999",
        b"-1",
        b"99999999999",
        b"0",
        b"",
        b"x",
        b"\n",
        b"*INCLUDE, INPUT=/etc/passwd\n",
        b"1 " * 500,
    ]
    place = int(rng.integers(len(words)))
    words[place] = odd[int(rng.integers(len(odd)))]
    path.write_bytes(b" ".join(words))
    return f"word {place}"


# --- HDF5 ----------------------------------------------------------------------------------------------------------


def _all(file: h5py.File) -> list[h5py.Dataset]:
    found: list[h5py.Dataset] = []
    file.visititems(lambda _, item: found.append(item) if isinstance(item, h5py.Dataset) else None)
    return found


def _pick(file: h5py.File, rng: Rng, text: bool = False) -> h5py.Dataset:
    found = [data for data in _all(file) if (data.dtype == np.uint8) == text and data.size]
    return found[int(rng.integers(len(found)))]


def _values(path: Path, rng: Rng) -> str:
    with h5py.File(path, "r+") as file:
        data = _pick(file, rng)
        values = np.array(data[()])
        flat = values.reshape(-1)
        kind = flat.dtype if flat.dtype.names is None else flat.dtype[int(rng.integers(len(flat.dtype)))]
        column = flat if flat.dtype.names is None else flat[flat.dtype.names[int(rng.integers(len(flat.dtype)))]]
        odd = ODD_FLOATS if kind.kind == "f" and column.dtype.kind == "f" else ODD_INTEGERS
        value = odd[int(rng.integers(len(odd)))]
        if column.dtype.kind in "iu":
            value = int(np.clip(int(value) if math.isfinite(value) else 0, *_range(column.dtype)))
        column[int(rng.integers(len(column)))] = value
        data[...] = values
        return f"{data.name} {value}"


def _range(dtype: np.dtype[Any]) -> tuple[int, int]:
    return int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)


def _reshape(path: Path, rng: Rng) -> str:
    with h5py.File(path, "r+") as file:
        data = _pick(file, rng)
        name, values = data.name, np.array(data[()])
        shapes = [values[: len(values) // 2] if values.ndim else values, values.reshape(-1), values[None], values.T]
        if values.ndim > 1:
            shapes.append(values[..., :1])
        del file[name]
        file[name] = shapes[int(rng.integers(len(shapes)))]
        if rng.random() < 0.3:
            del file[name]
            # Claims far more than it stores.
            file.create_dataset(name, (2**34,), dtype=values.dtype, chunks=(1 << 16,), compression="gzip")
        return str(name)


def _retype(path: Path, rng: Rng) -> str:
    with h5py.File(path, "r+") as file:
        data = _pick(file, rng)
        name, values = data.name, np.array(data[()])
        kinds: tuple[Any, ...] = (np.float32, np.int8, np.complex128, "S8", np.float64, np.uint64, h5py.string_dtype())
        kind = kinds[int(rng.integers(len(kinds)))]
        del file[name]
        file.create_dataset(name, values.shape, dtype=kind)
        return f"{name} {kind}"


def _attribute(path: Path, rng: Rng) -> str:
    with h5py.File(path, "r+") as file:
        names = list(file.attrs) or ["format"]
        name = names[int(rng.integers(len(names)))]
        odd: tuple[Any, ...] = ("", "{}", "[]", "null", "NaN", 3, np.arange(5), -1, "x" * 60000, "[" * 5000, 2**40)
        file.attrs[name] = odd[int(rng.integers(len(odd)))]
        return name


def _json(path: Path, rng: Rng) -> str:
    """A value somewhere in the model, the layout, the settings, or the notes."""
    with h5py.File(path, "r+") as file:
        texts = [name for name in ("model", "layout", "model", "model") if name in file]
        texts += [f"@{name}" for name in ("settings", "notes", "versions") if name in file.attrs]
        name = texts[int(rng.integers(len(texts)))]
        text = file.attrs[name[1:]] if name.startswith("@") else bytes(np.asarray(file[name][()])).decode()
        tree = json.loads(text)
        place = mutate_tree(tree, rng)
        new = json.dumps(tree)
        if name.startswith("@"):
            file.attrs[name[1:]] = new
        else:
            del file[name]
            file[name] = np.frombuffer(new.encode(), dtype=np.uint8)
        return f"{name} {place}"


def mutate_tree(tree: Any, rng: Rng) -> str:
    """Replace one value; its path."""
    place, node = "", tree
    while True:
        keys: list[Any] = list(node) if isinstance(node, dict) else list(range(len(node)))
        if not keys:
            return place
        key = keys[int(rng.integers(len(keys)))]
        place += f"/{key}"
        if isinstance(node[key], dict | list) and node[key] and rng.random() < 0.9:
            node = node[key]
            continue
        old, odd = node[key], ODD_JSON[int(rng.integers(len(ODD_JSON)))]
        if isinstance(old, int | float) and not isinstance(old, bool) and rng.random() < 0.6:
            odd = (ODD_INTEGERS if isinstance(old, int) else (*ODD_FLOATS[3:], old * 1e6))[int(rng.integers(11))]
        if rng.random() < 0.1 and isinstance(node, dict):
            del node[key]
        else:
            node[key] = odd
        return f"{place} = {str(odd)[:40]}"


def _link(path: Path, rng: Rng) -> str:
    """Something that reaches out of the file."""
    secret = path.with_name("secret.h5")
    with h5py.File(path, "r+") as file:
        data = _pick(file, rng)
        name, shape, kind = data.name, data.shape, data.dtype
        del file[name]
        way = int(rng.integers(5))
        if way == 0:
            file[name] = h5py.ExternalLink(str(secret), name)
        elif way == 1:
            file[name] = h5py.SoftLink("/somewhere")
        elif way == 2:
            size = max(1, int(np.prod(shape)) * kind.itemsize)
            file.create_dataset(name, shape, dtype=kind, external=[("/etc/passwd", 0, size)])
        elif way == 3:
            layout = h5py.VirtualLayout(shape=shape, dtype=kind)
            layout[...] = h5py.VirtualSource(str(secret), name, shape=shape)
            file.create_virtual_dataset(name, layout)
        else:
            file[name] = file["/"]
        return f"{name} {way}"


def _drop(path: Path, rng: Rng) -> str:
    with h5py.File(path, "r+") as file:
        names: list[str] = []
        file.visit(names.append)
        name = names[int(rng.integers(len(names)))]
        del file[name]
        return name
