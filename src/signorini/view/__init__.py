"""Pictures of what was recorded. The only folder that imports matplotlib, and only when something is drawn.

`signorini.view` is also a function, the viewer: the package itself can be called.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class _Viewing(ModuleType):
    """The package as a function: `signorini.view(run)`."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """See `signorini.view.web.view`."""
        from signorini.view.web import view

        return view(*arguments, **options)


sys.modules[__name__].__class__ = _Viewing
