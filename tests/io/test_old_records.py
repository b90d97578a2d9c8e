"""A small record of each version of the format is kept, and can be read and resumed."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from signorini.io.record_layout import OLDEST, VERSION
from signorini.io.record_reader import RecordReader
from signorini.simulation.run import Run
from signorini.simulation.simulation import Simulation

DATA = Path(__file__).parent / "data"
VERSIONS = range(OLDEST, VERSION + 1)


@pytest.mark.parametrize("version", VERSIONS)
def test_record_of_each_version_is_read(version: int) -> None:
    path = DATA / f"record-v{version}.h5"
    assert RecordReader(path).version == version
    run = Run.load(path)
    assert run.names == ["floor", "ball", "arm"]
    assert run.position().shape == (21, 3, 3)
    assert run.summary()["steps"] == 20
    assert run.contacts().contacts.count == 1
    assert np.abs(run.joint_impulse("shoulder")).max() > 0
    assert np.abs(run.limit_impulse("shoulder")).max() > 0
    assert np.ptp(run.position("arm")[:, 2]) > 1e-3


@pytest.mark.parametrize("version", VERSIONS)
def test_record_of_each_version_is_resumed(version: int, tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    shutil.copy(DATA / f"record-v{version}.h5", path)
    run = Simulation.resume(path).run(0.05, record=path)
    assert len(run.times) == 31
    assert RecordReader(path).version == VERSION
    np.testing.assert_array_equal(run.position()[:21], Run.load(DATA / f"record-v{version}.h5").position())


def test_unclosed_record_of_version_3_is_read(tmp_path: Path) -> None:
    """HDF5 marks a file that its writer never closed."""
    content = bytearray((DATA / "record-v3.h5").read_bytes())
    from signorini.io.record_file import BLOCK, checksum

    content[11] = 0x05
    content[BLOCK.size - 4 : BLOCK.size] = checksum(bytes(content[: BLOCK.size - 4])).to_bytes(4, "little")
    path = tmp_path / "unclosed.h5"
    path.write_bytes(content)
    assert Run.load(path).summary()["steps"] == 20
