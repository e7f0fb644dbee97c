"""An edit as a coloured unified diff, for a terminal."""

from __future__ import annotations

from rich.text import Text

from compile_loop.edits.unified import unified_diff

__all__ = ["coloured", "unified_diff"]

_STYLES = (("+++", "bold"), ("---", "bold"), ("@@", "cyan"), ("+", "green"), ("-", "red"))


def coloured(diff: str) -> Text:
    """A diff with the usual colours, for a terminal."""
    text = Text()
    for line in diff.splitlines(keepends=True):
        text.append(line, next((style for start, style in _STYLES if line.startswith(start)), ""))
    return text
