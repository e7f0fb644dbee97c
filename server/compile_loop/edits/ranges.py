"""Replacing ranges that a tool or an editor names by line and UTF-16 character."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from compile_loop.contracts.diagnostics import Range
from compile_loop.contracts.edits import Hunk
from compile_loop.edits.hunks import apply_hunks
from compile_loop.edits.text import UndecodableError, decode


class RangeError(ValueError):
    """The ranges cannot be replaced: they overlap, or the file is no text."""


@dataclass(frozen=True, slots=True)
class RangeEdit:
    """Put `new_text` in the place of `range`."""

    range: Range
    new_text: str


def replace_ranges(data: bytes, edits: Sequence[RangeEdit], encoding: str | None = None) -> bytes:
    """The file with all edits made, each counted in `data` as it is. The same edit given twice counts once.

    New lines take the line ending of the file's first line. Raises `RangeError`.
    """
    try:
        source = decode(data, encoding)
    except UndecodableError as error:
        raise RangeError(str(error)) from error
    end = next((line[len(line.rstrip("\r\n")) :] for line in source.lines if line.endswith(("\r", "\n"))), "\n")
    hunks: list[Hunk] = []
    try:
        for edit in sorted(set(edits), key=lambda e: (e.range, e.new_text)):
            text = edit.new_text.replace("\r\n", "\n").replace("\n", end)
            start, stop = source.offset_at(edit.range.start), source.offset_at(edit.range.end)
            if stop < start or (hunks and start < hunks[-1].end):
                raise RangeError("Two suggested edits overlap.")
            hunks.append(Hunk(start, stop, text.encode(source.encoding)))
    except UnicodeEncodeError as error:
        raise RangeError(f"The file's encoding {source.encoding} cannot hold the suggested text.") from error
    return apply_hunks(data, hunks)
