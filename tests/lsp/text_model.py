"""How an editor counts: positions in a text, written apart from the server's own."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable

from lsprotocol import types

UNITS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}
LINE_END = re.compile(r"\r\n|\r|\n")


def position_of(text: str, offset: int, encoding: str) -> types.Position:
    lines = LINE_END.split(text[:offset])
    name, width = UNITS[encoding]
    return types.Position(len(lines) - 1, len(lines[-1].encode(name)) // width)


def offset_of(text: str, position: types.Position, encoding: str) -> int:
    """The offset of a position, which must exist."""
    at = 0
    for _ in range(position.line):
        end = LINE_END.search(text, at)
        assert end is not None, f"line {position.line} is past the end"
        at = end.end()
    line = re.compile(r"[^\r\n]*").match(text, at)
    assert line is not None
    name, width = UNITS[encoding]
    units = line[0].encode(name)[: position.character * width]
    assert len(units) == position.character * width, f"character {position.character} is past the end of {line[0]!r}"
    return at + len(units.decode(name))


def spans_of(text: str, edits: Iterable[types.TextEdit], encoding: str) -> list[tuple[int, int, str]]:
    """Edits as sorted offsets; they must not overlap."""
    spans = sorted(
        (offset_of(text, e.range.start, encoding), offset_of(text, e.range.end, encoding), e.new_text) for e in edits
    )
    assert all(a[1] <= b[0] for a, b in itertools.pairwise(spans)), "the edits overlap"
    return spans


def edited(text: str, edits: Iterable[types.TextEdit], encoding: str) -> str:
    """The text after the edits."""
    for start, end, new in reversed(spans_of(text, edits, encoding)):
        text = text[:start] + new + text[end:]
    return text
