"""Write one run for four other programs: ParaView, glTF viewers, solvers of FCLIB problems, and MuJoCo.

python examples/files_out.py [--out out]
"""

from __future__ import annotations

import argparse
from pathlib import Path

import signorini as sg
from signorini.shapes import extrude

STAR = [(0.0, 0.3), (0.08, 0.1), (0.3, 0.0), (0.08, -0.1), (0.0, -0.3), (-0.08, -0.1), (-0.3, 0.0), (-0.08, 0.1)]


def build() -> sg.Model:
    """Three star-shaped plates fall onto one another."""
    model = sg.Model()
    model.add_fixed_body(sg.HalfSpace(), name="floor")
    for number in range(3):
        place = (0.02 * number, 0.03 * number, 0.06 + 0.12 * number)
        model.add_body(extrude(STAR, height=0.1), density=1000, position=place, name=f"star-{number}")
    return model


def main(arguments: list[str] | None = None) -> list[Path]:
    """The files written."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("out"))
    out = parser.parse_args(arguments).out
    out.mkdir(parents=True, exist_ok=True)

    model = build()
    run = sg.Simulation(model, step=0.005).run(0.5)
    files = [*sg.save_vtk(out / "stars.pvd", model, run, every=10), sg.save_gltf(out / "stars.glb", model, run)]
    problem = sg.save_step_problem(out / "step.hdf5", model, run, frame=50)
    print(problem)
    sg.save_mjcf(out / "stars.xml", model)
    files += [out / "step.hdf5", out / "stars.xml"]
    print(f"{len(files)} files in {out}")
    return files


if __name__ == "__main__":
    main()
