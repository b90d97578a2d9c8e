"""Pictures and films without a screen: what must be seen is seen, where it must be."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import signorini as sg
from signorini.problem.errors import FileError, ModelError
from signorini.simulation.run import Run
from signorini.view.render import PictureSettings, Renderer, render_run
from signorini.view.render.film import RunPainter, Timing, between
from signorini.view.render.movie_files import check_movie_path, ffmpeg
from signorini.view.render.overlay import force_lines

pytestmark = pytest.mark.slow  # paints pictures
SMALL = PictureSettings(size=(160, 90))


def two_balls(gap: float = 0.0) -> sg.Model:
    model = sg.Model()
    model.add_fixed_body(sg.HalfSpace((0, 0, 1)))
    model.add_body(sg.Sphere(0.2), density=1000, position=(0, 0, 0.2), name="low")
    model.add_body(sg.Sphere(0.2), density=1000, position=(0, 0, 0.6 + gap), name="high")
    return model


@pytest.fixture(scope="module")
def run() -> tuple[Run, sg.Model]:
    model = two_balls(0.1)
    return sg.Simulation(model, step=0.01).run(0.3), model


def columns_of(image: np.ndarray, colour: np.ndarray) -> np.ndarray:
    """Where pixels have the hue of a colour."""
    hue = colour / np.linalg.norm(colour)
    unit = image / np.maximum(np.linalg.norm(image.astype(float), axis=2, keepdims=True), 1.0)
    return np.argwhere((unit @ hue > 0.985) & (image.min(axis=2) < 200))


def test_body_is_painted_where_the_camera_projects_it() -> None:
    model = two_balls()
    renderer = Renderer(model, [model.initial_state()], SMALL)
    image = renderer.image(model.initial_state())
    assert image.shape == (90, 160, 3)
    place = renderer.camera.project(model.initial_state().position[2])
    seen = columns_of(image, renderer.geometry.colours[2])
    assert np.abs(seen[:, ::-1].mean(axis=0) - place).max() < 16  # both balls have about this hue
    assert (image[0] > 240).all()


def test_fixed_spheres_are_drawn() -> None:
    model = sg.Model()
    model.add_fixed_body(sg.Sphere(0.5))
    renderer = Renderer(model, [model.initial_state()], SMALL)
    assert np.count_nonzero(renderer.image(model.initial_state()).min(axis=2) < 230) > 1000


def test_fixed_body_in_front_is_clear_and_behind_it_is_solid() -> None:
    for y, clear in ((-1.0, True), (1.0, False)):
        model = sg.Model()
        model.add_body(sg.Sphere(0.3), density=1000, name="ball")
        model.add_fixed_body(sg.Box((2, 0.1, 2)), position=(0, y, 0), name="pane")
        renderer = Renderer(model, [model.initial_state()], PictureSettings(size=(160, 90), camera="front"))
        assert bool(renderer._opacity[1] < 1.0) is clear


def test_hidden_section_and_opacity() -> None:
    model, start = two_balls(), two_balls().initial_state()
    whole = Renderer(model, [start], SMALL).image(start)
    alone = sg.Model()
    alone.add_fixed_body(sg.HalfSpace((0, 0, 1)))
    alone.add_body(sg.Sphere(0.2), density=1000, position=(0, 0, 0.2))
    known = Renderer(alone, [alone.initial_state()], SMALL).image(alone.initial_state())
    hidden = Renderer(model, [start], PictureSettings(size=(160, 90), hide=("hi*",))).image(start)
    assert np.array_equal(hidden, known)
    cut = Renderer(model, [start], PictureSettings(size=(160, 90), section=("z", 0.4))).image(start)
    assert np.count_nonzero(cut.min(axis=2) < 150) < 0.7 * np.count_nonzero(whole.min(axis=2) < 150)
    pale = Renderer(model, [start], PictureSettings(size=(160, 90), opacity={"*": 0.2})).image(start)
    assert pale.mean() > whole.mean() + 2
    with pytest.raises(ModelError, match="no body has such a name"):
        Renderer(model, [start], PictureSettings(opacity={"nobody": 0.5}))


def test_ball_casts_a_shadow_on_the_floor() -> None:
    high, low = sg.Model(), sg.Model()
    for model, z in ((high, 5.0), (low, 0.3)):
        model.add_fixed_body(sg.HalfSpace((0, 0, 1)))
        model.add_body(sg.Sphere(0.3), density=1000, position=(0, 0, z))
    settings = PictureSettings(size=(320, 240), camera="-55,50")
    image = Renderer(low, [low.initial_state()], settings).image(low.initial_state()).astype(float)
    grey = np.ptp(image, axis=2) < 6
    assert np.count_nonzero(grey & (image.mean(axis=2) < 200)) > 500


def test_camera_follows_a_body_that_flies_away() -> None:
    model = sg.Model(gravity=(0, 0, 0))
    model.add_body(sg.Sphere(0.3), density=1000, velocity=(30, 0, 0), name="ball")
    run = sg.Simulation(model, step=0.05).run(1.0)
    settings = PictureSettings(size=(160, 90), follow="ball")
    painter = RunPainter(run, model, settings)
    first, last = painter.picture(0.0), painter.picture(1.0)
    assert np.count_nonzero(first[:70] != last[:70]) < 300  # the half that is marked turns not, the rest is words


def test_speed_has_one_scale_for_the_whole_run(run: tuple[Run, sg.Model]) -> None:
    painter = RunPainter(*run, PictureSettings(size=(160, 90), colour="speed"))
    assert painter.renderer.fastest == pytest.approx(np.linalg.norm(run[0].velocity(), axis=2).max(), rel=0.2)
    assert not np.array_equal(painter.picture(0.0), painter.picture(0.14))


def test_lines_of_force_end_at_walls_and_at_centres_of_what_moves(run: tuple[Run, sg.Model]) -> None:
    last = run[0].contacts()
    movable = np.array([body.movable for body in run[1].bodies])
    lines = force_lines(last.contacts, run[0].state(), movable)
    ends = np.concatenate((lines[:, 0], lines[:, 2]))
    assert lines[:, :, 2].min() > -1e-3
    assert np.abs(ends[:, :2]).max() < 0.3, "no line runs to the origin of the plane through a body"
    settings = PictureSettings(size=(320, 180), contacts=True)
    with_forces = RunPainter(*run, settings).picture(0.3).astype(int)
    assert np.count_nonzero(with_forces[..., 0] - with_forces[..., 1] > 50) > 10


def test_states_between_frames() -> None:
    state = two_balls().initial_state()
    other = state.copy()
    other.position[1] += [0, 0, 1.0]
    other.orientation[1] = -np.array([np.cos(0.5), 0, 0, np.sin(0.5)])
    middle = between(state, other, 0.5)
    assert middle.position[1, 2] == pytest.approx(0.7)
    assert np.allclose(np.abs(middle.orientation[1]), [np.cos(0.25), 0, 0, np.sin(0.25)])


def test_instants_of_a_film() -> None:
    assert len(Timing(fps=10).instants(0.0, 1.0)) == 11
    assert len(Timing(fps=10, speed=0.1).instants(0.0, 1.0)) == 101
    assert Timing(fps=10, first=0.5, last=0.7).instants(0.0, 1.0) == pytest.approx([0.5, 0.6, 0.7])
    with pytest.raises(ModelError, match=r"from 0 to 1 s"):
        Timing(first=2.0).instants(0.0, 1.0)
    with pytest.raises(ModelError, match="fps is 0"):
        Timing(fps=0)


def test_film_gif_folder_and_picture(run: tuple[Run, sg.Model], tmp_path: Path) -> None:
    timing = Timing(fps=10)
    told: list[tuple[int, int]] = []
    gif = render_run(*run, tmp_path / "a.gif", SMALL, timing, progress=lambda *n: told.append(n))
    assert told[-1] == (4, 4)
    with Image.open(gif) as film:
        assert (film.size, film.n_frames) == ((160, 90), 4)
    folder = render_run(*run, tmp_path / "frames", SMALL, timing)
    assert sorted(path.name for path in folder.iterdir()) == [f"frame-0000{k}.png" for k in range(4)]
    with Image.open(render_run(*run, tmp_path / "last.png", SMALL)) as last:
        assert last.size == (160, 90)


def test_mp4(run: tuple[Run, sg.Model], tmp_path: Path) -> None:
    pytest.importorskip("imageio_ffmpeg")
    # Odd sizes are padded: the usual chroma format wants even ones.
    film = render_run(*run, tmp_path / "a.mp4", PictureSettings(size=(161, 91)), Timing(fps=20))
    said = subprocess.run([ffmpeg(), "-i", film, "-f", "null", "-"], capture_output=True, text=True, check=True).stderr
    assert "162x92" in said
    assert "h264" in said
    assert "frame=    7" in said


def test_wrong_settings_say_what_is_right(tmp_path: Path) -> None:
    for settings, words in (
        ({"camera": "isometric"}, "iso"),
        ({"camera": "10,100"}, "elevation"),
        ({"size": (4, 4)}, "16 to"),
        ({"zoom": 0.0}, "zoom is 0"),
        ({"colour": "red"}, "body, speed"),
        ({"section": ("w", 0.0)}, "x, y or z"),
        ({"opacity": {"a": 2.0}}, "0 to 1"),
    ):
        with pytest.raises(ModelError, match=words):
            PictureSettings(**settings)
    (tmp_path / "file").touch()
    for name, words in (("a.avi", ".mp4"), ("no/a.gif", "no directory"), ("file", "is a file")):
        with pytest.raises(FileError, match=words):
            check_movie_path(tmp_path / name)


def test_soft_bodies_and_cables_are_painted() -> None:
    from signorini.scenes import find_scene

    model = find_scene("soft-pile").build()
    state = model.initial_state()
    image = Renderer(model, [state], SMALL).image(state)
    assert np.count_nonzero(image.min(axis=2) < 200) > 300


def test_floors_that_stand_still_are_shaded_once_and_look_the_same() -> None:
    model = sg.SCENES["balls-in-box"].build(spheres=12, side=0.3)
    states = [model.initial_state()]
    renderer = Renderer(model, states, PictureSettings(size=(320, 180)))
    number, *rest = renderer._still
    assert (number >= 0).mean() > 0.2
    quick = renderer.image(states[0]).astype(int)
    renderer._still = (np.full_like(number, -1), *rest)
    assert np.abs(renderer.image(states[0]) - quick).max() <= 1


def test_floors_before_a_camera_that_moves_are_shaded_in_every_picture() -> None:
    model = sg.SCENES["balls-in-box"].build(spheres=4, side=0.3)
    follow = model.bodies[-1].name
    renderer = Renderer(model, [model.initial_state()], PictureSettings(size=(160, 90), follow=follow))
    assert (renderer._still[0] == -1).all()
