"""Lines with their ends apart, and joined again (SPEC E8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from compile_loop.edits.text import line_end, split_lines


@dataclass(frozen=True, slots=True)
class Line:
    """A line without its end, and the end; no end where its place gives it one, or at the end of a file."""

    body: str
    end: str = ""


def lines_of(text: str) -> list[Line]:
    """The lines of a text."""
    return [_apart(raw) for raw in split_lines(text)]


def _apart(raw: str) -> Line:
    end = line_end(raw)
    return Line(raw[: len(raw) - len(end)], end)


def join(lines: Sequence[Line], fallback: str, *, before: str = "", ended: bool = True) -> str:
    """The lines as text; those without an end get `fallback`.

    `before` is the character before the text. Unless `ended`, the last line has no end, as it ends a file that has none.
    """
    pieces: list[str] = []
    last = before
    for line in lines:
        end = line.end or fallback
        if not line.body and end == "\n" and last == "\r":
            end = "\r"  # after a lone CR an LF of its own would make one line end of two
        pieces.append(line.body + end)
        last = end
    if pieces and not ended:
        pieces[-1] = lines[-1].body
    return "".join(pieces)
