"""From a recorded diff and the files it began with to the text on its other side."""

from __future__ import annotations

import re
from collections.abc import Mapping

from compile_loop.edits.text import split_lines

_HUNK = re.compile(r"@@ -(?P<start>\d+)(?:,(?P<lines>\d+))? \+\d+(?:,\d+)? @@")
_NO_END = "\\ No newline at end of file"


def sides(patch: str, originals: Mapping[str, str]) -> dict[str, tuple[str | None, str | None]]:
    """Each file of a unified diff of ours with its text before and after; None: it does not exist on that side."""
    found: dict[str, tuple[str | None, str | None]] = {}
    for old, new, body in _files(split_lines(patch)):
        path = (new if new != "/dev/null" else old)[2:]
        before = None if old == "/dev/null" else originals.get(path, "")
        after = None if new == "/dev/null" else _after(split_lines(before or ""), body)
        found[path] = (before, after)
    return found


def _files(lines: list[str]) -> list[tuple[str, str, list[str]]]:
    found: list[tuple[str, str, list[str]]] = []
    at = 0
    while at < len(lines):
        if lines[at].startswith("--- ") and at + 1 < len(lines) and lines[at + 1].startswith("+++ "):
            found.append((lines[at][4:].rstrip("\r\n"), lines[at + 1][4:].rstrip("\r\n"), []))
            at += 2
        elif (hunk := _HUNK.match(lines[at])) is not None and found:
            found[-1][2].append(lines[at])
            at = _hunk(lines, at + 1, int(hunk["lines"] or 1), found[-1][2])
        else:
            at += 1
    return found


def _hunk(lines: list[str], at: int, old: int, body: list[str]) -> int:
    """Take a hunk's lines: its head says how many there are of the old side, and additions go on to the next head."""
    while at < len(lines):
        kind = lines[at][:1]
        if kind == "\\" or (kind == "+" and not (old == 0 and lines[at].startswith("+++ "))):
            pass
        elif kind in ("-", " ") and old > 0:
            old -= 1
        else:
            break
        body.append(lines[at])
        at += 1
    return at


def _after(before: list[str], body: list[str]) -> str:
    text: list[str] = []
    at = 0
    for number, line in enumerate(body):
        if (hunk := _HUNK.match(line)) is not None:
            start = int(hunk["start"]) - (hunk["lines"] != "0")
            text += before[at:start]
            at = start
        elif line.startswith("+"):
            ends = number + 1 < len(body) and body[number + 1].startswith(_NO_END)
            text.append(line[1:].rstrip("\n") if ends else line[1:])
        elif line.startswith("-"):
            at += 1
        elif line.startswith(" "):
            text.append(before[at] if at < len(before) else line[1:])
            at += 1
    return "".join([*text, *before[at:]])
