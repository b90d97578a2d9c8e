"""Environments of Gymnasium: `make_env("walk")`, `make_vector_env("reach", 64)`, and those of your own models.

Needs the extra `rl` (Gymnasium).
"""

from __future__ import annotations

from signorini.environments.env import SignoriniEnv as SignoriniEnv
from signorini.environments.env import SignoriniVectorEnv as SignoriniVectorEnv
from signorini.environments.make import TASKS as TASKS
from signorini.environments.make import make_env as make_env
from signorini.environments.make import make_vector_env as make_vector_env
from signorini.environments.task import Task as Task

__all__ = ["TASKS", "SignoriniEnv", "SignoriniVectorEnv", "Task", "make_env", "make_vector_env"]
