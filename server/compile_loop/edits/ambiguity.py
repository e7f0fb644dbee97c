"""How several places are told to the model: line numbers and a preview of each (SPEC E5)."""

from __future__ import annotations

from collections.abc import Sequence

from compile_loop.edits.document import Document
from compile_loop.edits.match import Ambiguous

_PREVIEWED = 10
_NUMBERED = 20
_WIDTH = 160


def clipped(line: str, around: int = 0) -> str:
    """At most `_WIDTH` characters of a line, those about column `around`."""
    if len(line) <= _WIDTH:
        return line
    start = max(0, min(around - _WIDTH // 2, len(line) - _WIDTH))
    end = start + _WIDTH
    return ("…" if start else "") + line[start:end] + ("…" if end < len(line) else "")


def numbered(document: Document, first: int, last: int, marked: Sequence[int] = ()) -> str:
    """Lines `first` to `last` (zero-based, last not included), one a row, with their one-based numbers."""
    first, last = max(0, first), min(last, len(document.lines))
    width = len(str(last))
    return "\n".join(
        f"{'>' if row in marked else ' '} {row + 1:>{width}} | {clipped(document.lines[row])}"
        for row in range(first, last)
    )


def describe_places(document: Document, ambiguous: Ambiguous, *, brief: bool = False) -> str:
    """The count, the line numbers, and a preview of each place with a line around it; none where it is brief."""
    rows = [place.first for place in ambiguous.places]
    numbers = ", ".join(str(row + 1) for row in rows[:_NUMBERED]) + (", …" if len(rows) > _NUMBERED else "")
    count = f"more than {len(rows)}" if ambiguous.more else str(len(rows))
    parts = [f"SEARCH matches {count} places, at lines {numbers}."]
    if brief:
        return parts[0]
    shown = 0
    for place in ambiguous.places[:_PREVIEWED]:
        first = max(place.first - 2, 0)
        if first > shown:
            parts.append("  …")
        last = min(place.first + place.count, place.first + 4) + 1
        parts.append(numbered(document, max(first, shown), last, range(place.first, place.first + place.count)))
        shown = max(shown, last)
    if len(rows) > _PREVIEWED:
        parts.append("  …")
    return "\n".join(part for part in parts if part)
