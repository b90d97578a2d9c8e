"""The bits of a run depend on the model and the settings, not on what else the process did."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import signorini as sg

RUN = """
import hashlib, sys, warnings
warnings.simplefilter("ignore")
{before}
import signorini as sg
scene = sg.SCENES[{scene!r}]
sim = sg.Simulation(scene.build(), step=scene.step, integrator=scene.integrator, threads={threads})
digest = hashlib.sha256()
for _ in range({steps}):
    state = sim.advance().state
    digest.update(state.position.tobytes() + state.velocity.tobytes())
print(digest.hexdigest())
"""


def digest(scene: str, steps: int, threads: int | None = None, before: str = "", **variables: str) -> str:
    text = RUN.format(scene=scene, threads=threads, steps=steps, before=before)
    done = subprocess.run(
        [sys.executable, "-c", text], env={**os.environ, **variables}, capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("scene", ["ragdolls", "walker"])
def test_threads_and_history_change_no_bit(scene: str) -> None:
    """Threads of other libraries, loaded before MKL, made it choose other loops."""
    plain = digest(scene, 25)
    assert digest(scene, 25, threads=1) == plain
    assert digest(scene, 25, threads=2) == plain
    assert digest(scene, 25, before="import numba; numba.set_num_threads(1)") == plain
    assert digest(scene, 25, OMP_NUM_THREADS="1", MKL_NUM_THREADS="1") == plain
    assert digest(scene, 25, PYTHONHASHSEED="7") == plain


def test_thread_counts_belong_to_a_simulation() -> None:
    numba = pytest.importorskip("numba")
    before = numba.get_num_threads()
    model = sg.SCENES["single-ball"].build()
    sim = sg.Simulation(model, threads=1)
    assert numba.get_num_threads() == before
    sim.run(0.01)
    assert numba.get_num_threads() == before


def test_factorisation_does_not_depend_on_threads() -> None:
    from signorini.solvers.linear.interface import MatrixKind
    from signorini.solvers.linear.pardiso import FEW_ENTRIES, FEW_UNKNOWNS, Pardiso, available

    if available() != "available":
        pytest.skip("no MKL")
    import scipy.sparse as sp

    side = 16
    line = sp.diags_array([-np.ones(side - 1), 2.0 * np.ones(side), -np.ones(side - 1)], offsets=[-1, 0, 1])
    eye = sp.eye_array(side)
    cube = sum(sp.kron(sp.kron(a, b), c) for a, b, c in ((line, eye, eye), (eye, line, eye), (eye, eye, line)))
    matrix = sp.csr_array(sp.triu(cube + 0.1 * sp.eye_array(side**3)))
    matrix.sort_indices()
    assert matrix.shape[0] > FEW_UNKNOWNS
    assert matrix.nnz > FEW_ENTRIES
    b = np.random.default_rng(0).standard_normal(matrix.shape[0])
    for kind in (MatrixKind.POSITIVE_DEFINITE, MatrixKind.SYMMETRIC):
        seen = set()
        for threads in (1, 2, None):
            factors = Pardiso(threads=threads).analyse(matrix, kind)
            assert factors.factor(matrix.data).ok
            seen.add(hashlib.sha256(factors.solve(b).tobytes()).hexdigest())
        assert len(seen) == 1


@pytest.mark.slow
def test_resume_after_another_simulation_is_bit_for_bit(tmp_path: Path) -> None:
    scene = sg.SCENES["ragdolls"]
    path = tmp_path / "run.h5"
    whole = sg.Simulation(scene.build(), step=scene.step).run(30 * scene.step)
    sg.Simulation(scene.build(), step=scene.step).run(15 * scene.step, record=path)
    sg.Simulation(sg.SCENES["single-ball"].build(), threads=1).run(0.02)
    again = sg.Simulation.resume(path).run(15 * scene.step, record=path)
    np.testing.assert_array_equal(again.position(), whole.position())


def test_no_program_is_started_to_find_libraries() -> None:
    text = (
        "import subprocess\n"
        "plain = subprocess.Popen\n"
        "def watched(command, *a, **k):\n"
        "    name = command[0] if isinstance(command, (list, tuple)) else command\n"
        "    if any(word in str(name) for word in ('gcc', 'cc', 'ldconfig', 'ld', 'objdump', 'sh')):\n"
        "        raise SystemExit(f'started {command}')\n"
        "    return plain(command, *a, **k)\n"
        "subprocess.Popen = watched\n"
        "from signorini.solvers.linear import pardiso\n"
        "pardiso.available()\n"
        "import signorini as sg; sg.Simulation(sg.SCENES['single-ball'].build()).run(0.01)\n"
    )
    subprocess.run([sys.executable, "-c", text], check=True, env={**os.environ, "MKLROOT": "/absent"})


@pytest.mark.slow
def test_missing_cache_folder_is_a_warning(tmp_path: Path) -> None:
    text = (
        "import numba, numba.core.caching as c\n"
        "def refuse(self): raise OSError(13, 'read-only')\n"
        "for name, kind in vars(c).items():\n"
        "    if 'InTree' in name or 'UserWide' in name:\n"
        "        kind.ensure_cache_path = refuse\n"
        "import signorini.kernels, os\n"
        "print(os.environ['NUMBA_CACHE_DIR'])\n"
        "from signorini.kernels.bodies.momentum import first_unsound\n"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "compiled loops cannot be kept" in done.stderr
    assert done.stderr.count("compiled loops") == 1
    assert not Path(done.stdout.strip()).exists()  # removed at the end


def test_threads_of_blas_change_no_bit_of_a_mechanism() -> None:
    """Joints alone, by singular values, in the general step."""
    script = (
        "import hashlib, signorini as sg\n"
        "scene = sg.SCENES['andrews']\n"
        "sim = sg.Simulation(scene.build(), step=scene.step, solver=sg.InteriorPoint(time_budget=1e6))\n"
        "for _ in range(2):\n"
        "    step = sim.advance()\n"
        "assert step.way.startswith('general')\n"
        "print(hashlib.sha256(step.state.position.tobytes() + step.state.velocity.tobytes()).hexdigest())\n"
    )
    bits = set()
    for threads in ("1", "2"):
        environment = {**os.environ, "OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads}
        done = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment
        )
        bits.add(done.stdout.strip())
    assert len(bits) == 1
