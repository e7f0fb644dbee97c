"""A tool's output, bounded for a prompt: head and tail, with an exact count of what was left out (SPEC C1)."""

from __future__ import annotations

import re

_CONTROL = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|[\x00-\x08\x0b\x0c\x0e-\x1f]")


def clean(text: str) -> str:
    """Text without colours and terminal control; of a redrawn line only its last state."""
    lines = (line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))
    return _CONTROL.sub("", "\n".join(lines))


def excerpt(text: str, limit: int = 6000) -> str:
    """At most about `limit` characters of `text`, whole lines from its head and its tail."""
    text = clean(text).strip("\n")
    if len(text) <= limit:
        return text
    lines = text.split("\n")
    head = _fitting(lines, limit // 3)
    tail = _fitting(lines[len(head) :][::-1], limit - limit // 3)[::-1]
    left_out = len(lines) - len(head) - len(tail)
    return "\n".join([*head, f"[… {left_out} lines left out …]", *tail])


def _fitting(lines: list[str], room: int) -> list[str]:
    taken: list[str] = []
    for line in lines:
        cut = line if len(line) <= 500 else f"{line[:500]} [… {len(line) - 500} characters left out]"
        room -= len(cut) + 1
        if room < 0:
            break
        taken.append(cut)
    return taken
