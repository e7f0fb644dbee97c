"""Where tables are printed."""

from __future__ import annotations

from rich.console import Console

_NO_LIMIT = 10_000


def listing_console(*, stderr: bool = False) -> Console:
    """A console as wide as the terminal; into a pipe or file, a row stays one line, so that `grep` finds all of it."""
    console = Console(stderr=stderr)
    return console if console.is_terminal else Console(stderr=stderr, width=_NO_LIMIT)
