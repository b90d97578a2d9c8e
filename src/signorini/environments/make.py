"""From a task, its name or a model to an environment."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

from signorini.environments import push, reach, walk
from signorini.environments.env import SignoriniEnv, SignoriniVectorEnv
from signorini.environments.task import Task
from signorini.model.model import Model
from signorini.problem.errors import ModelError, suggestion

TASKS: dict[str, Task] = {task.name: task for task in (reach.TASK, push.TASK, walk.TASK)}
"""Ready ones, by name."""


def make_env(task: Task | str | Model | Callable[[], Model], **settings: Any) -> SignoriniEnv:
    """An environment of one world.

    `task` is a `Task`, the name of a ready one (`reach`, `push`, `walk`), a model, or a function that builds one: then
    `low`, `high` (targets of its motors at actions -1 and 1) and `reward` are needed, and `observe`, `ended`, `start`,
    `step`, `substeps`, `horizon` may be given, as in `Task`. Other settings are those of `Simulation`.
    """
    found, others = _task(task, settings)
    return SignoriniEnv(found, **others)


def make_vector_env(
    task: Task | str | Model | Callable[[], Model], num_envs: int, *, threads: int | None = None, **settings: Any
) -> SignoriniVectorEnv:
    """An environment of many worlds that are stepped together by threads; `task` and settings as in `make_env`."""
    found, others = _task(task, settings)
    return SignoriniVectorEnv(found, num_envs, threads, **others)


def _task(task: Any, settings: dict[str, Any]) -> tuple[Task, dict[str, Any]]:
    """The task, and what is left of the settings."""
    if isinstance(task, str):
        if task not in TASKS:
            raise ModelError(f"no task is named {task!r}{suggestion(task, list(TASKS), 'there are')}")
        return TASKS[task], settings
    if isinstance(task, Task):
        return task, settings
    if not (isinstance(task, Model) or callable(task)):
        raise ModelError(f"task is {task!r}, expected a Task, one of {', '.join(TASKS)}, a Model or what builds one")
    missing = [name for name in ("low", "high", "reward") if name not in settings]
    if missing:
        raise ModelError(f"an environment of a model needs {', '.join(f'{name}=...' for name in missing)}")
    known = {field.name for field in fields(Task)} - {"name", "build"}
    build = (lambda: task) if isinstance(task, Model) else task
    own = {name: value for name, value in settings.items() if name in known}
    return Task("own", build, **own), {name: value for name, value in settings.items() if name not in known}
