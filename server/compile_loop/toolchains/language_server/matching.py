"""Which finding of a language server is the one that a check reported. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from compile_loop.toolchains.language_server.connection import Message

_WARNING = 2
_NEAR = 3
"""Lines between two places of one finding: a missing `;` is found before the line's end, or at the next token."""


def same_finding(one: Message, found: Sequence[Message]) -> Message | None:
    """The server's finding at the same start, else with the same words near by; None if there is none.

    Of several, the most severe.
    """
    start, words = one["range"]["start"], _words(one["message"])
    at_start = [other for other in found if other["range"]["start"] == start]
    near = [
        other for other in found if abs(_line(other) - start["line"]) <= _NEAR and _words(other["message"]) == words
    ]
    return min(at_start or near, key=_severity, default=None)


def finding_near(one: Message, found: Sequence[Message]) -> Message | None:
    """The most severe of the server's errors and warnings in the same line, else its last error shortly before; None if none.

    It may be another one: whoever takes its fix has to see whether the check's own finding goes away.
    """
    line = one["range"]["start"]["line"]
    in_line = [other for other in found if _line(other) == line and _severity(other) <= _WARNING]
    before = [other for other in found if line - _NEAR <= _line(other) < line and _severity(other) == 1]
    return min(in_line, key=_severity, default=None) or max(before, key=_line, default=None)


def _line(finding: Message) -> int:
    return int(finding["range"]["start"]["line"])


def _severity(finding: Message) -> int:
    return int(finding.get("severity") or 1)


def _words(message: str) -> str:
    """A message's first line, as compilers and their servers write it alike."""
    first = message.split("\n", 1)[0].casefold()
    return first.replace(" (fix available)", "").replace(" (fixes available)", "").strip()
