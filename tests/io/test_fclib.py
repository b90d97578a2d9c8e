"""FCLIB files: the same bits back, the same numbers as an independent reading, and clear words for damage."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from signorini.io.fclib import load_guess, load_problem, save_problem
from signorini.io.fclib_write import unsplit
from signorini.math.sparse import Csr, canonical
from signorini.problem.certificate import measure
from signorini.problem.cones import Cones
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.errors import FileError, ProblemError, SignoriniError
from signorini.problem.solution import Status
from signorini.solvers.base import Monitor, finish


def local_problem(contacts: int = 3, dimension: int = 3, skewness: float = 0.0) -> ContactProblem:
    rng = np.random.default_rng(7)
    rows = contacts * dimension
    A = rng.standard_normal((rows, rows))
    W = A @ A.T + skewness * np.triu(A)
    return ContactProblem.from_delassus(
        W, rng.standard_normal(rows), Cones.coulomb(rng.uniform(0, 1, contacts), dimension)
    )


def global_problem(contacts: int = 3, dimension: int = 3, joints: int = 2) -> ContactProblem:
    rng = np.random.default_rng(8)
    n = 12
    return ContactProblem(
        H=sp.block_diag([np.eye(6) * 2.0, np.eye(6) + 0.1]),
        c=rng.standard_normal(n),
        C=rng.standard_normal((joints, n)) if joints else None,
        b_gamma=rng.standard_normal(joints) if joints else None,
        D=sp.random_array((contacts * dimension, n), density=0.4, rng=rng),
        b_lambda=rng.standard_normal(contacts * dimension),
        cones=Cones.coulomb(rng.uniform(0, 1, contacts), dimension),
    )


def assert_same(first: ContactProblem, second: ContactProblem) -> None:
    for name in ("c", "b_gamma", "b_lambda"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name), err_msg=name)
    np.testing.assert_array_equal(first.cones.dims, second.cones.dims)
    np.testing.assert_array_equal(first.cones.friction, second.cones.friction)
    for name in ("H", "C", "D", "E", "skew"):
        a: Csr | None = getattr(first, name)
        b: Csr | None = getattr(second, name)
        assert (a is None) == (b is None), name
        if a is not None and b is not None:
            assert a.shape == b.shape, name
            for part in ("indptr", "indices", "data"):
                np.testing.assert_array_equal(getattr(a, part), getattr(b, part), err_msg=f"{name}.{part}")


# --- round trips -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "problem",
    [
        local_problem(),
        local_problem(dimension=2),
        local_problem(skewness=1e-3),
        local_problem(contacts=150, skewness=1e-15),
        global_problem(),
        global_problem(dimension=2, joints=0),
    ],
    ids=["local", "local-2d", "local-skew", "local-round-off", "global-joints", "global-2d"],
)
def test_saved_problem_comes_back_bit_for_bit(problem: ContactProblem, tmp_path: Path) -> None:
    path = tmp_path / "problem.hdf5"
    save_problem(problem, path)
    again = load_problem(path)
    assert_same(problem, again)
    assert again.name == "problem"
    assert [p.name for p in tmp_path.iterdir()] == ["problem.hdf5"], "no scratch file stays behind"


@pytest.mark.slow
def test_all_shared_files_load_with_the_listed_sizes_and_come_back(fclib: Path, tmp_path: Path) -> None:
    with (fclib / "problems.csv").open() as file:
        listed = list(csv.DictReader(file))
    assert len(listed) == len(list(fclib.glob("*.hdf5")))
    for line in listed:
        problem = load_problem(fclib / line["file"])
        assert ("local" if problem.is_dual_only else "global") == line["form"], line["file"]
        assert problem.contacts == int(line["nc"]), line["file"]
        assert problem.contact_rows == int(line["m"]) == problem.contacts * int(line["dim"]), line["file"]
        if line["form"] == "global":
            assert problem.velocities == int(line["n_dof"]), line["file"]
        assert problem.cones.friction.min() == pytest.approx(float(line["mu_min"])), line["file"]
        save_problem(problem, tmp_path / "again.hdf5")
        assert_same(problem, load_problem(tmp_path / "again.hdf5"))


numbers = st.floats(-1e6, 1e6, allow_subnormal=False)


@settings(deadline=None, max_examples=60)
@given(arrays(np.float64, (4, 4), elements=numbers))
def test_halves_of_a_matrix_are_put_together_again(A: np.ndarray) -> None:
    symmetric, skew = (A + A.T) * 0.5, (A - A.T) * 0.5
    W = unsplit(canonical(symmetric), canonical(skew)).toarray()
    # Where both halves can be met at all, they are; elsewhere the last bit may differ.
    np.testing.assert_allclose((W + W.T) * 0.5, symmetric, rtol=1e-15, atol=1e-300)
    np.testing.assert_allclose((W - W.T) * 0.5, skew, rtol=1e-15, atol=np.abs(A).max() * 1e-15)


@pytest.mark.parametrize("storage", ["columns", "rows", "triplets"])
def test_every_storage_is_the_same_matrix(storage: str, tmp_path: Path) -> None:
    problem = global_problem()
    path = tmp_path / "problem.hdf5"
    save_problem(problem, path)
    H = problem.D.T
    with h5py.File(path, "r+") as file:
        group = file["fclib_global/H"]
        for name in ("p", "i", "x", "nz"):
            del group[name]
        if storage == "triplets":
            coo = H.tocoo()
            # One entry in two parts: triplets of one place are added.
            group["p"], group["i"] = np.append(coo.col, coo.col[0]), np.append(coo.row, coo.row[0])
            group["x"], group["nz"] = np.append(coo.data, 0.0), np.array([coo.nnz + 1])
            group["nzmax"][...] = coo.nnz + 1
        else:
            packed = H.tocsc() if storage == "columns" else H.tocsr()
            # Writers leave room at the end.
            group["p"], group["i"] = packed.indptr, np.append(packed.indices, [99, 99])
            group["x"], group["nz"] = (
                np.append(packed.data, [np.nan, 7.0]),
                np.array([-1 if storage == "columns" else -2]),
            )
    np.testing.assert_array_equal(load_problem(path).D.toarray(), problem.D.toarray())


def test_solution_is_stored_and_read_as_a_guess(tmp_path: Path) -> None:
    problem = global_problem()
    rng = np.random.default_rng(1)
    impulse, joint = problem.cones.project(rng.standard_normal(9)), rng.standard_normal(2)
    solution = finish(problem, "test", Monitor(1e-8, 1, 1.0), Status.ITERATION_LIMIT, impulse, joint)
    save_problem(problem, tmp_path / "solved.hdf5", solution, title="a title", description="größer")
    guess = load_guess(tmp_path / "solved.hdf5")
    assert guess is not None
    np.testing.assert_array_equal(guess.contact_impulse, impulse)
    np.testing.assert_array_equal(guess.joint_impulse, joint)
    np.testing.assert_array_equal(guess.velocity, solution.velocity)
    with h5py.File(tmp_path / "solved.hdf5") as file:
        assert file["fclib_global/info/title"][()] == b"a title"
        np.testing.assert_allclose(file["solution/u"], problem.slip_of(solution.velocity, impulse))


def test_zeros_are_no_guess(fclib: Path) -> None:
    assert load_guess(fclib / "Box_Stacks-i0029-31-0.hdf5") is None
    assert load_guess(fclib / "Rover1039.hdf5") is None


# --- what the numbers mean -----------------------------------------------------------------------------------------


def independent_errors(path: Path, r: np.ndarray) -> dict[str, float]:
    """The measures of the collection's README from the raw file, with dense matrices and none of our code."""
    with h5py.File(path) as file:
        form = file["fclib_local" if "fclib_local" in file else "fclib_global"]
        dimension, mu = int(form["spacedim"][0]), np.asarray(form["vectors/mu"])

        def dense(name: str) -> np.ndarray:
            g = form[name]
            m, n, nz = int(g["m"][0]), int(g["n"][0]), int(g["nz"][0])
            p, i, x = np.asarray(g["p"]), np.asarray(g["i"]), np.asarray(g["x"])
            A = np.zeros((m, n))
            if nz >= 0:
                np.add.at(A, (i[:nz], p[:nz]), x[:nz])
                return A
            for line in range(n if nz == -1 else m):
                for k in range(p[line], p[line + 1]):
                    A[(i[k], line) if nz == -1 else (line, i[k])] += x[k]
            return A

        if form.name == "/fclib_local":
            W, q = dense("W"), np.asarray(form["vectors/q"])
        else:
            H = dense("H")
            M_inverse_H = np.linalg.solve(dense("M"), np.column_stack([H, form["vectors/f"]]))
            W, q = H.T @ M_inverse_H[:, :-1], H.T @ M_inverse_H[:, -1] + np.asarray(form["vectors/w"])

    def distance(u: np.ndarray, impulse: np.ndarray) -> float:
        x = (impulse - u).reshape(-1, dimension)
        t = np.linalg.norm(x[:, 1:], axis=1)
        projected = np.zeros_like(x)
        for k in range(len(mu)):
            if t[k] <= mu[k] * x[k, 0]:
                projected[k] = x[k]
            elif x[k, 0] + mu[k] * t[k] > 0:
                normal = (x[k, 0] + mu[k] * t[k]) / (1 + mu[k] ** 2)
                projected[k, 0], projected[k, 1:] = normal, mu[k] * normal * x[k, 1:] / t[k]
        return float(np.linalg.norm(impulse - projected.ravel()))

    w, s = float(np.mean(np.diag(W))), float(np.abs(q).max())
    u = 0.5 * (W + W.T) @ r + q
    exact = W @ r + q
    coulomb = exact.reshape(-1, dimension).copy()
    coulomb[:, 0] += mu * np.linalg.norm(coulomb[:, 1:], axis=1)
    size = float(np.linalg.norm(q))
    return {
        "scaled": distance(u / s, r * w / s) / (size / s),
        "abh": distance(u, r) / size,
        "siconos": distance(u, r) / max(size, float(np.linalg.norm(r)), float(np.linalg.norm(u))),
        "coulomb_scaled": distance(coulomb.ravel() / s, r * w / s) / (size / s),
        "coulomb_abh": distance(coulomb.ravel(), r) / size,
    }


@pytest.mark.parametrize(
    "name",
    [
        "Rover1039",
        "Capsules_regen-nc0023-step08280",
        "OneObject-i100000-316",
        "Box_Stacks-i0029-31-0",
        "FC2D_SliderCrankLagrangian00000",
        "GFC3D_OneContact",
        "NESpheres_10_1",
    ],
)
def test_fclib_measures_agree_with_an_independent_reading(name: str, fclib: Path) -> None:
    path = fclib / f"{name}.hdf5"
    problem = load_problem(path)
    rng = np.random.default_rng(3)
    size = np.linalg.norm(problem.r) / problem.N_diagonal.mean() / np.sqrt(problem.contact_rows)
    for r in (np.zeros(problem.contact_rows), size * rng.standard_normal(problem.contact_rows)):
        certificate = measure(problem, problem.velocity_of(r), r, np.zeros(0))
        found = {
            "scaled": certificate.convex.scaled,
            "abh": certificate.convex.abh,
            "siconos": certificate.convex.siconos,
            "coulomb_scaled": certificate.coulomb.scaled,
            "coulomb_abh": certificate.coulomb.abh,
        }
        expected = independent_errors(path, r)
        for key in expected:
            assert found[key] == pytest.approx(expected[key], rel=1e-7, abs=1e-14), key


def test_measures_of_a_clarabel_solution_agree_with_the_reference(fclib: Path) -> None:
    pytest.importorskip("clarabel", reason="the reference was computed with Clarabel; install signorini[oracle]")
    adapter = pytest.importorskip("signorini.solvers.clarabel_adapter")
    with (fclib / "reference_ccp.csv").open() as file:
        reference = {line["file"]: line for line in csv.DictReader(file)}
    for name in ("Rover4144.hdf5", "Capsules_regen-nc0023-step08280.hdf5", "Box_Stacks-i0029-31-0.hdf5"):
        line = reference[name]
        problem = load_problem(fclib / name)
        solution = adapter.Clarabel(tolerance=1e-8).solve(problem)
        certificate, r = solution.certificate, solution.contact_impulse
        assert 0.5 * r @ problem.apply_N(r) + problem.r @ r == pytest.approx(float(line["ccp_objective"]), rel=1e-6), (
            name
        )
        assert certificate.scaled < 1e-3, name
        assert certificate.coulomb.abh == pytest.approx(float(line["coulomb_abh_of_ccp_solution"]), rel=0.05, abs=1e-5)


# --- what cannot be read ---------------------------------------------------------------------------------------------


def edit(change: Callable[[Any], None], problem: ContactProblem | None = None) -> Callable[[Path], None]:
    """Write a sound file, then change it."""

    def write(path: Path) -> None:
        save_problem(local_problem() if problem is None else problem, path)
        with h5py.File(path, "r+") as file:
            change(file)

    return write


def put(name: str, value: Any) -> Callable[[Any], None]:
    def change(file: Any) -> None:
        if name in file:
            del file[name]
        file[name] = value

    return change


def put_at(name: str, index: int, value: Any) -> Callable[[Any], None]:
    def change(file: Any) -> None:
        file[name][index] = value

    return change


def drop(name: str) -> Callable[[Any], None]:
    def change(file: Any) -> None:
        del file[name]

    return change


def put_group(name: str) -> Callable[[Any], None]:
    def change(file: Any) -> None:
        del file[name]
        file.create_group(name)

    return change


def claim(name: str, entries: int, kind: str) -> Callable[[Any], None]:
    """A data set that says it has `entries` numbers, none of which was ever written."""

    def change(file: Any) -> None:
        del file[name]
        file.create_dataset(name, shape=(entries,), dtype=kind, chunks=(1 << 16,))

    return change


def truncate(share: float) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        save_problem(local_problem(contacts=40), path)
        content = path.read_bytes()
        path.write_bytes(content[: int(share * len(content))])

    return write


def rename(old: str, new: str) -> Callable[[Any], None]:
    def change(file: Any) -> None:
        file.move(old, new)

    return change


HUGE = 2**31 - 1
W = "fclib_local/W"
GLOBAL = global_problem()
MALFORMED: dict[str, tuple[Callable[[Path], Any], type[SignoriniError], str]] = {
    "absent": (lambda path: None, FileError, "no such file"),
    "directory": (lambda path: path.mkdir(), FileError, "is a directory"),
    "text": (lambda path: path.write_text("3\n1\n"), FileError, "not an HDF5 file"),
    "empty file": (lambda path: path.touch(), FileError, "not an HDF5 file"),
    "half a file": (truncate(0.5), FileError, "damaged or truncated"),
    "nearly a file": (truncate(0.97), FileError, "damaged or truncated"),
    "other HDF5": (edit(rename("fclib_local", "trajectory")), FileError, "expected a group fclib_local"),
    "no W": (edit(drop(W)), FileError, "has no group 'W'; it holds info, spacedim, vectors"),
    "no x": (edit(drop(f"{W}/x")), FileError, "/fclib_local/W has no data set 'x'"),
    "no q": (edit(drop("fclib_local/vectors/q")), FileError, "no data set 'q'"),
    "no mu": (edit(drop("fclib_local/vectors/mu")), FileError, "no data set 'mu'"),
    "no spacedim": (edit(drop("fclib_local/spacedim")), FileError, "no data set 'spacedim'"),
    "W is numbers": (edit(put(W, np.eye(3))), FileError, "expected a group"),
    "q is a group": (edit(put_group("fclib_local/vectors/q")), FileError, "group called 'q', expected a data set"),
    "q is text": (edit(put("fclib_local/vectors/q", np.bytes_("none"))), FileError, "expected numbers"),
    "q too short": (edit(put("fclib_local/vectors/q", np.ones(8))), FileError, "8 numbers in 'q', expected 9"),
    "nan in q": (edit(put_at("fclib_local/vectors/q", 4, np.nan)), FileError, "nan in 'q' at entry 4"),
    "inf in x": (edit(put_at(f"{W}/x", 2, np.inf)), FileError, "inf in 'x' at entry 2"),
    "negative mu": (edit(put_at("fclib_local/vectors/mu", 1, -0.3)), ProblemError, "contact 1 .* -0.3, expected"),
    "nan in mu": (edit(put_at("fclib_local/vectors/mu", 1, np.nan)), FileError, "nan in 'mu'"),
    "wrong m": (edit(put_at(f"{W}/m", 0, 12)), ProblemError, "12 x 9 matrix, expected 9 x 9"),
    "huge m": (edit(put_at(f"{W}/m", 0, HUGE)), ProblemError, f"{HUGE} x 9 matrix, expected 9 x 9"),
    "huge nzmax": (edit(put_at(f"{W}/nzmax", 0, HUGE)), FileError, f"nzmax = {HUGE}"),
    "small nzmax": (edit(put_at(f"{W}/nzmax", 0, 5)), FileError, "nzmax = 5 entries, expected 81"),
    "huge nz": (edit(put_at(f"{W}/nz", 0, HUGE)), FileError, f"expected at least {HUGE}"),
    "unknown nz": (edit(put_at(f"{W}/nz", 0, -7)), FileError, "nz = -7, expected -1"),
    "index too large": (edit(put_at(f"{W}/i", 3, 9)), FileError, "column index 9 at entry 3, expected 0 to 8"),
    "index negative": (edit(put_at(f"{W}/i", 3, -1)), FileError, "column index -1"),
    "decreasing p": (edit(put_at(f"{W}/p", 3, 5)), FileError, "5 in 'p' at entry 3, expected starts"),
    "p not from 0": (edit(put_at(f"{W}/p", 0, 1)), FileError, "1 in 'p' at entry 0"),
    "p beyond x": (edit(put_at(f"{W}/p", 9, HUGE)), FileError, f"'p' ends with {HUGE} entries"),
    "p too short": (edit(put(f"{W}/p", np.zeros(4, dtype=int))), FileError, "one start for each of 9 rows"),
    "p not whole": (edit(put(f"{W}/p", np.zeros(10))), FileError, "expected integers"),
    "claimed mu": (edit(claim("fclib_local/vectors/mu", 2**40, "f8")), FileError, "claims 8796093022208 bytes"),
    "claimed x": (edit(claim(f"{W}/x", 2**40, "f8")), FileError, "claims"),
    "space of 5": (edit(put_at("fclib_local/spacedim", 0, 5)), ProblemError, "spacedim 5 .*rolling.* expected 2 or 3"),
    "space of 4": (edit(put_at("fclib_local/spacedim", 0, 4)), ProblemError, "spacedim 4, expected 2 or 3"),
    "rolling": (edit(rename("fclib_local", "fclib_global_rolling")), ProblemError, "rolling friction"),
    "no contacts": (edit(put("fclib_local/vectors/mu", np.zeros(0))), ProblemError, "no contacts"),
    "local joints": (edit(put("fclib_local/V/m", 1)), ProblemError, "joints in local form"),
    "negative diagonal": (edit(put_at(f"{W}/x", 0, -1.0)), ProblemError, "E has -1.0 on its diagonal"),
    "no velocities": (edit(put("fclib_global/vectors/f", np.zeros(0)), GLOBAL), ProblemError, "no velocities"),
    "no joint vector": (edit(drop("fclib_global/vectors/b"), GLOBAL), FileError, "no data set 'b'"),
    "unsymmetric M": (edit(put_at("fclib_global/M/x", 1, 0.2), GLOBAL), ProblemError, "M is not symmetric"),
    "massless": (edit(put_at("fclib_global/M/x", 0, 0.0), GLOBAL), ProblemError, "expected a positive mass"),
    "H turned": (edit(put_at("fclib_global/H/m", 0, 9), GLOBAL), ProblemError, "9 x 9 matrix, expected 12 x 9"),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_malformed_file_is_refused_in_clear_words(case: str, tmp_path: Path) -> None:
    write, error, words = MALFORMED[case]
    path = tmp_path / "malformed.hdf5"
    write(path)
    with pytest.raises(error, match=words) as caught:
        load_problem(path)
    assert "malformed.hdf5" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_random_damage_never_raises_anything_else(tmp_path: Path) -> None:
    path = tmp_path / "damaged.hdf5"
    save_problem(local_problem(), path)
    sound = path.read_bytes()
    rng = np.random.default_rng(0)
    refused = 0
    for _ in range(150):
        content = bytearray(sound)
        for place in rng.integers(0, len(content), 8):
            content[place] = rng.integers(256)
        path.write_bytes(content)
        try:
            load_problem(path)
        except SignoriniError:
            refused += 1
    assert refused > 20


# --- what cannot be written ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("problem", "words"),
    [
        (ContactProblem(H=np.eye(2), c=[1.0, 1.0]), "no contacts"),
        (ContactProblem.from_delassus(np.eye(2), np.ones(2), Cones.half_lines(2)), "dimension 1 and cannot be saved"),
        (
            ContactProblem.from_delassus(np.eye(1), np.ones(1), Cones.intervals(-1.0, 1.0)),
            "1 intervals and 0 rolling blocks and cannot be saved",
        ),
        (
            ContactProblem.from_delassus(np.eye(6), np.ones(6), Cones.rolling_contacts(0.3, 0.1, 0.1)),
            "0 intervals and 1 rolling blocks and cannot be saved",
        ),
        (
            ContactProblem.from_delassus(np.eye(4), np.ones(4), Cones.join(Cones.half_lines(1), Cones.coulomb([0.3]))),
            "dimension 1, 3 and cannot be saved",
        ),
        (
            ContactProblem(H=np.eye(3), c=np.ones(3), D=np.eye(3), cones=Cones.coulomb([0.3]), E=np.eye(3)),
            "FCLIB's global form is rigid",
        ),
    ],
    ids=["no contacts", "half-lines", "interval", "rolling", "mixed", "compliance"],
)
def test_problem_without_a_place_in_the_format_is_refused(problem: ContactProblem, words: str, tmp_path: Path) -> None:
    with pytest.raises(ProblemError, match=words):
        save_problem(problem, tmp_path / "problem.hdf5")
    assert not list(tmp_path.iterdir())


def test_unwritable_places_are_named(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="there is no directory"):
        save_problem(local_problem(), tmp_path / "absent" / "problem.hdf5")
    with pytest.raises(FileError, match="is a directory"):
        save_problem(local_problem(), tmp_path)


def test_failed_save_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "problem.hdf5"
    save_problem(local_problem(), path)
    before = path.read_bytes()

    def full_disk(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("signorini.io.fclib_write._write_info", full_disk)
    with pytest.raises(FileError, match="No space left"):
        save_problem(local_problem(contacts=1), path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["problem.hdf5"]
