"""Fenced code blocks of a reply, read line by line."""

from __future__ import annotations

import re
from dataclasses import dataclass

from compile_loop.edits.text import line_end, split_lines

_FENCE = re.compile(r"( {0,3})(`{3,}|~{3,})[ \t]*([^`\r\n]*)")
_LONGEST = 4096


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced block. `info` is what stands after the opening fence; `lines` come without their ends; `closed` or cut off."""

    info: str
    lines: tuple[str, ...]
    closed: bool


def fences(reply: str) -> list[Fence]:
    """The outermost fenced blocks of `reply`.

    Inside a block, a fence with an info string opens an inner one, whose end is not the outer's; that is how models
    write a file that has fences itself.
    """
    found: list[Fence] = []
    open_fences: list[str] = []
    info, margin = "", 0
    body: list[str] = []
    for raw in split_lines(reply):
        line = raw[: len(raw) - len(line_end(raw))]
        match = _FENCE.fullmatch(line) if len(line) <= _LONGEST else None
        if match is None:
            if open_fences:
                body.append(_without_margin(line, margin))
            continue
        mark, words = match[2], match[3].strip()
        if not open_fences:
            open_fences, info, margin, body = [mark], words, len(match[1]), []
            continue
        innermost = open_fences[-1]
        if not words and mark[0] == innermost[0] and len(mark) >= len(innermost):
            open_fences.pop()
            if not open_fences:
                found.append(Fence(info, tuple(body), True))
                continue
        elif words and len(mark) >= len(open_fences[0]) and mark[0] == open_fences[0][0]:
            open_fences.append(mark)
        body.append(_without_margin(line, margin))
    if open_fences:
        found.append(Fence(info, tuple(body), False))
    return found


def _without_margin(line: str, margin: int) -> str:
    """A fence that is indented takes as much from its lines."""
    taken = 0
    while taken < margin and line[taken : taken + 1] == " ":
        taken += 1
    return line[taken:]
