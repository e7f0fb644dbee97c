"""An edit as a unified diff, for people and for `patch`."""

from __future__ import annotations

import difflib

from compile_loop.contracts.edits import FileChange
from compile_loop.edits.text import split_lines

_NO_NEWLINE = "\\ No newline at end of file\n"


def unified_diff(change: FileChange) -> str:
    """One file's change. Line ends are shown as they are, a missing one at the end of the file is marked."""
    before, after = (_lines(data, change.encoding) for data in (change.before, change.after))
    names = [f"{side}/{change.path}" for side in "ab"]
    if change.before is None:
        names[0] = "/dev/null"
    if change.after is None:
        names[1] = "/dev/null"
    lines = difflib.unified_diff(before, after, names[0], names[1])
    return "".join(line if line.endswith("\n") else f"{line}\n{_NO_NEWLINE}" for line in lines)


def changed_lines(change: FileChange) -> int:
    """Lines that the change adds and takes away, together."""
    body = unified_diff(change).splitlines()[2:]
    return sum(line.startswith(("+", "-")) for line in body)


def _lines(data: bytes | None, encoding: str) -> list[str]:
    return [] if data is None else split_lines(data.decode(encoding, "replace").removeprefix("\ufeff"))
