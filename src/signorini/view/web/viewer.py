"""The viewer: a page sent by a server of this machine, and a simulation that feeds it while it computes."""

from __future__ import annotations

import base64
import json
import threading
import webbrowser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np

from signorini.io.diagnostics import row_of, table
from signorini.math.sparse import Array
from signorini.model.model import Model
from signorini.model.state import State
from signorini.problem.errors import ModelError, SimulationError
from signorini.simulation.run import Run
from signorini.simulation.simulation import Simulation
from signorini.stepping.step import Step
from signorini.view.seen import seen_contacts
from signorini.view.web.frames import contact_rows, packed
from signorini.view.web.page import data_of_run, data_of_state, page_of

MOST_AT_ONCE = 500
"""Frames of a simulation that is watched, in one answer; the page asks again for the rest."""


class Viewer:
    """A page in the browser; it lives until `close()`, or as long as the program.

    As a callback of `Simulation.run` it takes the steps of a simulation: `sim.run(2.0, callbacks=[viewer])`.
    """

    def __init__(self, data: dict[str, Any], model: Model, host: str = "127.0.0.1", port: int = 0) -> None:
        self._data, self._model = data, model
        self._lock = threading.Lock()
        self._states: list[State] = []
        self._contacts: list[Array] = []
        self._rows: list[tuple[Any, ...]] = []
        self._done = not data["live"]
        try:
            self._server = ThreadingHTTPServer((host, port), _handler(self))
        except OSError as error:
            raise SimulationError(f"no page can be shown at {host}:{port} ({error}); choose another --port") from error
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True, name="signorini-viewer").start()

    def __repr__(self) -> str:
        return f"Viewer({self.url})"

    def _repr_html_(self) -> str:
        """In a notebook: the page itself, which stays when the program is gone."""
        page = base64.b64encode(self.page().encode()).decode()
        return f'<iframe src="data:text/html;base64,{page}" width="100%" height="560" style="border:0"></iframe>'

    @property
    def url(self) -> str:
        """Where the page is."""
        host, port = self._server.server_address[:2]
        return f"http://{host!s}:{port}/"

    def open(self) -> Viewer:
        """Show the page in the browser."""
        webbrowser.open(self.url)
        return self

    def close(self) -> None:
        """Stop sending."""
        self._server.shutdown()
        self._server.server_close()

    def __call__(self, step: Step) -> None:
        """Take a step of the simulation that is watched."""
        step.hold()
        rows = contact_rows(seen_contacts(self._model, step.state, step.contacts), step.impulses)
        with self._lock:
            self._states.append(step.state)
            self._contacts.append(rows)
            self._rows.append(row_of(step))

    def finish(self) -> None:
        """Tell the page that nothing more comes."""
        self._done = True

    def page(self) -> str:
        """The page as it is now."""
        return page_of(self._data)

    def frames_from(self, first: int) -> dict[str, Any]:
        """Frames that a page which has `first` of them lacks; the page has one from the start."""
        with self._lock:
            taken = slice(max(first - 1, 0), max(first - 1, 0) + MOST_AT_ONCE)
            states, contacts, rows = self._states[taken], self._contacts[taken], self._rows[taken]
            done = self._done and taken.stop >= len(self._states)
        return {**packed(self._model, states, contacts, table(rows)), "done": done}


def view(
    what: Run | Simulation | Model,
    model: Model | None = None,
    *,
    browser: bool = True,
    host: str = "127.0.0.1",
    port: int = 0,
    title: str = "",
) -> Viewer:
    """Show a run, a model, or a simulation while it computes, in the browser.

    A run from a file whose model has functions needs the model. For a simulation the viewer is a callback::

        viewer = sg.view(sim)
        sim.run(2.0, callbacks=[viewer])
    """
    if isinstance(what, Run):
        known = model if model is not None else what.model()
        viewer = Viewer(data_of_run(what, known, title), known, host, port)
    elif isinstance(what, Simulation | Model):
        live = isinstance(what, Simulation)
        known = what.model if isinstance(what, Simulation) else what
        state = what.state if isinstance(what, Simulation) else known.initial_state()
        step = what.step if isinstance(what, Simulation) else 1.0
        first = packed(known, [state], [np.zeros((0, 9))], table([]))
        data = data_of_state(known, state, first, title or ("Signorini, live" if live else "Signorini model"), step)
        viewer = Viewer({**data, "live": live}, known, host, port)
    else:
        raise ModelError(f"{what!r} cannot be viewed; give a Run, a Simulation or a Model")
    return viewer.open() if browser else viewer


def _handler(viewer: Viewer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        """Two answers: the page, and frames that are new."""

        def do_GET(self) -> None:
            asked = urlsplit(self.path)
            if asked.path == "/":
                self._answer(viewer.page().encode(), "text/html; charset=utf-8")
            elif asked.path == "/frames":
                first = parse_qs(asked.query).get("from", ["0"])[0]
                found = viewer.frames_from(int(first) if first.isdigit() else 0)
                self._answer(json.dumps(found, allow_nan=False).encode(), "application/json")
            else:
                self.send_error(404)

        def _answer(self, body: bytes, kind: str) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Cache-Control", "no-store")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Nothing: the terminal belongs to the run."""

    return Handler
