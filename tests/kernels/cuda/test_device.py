"""The kernels of the GPU on numba's simulator, against those of the CPU, at tiny sizes.

The simulator has to be chosen before numba is loaded, so each test is a process of its own.
"""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow


def simulated(code: str) -> str:
    """What a program prints where numba simulates a GPU."""
    environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1", "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


COMPARE = """
    import numpy as np
    import signorini as sg

    def compare(model, steps, h=0.005, most=60):
        sor = sg.ProjectedSOR(tolerance=1e-13, max_iterations=most)
        one = sg.Simulation(model, step=h, solver=sor, gaps="linear")
        two = sg.Simulation(model, step=h, solver=sor, device="cuda")
        for _ in range(steps):
            here, there = one.advance(), two.advance()
            assert here.contacts.count == there.contacts.count, (here, there)
            assert np.array_equal(here.contacts.identity, there.contacts.identity)
            np.testing.assert_allclose(there.contacts.gap, here.contacts.gap, rtol=0, atol=1e-10)
        np.testing.assert_allclose(there.state.position, here.state.position, rtol=0, atol=1e-9)
        np.testing.assert_allclose(there.state.angular_velocity, here.state.angular_velocity, rtol=0, atol=1e-6)
        assert abs(there.energy - here.energy) < 1e-9
        return here, there
"""


def test_spheres_in_a_box() -> None:
    simulated(
        COMPARE
        + """
    model = sg.Model()
    model.add_box_container(size=(0.16, 0.16, 1.0), material=sg.Material(friction=0.4))
    rng = np.random.default_rng(1)
    for k in range(7):
        at = (0.04 + 0.07 * (k % 2), 0.04 + 0.07 * (k // 2 % 2), 0.036 + 0.071 * (k // 4))
        model.add_body(sg.Sphere(0.035), density=1000, position=at, velocity=0.3 * rng.normal(size=3),
                       angular_velocity=rng.normal(size=3), material=sg.Material(friction=0.3))
    here, there = compare(model, 5)
    assert here.contacts.count >= 6
    """
    )


def test_capsules_boxes_and_a_moving_floor() -> None:
    simulated(
        COMPARE
        + """
    from signorini.math.rotations import about

    model = sg.Model()
    model.add_body(sg.HalfSpace((0, 0, 1)), motion=lambda t: ((0.2 * t, 0.0, 0.1 * t), about((0, 1, 0), 0.4 * t)))
    model.add_body(sg.Capsule(0.05, 0.2), density=1000, position=(0, 0, 0.06), orientation=about((0, 1, 0), 1.5),
                   angular_velocity=(1.0, 2.0, 3.0))
    model.add_body(sg.Capsule(0.05, 0.2), density=1000, position=(0, 0.02, 0.165), orientation=about((1, 0, 0), 1.5))
    model.add_body(sg.Sphere(0.04), density=1000, position=(0.1, 0.0, 0.22))
    compare(model, 3)
    boxes = sg.Model()
    boxes.add_body(sg.HalfSpace((0, 0, 1)), fixed=True)
    boxes.add_body(sg.Box((0.2, 0.1, 0.1)), density=500, position=(0, 0, 0.051), angular_velocity=(0.3, 0.2, 0.1))
    boxes.add_body(sg.Sphere(0.04), density=1000, position=(0.02, 0.0, 0.1415))
    here, there = compare(boxes, 2, most=1000)
    assert here.contacts.count >= 5
    """
    )


def test_spheres_on_terrain_and_in_a_moving_hopper() -> None:
    simulated(
        COMPARE
        + """
    model = sg.Model()
    heights = 0.02 * np.random.default_rng(2).normal(size=(6, 6))
    model.add_fixed_body(sg.shapes.HeightField(heights, 0.08), material=sg.Material(friction=0.5))
    rings = [(r * np.cos(a), r * np.sin(a), z) for r, z in ((0.2, 0.3), (0.07, 0.1)) for a in np.pi * np.arange(4) / 2]
    panels = [(k, (k + 1) % 4, 4 + (k + 1) % 4) for k in range(4)] + [(k, 4 + (k + 1) % 4, 4 + k) for k in range(4)]
    model.add_body(sg.TriangleMesh(np.array(rings), np.array(panels)),
                   motion=lambda t: ((0.02 * np.sin(20 * t), 0.0, 0.01 * t), (1.0, 0.0, 0.0, 0.0)))
    for k in range(6):
        at = (0.11 * np.cos(k), 0.11 * np.sin(k), 0.1 + 0.25 * (k % 2))
        model.add_body(sg.Sphere(0.03 + 0.01 * (k % 2)), density=1000, position=at, velocity=(0, 0, -1.0))
    here, there = compare(model, 10)
    touched = set(there.contacts.body_a.tolist())
    assert touched == {0, 1}, touched
    """
    )


def test_gradient_methods_give_the_answers_of_the_cpu() -> None:
    simulated(
        """
    import numpy as np
    import signorini as sg

    def pile():
        model = sg.Model()
        model.add_box_container(size=(0.16, 0.16, 1.0), material=sg.Material(friction=0.4))
        for k in range(6):
            at = (0.04 + 0.075 * (k % 2), 0.04 + 0.075 * (k // 2 % 2), 0.036 + 0.071 * (k // 4))
            model.add_body(sg.Sphere(0.035), density=1000, position=at, velocity=(0.3 * (-1) ** k, 0.1 * k, -0.2))
        return model

    settings = {"tolerance": 1e-10, "max_iterations": 400}
    for kind, law in ((sg.APGD, "coulomb"), (sg.APGD, "convex"), (sg.BarzilaiBorwein, "convex"),
                      (sg.solvers.ProjectedJacobi, "convex")):
        one, two = (sg.Simulation(pile(), step=0.005, solver=kind(**settings), law=law, device=where, gaps=gaps)
                    for where, gaps in (("cpu", "linear"), ("cuda", None)))
        for _ in range(4):
            here, there = one.advance(), two.advance()
            assert there.status.ok, (kind, there.residual)
            assert there.iterations > 1
        assert here.contacts.count == there.contacts.count > 6
        np.testing.assert_allclose(there.state.position, here.state.position, rtol=0, atol=1e-9)
        np.testing.assert_allclose(there.state.velocity, here.state.velocity, rtol=0, atol=1e-7)
    """
    )


LAWS = {
    "springs": "compliance=1e-4, damping=5.0, tangential_compliance=2e-4, tangential_damping=2.0",
    "bonds": "cohesion=3.0, cohesion_range=1e-3",
    "bonds that break for good": "cohesion=2.0, compliance=1e-5, heals=False",
}


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_springs_and_bonds_are_those_of_the_cpu(law: str) -> None:
    output = simulated(
        f"""
    import numpy as np
    import signorini as sg

    model, material = sg.Model(), sg.Material(friction=0.4, {law})
    model.add_fixed_body(sg.HalfSpace((0, 0, 1)), material=material)
    for k in range(3):
        model.add_body(sg.Sphere(0.03), density=1000, position=(0.002 * k, -0.001 * k, 0.0298 + 0.0597 * k),
                       velocity=(0.02 * k, 0, 0.6 * (k == 2)), angular_velocity=(0, 0, 1.0), material=material)
    sor = sg.ProjectedSOR(tolerance=1e-11, max_iterations=2000)
    one = sg.Simulation(model, step=0.002, solver=sor, gaps="linear", max_recovery_speed=0.1)
    two = sg.Simulation(model, step=0.002, solver=sor, device="cuda", max_recovery_speed=0.1)
    modes = set()
    for _ in range(8):
        here, there = one.advance(), two.advance()
        assert np.array_equal(here.contacts.identity, there.contacts.identity)
        np.testing.assert_allclose(there.state.position, here.state.position, rtol=0, atol=1e-9)
        np.testing.assert_allclose(there.outcome.impulses, here.outcome.impulses, rtol=1e-4, atol=1e-7)
        assert np.array_equal(there.law.identity, here.law.identity)
        for name in ("shear", "plastic", "stretch", "mode"):
            np.testing.assert_allclose(getattr(there.law, name), getattr(here.law, name), rtol=0, atol=1e-9)
        assert abs(there.contact_energy - here.contact_energy) < 1e-8
        modes |= set(there.law.mode.tolist())
    print(modes)
    """
    )
    assert (("2" in output) or ("6" in output)) == ("cohesion" in law), output


@pytest.mark.parametrize("law", ["coulomb", "convex"])
def test_rolling_and_spinning_friction_are_those_of_the_cpu(law: str) -> None:
    simulated(
        f"""
    import numpy as np
    import signorini as sg

    model, material = sg.Model(), sg.Material(friction=0.4, rolling_friction=2e-3, spinning_friction=1e-3)
    model.add_body(sg.HalfSpace((0, 0, 1)), material=material,
                   motion=lambda t: ((0.1 * t, 0, 0), (np.cos(0.2 * t), 0, 0, np.sin(0.2 * t))))
    for k in range(3):
        model.add_body(sg.Sphere(0.03), density=1000, position=(0.061 * k, 0.002 * k, 0.03),
                       velocity=(0.2 - 0.1 * k, 0.05, 0), angular_velocity=(1.0, 3.0 + k, 5.0), material=material)
    sor = sg.ProjectedSOR(tolerance=1e-10, max_iterations=500)
    one = sg.Simulation(model, step=0.002, solver=sor, gaps="linear", law={law!r})
    two = sg.Simulation(model, step=0.002, solver=sor, device="cuda", law={law!r})
    for _ in range(5):
        here, there = one.advance(), two.advance()
        assert here.status.ok and there.status.ok
        assert here.contacts.count == there.contacts.count >= 3
        np.testing.assert_allclose(there.state.position, here.state.position, rtol=0, atol=1e-10)
        np.testing.assert_allclose(there.state.angular_velocity, here.state.angular_velocity, rtol=0, atol=1e-7)
        assert abs(there.residual - here.residual) < 1e-3 * here.residual + 1e-12
    spin = np.abs(there.state.angular_velocity[1:, 2])
    assert (spin < 4.99).all(), spin
    """
    )


def test_errors_of_rolling_balls_of_several_sizes_are_those_of_the_cpu() -> None:
    simulated(
        """
    import signorini as sg

    model = sg.Model()
    material = sg.Material(friction=0.4, rolling_friction=2e-3, spinning_friction=1e-3, compliance=1e-4)
    model.add_fixed_body(sg.HalfSpace((0, 0, 1)), material=material)
    for k, radius in enumerate((0.3, 0.03, 0.003)):
        model.add_body(sg.Sphere(radius), density=1000, position=(k, 0, radius), velocity=(0.2, 0.05, -0.1),
                       angular_velocity=(1.0, 3.0, 5.0), material=material)
    for most in (1, 3, 10):
        sor = sg.ProjectedSOR(tolerance=1e-12, max_iterations=most)
        set_up = dict(step=0.002, solver=sor)
        here = sg.Simulation(model, gaps="linear", **set_up).advance()
        there = sg.Simulation(model, device="cuda", **set_up).advance()
        assert here.contacts.count == there.contacts.count == 3
        assert here.residual > 1e-9
        assert abs(there.residual - here.residual) < 1e-6 * here.residual, (most, here.residual, there.residual)
    """
    )


def test_run_goes_on_bit_for_bit_from_a_checkpoint(tmp_path: object) -> None:
    simulated(
        COMPARE
        + f"""
    def start(record=None):
        model = sg.Model()
        model.add_box_container(size=(0.15, 0.15, 1.0))
        for k in range(4):
            at = (0.04 + 0.07 * (k % 2), 0.04 + 0.07 * (k // 2), 0.036)
            model.add_body(sg.Sphere(0.035), density=1000, position=at, velocity=(0.1 * k, 0.05, 0))
        return sg.Simulation(model, step=0.005, solver=sg.ProjectedSOR(max_iterations=20), device="cuda")
    whole = start().run(0.03)
    start().run(0.015, record={str(tmp_path)!r} + "/half.h5")
    rest = sg.Simulation.resume({str(tmp_path)!r} + "/half.h5").run(0.015)
    assert np.array_equal(whole.state().position, rest.state().position)
    """
    )


def test_a_step_is_read_before_the_next_one() -> None:
    output = simulated(
        """
    import signorini as sg
    model = sg.Model()
    model.add_body(sg.Sphere(0.1), density=1000)
    sim = sg.Simulation(model, device="cuda")
    first = sim.advance()
    sim.advance()
    try:
        first.state.position
    except sg.SignoriniError as error:
        print(error)
    """
    )
    assert "before the next one is taken" in output


def test_what_the_device_cannot_do_is_said() -> None:
    output = simulated(
        """
    import signorini as sg

    def trouble(build, **settings):
        model = sg.Model()
        build(model)
        try:
            sg.Simulation(model, **{"device": "cuda", **settings})
        except sg.SignoriniError as error:
            print(error)

    def ball(model):
        return model.add_body(sg.Sphere(0.1), density=1000, position=(0, 0, 1))

    trouble(lambda m: m.add_body(sg.Cylinder(0.1, 0.1), density=1000))
    trouble(lambda m: (m.add_body(sg.Box((1, 1, 1)), density=1), m.add_body(sg.Box((1, 1, 1)), fixed=True)))
    trouble(lambda m: m.add_revolute(ball(m), None, (0, 0, 0), (0, 0, 1)))
    trouble(lambda m: m.add_body(sg.Sphere(0.1), density=1000, material=sg.Material(restitution=0.5)))
    trouble(ball, solver="interior-point")
    trouble(ball, solver="barzilai-borwein")
    rolls = sg.Material(rolling_friction=1e-3)
    trouble(lambda m: m.add_body(sg.Sphere(0.1), density=1000, material=rolls), solver="apgd")
    trouble(lambda m: (m.add_fixed_body(sg.shapes.HeightField([[0, 0], [0, 0]], 1)),
                       m.add_body(sg.Box((1, 1, 1)), density=1, position=(0, 0, 1))))
    trouble(ball, integrator="hht")
    trouble(ball, device="gpu")
    trouble(ball, gaps="curved")
    trouble(ball, warm_start="none")
    """
    ).splitlines()
    for line, part in zip(
        output,
        (
            "Cylinder",
            "box with a box",
            "joints",
            "no restitution",
            "not interior-point",
            "law='convex'",
            "rolling friction by projected-sor",
            "box with a mesh",
            "not hht",
            "cpu, cuda",
            "on the CPU",
            "warm_start",
        ),
        strict=True,
    ):
        assert part in line


def test_models_with_more_than_two_million_shapes_have_wider_identities() -> None:
    simulated(
        """
    import numpy as np
    import signorini as sg
    from signorini.stepping.device import detection

    def run(bits):
        detection.part_bits = lambda shapes: bits
        model = sg.Model()
        model.add_box_container(size=(0.16, 0.16, 1.0), material=sg.Material(friction=0.4))
        for k in range(7):
            at = (0.04 + 0.07 * (k % 2), 0.04 + 0.07 * (k // 2 % 2), 0.036 + 0.071 * (k // 4))
            model.add_body(sg.Sphere(0.035), density=1000, position=at, velocity=(0.2, 0.1 * k, -0.3))
        sor = sg.ProjectedSOR(tolerance=1e-12, max_iterations=60)
        sim = sg.Simulation(model, step=0.005, solver=sor, device="cuda")
        for _ in range(4):
            step = sim.advance()
        return np.asarray(step.contacts.identity), step.state.position.copy(), step.iterations

    (one, here, count), (other, there, again) = run(21), run(26)
    pairs = [(key >> 63 - bits, key >> 63 - 2 * bits & (1 << bits) - 1) for key, bits in ((one, 21), (other, 26))]
    assert len(one) > 6 and np.array_equal(*pairs)
    assert count == again
    np.testing.assert_allclose(there, here, rtol=0, atol=1e-12)
    """
    )


def test_too_little_memory_is_told_in_bytes() -> None:
    simulated(
        """
    from signorini.kernels.cuda.door import BYTES_PER_BODY, device_trouble, memory_trouble, slow_doubles

    assert memory_trouble(10 * BYTES_PER_BODY, 40_000) == ""
    assert "35,000,000,000 bytes" in memory_trouble(10_000_000 * BYTES_PER_BODY, 24 << 30)
    assert "25,769,803,776 free" in memory_trouble(10_000_000 * BYTES_PER_BODY, 24 << 30)
    assert device_trouble(1 << 60) == "" and slow_doubles() == 0  # the simulator has the memory of the host
    """
    )


def test_steps_on_the_device_from_the_command_line(tmp_path: Path) -> None:
    scene = tmp_path / "two_balls.py"
    scene.write_text(
        textwrap.dedent("""
        import signorini as sg

        def build():
            model = sg.Model()
            model.add_fixed_body(sg.HalfSpace())
            for k in range(2):
                model.add_body(sg.Sphere(0.05), density=1000, position=(0.0, 0.0, 0.05 + 0.1 * k))
            return model
        """)
    )
    out = simulated(f"""
        import sys
        from signorini.cli.main import main

        sys.argv = ["signorini", "run", {str(scene)!r}, "--duration", "0.02", "--step", "0.01", "--device", "cuda"]
        try:
            main()
        except SystemExit as end:
            assert not end.code
    """)
    assert "auto: the sweeps that the device has" in out
    assert "every step solved" in out
