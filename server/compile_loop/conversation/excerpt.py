"""A tool's output, bounded for a prompt: head and tail, with an exact count of what was left out (SPEC C1)."""

from __future__ import annotations

import re
from collections.abc import Callable

_CONTROL = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|[\x00-\x08\x0b\x0c\x0e-\x1f]")
_LONG_LINE = 500


def clean(text: str) -> str:
    """Text without colours and terminal control; of a redrawn line only its last state."""
    lines = (line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))
    return _CONTROL.sub("", "\n".join(lines))


def excerpt(text: str, limit: int, each: Callable[[str], str] = str) -> tuple[str, bool]:
    """At most about `limit` characters of `text`, whole lines from its head and its tail, and whether that is all.

    `each` is done to what is shown; it may change lines, not their number, and twice must be as once.
    """
    text = clean(text).strip("\n")
    if len(text) <= 2 * limit:
        text = each(text)
    if len(text) <= limit:
        return text, True
    lines = text.split("\n")
    head = _fitting(lines, limit // 3, each)
    tail = _fitting(lines[len(head) :][::-1], limit - limit // 3, each)[::-1]
    left_out = len(lines) - len(head) - len(tail)
    return "\n".join([*head, f"[… {left_out} lines left out …]", *tail]), False


def _fitting(lines: list[str], room: int, each: Callable[[str], str]) -> list[str]:
    taken: list[str] = []
    for line in lines:
        cut = each(line[: 2 * _LONG_LINE])
        if len(line) > _LONG_LINE:
            cut = f"{cut[:_LONG_LINE]} [… {len(line) - _LONG_LINE} characters left out]"
        room -= len(cut) + 1
        if room < 0:
            break
        taken.append(cut)
    return taken
