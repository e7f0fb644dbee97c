"""Replacing ranges that a tool or an editor names by line and UTF-16 character."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from compile_loop.contracts.diagnostics import Range
from compile_loop.contracts.edits import Hunk
from compile_loop.edits.hunks import apply_hunks
from compile_loop.edits.strange import strange_character
from compile_loop.edits.text import SourceText, UndecodableError, decode, line_end


class RangeError(ValueError):
    """The ranges cannot be replaced: they overlap, the file is no text, or it would be none any more."""


@dataclass(frozen=True, slots=True)
class RangeEdit:
    """Put `new_text` in the place of `range`."""

    range: Range
    new_text: str


def replace_ranges(data: bytes, edits: Sequence[RangeEdit], encoding: str | None = None) -> bytes:
    """The file with all edits made, each counted in `data` as it is. The same edit given twice counts once.

    Edits of one place are made in the order given; new lines take the line end of their place. Raises `RangeError`.
    """
    try:
        source = decode(data, encoding)
    except UndecodableError as error:
        raise RangeError(str(error)) from error
    hunks: list[Hunk] = []
    strange = next(filter(None, (strange_character(edit.new_text, source.text) for edit in edits)), None)
    if strange is not None:
        raise RangeError(f"The suggested text has the character {strange}, which no source text holds.")
    try:
        for edit in sorted(dict.fromkeys(edits), key=lambda edit: edit.range):
            end = _end_at(source, edit.range.start.line)
            text = edit.new_text.replace("\r\n", "\n").replace("\n", end)
            start, stop = source.offset_at(edit.range.start), source.offset_at(edit.range.end)
            if stop < start or (hunks and start < hunks[-1].end):
                raise RangeError("Two suggested edits overlap.")
            hunks.append(Hunk(start, stop, text.encode(source.encoding)))
    except UnicodeEncodeError as error:
        raise RangeError(f"The file's encoding {source.encoding} cannot hold the suggested text.") from error
    return apply_hunks(data, hunks)


def _end_at(source: SourceText, row: int) -> str:
    """The end of a line, else of the one before it, else of the first that has any."""
    near = source.lines[max(row - 1, 0) : row + 1]
    return next((line_end(line) for line in (*near[::-1], *source.lines) if line_end(line)), "\n")
