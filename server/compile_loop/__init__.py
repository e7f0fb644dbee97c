"""Compile Loop: fix code until its check passes.

`make(conf)` gives the loop as a tool for agents; see `compile_loop.library`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from compile_loop.version import VERSION

if TYPE_CHECKING:
    from compile_loop.library import Conf, ToolDefinition, UsageError, make

__version__ = VERSION
__all__ = ["Conf", "ToolDefinition", "UsageError", "__version__", "make"]


def __getattr__(name: str) -> Any:
    """Load the library face only when it is used: the command line and the server start without it."""
    if name in ("Conf", "ToolDefinition", "UsageError", "make"):
        from compile_loop import library

        return getattr(library, name)
    raise AttributeError(f"module 'compile_loop' has no attribute {name!r}")
